"""The job of a peer that takes sets: it reads INPUT, makes features, and writes pairs to OUTPUT. The peer's own file
has the rest."""
import itertools
import json
import sys


def features(text):
    words = text.split(" ")
    return set(map(" ".join, zip(words, words[1:]))) or set(words)


def run(pairs_of):
    with open(sys.argv[1], encoding="utf-8") as lines:
        sets = [features(json.loads(line)["text"]) for line in lines]
    with open(sys.argv[2], "w", encoding="ascii") as output:
        output.writelines(f"{i}\t{j}\n" for i, j in pairs_of(sets))


def write_groups(group_of):
    """Writes all pairs of texts in a group, given the number of each text and of its group."""
    groups = {}
    for text, group in group_of:
        groups.setdefault(group, []).append(text)
    with open(sys.argv[2], "w", encoding="ascii") as output:
        output.writelines(f"{i}\t{j}\n" for group in groups.values() for i, j in itertools.combinations(group, 2))
