"""A shuffle by counts, scatters and partitions finds the pairs of pairs()."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
from test_texts import texts


def counts_of(parts, features=1000):
    result = neardup.FeatureCounts(features)
    for sets in parts:
        counts = neardup.FeatureCounts(features)
        counts.add(sets)
        result.merge(neardup.FeatureCounts.load(counts.save()))
    assert result.counted == sum(len(sets.values) for sets in parts)
    return neardup.FeatureCounts.load(np.frombuffer(result.save(), np.uint8), mapped=True)


@settings(max_examples=80)
@given(
    texts=texts,
    cut=st.integers(0, 14),
    least=st.sampled_from([0.1, 0.5, 0.8, 1.0]),
    measure=st.sampled_from(["jaccard", "cosine", "containment"]),
    payload=st.sampled_from(["sets", "sketch", "ids"]),
    partitions=st.integers(1, 5),
    copies_once=st.booleans(),
)
def test_the_pairs_of_a_join(texts, cut, least, measure, payload, partitions, copies_once):
    shuffle = neardup.Shuffle(least, measure, 1, partitions, payload, identity=5, copies_once=copies_once)
    numbers = np.arange(len(texts), dtype=np.uint64) * np.uint64(3) + np.uint64(2**63)
    parts = [neardup.features(part, bits=64) for part in (texts[:cut], texts[cut:])]
    counts, blobs = counts_of(parts), [[] for _ in range(partitions)]
    for sets, documents in zip(parts, (numbers[:cut], numbers[cut:])):
        scatter = shuffle.scatter(counts)
        scatter.add(documents, sets)
        taken = scatter.take()
        assert len(scatter) == 0
        for partition, blob in taken:
            blobs[partition].append(pa.py_buffer(blob))
    found = [shuffle.gather(blobs[p], p) for p in range(partitions)]
    rows = [row for one in found for row in zip(one.first.tolist(), one.second.tolist())]
    wanted = neardup.pairs(texts, similarity=least, measure=measure, min_common=1, bits=64, copies_once=copies_once)
    place = {int(number): i for i, number in enumerate(numbers)}
    if payload == "sets":
        rows = [
            (place[a], place[b], common, similarity)
            for one in found
            for a, b, common, similarity in (row.values() for row in pa.table(one).to_pylist())
        ]
        assert sorted(rows) == [tuple(row.values()) for row in pa.table(wanted).to_pylist()]
        return
    candidates = sorted({(place[a], place[b]) for a, b in rows})
    both = [neardup.features([texts[pair[end]] for pair in candidates], bits=64) for end in (0, 1)]
    common, similarity = shuffle.verify(*both)
    verified = [(i, j, c, s) for (i, j), c, s in zip(candidates, common.tolist(), similarity.tolist()) if c > 0]
    assert verified == [tuple(row.values()) for row in pa.table(wanted).to_pylist()]


def test_what_is_refused():
    sets, narrow = neardup.features(["a b c", "a b c"], bits=64), neardup.features(["a b c"])
    counts = counts_of([sets])
    shuffle = pickle.loads(pickle.dumps(neardup.Shuffle(partitions=2)))
    scatter = shuffle.scatter(counts)
    scatter.add([1, 2], sets)
    ((partition, blob),) = scatter.take()
    assert len(shuffle.gather([blob], partition)) == 1 and repr(shuffle.gather([], 0)).endswith("common, similarity>")
    for call, error in (
        (lambda: shuffle.gather([blob], 1 - partition), OSError),
        (lambda: shuffle.gather([blob[:-1]], partition), OSError),
        (lambda: shuffle.gather([b"x" * 400], partition), OSError),
        (lambda: shuffle._replace(similarity=0.7).gather([blob], partition), OSError),
        (lambda: shuffle._replace(identity=1).gather([blob], partition), OSError),
        (lambda: shuffle.gather(["x"], partition), TypeError),
        (lambda: shuffle.gather([], 2), ValueError),
        (lambda: shuffle._replace(payload="x").gather([], 0), ValueError),
        (lambda: shuffle._replace(partitions=0).scatter(counts), ValueError),
        (lambda: shuffle._replace(similarity=0).scatter(counts), ValueError),
        (lambda: shuffle.scatter(neardup.FeatureCounts(bits=32)), TypeError),
        (lambda: scatter.add([1], sets), ValueError),
        (lambda: scatter.add([1], narrow), ValueError),
        (lambda: shuffle.verify(sets, narrow), ValueError),
        (lambda: counts.add(sets), ValueError),
        (lambda: counts.merge(sets), TypeError),
        (lambda: neardup.FeatureCounts(10**6).merge(neardup.FeatureCounts(10**9)), ValueError),
        (lambda: neardup.FeatureCounts.load(b"x" * 100), OSError),
        (lambda: neardup.FeatureCounts.load(counts.save()[:-2]), OSError),
    ):
        with pytest.raises(error):
            call()
