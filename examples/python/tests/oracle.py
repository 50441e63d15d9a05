"""Computes the right answers in plain Python, by comparing all pairs. Uses the library only to cut texts into tokens."""

import math

import neardup


def sets_of(texts, features="words:2"):
    """Returns a set of tokens for each text, or None for a null."""
    return [None if text is None else frozenset(neardup.tokens(text, features)) for text in texts]


def similarity(measure, a, b):
    common = len(a & b)
    if not common:
        return 0.0
    if measure == "jaccard":
        return common / len(a | b)
    if measure == "cosine":
        return min(1.0, common / math.sqrt(len(a) * len(b)))
    return common / min(len(a), len(b))


def _matches(measure, least, min_common, a, b):
    if not a or not b:
        return None
    found = similarity(measure, a, b)
    return found if found >= least and len(a & b) >= min_common else None


def pairs(sets, others=None, measure="jaccard", least=0.8, min_common=1):
    rows = []
    for i, a in enumerate(sets):
        for j, b in enumerate(sets if others is None else others):
            if others is None and j <= i:
                continue
            found = _matches(measure, least, min_common, a, b)
            if found is not None:
                rows.append((i, j, len(a & b), found))
    return rows


def groups(sets, measure="jaccard", least=0.8, min_common=1, prefer=None, kept=()):
    """Groups texts in order of preference. A text joins the most similar kept text; of equally similar texts, the first."""
    order = sorted(range(len(sets)), key=lambda i: (0 if prefer is None else -prefer[i], i))
    representatives = list(enumerate(kept))
    labels = [0] * len(sets)
    for i in order:
        best = None
        for position, other in representatives:
            found = _matches(measure, least, min_common, sets[i], other)
            if found is not None and (best is None or found > best[0]):
                best = (found, position)
        labels[i] = len(kept) + i if best is None else best[1]
        if best is None:
            representatives.append((len(kept) + i, sets[i]))
    return labels


def chains(sets, measure="jaccard", least=0.8, min_common=1):
    labels = list(range(len(sets)))
    for i, j, *_ in pairs(sets, None, measure, least, min_common):
        a, b = sorted((labels[i], labels[j]))
        labels = [a if label == b else label for label in labels]
    return labels


def near_pairs(codes, k, others=None):
    return [
        (i, j, (a ^ b).bit_count())
        for i, a in enumerate(codes)
        for j, b in enumerate(codes if others is None else others)
        if (others is not None or i < j) and a is not None and b is not None and (a ^ b).bit_count() <= k
    ]
