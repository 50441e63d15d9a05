#!/usr/bin/env python3
"""Compares the words of neardup with those of Ansj's ToAnalysis, and the pairs that are found with either.

    mvn -q -f bench/chinese/ansj dependency:copy-dependencies
    bench/chinese/against_ansj.py build/bench/bin/neardup_bench_segment build/bench/bin/neardup chars:3 tidb-zh.jsonl

Only words with a letter or a digit count. Only boundaries between two Chinese characters count: at other places, white
space or punctuation decides. A pair is found if the fingerprints of its words differ in at most --distance bits. A pair
is true if its Jaccard similarity is at least .7 by the named features. Maven fetches Ansj. The comparison needs Java 17
with its compiler (Debian: openjdk-17-jdk-headless).
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
JARS = HERE.parents[1] / "build" / "ansj"
WAYS = (("each word once", ()), ("TF-IDF, the top 20", ("--weights", "tfidf", "--top", "20")))


def run(command, given=None):
    return subprocess.run([str(part) for part in command], input=given, capture_output=True, check=True).stdout


def as_lines(ids, texts):
    return "".join(json.dumps({"id": i, "text": t}, ensure_ascii=False) + "\n" for i, t in zip(ids, texts)).encode()


def words_of_ansj(texts):
    output = run(["java", "-cp", f"{JARS}/*", HERE / "ansj" / "Words.java"], as_lines(range(len(texts)), texts))
    return [json.loads(line)["text"].split() for line in output.decode().splitlines()]


def counts(word):
    return any(c.isalpha() or c.isdecimal() for c in word)


def words_of_neardup(program, texts):
    """Returns for each text the segments that contain a letter or a digit."""
    output = run([program, "words"], "".join(text + "\0" for text in texts).encode()).decode().split("\n")[:-1]
    for text, sizes in zip(texts, output, strict=True):
        encoded, at, words = text.encode(), 0, []
        for size in map(int, sizes.split()):
            word = encoded[at:at + size].decode()
            at += size
            if counts(word):
                words.append(word)
        yield words


def places_of(words, text):
    """Returns the begin and end of each word. Words are in the order of the text. Ansj sometimes gives one character
    to two words, as the last of one and the first of the next."""
    begin = end = 0
    for word in words:
        at = text.find(word, end)
        if at < 0 or counts(text[end:at]):
            at = text.index(word, begin + 1)
        begin, end = at, at + len(word)
        yield begin, end


def is_chinese(character):
    return "\u3400" <= character <= "\u9fff" or character >= "\U00020000"


def boundaries(places, text):
    edges = {edge for place in places for edge in place}
    return {at for at in edges if 0 < at < len(text) and is_chinese(text[at - 1]) and is_chinese(text[at])}


def compare_words(texts, ours, theirs):
    both = [0, 0]
    all_ours, all_theirs = [0, 0], [0, 0]
    for text, our_words, their_words in zip(texts, ours, theirs, strict=True):
        a, b = set(places_of(our_words, text)), set(places_of(their_words, text))
        for i, (x, y) in enumerate(((a, b), (boundaries(a, text), boundaries(b, text)))):
            both[i] += len(x & y)
            all_ours[i] += len(x)
            all_theirs[i] += len(y)
    print("| | ours | Ansj's | both | F1 | of ours | of Ansj's |\n|---|---|---|---|---|---|---|")
    for i, name in enumerate(("words", "boundaries")):
        print(f"| {name} | {all_ours[i]:,} | {all_theirs[i]:,} | {both[i]:,} | {2 * both[i] / (all_ours[i] + all_theirs[i]):.3f} "
              f"| {both[i] / all_ours[i]:.3f} | {both[i] / all_theirs[i]:.3f} |", flush=True)


def pairs_of(program, ids, texts, options):
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(as_lines(ids, texts))
        file.flush()
        output = run([program, "pairs", "--quiet", "--jsonl", "--format", "jsonl", *options, file.name])
    return {(pair["a"], pair["b"]) for pair in map(json.loads, output.splitlines())}


def compare_pairs(options, texts, ours, theirs):
    ids = [str(i) for i in range(len(texts))]
    truth = pairs_of(options.program, ids, texts, ["--features", options.truth, "--similarity", "0.7"])
    print(f"\n{len(truth):,} true pairs\n\n| k = {options.distance} | ours | true | Ansj's | true | both |\n|---|---|---|---|---|---|")
    for name, weights in WAYS:
        found = [pairs_of(options.program, ids, map(" ".join, words),
                          ["--features", "spaced:words", "--distance", options.distance, *weights])
                 for words in (ours, theirs)]
        print(f"| {name} | {len(found[0]):,} | {len(found[0] & truth):,} | {len(found[1]):,} | {len(found[1] & truth):,} "
              f"| {len(found[0] & found[1]):,} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("segment", help="neardup_bench_segment")
    parser.add_argument("program", help="neardup")
    parser.add_argument("truth", help="the features of the true pairs, such as chars:3")
    parser.add_argument("corpus", help="JSON Lines with text")
    parser.add_argument("--distance", default="3")
    options = parser.parse_args()
    with open(options.corpus, encoding="utf-8") as lines:
        texts = [json.loads(line)["text"].replace("\0", " ") for line in lines]
    ours = list(words_of_neardup(options.segment, texts))
    theirs = words_of_ansj(texts)
    compare_words(texts, ours, theirs)
    compare_pairs(options, texts, ours, theirs)


if __name__ == "__main__":
    main()
