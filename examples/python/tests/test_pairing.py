"""Compares pairs within or across the values of a column with a loop over all pairs of texts or codes."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
import oracle
import test_edits
from test_codes import as_arrow, code_lists, rows_of

VALUES = ["en", "de", "中", 3, 1, "1"]
WORDS = ["ab", "abc", "été", "xyz"]
rows = st.lists(st.tuples(st.none() | st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), st.sampled_from(VALUES)), max_size=20)


def decided(order, closeness):
    """Groups documents. A document joins the closest earlier kept document, or is kept. Ties go to the first."""
    labels, kept = {}, []
    for i in order:
        found = [(closeness(i, j), -at, j) for at, j in enumerate(kept) if closeness(i, j) is not None]
        labels[i] = max(found)[2] if found else i
        if not found:
            kept.append(i)
    return [labels[i] for i in range(len(order))]


def chained(order, closeness):
    """Returns for each document the first document of its chain."""
    labels = {i: i for i in order}
    for at, i in enumerate(order):
        for j in order[:at]:
            if closeness(i, j) is not None:
                a, b = sorted((labels[i], labels[j]), key=order.index)
                labels = {k: a if label == b else label for k, label in labels.items()}
    return [labels[i] for i in range(len(order))]


@pytest.mark.parametrize("name", ["within", "across"])
@settings(max_examples=120, deadline=None)
@given(rows=rows, measure=st.sampled_from(["jaccard", "cosine", "containment", "edit"]),
       least=st.sampled_from([0.3, 0.6, 1.0]), prefers=st.booleans(), threads=st.integers(1, 2))
def test_texts(name, rows, measure, least, prefers, threads):
    texts, values = [text for text, _ in rows], [value for _, value in rows]
    sets = oracle.sets_of(texts)
    common = 2 if measure == "containment" else 1

    def close(i, j):
        if (values[i] == values[j]) != (name == "within"):
            return None
        if measure == "edit":
            found = test_edits.match(texts[i], texts[j], least)
            return found and found[1]
        return oracle._matches(measure, least, common, sets[i], sets[j])

    count = len(rows)
    prefer = [len(text or "") % 3 for text in texts] if prefers else None
    scores = prefer or ([len(one or ()) for one in sets] if measure == "containment" else [0] * count)
    order = sorted(range(count), key=lambda i: (-scores[i], i))
    asked = {"similarity": least, "measure": measure, "threads": threads, name: values}
    if measure == "containment":
        asked["min_common"] = common
    expected = [(i, j) for i in range(count) for j in range(i + 1, count) if close(i, j) is not None]
    found = neardup.pairs(texts, **asked)
    assert list(zip(found.first.tolist(), found.second.tolist())) == expected
    assert found.similarity.tolist() == [close(i, j) for i, j in expected]
    every = neardup.pairs(texts, **{key: value for key, value in asked.items() if key != name})
    kept = [row for row in pa.table(every).to_pylist() if (row["first"], row["second"]) in expected]
    assert pl.DataFrame(found).to_dicts() == kept and pa.table(found).to_pylist() == kept
    labels = decided(order, close)
    assert neardup.groups(texts, prefer=prefer, **asked).tolist() == labels
    assert neardup.unique(texts, prefer=prefer, **asked).tolist() == [label == i for i, label in enumerate(labels)]
    assert neardup.groups(texts, prefer=prefer, chains=True, **asked).tolist() == chained(order, close)
    if measure != "edit":
        assert neardup.groups(neardup.features(texts), prefer=prefer, **asked).tolist() == labels
    notes = neardup.annotate(texts, prefer=prefer, **asked)
    assert notes["original"].tolist() == labels
    assert notes["size"].tolist() == [labels.count(label) for label in labels]
    assert notes["similarity"].tolist() == [1.0 if label == i else close(i, label) for i, label in enumerate(labels)]


@pytest.mark.parametrize("name", ["within", "across"])
@settings(max_examples=80, deadline=None)
@given(data=st.data(), bits=st.sampled_from([32, 64, 128, 256]), k=st.integers(0, 5), threads=st.integers(1, 2))
def test_codes(name, data, bits, k, threads):
    codes = data.draw(code_lists(bits))
    values = data.draw(st.lists(st.sampled_from(VALUES[:3]), min_size=len(codes), max_size=len(codes)))
    close = lambda i, j: True if codes[i] is not None and codes[j] is not None and (codes[i] ^ codes[j]).bit_count() <= k and (values[i] == values[j]) == (name == "within") else None
    expected = [row for row in oracle.near_pairs(codes, k) if close(row[0], row[1])]
    asked = {"k": k, "threads": threads, name: pa.array(values, pa.string())}
    found = neardup.near_pairs(as_arrow(codes, bits), **asked)
    assert rows_of(found) == expected
    assert pl.DataFrame(found).rows() == expected
    order = list(range(len(codes)))
    assert neardup.cluster(as_arrow(codes, bits), **asked).tolist() == chained(order, close)


def test_fingerprints_and_copies_once():
    texts = ["a b c d e", "a b c d e", "a b c d e", "a b c d f", None]
    values = ["x", "y", "x", "x", "y"]
    prints = neardup.fingerprints(texts)
    assert rows_of(neardup.near_pairs(prints, k=0, within=values)) == [(0, 2, 0)]
    assert rows_of(neardup.near_pairs(prints, k=0, across=values)) == [(0, 1, 0), (1, 2, 0)]
    assert neardup.cluster(prints, k=0, within=np.array(values)).tolist() == [0, 1, 0, 3, 4]
    once = neardup.pairs(texts, similarity=0.5, within=pl.Series(values), copies_once=True)
    assert list(zip(once.first.tolist(), once.second.tolist())) == [(0, 2), (0, 3)]
    assert neardup.groups(["a b"] * 5000, measure="edit", within=["x"] * 5000).max() == 0  # copies do not give a pair each


@pytest.mark.parametrize("name", ["within", "across"])
def test_what_is_refused(name):
    texts, codes = ["a b c", "a b c"], np.array([1, 2], np.uint64)
    calls = [(call, texts, "text") for call in (neardup.pairs, neardup.groups, neardup.unique, neardup.annotate)]
    calls += [(lambda texts, **how: neardup.groups(texts, measure="edit", **how), texts, "text")]
    calls += [(call, codes, "code") for call in (neardup.near_pairs, neardup.cluster)]
    for call, of, what in calls:
        for values, error, message in ((["x"], ValueError, f"{name} has 1 values for 2 {what}s"),
                                       (["x", None], TypeError, f"{name}: the value of {what} 1 is None"),
                                       ([True, "x"], TypeError, f"{what} 0 is True"), ([1.5, 2], TypeError, f"{what} 0 is 1.5"),
                                       ([["x"], "x"], TypeError, f"{what} 0 is "), (pa.array(["x", None]), TypeError, f"{what} 1 is None")):
            with pytest.raises(error, match=message):
                call(of, **{name: values})
        with pytest.raises(ValueError, match="within and across do not go together"):
            call(of, within=["x", "x"], across=["x", "x"])
    for call, of in ((neardup.pairs, texts), (neardup.near_pairs, codes)):
        with pytest.raises(ValueError, match=f"{name} has the values of one list"):
            call(of, of, **{name: ["x", "x"]})
    with pytest.raises(ValueError, match="3 scores for 2 texts"):
        neardup.groups(texts, prefer=[1, 2, 3], **{name: ["x", "x"]})
    with pytest.raises(ValueError, match="copies_once with across"):
        neardup.pairs(texts, across=["x", "y"], copies_once=True)
    long = "x" * 100_000
    assert neardup.unique(texts, **{name: [long, long + "y"]}).tolist() == [True, name == "within"]
    assert neardup.unique(texts, **{name: ["", ""]}).tolist() == [True, name == "across"]
    assert neardup.unique([], **{name: []}).tolist() == []
    assert len(neardup.pairs([], **{name: []})) == len(neardup.near_pairs(codes[:0], **{name: []})) == 0
