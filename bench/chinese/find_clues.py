#!/usr/bin/env python3
"""How well `neardup find` answers: the share of clues, sentences of a corpus with some characters changed, for which it
names a document that holds the sentence, first and among the first ten.

    bench/chinese/find_clues.py build/release/bin/neardup tidb-zh.jsonl
"""

import argparse
import json
import random
import re
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("corpus", help="JSON Lines with id and text")
    parser.add_argument("--clues", type=int, default=100)
    options = parser.parse_args()
    with open(options.corpus, encoding="utf-8") as lines:
        texts = {str(r["id"]): r["text"] for r in map(json.loads, lines)}
    sentences = [s for t in texts.values() for s in re.split("[。！？；\n]", t) if len(re.findall(r"\w", s)) >= 12]
    print("| changed characters | first | among the first 10 |\n|---|---|---|")
    for changes in (0, 1, 3):
        rng = random.Random(1)
        first = among = 0
        for _ in range(options.clues):
            sentence = rng.choice(sentences)
            clue = list(sentence)
            for place in rng.sample([i for i, c in enumerate(clue) if c.isalnum()], changes):
                clue[place] = chr(0x4E00 + rng.randrange(5000))
            done = subprocess.run([options.program, "find", "--quiet", "--jsonl", "--format", "jsonl", "--min-similarity",
                                   "0.3", "--features", "chars:2", "--", "".join(clue), options.corpus],
                                  capture_output=True, check=True)
            found = [sentence in texts[json.loads(line)["id"]] for line in done.stdout.splitlines()]
            first += found[:1] == [True]
            among += any(found)
        print(f"| {changes} | {first / options.clues:.2f} | {among / options.clues:.2f} |", flush=True)


if __name__ == "__main__":
    main()
