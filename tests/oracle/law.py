"""The law for tests in Python: the cells of law.txt, the rule applied to all pairs of documents, and random corpora."""

import functools
import itertools
import operator
import pathlib
import re

TABLE = pathlib.Path(__file__).with_name("law.txt")


def section(name):
    """Returns the lines of a section of law.txt, split at |."""
    text = re.search(rf"^\[{name}\].*\n((?:(?!\[).*\n)*)", TABLE.read_text(encoding="utf-8"), re.MULTILINE)[1]
    return [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line and line[0] != "#"]


def cells(product):
    """Yields (words of the column, row, names of the corpora) for each cell of a product."""
    sets = {}
    for cut in section(product):
        if " = " in cut[0]:
            name, members = cut[0].split(" = ")
            sets[name] = members
            continue
        column, rows, corpora = cut
        while any(name in sets for name in rows.split(", ")):
            rows = ", ".join(sets.get(name, name) for name in rows.split(", "))
        choices = [re.split(r"; *", part) for part in re.split(r"[{}]", column)]
        for words, row in itertools.product(itertools.product(*choices), rows.split(", ")):
            yield re.split(r", *", "".join(words)), row, corpora.split(", ")


def question(name):
    """Returns (texts, the position of the original of each text) of the corpus that is made for a question."""
    (texts, wanted), = [cut[1:] for cut in section("questions") if cut[0] == name]
    return texts.split(", "), [int(position) for position in wanted.split()]


def original(earlier, match, beats=operator.gt):
    """Returns the closest of the earlier documents for which match(document) is not None. Ties go to the first."""
    best = found = None
    for document in earlier:
        closeness = match(document)
        if closeness is not None and (best is None or beats(closeness, best)):
            best, found = closeness, document
    return found


def originals(order, match, known=(), among=True, beats=operator.gt):
    """Returns each document of `order` -> its original, or itself if it is kept. The known documents are kept before
    all others."""
    label, kept = {}, list(known)
    for document in order:
        found = original(kept, lambda earlier: match(earlier, document), beats)
        label[document] = document if found is None else found
        if found is None and among:
            kept.append(document)
    return label


def connected(order, match):
    """Returns document -> the most preferred document of its component."""
    label = {}
    for first in order:
        if first in label:
            continue
        label[first], open_ones = first, [first]
        while open_ones:
            document = open_ones.pop()
            for other in order:
                if other not in label and match(document, other) is not None:
                    label[other] = first
                    open_ones.append(other)
    return label


@functools.cache
def edits_between(a, b):
    """Returns the edit distance of two texts."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def draw_word(rng, vocabulary):
    """Returns a word of one or two letters. Words are so short that texts are near in edits, too."""
    letters, number = "abcdefghijklmnopqrstuvwxyz", rng.randrange(vocabulary)
    return letters[number % 26] + (letters[number // 26 % 26] if number >= 26 else "")


def draw_texts(rng, count, longest, in_a_row=False):
    """Returns lists of words: texts between several different centres, edited texts and copies, empty and short
    texts. The replaced words are anywhere in a text, or adjacent."""
    texts = []
    while len(texts) < count:
        size, vocabulary, first = longest // 2 + rng.randrange(longest // 2 + 1), rng.choice((40, 300)), len(texts)
        centre = [draw_word(rng, vocabulary) for _ in range(size)]
        members = rng.randrange(6, 18)
        for member in range(members):
            earlier = list(rng.choice(texts[first:])) if len(texts) > first else []
            kind = rng.randrange(12) if 3 * member < members else rng.randrange(6, 20)
            if kind < 9:
                words = list(centre)  # most texts of this kind are near the centre only
                replaced = rng.randrange(size // 6, size // 3) + 1
                at, start = rng.sample(range(size), replaced), rng.randrange(size)
                for i in range(replaced):
                    words[(start + i) % size if in_a_row else at[i]] = draw_word(rng, 300)
            elif kind < 12:
                words = list(centre)
                if rng.random() < 0.5:
                    words[rng.randrange(size)] = draw_word(rng, 300)
            elif kind < 16:
                words = earlier
            elif kind == 16:
                words = rng.sample(earlier, len(earlier))
            elif kind == 17:
                words = earlier[rng.randrange(len(earlier) + 1):]
            elif kind == 18:
                words = [draw_word(rng, vocabulary) for _ in range(rng.randrange(4))]
            else:
                words = [draw_word(rng, vocabulary) for _ in range(rng.randrange(size, 2 * size))]
            texts.append(words)
    return texts[:count]
