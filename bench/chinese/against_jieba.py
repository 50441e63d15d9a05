#!/usr/bin/env python3
"""Compares the words and keywords of neardup with those of python3-jieba, and counts the differences.

    bench/chinese/against_jieba.py build/bench/bin/neardup_bench_segment tidb-zh.jsonl poetry-zh.jsonl /usr/share/man/zh_*/*/*.gz

A file is plain text, or JSON Lines with a field `text`, and may be compressed by gzip. The words of each line are
compared twice: with and without the model of unknown words. Of each record of JSON Lines, all keywords are compared in
order. For this, keywords with equal scores are put into the order of the text, as jieba does. Scores count as equal if
they are equal in the exact arithmetic of neardup.
"""

import argparse
import gzip
import json
import subprocess
import sys

import jieba
import jieba.analyse


def contents(path):
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
        return file.read().decode("utf-8", "replace").replace("\0", " ")


def answers(program, command, texts):
    """Returns the output of the program for each text."""
    given = "".join(text + "\0" for text in texts).encode()
    return subprocess.run([program, *command], input=given, capture_output=True, check=True).stdout.decode().split("\n")[:-1]


def report(what, texts, tokens, different):
    print(f"| {what} | {len(texts):,} | {tokens:,} | {different:,} |", flush=True)
    return different


def compare_words(program, lines, model):
    tokens = different = 0
    found = answers(program, ["words"] + ([] if model else ["--no-hmm"]), lines)
    assert len(found) == len(lines)
    for line, sizes in zip(lines, found):
        expected = [len(word.encode()) for word in jieba.cut(line, HMM=model)]
        given = [int(size) for size in sizes.split()]
        tokens += len(expected)
        if given != expected:
            different += len(set(ends(expected)) ^ set(ends(given)))
    return report(f"words, {'with' if model else 'without'} the model", lines, tokens, different)


def ends(sizes):
    at = 0
    for size in sizes:
        at += size
        yield at


def compare_keywords(program, records):
    tokens = different = 0
    found = answers(program, ["keywords"], records)
    assert len(found) == len(records)
    for text, line in zip(records, found):
        expected = jieba.analyse.extract_tags(text, topK=None)
        fields = line.split("\t")[:-1]
        place = {word: i for i, word in enumerate(dict.fromkeys(jieba.cut(text)))}
        scored = list(zip(fields[::2], map(int, fields[1::2])))
        scored.sort(key=lambda pair: (-pair[1], place[pair[0]]))
        given = [word for word, _ in scored]
        tokens += len(expected)
        different += sum(a != b for a, b in zip(expected, given)) + abs(len(expected) - len(given))
    return report("keywords", records, tokens, different)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="neardup_bench_segment")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    jieba.setLogLevel("ERROR")
    lines, records = [], []
    for path in options.files:
        text = contents(path)
        if ".jsonl" in path:
            records += [json.loads(line)["text"] for line in text.splitlines()]
        else:
            lines += [line for line in text.split("\n") if line]
    lines += [line for record in records for line in record.split("\n") if line]
    print(f"{sum(len(line.encode()) for line in lines) / 1e6:.1f} MB of {len(options.files)} files\n")
    print("| compared | texts | tokens | different |\n|---|---|---|---|")
    different = compare_words(options.program, lines, True) + compare_words(options.program, lines, False)
    if records:
        different += compare_keywords(options.program, records)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
