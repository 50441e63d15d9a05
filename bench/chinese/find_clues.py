#!/usr/bin/env python3
"""Measures how often `neardup find` finds a document by a clue: a sentence with changed characters or words.

    bench/chinese/find_clues.py build/release/bin/neardup tidb-zh.jsonl
    bench/chinese/find_clues.py --change words build/release/bin/neardup tidb-zh.jsonl

An answer is right if the named document has the unchanged sentence. The table has the share of clues with a right
answer first, and among the first ten. `--change words` needs the package jieba.
"""

import argparse
import json
import random
import re
import subprocess


def with_changes(sentence, changes, words, rng):
    """Returns the sentence with `changes` characters replaced, or words if `words` is set."""
    if words:
        import jieba

        pieces = jieba.lcut(sentence)
        places = [i for i, piece in enumerate(pieces) if piece[0].isalnum()]
        for place in rng.sample(places, min(changes, len(places))):
            pieces[place] = rng.choice([word for word in rng.sample(words, 50) if word != pieces[place]])
    else:
        pieces = list(sentence)
        for place in rng.sample([i for i, c in enumerate(pieces) if c.isalnum()], changes):
            pieces[place] = chr(0x4E00 + rng.randrange(5000))
    return "".join(pieces)


def words_of(sentences, rng):
    import jieba

    return [w for s in rng.sample(sentences, min(2000, len(sentences))) for w in jieba.cut(s) if w[0].isalnum()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("corpus", help="JSON Lines with id and text")
    parser.add_argument("--clues", type=int, default=100)
    parser.add_argument("--change", choices=("characters", "words"), default="characters")
    options = parser.parse_args()
    with open(options.corpus, encoding="utf-8") as lines:
        texts = {str(r["id"]): r["text"] for r in map(json.loads, lines)}
    sentences = [s for t in texts.values() for s in re.split("[。！？；\n]", t) if len(re.findall(r"\w", s)) >= 12]
    words = words_of(sentences, random.Random(2)) if options.change == "words" else None
    print(f"| changed {options.change} | first | among the first 10 |\n|---|---|---|")
    for changes in (0, 1, 3):
        rng = random.Random(1)
        first = among = 0
        for _ in range(options.clues):
            sentence = rng.choice(sentences)
            clue = with_changes(sentence, changes, words, rng)
            done = subprocess.run([options.program, "find", "--quiet", "--jsonl", "--format", "jsonl", "--min-similarity",
                                   "0.3", "--features", "chars:2", "--", clue, options.corpus],
                                  capture_output=True, check=True)
            found = [sentence in texts[json.loads(line)["id"]] for line in done.stdout.splitlines()]
            first += found[:1] == [True]
            among += any(found)
        print(f"| {changes} | {first / options.clues:.2f} | {among / options.clues:.2f} |", flush=True)


if __name__ == "__main__":
    main()
