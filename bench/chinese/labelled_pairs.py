#!/usr/bin/env python3
"""Measures how well `neardup pairs` finds versions of short texts: precision and recall of several choices of options.

    bench/chinese/labelled_pairs.py build/release/bin/neardup poetry-zh.jsonl

Two records are versions of one text if they have the same label in the field `cluster`.
"""

import argparse
import collections
import json
import subprocess

WAYS = (
    "--features words --similarity 0.5",
    "--check edit --similarity 0.7",
    "--check edit --similarity 0.6",
    "--check cosine --features words --weights logtf --similarity 0.7",
    "--check cosine --similarity 0.7 --features chars:2 --distance 16",
    "--check jaccard --similarity 0.5 --features chars:2 --distance 16",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("corpus", help="JSON Lines with id, text and cluster")
    parser.add_argument("--up-to", type=int, default=140, help="characters (default: 140)")
    options = parser.parse_args()
    with open(options.corpus, encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if len(record["text"]) <= options.up_to]
    cluster_of = {record["id"]: record["cluster"] for record in records}
    sizes = collections.Counter(cluster for cluster in cluster_of.values() if cluster is not None)
    true_pairs = sum(size * (size - 1) // 2 for size in sizes.values())
    texts = "".join(json.dumps({"id": r["id"], "text": r["text"]}) + "\n" for r in records).encode()
    print(f"{len(records):,} texts, {true_pairs:,} pairs by the label\n\n| options | precision / recall |\n|---|---|")
    for way in WAYS:
        command = [options.program, "pairs", "--quiet", "--jsonl", "--format", "jsonl", *way.split(), "-"]
        done = subprocess.run(command, input=texts, capture_output=True, check=True)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        right = sum(cluster_of[pair["a"]] is not None and cluster_of[pair["a"]] == cluster_of[pair["b"]] for pair in found)
        print(f"| `{way}` | {right / len(found):.3f} / {right / true_pairs:.3f} |", flush=True)


if __name__ == "__main__":
    main()
