#!/usr/bin/env python3
"""Counts the different articles that docid_service joins because they have one title, or numbered titles.

usage: long.py PROGRAM TEXT… [--articles N] [-- OPTION…]

PROGRAM is docid_service. TEXT are files or folders. A file is plain text, or JSON Lines with a field "text", and may be
compressed by gzip. For each size, N articles (default: 80) are made of different parts of the texts:

  own titles  no two titles have a word in common
  one title   all articles have the same title
  chapters    consecutive parts of a text, with the titles 第1章, 第2章, …
  template    all articles have the same title, and the same text in the first fifth of the content

Prints how many articles got the docId of another one, which should be none. Of these, it prints how many have a
Jaccard similarity of the pairs of words below .4 with the first article of this docId. OPTION are options of
docid_service.
"""
import argparse
import pathlib
import sys
import tempfile

import texts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/docid_service/tests"))
import harness

SIZES = ((600, 1200), (2000, 3000), (4000, 6000), (8000, 12000), (10000, 40000))


def article(number, title, content):
    return {"url": f"http://example.org/{number}", "title": title, "content": content}


def kinds(pieces, filler):
    """Yields pairs (kind, articles)."""
    contents = ["\n".join(piece) for piece in pieces]
    yield "own titles", [article(i, f"t{i}", content) for i, content in enumerate(contents)]
    yield "one title", [article(i, "公告", content) for i, content in enumerate(contents)]
    yield "chapters", [article(i, f"系统管理手册第{i + 1}章", content) for i, content in enumerate(contents)]
    form = filler[:sum(map(len, contents)) // max(1, len(contents)) // 5]
    yield "template", [article(i, "公告", form + "\n" + content[len(form):]) for i, content in enumerate(contents)]


def joined(program, options, articles):
    """Returns the number of articles that get the docId of another one, and how many of these are not similar to it."""
    with tempfile.TemporaryDirectory() as folder:
        harness.PROGRAM = program
        service = harness.Service(folder, *options)
        try:
            answers = []
            for i in range(0, len(articles), 100):
                status, some = service.post(articles[i:i + 100])
                if status != 200:
                    raise SystemExit(f"long.py: {status} {some}")
                answers += some
        finally:
            service.stop()
    first, wrong, unlike = {}, 0, 0
    for one, answer in zip(articles, answers):
        other = first.setdefault(answer["docId"], one)
        if other is not one:
            wrong += 1
            unlike += texts.jaccard(texts.pairs(one["content"]), texts.pairs(other["content"])) < 0.4
    return wrong, unlike


def main():
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--articles", type=int, default=80)
    given = parser.parse_args(words[:words.index("--")] if "--" in words else words)
    all_texts = list(texts.read(given.texts))
    filler = "\n".join(max(all_texts, key=len).split("\n")[::-1])
    print("| characters | articles | titles | given the docId of another | of these, pairs below .4 |\n|---|---|---|---|---|")
    for least, most in SIZES:
        pieces = []
        for piece in texts.pieces(all_texts, least, most):
            pieces.append(piece)
            if len(pieces) == given.articles:
                break
        for kind, articles in kinds(pieces, filler):
            wrong, unlike = joined(given.program, options, articles)
            print(f"| {least:,} to {most:,} | {len(articles)} | {kind} | {wrong} | {unlike} |", flush=True)


if __name__ == "__main__":
    main()
