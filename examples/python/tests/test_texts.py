"""Every kind of input gives the answers of the oracle: all types, chunkings and nulls."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
import oracle

# There are few words, so that texts are similar. The long word is not stored inside of a string view.
WORDS = ["a", "b", "cat", "dog", "été", "中文", "a-word-that-is-longer-than-twelve-bytes", "𝔘"]
texts_without_nulls = st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), max_size=14)
texts = st.lists(st.none() | st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), max_size=14)


def chunks_of(array, cuts):
    ends = sorted(min(cut, len(array)) for cut in cuts)
    return pa.chunked_array([array[a:b] for a, b in zip([0, *ends], [*ends, len(array)])], type=array.type)


def behind_a_slice(array):
    """Returns the same values, with an offset into longer buffers."""
    padding = pa.array(["padding", None, "more"], pa.string()).cast(array.type)
    return pa.concat_arrays([padding, array, padding])[3 : 3 + len(array)]


def dictionary(array, index):
    encoded = array.dictionary_encode()
    return pa.DictionaryArray.from_arrays(encoded.indices.cast(index), encoded.dictionary)


def dictionary_with_a_null(array):
    """Returns a column whose nulls are indices of a null in the dictionary."""
    distinct = array.unique()
    values = distinct.to_pylist()
    return pa.DictionaryArray.from_arrays(pa.array([values.index(one) for one in array.to_pylist()], pa.int16()), distinct)


KINDS = {
    "list": lambda t, a, cuts: list(t),
    "tuple": lambda t, a, cuts: tuple(t),
    "generator": lambda t, a, cuts: (one for one in t),
    "bytes": lambda t, a, cuts: [None if one is None else one.encode() for one in t],
    "numpy objects": lambda t, a, cuts: np.array([*t, "end"], dtype=object)[:-1],
    "string": lambda t, a, cuts: a,
    "large_string": lambda t, a, cuts: a.cast(pa.large_string()),
    "string_view": lambda t, a, cuts: a.cast(pa.string_view()),
    "binary": lambda t, a, cuts: a.cast(pa.binary()),
    "large_binary": lambda t, a, cuts: a.cast(pa.large_binary()),
    "binary_view": lambda t, a, cuts: a.cast(pa.binary()).cast(pa.binary_view()),
    "dictionary of int8": lambda t, a, cuts: dictionary(a, pa.int8()),
    "dictionary of uint32": lambda t, a, cuts: dictionary(a, pa.uint32()),
    "dictionary of int64": lambda t, a, cuts: dictionary(a, pa.int64()),
    "dictionary of large_string": lambda t, a, cuts: dictionary(a.cast(pa.large_string()), pa.int32()),
    "dictionary with a null": lambda t, a, cuts: dictionary_with_a_null(a),
    "slice": lambda t, a, cuts: behind_a_slice(a),
    "slice of large_string": lambda t, a, cuts: behind_a_slice(a.cast(pa.large_string())),
    "chunks": lambda t, a, cuts: chunks_of(a, cuts),
    "chunks of slices": lambda t, a, cuts: chunks_of(behind_a_slice(a), cuts),
    "chunks of string_view": lambda t, a, cuts: chunks_of(a.cast(pa.string_view()), cuts),
    "chunks of a dictionary": lambda t, a, cuts: chunks_of(a.dictionary_encode(), cuts),
    "record batch": lambda t, a, cuts: pa.record_batch({"text": a}),
    "slice of a record batch": lambda t, a, cuts: pa.record_batch({"text": pa.concat_arrays([a, a])}).slice(len(a)),
    "struct with nulls": lambda t, a, cuts: pa.StructArray.from_arrays([a.fill_null("x")], ["t"], mask=a.is_null()),
    "table": lambda t, a, cuts: pa.table({"text": chunks_of(a, cuts)}),
    "reader of batches": lambda t, a, cuts: pa.table({"text": chunks_of(a, cuts)}).to_reader(max_chunksize=3),
    "polars series": lambda t, a, cuts: pl.Series(t, dtype=pl.String),
    "polars slice": lambda t, a, cuts: pl.Series(["x", *t, None], dtype=pl.String)[1:-1],
    "polars chunks": lambda t, a, cuts: pl.concat([pl.Series(t[:5], dtype=pl.String), pl.Series(t[5:], dtype=pl.String)], rechunk=False),
    "polars categories": lambda t, a, cuts: pl.Series(t, dtype=pl.String).cast(pl.Categorical),
    "polars frame": lambda t, a, cuts: pl.DataFrame({"text": pl.Series(t, dtype=pl.String)}),
    "pandas": lambda t, a, cuts: pd.Series(t, dtype="str"),
    "pandas objects": lambda t, a, cuts: pd.Series(t, dtype=object),
    "pandas nullable": lambda t, a, cuts: pd.Series(t, dtype="string"),
    "pandas arrow": lambda t, a, cuts: pd.Series(t, dtype=pd.ArrowDtype(pa.string())),
    "pandas of another order": lambda t, a, cuts: pd.Series(t, dtype=object, index=range(len(t), 0, -1)),
    "duckdb": lambda t, a, cuts: duckdb.sql("SELECT text FROM source ORDER BY i") if register(a) else None,
}


def register(array):
    duckdb.register("source", pa.table({"i": pa.array(range(len(array)), pa.int64()), "text": array}))
    return True


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12, deadline=None)
@given(texts=texts, cuts=st.lists(st.integers(0, 14), max_size=3))
def test_each_kind_of_input(kind, texts, cuts):
    make = KINDS[kind]
    array = pa.array(texts, pa.string())
    expected = neardup.features(texts)
    found = neardup.features(make(texts, array, cuts), threads=2)
    assert len(found) == len(texts)
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert found.values.tolist() == expected.values.tolist()
    assert found.nulls == sum(text is None for text in texts)
    assert neardup.unique(make(texts, array, cuts)).tolist() == [
        label == i for i, label in enumerate(oracle.groups(oracle.sets_of(texts)))
    ]
    codes = neardup.fingerprints(make(texts, array, cuts))
    assert pa.array(codes).to_pylist() == pa.array(neardup.fingerprints(texts)).to_pylist()
    dedup = neardup.Deduplicator()
    labels = oracle.groups(oracle.sets_of(texts))
    verdicts = dedup.add_batch(make(texts, array, cuts))
    assert verdicts.is_new.tolist() == [label == i for i, label in enumerate(labels)]
    assert pa.table(verdicts)["original"].to_pylist() == [None if label == i else label for i, label in enumerate(labels)]


@settings(max_examples=60, deadline=None)
@given(
    texts=texts,
    others=st.none() | texts,
    measure=st.sampled_from(["jaccard", "cosine", "containment"]),
    least=st.sampled_from([0.1, 1 / 3, 0.5, 0.75, 0.8, 1.0]),
    min_common=st.integers(1, 3),
    features=st.sampled_from(["words", "words:2", "chars:3", "bytes:4"]),
    bits=st.sampled_from([32, 64]),
    threads=st.integers(1, 3),
)
def test_pairs(texts, others, measure, least, min_common, features, bits, threads):
    sets, behind = oracle.sets_of(texts, features), None if others is None else oracle.sets_of(others, features)
    found = neardup.pairs(
        texts, others, similarity=least, measure=measure, min_common=min_common, features=features, bits=bits, threads=threads
    )
    rows = list(zip(found.first.tolist(), found.second.tolist(), found.common.tolist(), found.similarity.tolist()))
    assert rows == oracle.pairs(sets, behind, measure, least, min_common)
    assert [tuple(row.values()) for row in pa.table(found).to_pylist()] == rows
    assert pl.DataFrame(found).rows() == rows
    everything = [(i, j) for i in range(len(texts)) for j in range(len(texts if others is None else others))]
    verified = neardup.verify(
        ([i for i, _ in everything], [j for _, j in everything]),
        texts,
        others,
        similarity=least,
        measure=measure,
        min_common=min_common,
        features=features,
        bits=bits,
    )
    rows = [row for row in zip(verified.first.tolist(), verified.second.tolist(), verified.similarity.tolist())]
    if others is None:
        rows = [row for row in rows if row[0] < row[1]]
    assert rows == [(i, j, s) for i, j, _, s in oracle.pairs(sets, behind, measure, least, min_common)]


@settings(max_examples=60, deadline=None)
@given(
    texts=texts,
    kept=texts_without_nulls,
    measure=st.sampled_from(["jaccard", "cosine"]),
    least=st.sampled_from([0.1, 0.5, 0.8, 1.0]),
    seed=st.integers(0, 2**64 - 1),
    data=st.data(),
)
def test_groups(texts, kept, measure, least, seed, data):
    sets = oracle.sets_of(texts)
    how = {"similarity": least, "measure": measure, "seed": seed}
    assert neardup.groups(texts, **how).tolist() == oracle.groups(sets, measure, least)
    assert neardup.groups(texts, chains=True, **how).tolist() == oracle.chains(sets, measure, least)
    prefer = data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    expected = oracle.groups(sets, measure, least, prefer=prefer)
    assert neardup.groups(texts, prefer=prefer, **how).tolist() == expected
    assert neardup.unique(texts, prefer=prefer, **how).tolist() == [label == i for i, label in enumerate(expected)]
    kept = [text for text, keep in zip(kept, neardup.unique(kept, **how)) if keep]
    expected = oracle.groups(sets, measure, least, kept=oracle.sets_of(kept))
    assert neardup.extend_groups(kept, texts, **how).tolist() == expected


@settings(max_examples=60, deadline=None)
@given(text=st.binary(max_size=40), features=st.sampled_from(["words", "chars:2", "bytes:3", "letters:2", "canonical:words"]))
def test_bytes_that_are_not_utf_8(text, features):
    """Each maximal ill-formed subpart becomes U+FFFD, as in Python."""
    as_text = text.decode("utf-8", "replace")
    if not features.startswith("bytes"):
        assert neardup.tokens(text, features) == neardup.tokens(as_text, features)
        assert pa.array(neardup.features([text, as_text], features))[0] == pa.array(neardup.features([as_text], features))[0]
    for array in (pa.array([text], pa.binary()), pa.array([text], pa.binary_view())):
        assert pa.array(neardup.features(array, features)).to_pylist() == pa.array(neardup.features([text], features)).to_pylist()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(), max_size=8), max_size=4))
def test_lone_surrogates_read_as_replacement_characters(texts):
    clean = ["".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text) for text in texts]
    for features in ("words", "chars:2", "bytes:3"):
        found = neardup.features(texts, features)
        assert found.values.tolist() == neardup.features(clean, features).values.tolist()
        for text, as_clean in zip(texts, clean):
            assert neardup.tokens(text, features) == neardup.tokens(as_clean, features)


def test_arrays_of_numpy_strings():
    texts = ["one two three", "", "one two three", "été 中文"]
    expected = neardup.features(texts).values.tolist()
    assert neardup.features(np.array(texts)).values.tolist() == expected
    assert neardup.features(np.array([t.encode() for t in texts])).values.tolist() == expected
    assert neardup.features(np.array(texts, dtype=np.dtypes.StringDType())).values.tolist() == expected
    with_null = np.array([*texts, None], dtype=np.dtypes.StringDType(na_object=None))
    assert neardup.features(with_null).nulls == 1
    assert neardup.features(np.array(texts * 2).reshape(2, 4)[1]).values.tolist() == expected


def test_what_counts_as_null():
    nulls = [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT]
    assert neardup.features(nulls).nulls == len(nulls)
    assert neardup.unique(nulls).all()
    assert neardup.features(pa.nulls(3)).nulls == 3
    assert neardup.features([]).nulls == 0 and len(neardup.pairs([])) == 0 and len(neardup.unique([])) == 0


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("one text", TypeError, "not one text"),
        (b"one text", TypeError, "not one text"),
        ([1], TypeError, "text 0 must be str, bytes or None, not int"),
        (["a", bytearray(b"b")], TypeError, "text 1 must be str, bytes or None, not bytearray"),
        ([["a"]], TypeError, "text 0 must be str, bytes or None, not list"),
        (7, TypeError, "a column, not int"),
        (None, TypeError, "a column, not NoneType"),
        ({"a": 1}, TypeError, "a column, not dict"),
        ({"a"}, TypeError, "a column, not set"),
        (str, TypeError, "a column, not type"),
        (pa.array, TypeError, "a column, not"),
        (np.array([["a"]]), ValueError, "one dimension"),
        (np.array([1.5]), TypeError, "text 0 must be str, bytes or None, not float"),
        (pa.array([1]), ValueError, "but this is int64"),
        (pa.array([["a"]]), ValueError, "but this is list<string>"),
        (pa.array([1, 1]).dictionary_encode(), ValueError, "but this is int64"),
        (pa.table({"a": ["x"], "b": ["y"]}), ValueError, r"2 columns \(a, b\)"),
        (pl.Series([1]), ValueError, "but this is int64"),
        (pl.DataFrame({"a": ["x"], "b": ["y"]}), ValueError, "give the column"),
        (pa.chunked_array([], pa.int8()), None, ""),
    ],
)
def test_what_is_refused(texts, error, message):
    if error is None:
        assert len(neardup.features(texts)) == 0
        return
    for call in (neardup.features, neardup.pairs, neardup.unique, neardup.fingerprints, neardup.Deduplicator().add_batch):
        with pytest.raises(error, match=message):
            call(texts)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"similarity": 0}, ValueError, "above 0"),
        ({"similarity": -1}, ValueError, "above 0"),
        ({"similarity": float("nan")}, ValueError, "above 0"),
        ({"similarity": "x"}, TypeError, "a number, not str"),
        ({"measure": "jacard"}, ValueError, "jaccard, cosine, containment, edit, not 'jacard'"),
        ({"min_common": 0}, ValueError, "at least 1"),
        ({"features": "word"}, ValueError, "features are words.*, zh:words or zh:keywords"),
        ({"features": "chars:0"}, ValueError, "from 1 to 1000"),
        ({"seed": -1}, ValueError, "a seed"),
        ({"seed": 2**64}, ValueError, "a seed"),
        ({"bits": 16}, ValueError, "32 or 64"),
        ({"threads": 0}, ValueError, "at least 1"),
        ({"prefer": [1.0]}, ValueError, "scores"),
        ({"prefer": [1.0, float("nan")]}, ValueError, "is NaN"),
        ({"features": 5}, TypeError, ""),
        ({"threads": 2**70}, ValueError, "threads must be at least 1"),
    ],
)
def test_options_that_are_refused(options, error, message):
    with pytest.raises(error, match=message or None):
        neardup.groups(["a b", "c d"], **options)


def test_a_stream_that_fails_says_why():
    def batches():
        yield pa.record_batch({"text": ["a b", "b c"]})
        raise ZeroDivisionError("the disk is gone")

    for call in (neardup.features, neardup.fingerprints, neardup.Deduplicator().add_batch):
        reader = pa.RecordBatchReader.from_batches(pa.schema({"text": pa.string()}), batches())
        with pytest.raises(OSError, match="the disk is gone"):
            call(reader)


def test_a_reader_is_read_one_batch_at_a_time():
    alive = []

    def batches():
        for i in range(50):
            before = pa.total_allocated_bytes()
            alive.append(before)
            yield pa.record_batch({"text": [f"text number {i} " + "x" * 100_000]})

    neardup.features(pa.RecordBatchReader.from_batches(pa.schema({"text": pa.string()}), batches()))
    assert max(alive) - min(alive) < 1_000_000


@given(texts=texts, chains=st.booleans())
@settings(max_examples=40, deadline=None)
def test_annotate_has_the_groups_as_columns(texts, chains):
    found = neardup.annotate(texts, similarity=0.5, chains=chains)
    labels = neardup.groups(texts, similarity=0.5, chains=chains).tolist()
    assert found["original"].tolist() == labels
    assert found["size"].tolist() == [labels.count(label) for label in labels]
    firsts = sorted(label for label in set(labels) if labels.count(label) > 1)
    assert found["group"].tolist() == [firsts.index(label) if label in firsts else -1 for label in labels]
    sets = oracle.sets_of(texts)
    for i, label in enumerate(labels):
        expected = 1 if label == i else oracle.similarity("jaccard", sets[i], sets[label])
        assert found["similarity"][i] == pytest.approx(expected)
    assert len(pl.DataFrame(found)) == len(texts)
