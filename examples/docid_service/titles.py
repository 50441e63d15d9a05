#!/usr/bin/env python3
"""Measures how titles change docIds, on texts whose versions are known.

usage: titles.py PROGRAM FILE.jsonl[.gz]… [-- OPTION…]

A line is {"id", "text", "cluster"}. The texts of one cluster are versions of one text. The title is the part of the cluster
after a "|", or else the title of the text in Markdown. (Poems have the same title in all editions, and other poems may have
this title, too.) For each rule, prints how many articles got the docId of an article of another cluster (wrong), and how many
versions of an earlier article got a docId of their own (missed).
"""
import collections
import gzip
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "tests"))
import harness

RULES = {
    "url and content only": ["--steps", "url,content"],
    "the default: contents of .5, too": [],
    "contents of .7": ["--title-content", "0.7"],
    "of 8 tokens and more": ["--title-tokens", "8"],
    "within 10 bits": ["--title-distance", "10"],
    "titles alone": ["--title-content", "0"],
    "titles alone, of 8 tokens and more": ["--title-content", "0", "--title-tokens", "8"],
    "the default of SimHash": ["--recipe", "words"],
    "as published": ["--original", "yes"],
}


def read(name):
    with (gzip.open if name.endswith(".gz") else open)(name, "rt", encoding="utf-8") as lines:
        for line in lines:
            one = json.loads(line)
            if one["cluster"] is None:
                continue
            if "|" in one["cluster"]:
                title, content = one["cluster"].split("|", 1)[1], one["text"]
            else:
                heading = re.search(r"^(?:title:|#) *(.+)", one["text"], re.MULTILINE)
                title, content = heading[1] if heading else "", one["text"]
            yield one["cluster"], {"url": "x:" + one["id"], "title": title, "content": content}


def measure(articles, options):
    with tempfile.TemporaryDirectory() as folder:
        service = harness.Service(folder, *options)
        answers = []
        try:
            for i in range(0, len(articles), 500):
                status, some = service.post([one for _, one in articles[i:i + 500]])
                assert status == 200, some
                answers += some
        finally:
            service.stop()
    first, seen, wrong, missed = {}, set(), collections.Counter(), 0
    for (cluster, _), answer in zip(articles, answers):
        by = answer["filterReason"].split("duplicate by ")[-1].split(",")[0]
        if answer["filterStatus"] == "good":
            first[answer["docId"]] = cluster
            missed += cluster in seen
        elif first[answer["docId"]] != cluster:
            wrong[by] += 1
        seen.add(cluster)
    return wrong, missed, len(articles) - len(seen)


def main():
    words = sys.argv[1:]
    extra = words[words.index("--") + 1:] if "--" in words else []
    words = words[:words.index("--")] if "--" in words else words
    harness.PROGRAM = words[0]
    for name in words[1:]:
        articles = list(read(name))
        print(f"\n{pathlib.Path(name).name}: {len(articles)} articles\n")
        print("| titles | wrong by title | wrong by content | missed, of all versions |\n|---|---|---|---|")
        for rule, options in RULES.items():
            wrong, missed, versions = measure(articles, options + extra)
            print(f"| {rule} | {wrong['title']} | {wrong['content']} | {missed} of {versions} |", flush=True)


if __name__ == "__main__":
    main()
