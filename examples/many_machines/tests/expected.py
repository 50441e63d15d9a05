"""Makes corpora of many shapes, and computes the answers of the library in one process."""

import random
import re

import neardup
import numpy as np
import pyarrow as pa


def corpus(seed, count):
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(rng.choice([4, 8, 60]))]
    base = [" ".join(rng.choices(words, k=rng.randrange(1, 12))) for _ in range(max(1, count // 4))]
    texts = []
    for _ in range(count):
        text = " ".join(word if rng.random() < 0.93 else rng.choice(words) for word in rng.choice(base).split())
        texts.append(rng.choices([text, None, ""], [90, 5, 5])[0])
    numbers = rng.sample(range(-5 * count, 5 * count), count)
    ids = pa.array(numbers, pa.int64()) if seed % 2 else pa.array([f"é{i}" for i in numbers], pa.string())
    ages = pa.array([rng.randrange(5) for _ in range(count)], pa.int32())
    langs = rng.choices(["en", "de", "\u4e2d", ""] if seed % 3 else [1, 2, 3], k=count)
    return pa.table({"age": ages, "text": pa.array(texts, pa.string()), "id": ids, "lang": pa.array(langs, pa.string() if seed % 3 else pa.int16())})


def skewed(shape, count):
    """Makes texts that share a feature, either very many of them or all."""
    rng = random.Random(count)
    words = [f"w{i}" for i in range(500)]
    template = rng.sample(words, 60)
    versions = [template, [*template[:58], "x", "y"], [*template[:56], "u", "v", "x", "y"]]

    def text():
        if shape == "template":  # five of sixty words differ
            return [rng.choice(words[:20]) if i % 12 == 0 else word for i, word in enumerate(template)]
        if shape == "vocabulary":  # the vocabulary has six words
            return rng.choices(words[:6], k=rng.randrange(2, 8))
        return rng.choice(versions)  # copies of three texts

    ages = pa.array(rng.choices(range(5), k=count), pa.int32())
    texts = pa.array([" ".join(text()) for _ in range(count)])
    return pa.table({"age": ages, "text": texts, "id": pa.array([f"é{i}" for i in rng.sample(range(count), count)])})


def answers(table, given):
    """Returns sorted pairs, groups and kept ids."""
    rows = sorted(table.to_pylist(), key=lambda row: (row[given.order] if given.order else 0, row["id"]))
    if given.measure == "containment":  # the largest text comes first
        sets = neardup.features([row["text"] for row in rows], given.features)
        rows = [row for _, row in sorted(zip(np.diff(sets.offsets).tolist(), rows), key=lambda pair: -pair[0])]
    sets, ids = neardup.features([row["text"] for row in rows], given.features), [row["id"] for row in rows]
    how = {"similarity": given.similarity, "measure": given.measure}
    for name in ("within", "across"):
        if getattr(given, name):
            how[name] = [row[getattr(given, name)] for row in rows]
    labels = neardup.groups(sets, chains=given.grouping == "components", **how).tolist()
    pairs = neardup.pairs(sets, copies_once=given.copies_once, **how)
    found = zip(pairs.first.tolist(), pairs.second.tolist(), pairs.similarity.tolist())
    return {
        "pairs": sorted((ids[i], ids[j], similarity) for i, j, similarity in found),
        "groups": sorted((ids[i], ids[label]) for i, label in enumerate(labels)),
        "kept": sorted((ids[i],) for i, label in enumerate(labels) if i == label),
    }


def repetitive(seed, count):
    """Makes texts that have stretches of earlier texts."""
    rng = random.Random(seed)
    words, texts = [f"w{'éèê'[i % 3]}{i}" for i in range(rng.choice([2, 30, 300]))], []
    for _ in range(count):
        own = rng.choices(words, k=rng.randrange(20))
        if texts and rng.random() < 0.6:
            stretch = (rng.choice(texts) or "").split()
            begin, at = rng.randrange(len(stretch) + 1), rng.randrange(len(own) + 1)
            own[at:at] = stretch[begin : begin + rng.randrange(20)]
        texts.append(rng.choices([", ".join(own), None, "", "..."], [90, 5, 3, 2])[0])
    return pa.table({"text": pa.array(texts, pa.string()), "id": pa.array([f"é{i}" for i in rng.sample(range(5 * count + 1), count)], pa.string())})


def passages_of(table, given):
    """Returns what remains of the texts, and the removed passages."""
    unit, length = ("bytes", given.passages[6:]) if given.passages.startswith("bytes:") else ("words", given.passages)
    texts, ids = table["text"].to_pylist(), table["id"].to_pylist()
    how = {"unit": unit, "least_documents": given.least_documents, "earlier": given.earlier}
    rest = neardup.cut_passages(texts, int(length), **how).to_list()
    found = neardup.passages(texts, int(length), **how)
    rows = zip(*(getattr(found, name).tolist() for name in ("text", "begin", "end", "begin_byte", "end_byte", "first_text", "first_begin_byte")))
    return {
        "texts": by_text((ids[i], one) for i, one in enumerate(rest) if one == texts[i] or re.search(r"\w", one)),
        "passages": sorted((ids[i], a, b - a, ids[j], c, texts[i][begin:end]) for i, begin, end, a, b, j, c in rows),
    }


def by_text(rows):
    return sorted(rows, key=lambda row: [one or "" if isinstance(one, str) or one is None else one for one in row])
