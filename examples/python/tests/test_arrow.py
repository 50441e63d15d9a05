"""Columns of Arrow have the values of pyarrow's to_pylist(): slices, structs, nulls, and unknown numbers of nulls."""

import ctypes
import decimal
import itertools
import random
import re

import neardup
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

WORDS = ["a ferry leaves the pier", "a ferry leaves the pier at noon", "good stock begins cold", "", "é ü 研究 生命", "x" * 40]


class Array(ctypes.Structure):
    """The struct ArrowArray."""

    _fields_ = [(name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")] + [
        (name, ctypes.c_void_p) for name in ("buffers", "children", "dictionary", "release", "private_data")
    ]


class Unknown:
    """A column whose null_count is -1 (not counted yet), also in nested columns."""

    def __init__(self, column):
        self.column = column

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self.column.__arrow_c_array__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.forget(pointer(array, b"arrow_array"))
        return schema, array

    def forget(self, address):
        array = Array.from_address(address)
        array.null_count = -1
        children = (ctypes.c_void_p * array.n_children).from_address(array.children) if array.n_children else []
        for child in [*children, *([array.dictionary] if array.dictionary else [])]:
            self.forget(child)


def in_struct(column, mask=None):
    return pa.StructArray.from_arrays([column], ["c"], mask=mask)


def forms(column, rng):
    """Yields all shapes in which the column may be passed, with the values of each shape."""
    begin = rng.randrange(len(column) + 1)
    size = rng.randrange(len(column) - begin + 1)
    mask = pa.array([rng.random() < 0.3 for _ in range(len(column))], pa.bool_())
    struct, holes = in_struct(column), in_struct(column, mask)
    inner = in_struct(column.slice(begin), mask.slice(begin)) if begin < len(column) else struct
    values = lambda of: [None if row is None else row["c"] for row in of.to_pylist()]  # noqa: E731
    for shape in (struct, holes, struct.slice(begin, size), holes.slice(begin, size), inner, inner.slice(0, size // 2), inner.slice(size // 2)):
        yield shape, values(shape)
        yield Unknown(shape), values(shape)
    for shape in (column, column.slice(begin, size)):
        yield shape, shape.to_pylist()
        yield Unknown(shape), shape.to_pylist()
        yield pa.table({"c": shape}), shape.to_pylist()
        yield pa.table({"c": pa.chunked_array([shape, shape.slice(1)], shape.type)}), [*shape.to_pylist(), *shape.slice(1).to_pylist()]


def rows(seed, make):
    rng = random.Random(seed)
    return rng, [make(rng) if rng.random() < 0.8 else None for _ in range(rng.randrange(1, 12))]


def sets_of(found):
    return [found[i].tolist() for i in range(len(found))]


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([32, 64]), st.booleans())
def test_lists_of_features(seed, bits, is_large):
    rng, lists = rows(seed, lambda r: sorted(r.sample(range(100), r.randrange(5))))
    kind = pa.uint32() if bits == 32 else pa.uint64()
    column = pa.array(lists, pa.large_list(kind) if is_large else pa.list_(kind))
    for shape, expected in forms(column, rng):
        found = neardup.feature_sets(shape, bits=bits)
        assert sets_of(found) == [row or [] for row in expected]
        assert found.nulls == sum(row is None for row in expected)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from(["string", "large_string", "string_view", "binary", "large_binary", "binary_view", "null", "dictionary", "runs", "runs of a dictionary"]))
def test_texts(seed, kind):
    rng, texts = rows(seed, lambda r: r.choice(WORDS))
    if "runs" in kind:
        ends = list(itertools.accumulate(rng.randrange(1, 4) for _ in texts))
        values = pa.array(texts, pa.string())
        column = pa.RunEndEncodedArray.from_arrays(pa.array(ends, rng.choice([pa.int16(), pa.int32(), pa.int64()])),
                                                   values.dictionary_encode() if "dictionary" in kind else values)
    elif kind == "dictionary":
        column = pa.array(texts, pa.string()).dictionary_encode()
    elif kind == "null":
        column = pa.nulls(len(texts))
    else:
        column = pa.array([text if text is None or "string" in kind else text.encode() for text in texts], getattr(pa, kind)())
    for shape, expected in forms(column, rng):
        one_by_one = neardup.features(expected)
        found = neardup.features(shape)
        assert sets_of(found) == sets_of(one_by_one) and found.nulls == sum(text is None for text in expected)
        assert neardup.fingerprints(shape).hex() == neardup.fingerprints(expected).hex()
        assert neardup.unique(shape, measure="edit").tolist() == neardup.unique(expected, measure="edit").tolist()
        assert neardup.Deduplicator().add_batch(shape).is_new.tolist() == neardup.Deduplicator().add_batch(expected).is_new.tolist()
        assert len(neardup.IdfTable.learn(shape)) == len(neardup.IdfTable.learn(expected))
        index = neardup.SetIndex()
        index.insert(shape, range(len(expected)))
        assert len(index) == len(expected) and len(index.search(shape)) == len(index.search(expected))


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([32, 64, 128]))
def test_codes(seed, bits):
    rng, codes = rows(seed, lambda r: r.randrange(2**bits))
    raw = [None if code is None else code.to_bytes(bits // 8, "little") for code in codes]
    column = pa.array(raw, pa.binary(bits // 8)) if bits == 128 else pa.array(codes, pa.uint32() if bits == 32 else pa.uint64())
    begin = rng.randrange(len(codes) + 1)
    for shape in (column, column.slice(begin)):
        for given_as in (shape, Unknown(shape)):
            index = neardup.Index(3, bits=bits)
            kept = [i for i, code in enumerate(shape.to_pylist()) if code is not None]
            assert index.insert(given_as, range(len(shape))) == len(kept)
            found = index.search(given_as, 0)
            assert set(kept) <= set(found.query.tolist()) <= set(kept)


def test_a_column_of_another_type_is_named_as_arrow_names_it():
    for column, name in (
        (pa.array([["x"]]), "list<string>"),
        (pa.array([[{"role": "user", "n": 1}]]), "list<struct<role: string, n: int64>>"),
        (pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([7])), "run_end_encoded<int64>"),
        (pa.array([[1, 2]], pa.list_(pa.int8(), 2)), "fixed_size_list<int8>[2]"),
        (pa.array([[("a", 1.5)]], pa.map_(pa.string(), pa.float64())), "map<string, double>"),
        (pa.array([0], pa.timestamp("ms", tz="UTC")), "timestamp[ms, tz=UTC]"),
        (pa.array([decimal.Decimal("1.5")]), "decimal128(2, 1)"),
        (pa.array([b"abcd"], pa.binary(4)), "fixed_size_binary[4]"),
        (pa.array([True]), "bool"),
    ):
        with pytest.raises((TypeError, ValueError), match="but this is " + re.escape(name) + "$"):
            neardup.features(column)
    with pytest.raises((TypeError, ValueError), match=re.escape("but this is list<string>")):
        neardup.feature_sets(pa.array([["x"]]))
    with pytest.raises(TypeError, match=re.escape("not of list<string>")):
        neardup.Index(3).insert(pa.array([["x"]]), [1])


def test_null_features_are_refused_where_a_set_has_them():
    values = pa.array([7, None, 3, 4, None], pa.uint32())
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 4, 5], pa.int32()), values)
    for shape in (lists, in_struct(lists), Unknown(lists), Unknown(in_struct(lists)), Unknown(lists.slice(2))):
        with pytest.raises(ValueError, match="a feature that is null"):
            neardup.feature_sets(shape)
    # These rows have no null, but another row of the column has a null.
    for shape in (lists.slice(1, 1), Unknown(lists.slice(1, 1)), in_struct(lists).slice(1, 1)):
        assert sets_of(neardup.feature_sets(shape)) == [[3, 4]]


def test_a_struct_that_is_longer_than_its_column_is_refused():
    class Longer:
        def __init__(self, column):
            self.column = in_struct(column)

        def __arrow_c_array__(self, requested_schema=None):
            schema, array = self.column.__arrow_c_array__()
            pointer = ctypes.pythonapi.PyCapsule_GetPointer
            pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
            Array.from_address(pointer(array, b"arrow_array")).length += 1
            return schema, array

    with pytest.raises(ValueError, match="too short"):
        neardup.feature_sets(Longer(pa.array([[1], [2]], pa.list_(pa.uint32()))))
    with pytest.raises(ValueError, match="too short"):
        neardup.features(Longer(pa.array(["a b", "c d"])))


def test_a_table_of_several_columns_is_refused_by_name():
    table = pa.table({"id": [1], "sets": pa.array([[1]], pa.list_(pa.uint32()))})
    with pytest.raises(ValueError, match=r"2 columns \(id, sets\)"):
        neardup.feature_sets(table)
    with pytest.raises(ValueError, match="but this is list<double>"):
        neardup.feature_sets(pa.array([[1.5]], pa.list_(pa.float64())))
    assert np.array_equal(neardup.feature_sets(table.select(["sets"])).values, [1])
