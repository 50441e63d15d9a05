"""Compares pairs of codes within k bits, and the index, with the oracle, for every kind of array."""

import threading

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
import oracle

WIDTHS = (32, 64, 128, 256)


@st.composite
def code_lists(draw, bits, nulls=True):
    """Draws codes, many of which are near each other."""
    base = draw(st.lists(st.integers(0, 2**bits - 1), min_size=1, max_size=3))
    flips = st.sets(st.integers(0, bits - 1), max_size=4).map(lambda at: sum(1 << i for i in at))
    code = st.builds(lambda one, flip: one ^ flip, st.sampled_from(base), flips)
    return draw(st.lists(st.none() | code if nulls else code, max_size=12))


def as_arrow(codes, bits):
    if bits <= 64:
        return pa.array(codes, pa.uint64() if bits == 64 else pa.uint32())
    rows = [None if code is None else code.to_bytes(bits // 8, "little") for code in codes]
    return pa.array(rows, pa.binary(bits // 8))


def as_numpy(codes, bits):
    if bits <= 64:
        return np.array(codes, np.uint64 if bits == 64 else np.uint32)
    words = [[code >> (64 * i) & (2**64 - 1) for i in range(bits // 64)] for code in codes]
    return np.array(words, np.uint64).reshape(len(codes), bits // 64)


def as_bytes(codes, bits):
    rows = b"".join(code.to_bytes(bits // 8, "little") for code in codes)
    return np.frombuffer(rows, np.uint8).reshape(len(codes), bits // 8)


def rows_of(pairs):
    return list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.distance.tolist()))


@settings(max_examples=80, deadline=None)
@given(data=st.data(), bits=st.sampled_from(WIDTHS), k=st.integers(0, 5), threads=st.integers(1, 2))
def test_near_pairs(data, bits, k, threads):
    codes, others = data.draw(code_lists(bits)), data.draw(code_lists(bits))
    expected = oracle.near_pairs(codes, k)
    array = as_arrow(codes, bits)
    for form in (array, pa.concat_arrays([array, array])[len(array) :], pa.chunked_array([array[:3], array[3:]]), pl.Series(codes, dtype=pl.UInt64) if bits == 64 else array):
        assert rows_of(neardup.near_pairs(form, k=k, threads=threads)) == expected
    found = neardup.near_pairs(array, as_arrow(others, bits), k=k)
    assert rows_of(found) == oracle.near_pairs(codes, k, others)
    assert pl.DataFrame(found).rows() == rows_of(found)
    labels = list(range(len(codes)))
    for i, j, _ in expected:
        a, b = sorted((labels[i], labels[j]))
        labels = [a if label == b else label for label in labels]
    assert neardup.cluster(array, k=k, threads=threads).tolist() == labels
    whole = [code for code in codes if code is not None]
    expected = oracle.near_pairs(whole, k)
    for form in (as_numpy(whole, bits), as_bytes(whole, bits), as_numpy(whole, bits)[::-1].copy()[::-1]):
        assert rows_of(neardup.near_pairs(form, k=k)) == expected


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(st.none() | st.text(max_size=12), max_size=6), bits=st.sampled_from(WIDTHS), kind=st.sampled_from(["simhash", "minwise"]))
def test_fingerprints_have_one_meaning_in_every_form(texts, bits, kind):
    codes = neardup.fingerprints(texts, "chars:2", bits=bits, kind=kind)
    digits = codes.hex()
    numbers = [None if one is None else int(one, 16) for one in digits]
    assert pa.array(codes).equals(as_arrow(numbers, bits))
    assert codes.valid.tolist() == [one is not None for one in numbers]
    assert codes.nulls == numbers.count(None) and len(codes) == len(texts)
    assert [one is None for one in numbers] == [text is None or not neardup.tokens(text, "chars:2") for text in texts]
    assert as_numpy([one or 0 for one in numbers], bits).tolist() == codes.words.tolist()
    assert rows_of(neardup.near_pairs(codes, k=4)) == oracle.near_pairs(numbers, 4)


def test_dictionaries_of_arrow_are_refused():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.uint64()), pa.array([255, 0], pa.uint64()))
    with pytest.raises(TypeError, match="not of a dictionary"):
        neardup.near_pairs(column)
    numbers = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.uint32()), pa.array([50, 70], pa.uint32()))
    with pytest.raises((TypeError, ValueError), match="not of a dictionary"):
        neardup.feature_sets(pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), numbers))


@pytest.mark.parametrize(
    ("text", "fingerprint"),
    [("Hello!", "9555e8555c62dcfd"), ("Hello, World!", "5de1e93c771c082f"), ("你好，世界！", "7e6cb9fa7dcba6cf"), ("?! ...", None)],
)
def test_fingerprints_are_those_of_the_definition(text, fingerprint):
    """Checks the test vectors of docs/fingerprint.md."""
    assert neardup.fingerprints([text]).hex() == [fingerprint]


@pytest.mark.parametrize("weights", ["unit", "tf", "logtf", "idf", "tfidf"])
def test_weights(tmp_path, weights):
    table = tmp_path / "idf.txt"
    table.write_text("a 1.5\nb 2\n")
    idf = table if "idf" in weights else None
    found = neardup.fingerprints(["a a a b", "a b"], "words", weights=weights, idf=idf).words
    assert (found[0] == found[1]) == (weights in ("unit", "idf"))


WRONG_LEVELS = ["levels:", "levels:0", "levels:x", "levels:3:", "levels:3x", "quantiles:65536", "levels:2:unit", "levels:2:idf"]


def test_weights_that_are_refused(tmp_path):
    (tmp_path / "x").write_text("a 1.5\n")
    for options in ({"weights": "idf"}, {"weights": "tg"}, *({"weights": w} for w in WRONG_LEVELS), {"idf": tmp_path / "x"}, {"kind": "minwise", "weights": "tf"}, {"kind": "x"}, {"bits": 65}):
        with pytest.raises(ValueError):
            neardup.fingerprints(["a"], **options)
    with pytest.raises(OSError, match="nothing"):
        neardup.fingerprints(["a"], weights="idf", idf=tmp_path / "nothing")


@settings(max_examples=40, deadline=None)
@given(data=st.data(), bits=st.sampled_from(WIDTHS), k=st.integers(0, 5))
def test_index(data, bits, k):
    codes, queries = data.draw(code_lists(bits)), data.draw(code_lists(bits))
    ids = data.draw(st.lists(st.integers(0, 2**64 - 1), min_size=len(codes), max_size=len(codes)))
    index = neardup.Index(k, bits=bits)
    stored = {(code, one) for code, one in zip(codes, ids) if code is not None}
    assert index.insert(as_arrow(codes, bits), np.array(ids, np.uint64)) == len(stored) == len(index)
    gone = data.draw(st.integers(0, len(codes)))
    erased = {(code, one) for code, one in list(zip(codes, ids))[:gone] if code is not None}
    assert index.erase(as_arrow(codes[:gone], bits), np.array(ids[:gone], np.uint64)) == len(erased)
    smaller = data.draw(st.integers(0, k))
    found = index.search(as_arrow(queries, bits), smaller, threads=2)
    expected = [
        (i, one, (query ^ code).bit_count())
        for i, query in enumerate(queries)
        if query is not None
        for code, one in sorted(stored - erased, key=lambda pair: ((query ^ pair[0]).bit_count(), pair[1], pair[0]))
        if (query ^ code).bit_count() <= smaller
    ]
    assert pl.DataFrame(found).rows() == expected


@pytest.mark.parametrize("bits", WIDTHS)
def test_an_index_in_a_file(tmp_path, bits):
    codes = as_numpy([5, 7, 2**31], bits)
    index = neardup.Index(4, bits=bits)
    index.insert(codes, [1, 2, 3])
    index.save(tmp_path / "index", "words of mine")
    for mapped in (False, True):
        again = neardup.Index.load(tmp_path / "index", bits=bits, mapped=mapped, made_of="words of mine")
        assert pa.table(again.search(codes)).equals(pa.table(index.search(codes)))
        assert (len(again), again.k, again.bits) == (3, 4, bits)
        with pytest.raises(ValueError, match="words of mine"):
            neardup.Index.load(tmp_path / "index", bits=bits, mapped=mapped, made_of="others")
    with pytest.raises(ValueError, match="mapped"):
        again.insert(codes, [1, 2, 3])
    (tmp_path / "index").write_bytes(b"no index")
    with pytest.raises(OSError, match="index"):
        neardup.Index.load(tmp_path / "index", bits=bits)


def test_more_queries_than_a_piece():
    codes = np.random.default_rng(3).integers(0, 2**63, 40_000, np.uint64)
    index = neardup.Index(3)
    index.insert(codes[::2], range(0, len(codes), 2))
    found = index.search(codes, threads=2)
    assert found.query.tolist() == found.id.tolist() == list(range(0, len(codes), 2))
    single = [index.search(codes[i : i + 1], 3).id.tolist() for i in range(0, len(codes), 777)]
    assert single == [[i] if i % 2 == 0 else [] for i in range(0, len(codes), 777)]


def test_what_an_index_refuses():
    index = neardup.Index()
    for call in (
        lambda: neardup.Index(64),
        lambda: neardup.Index(-1),
        lambda: neardup.Index(bits=65),
        lambda: index.insert(np.zeros(2, np.uint64), [1]),
        lambda: index.insert(np.zeros((2, 2), np.uint64), [1, 2]),
        lambda: index.insert(np.zeros(1, np.uint64), [-1]),
        lambda: index.search(np.zeros(1, np.uint64), 4),
        lambda: index.search([], 4),
        lambda: index.search(np.zeros(1, np.uint64), -1),
        lambda: index.search(np.zeros((1, 3), np.uint64)),
    ):
        with pytest.raises(ValueError):
            call()
    for codes in ([-1], ["a"], [1.5], None, np.zeros((1, 1, 1), np.uint64), pa.array(["a"]), pa.array([1, 2])):
        with pytest.raises(TypeError):
            index.search(codes)


def test_an_index_in_many_threads():
    index = neardup.Index()
    codes = np.random.default_rng(1).integers(0, 2**63, 2000, np.uint64)
    failures = []

    def work(first):
        try:
            for i in range(first, len(codes), 4):
                index.insert(codes[i : i + 1], [i])
                if index.search(codes[i : i + 1], 0).id.tolist() != [i]:
                    failures.append(i)
        except Exception as e:  # noqa: BLE001
            failures.append(e)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [] and len(index) == 2000
