"""Compares texts by edits, and checks the results with the oracle's table of distances."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup

# These texts are normalised already: lower case, one space between words.
words = st.lists(st.sampled_from(["ab", "abc", "été", "xyz", "中"]), max_size=5).map(" ".join)
texts = st.lists(st.none() | words, max_size=9)


def normal(text):
    """Removes spaces beside a Han character, as the command does."""
    return None if text is None else text.replace(" 中", "中").replace("中 ", "中")


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def match(a, b, least):
    a, b = normal(a), normal(b)
    if not a or not b:
        return None
    found = distance(a, b)
    similarity = (max(len(a), len(b)) - found) / max(len(a), len(b))
    return (found, similarity) if similarity >= least else None


def pairs(texts, others, least):
    return [
        (i, j, *found)
        for i, a in enumerate(texts)
        for j, b in enumerate(texts if others is None else others)
        if (others is not None or i < j) and (found := match(a, b, least))
    ]


def groups(texts, least, kept=()):
    labels, representatives = [], list(enumerate(kept))
    for i, text in enumerate(texts):
        found = [(match(text, other, least)[1], -at) for at, other in representatives if match(text, other, least)]
        labels.append(-max(found)[1] if found else len(kept) + i)
        if not found:
            representatives.append((len(kept) + i, text))
    return labels


@settings(max_examples=60)
@given(texts=texts, others=st.none() | texts, least=st.sampled_from([0.3, 0.5, 0.8, 1.0]), threads=st.integers(1, 2))
def test_joins(texts, others, least, threads):
    how = {"similarity": least, "measure": "edit", "threads": threads}
    expected = pairs(texts, others, least)
    found = neardup.pairs(texts, others, **how)
    assert [tuple(row.values()) for row in pa.table(found).to_pylist()] == expected
    behind = len(texts if others is None else others)
    everything = [(i, j) for i in range(len(texts)) for j in range(behind) if others is not None or i < j]
    verified = neardup.verify(([i for i, _ in everything], [j for _, j in everything]), pa.array(texts, pa.string()), others, **how)
    assert [tuple(row.values()) for row in pa.table(verified).to_pylist()] == expected
    labels = groups(texts, least)
    assert neardup.groups(texts, **how).tolist() == labels
    assert neardup.unique(texts, **how).tolist() == [label == i for i, label in enumerate(labels)]
    kept = [text for i, text in enumerate(texts) if labels[i] == i]
    if others is not None:
        assert neardup.extend_groups(kept, others, **how).tolist() == groups(others, least, kept)


def test_options():
    texts = ["The pier at seven.", "the PIER at seven!", "the pier at eleven", None, ""]
    found = neardup.pairs(texts, measure="edit", copies_once=True)
    assert repr(found) == "<neardup.Pairs: 2 rows of first, second, distance, similarity>"
    assert found.distance.tolist() == [0, 2] and found.second.tolist() == [1, 2]
    assert neardup.groups(texts, measure="edit", prefer=[0, 0, 1, 0, 0]).tolist() == [2, 2, 2, 3, 4]
    assert neardup.groups(texts, measure="edit", chains=True).tolist() == [0, 0, 0, 3, 4]
    for options, error in (
        ({"same": "numbers"}, ValueError),
        ({"min_common": 2}, ValueError),
        ({"similarity": 0}, ValueError),
        ({"similarity": float("nan")}, ValueError),
    ):
        for call in (neardup.pairs, neardup.groups):
            with pytest.raises(error):
                call(texts, measure="edit", **options)
    with pytest.raises(TypeError, match="FeatureSets"):
        neardup.pairs(neardup.features(texts), measure="edit")
    with pytest.raises(ValueError, match="does not exist"):
        neardup.verify(([0], [9]), texts, measure="edit")


def test_what_is_the_same(tmp_path):
    (tmp_path / "words").write_text("not\n", encoding="utf-8")
    listed = f"words:{tmp_path / 'words'}"
    texts = [f"the price of this ticket for the ferry is {euros} euros today" for euros in (5, 5, 6)]
    texts.append(texts[0].replace(" is", " is not"))
    texts.append("the price of this ticket for the ferry is 5 euros today")
    assert neardup.groups(texts, similarity=0.5).tolist() == [0] * 5
    assert neardup.groups(texts, similarity=0.5, same="numbers").tolist() == [0, 0, 2, 0, 0]
    assert neardup.groups(texts, similarity=0.5, same=["numbers", listed]).tolist() == [0, 0, 2, 3, 0]
    sets = neardup.features(texts, same=listed)
    assert neardup.groups(sets, similarity=0.5).tolist() == [0, 0, 0, 3, 0]
    dedup = neardup.Deduplicator(0.5, same="numbers", path=tmp_path / "seen")
    assert dedup.add_batch(texts).is_new.tolist() == [True, False, True, False, False]
    dedup.close()
    with pytest.raises(ValueError, match="agreeing"):
        neardup.Deduplicator(0.5, path=tmp_path / "seen")
    index = neardup.SetIndex(0.5, same="numbers")
    index.insert(texts[2:3], ["six"])
    assert len(index.search(texts)) == 1
    assert neardup.fingerprints(texts, same="numbers").words[[0, 2]].tolist() != neardup.fingerprints(texts).words[[0, 2]].tolist()
    for same, error in (("number", ValueError), ("words:", ValueError), ("words:/nothing", OSError), (5, TypeError), ([5], TypeError), ("a\0", ValueError)):
        with pytest.raises(error):
            neardup.features(texts, same=same)


def test_progress():
    texts, calls = [f"some words of text {i}" for i in range(200_000)], []
    tell = lambda done, all: calls.append((done, all))  # noqa: E731
    neardup.features(texts, progress=tell)
    assert calls == sorted(calls) and calls[-1] == (200_000, 200_000)
    calls.clear()
    neardup.features(pa.table({"t": texts}).to_reader(max_chunksize=1000), progress=tell)
    assert calls[-1] == (200_000, None)
    calls.clear()
    neardup.pairs(texts[:1000], measure="edit", progress=tell)
    assert (1000, 1000) in calls
    neardup.Deduplicator().add_batch(texts[:100_000], progress=tell)
    assert max(done for done, _ in calls) >= 32_768

    def stop(done, all):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        neardup.features(texts, progress=stop)
    with pytest.raises(TypeError, match="progress"):
        neardup.features(texts, progress=5)
    assert np.array_equal(neardup.unique(texts[:10], progress=None), np.ones(10, bool))
