#!/usr/bin/env python3
"""Measures how well a clue of one or two sentences finds a document that contains it, in three ways: an index with
postings; `neardup find`, which reads every text; and the recipe find_by_clue, an index of sentences.

  bench/clues.py build/release/bin/neardup TEXTS [--features chars:2] [--scan 25] [--recipe
build/release/bin/find_by_clue]

TEXTS is a file of JSON Lines with "id" and "text", which may be compressed (.jsonl.gz).
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
    parser.add_argument("--recipe", help="the program find_by_clue")
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
        for kept in ((), ("--keep-postings",)):
            start = time.time()
            subprocess.run([options.program, "index", "--quiet", "--jsonl", *kept, "--features", options.features,
                            "--output", index, corpus], check=True)
            print(f"index {' '.join(kept)}: {time.time() - start:.1f} s, {index.stat().st_size / 1e6:.1f} MB")

        def find(clue, *where, paths=()):
            done = subprocess.run([options.program, "find", "--quiet", "--format", "jsonl", "--min-similarity",
                                   options.similarity, *where, "--", clue, *paths], capture_output=True)
            return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []

        names = list(texts)

        def found_by_recipe(asked):
            if not options.recipe:
                return [[] for _ in asked]
            for name, some in (("documents", texts.values()), ("clues", asked)):
                (pathlib.Path(folder) / name).write_bytes(b"".join(text.replace("\0", " ").encode() + b"\0" for text in some))
            done = subprocess.run([options.recipe, "documents", "clues"], capture_output=True, check=True, cwd=folder)
            return [[names[int(number)] for number in line.split()] for line in done.stdout.decode().split("\n")[:-1]]

        scanned = min(options.scan, len(clues))
        print(f"{len(texts)} documents, {len(clues)} clues, {scanned} of them over the texts. First / among ten:\n")
        print("| clue | `find --index` | passage right | `find` over the texts | `find_by_clue` |\n|---|---|---|---|---|")
        spent = []
        for number, way in enumerate(WAYS):
            asked = []
            for i, clue in enumerate(clues):
                own = random.Random(i)
                asked.append((clue, with_words(own, clue, 1, vocabulary), with_words(own, clue, 3, vocabulary),
                              with_characters(own, clue, alphabet), half(own, clue))[number])
            by_index, by_scan = [], []
            places = [0, 0]  # [clues whose passage is shown, all clues]
            for i, clue in enumerate(clues):
                start = time.time()
                found = find(asked[i], "--no-verify", "--index", index)
                spent.append(time.time() - start)
                by_index.append([row["id"] for row in found])
                if i < scanned:
                    rows = find(asked[i], "--jsonl", "--features", options.features, paths=(corpus,))
                    by_scan.append([row["id"] for row in rows])
                first = next((row for row in found if clue in texts[row["id"]]), None)
                if first and "offset" in first:
                    text = texts[first["id"]].encode()
                    end = first["offset"] + first["length"]
                    at = [m.start() for m in re.finditer(re.escape(clue.encode()), text)]
                    places[0] += any(first["offset"] < begin + len(clue.encode()) and begin < end for begin in at)
                    places[1] += 1

            def shares(found):
                right = [[clue in texts[name] for name in some] for clue, some in zip(clues, found)]
                count = max(1, len(right))
                return f"{sum(r[:1] == [True] for r in right) / count:.2f} / {sum(any(r) for r in right) / count:.2f}"

            cells = (shares(by_index), f"{places[0] / max(1, places[1]):.2f}", shares(by_scan),
                     shares(found_by_recipe(asked)) if options.recipe else "")
            print(f"| {way} | " + " | ".join(cells) + " |", flush=True)
        print(f"\n{1000 * sorted(spent)[len(spent) // 2]:.0f} ms for a clue, the start of the program included")


if __name__ == "__main__":
    main()
