#!/usr/bin/env python3
"""How well a clue of a sentence or two finds a document that holds it: by an index with postings, and by `neardup find` over
the texts, which looks at every document.

  bench/clues.py build/release/bin/neardup TEXTS [--features chars:2] [--scan 25]

TEXTS: a file of JSON Lines with "id" and "text", also packed (.jsonl.gz).
"""

import argparse
import gzip
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "articles"))
import texts as shared

WAYS = ("as it stands", "1 word changed", "3 words changed", "a quarter of the characters changed", "half of it")


def with_words(rng, clue, count, vocabulary):
    places = [(m.start(), m.end()) for m in shared.TOKEN.finditer(clue)]
    for begin, end in sorted(rng.sample(places, min(count, len(places))), reverse=True):
        clue = clue[:begin] + rng.choice(vocabulary) + clue[end:]
    return clue


def with_characters(rng, clue, alphabet):
    characters = list(clue)
    places = [i for i, c in enumerate(characters) if c.isalnum()]
    for place in rng.sample(places, len(places) // 4):
        characters[place] = rng.choice(alphabet)
    return "".join(characters)


def half(rng, clue):
    places = [m.start() for m in shared.TOKEN.finditer(clue)]
    middle = places[len(places) // 2]
    return rng.choice((clue[:middle], clue[middle:])).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("texts")
    parser.add_argument("--features", default="words:2")
    parser.add_argument("--similarity", default="0.2", help="the least share of a clue")
    parser.add_argument("--clues", type=int, default=200)
    parser.add_argument("--scan", type=int, default=25, help="so many of them over the texts, too")
    parser.add_argument("--least", type=int, default=20, help="words of a clue")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    opened = gzip.open if options.texts.endswith(".gz") else open
    with opened(options.texts, "rt", encoding="utf-8") as lines:
        texts = {str(r["id"]): r["text"] for r in map(json.loads, lines)}
    rng = random.Random(options.seed)
    clues = []
    for name in rng.sample(sorted(texts), len(texts)):
        found = [s.strip() for s in re.split(r"[\n]|(?<=[.!?]) |(?<=[。！？；])", texts[name])]
        found = [s for s in found if options.least <= len(shared.TOKEN.findall(s)) <= 80]
        if found and len(clues) < options.clues:
            clues.append(rng.choice(found))
    sample = [t for t in rng.sample(sorted(texts.values()), min(len(texts), 300))]
    vocabulary = [w for t in sample for w in shared.TOKEN.findall(t)]
    alphabet = [c for w in vocabulary for c in w]
    with tempfile.TemporaryDirectory() as folder:
        corpus, index = pathlib.Path(folder) / "texts.jsonl", pathlib.Path(folder) / "index"
        with open(corpus, "w", encoding="utf-8") as out:
            for name, text in texts.items():
                out.write(json.dumps({"id": name, "text": text}, ensure_ascii=False) + "\n")
        for kept in ("--keep-features", "--keep-postings"):
            start = time.time()
            subprocess.run([options.program, "index", "--quiet", "--jsonl", kept, "--features", options.features,
                            "--output", index, corpus], check=True)
            print(f"index {kept}: {time.time() - start:.1f} s, {index.stat().st_size / 1e6:.1f} MB")

        def find(clue, *where, paths=()):
            done = subprocess.run([options.program, "find", "--quiet", "--format", "jsonl", "--min-similarity",
                                   options.similarity, *where, "--", clue, *paths], capture_output=True)
            return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []

        print(f"{len(texts)} documents, {len(clues)} clues, {min(options.scan, len(clues))} of them over the texts\n")
        print("| clue | index: first | among the first 10 | passage right | texts: first | among the first 10 |")
        print("|---|---|---|---|---|---|")
        spent = []
        for number, way in enumerate(WAYS):
            counts = [0] * 5
            for i, clue in enumerate(clues):
                own = random.Random(i)
                asked = (clue, with_words(own, clue, 1, vocabulary), with_words(own, clue, 3, vocabulary),
                         with_characters(own, clue, alphabet), half(own, clue))[number]
                start = time.time()
                found = find(asked, "--no-verify", "--index", index)
                spent.append(time.time() - start)
                right = [clue in texts[row["id"]] for row in found]
                counts[0] += right[:1] == [True]
                counts[1] += any(right)
                first = next((row for row, is_right in zip(found, right) if is_right), None)
                if first and "offset" in first:
                    text = texts[first["id"]]
                    begin = len(text.encode()[: first["offset"]].decode("utf-8", "replace"))
                    end = begin + len(text.encode()[first["offset"] : first["offset"] + first["length"]].decode("utf-8", "replace"))
                    counts[2] += any(begin < m.end() and m.start() < end for m in re.finditer(re.escape(clue), text))
                if i < options.scan:
                    right = [clue in texts[row["id"]] for row in find(asked, "--jsonl", "--features", options.features, paths=(corpus,))]
                    counts[3] += right[:1] == [True]
                    counts[4] += any(right)
            n = len(clues)
            cells = [counts[0] / n, counts[1] / n, counts[2] / max(1, counts[1])]
            print(f"| {way} | " + " | ".join(f"{cell:.2f}" for cell in cells) +
                  f" | {counts[3]} | {counts[4]} |", flush=True)
        print(f"\n{1000 * sorted(spent)[len(spent) // 2]:.0f} ms for a clue, the start of the program included")


if __name__ == "__main__":
    main()
