"""With any object as an argument, a call returns or raises a suitable exception of Python. No call crashes."""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import neardup

STRUCTS = pa.array([{"a": "x"}])
JUNK = [
    *(None, True, -1, 0, 2**31, 2**64, 0.5, float("nan"), 1j, "", "x", "\ud800", b"\xff", object, object(), len),
    *([], [None], ["a b", "a b", None], [1], [[1, 2]], (), {}, {"first": [0], "second": [1]}, {1}, range(3)),
    *(np.zeros(0), np.zeros(3, np.uint64), np.zeros((2, 32), np.uint8), np.zeros((2, 2, 2)), np.array("a")),
    *(np.arange(6)[::2], np.array([1, 2], ">u8"), np.array([None, "a"], object), np.ma.masked_array([1, 2], [0, 1])),
    *(pa.array(["a b", None]), pa.array([1, None], pa.uint64()), pa.array([b"x" * 16, None], pa.binary(16))),
    *(pa.array([b"x" * 3], pa.binary(3)), pa.array([b""], pa.binary(0)), pa.array([[1, 2], None], pa.list_(pa.uint32()))),
    *(pa.nulls(2), STRUCTS, pa.table({}), pa.table({"a": ["x y"]}), pa.table({"a": ["x"], "b": [1]}), pa.array([1.5])),
    *(pa.chunked_array([], pa.string()), pa.array(["a"]).dictionary_encode(), pa.RunEndEncodedArray.from_arrays([1], ["a"])),
    pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), STRUCTS),
    pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array(["x"]).dictionary_encode()),
    *(pl.Series(["a b", None]), pl.Series([["a"]]), pl.DataFrame(), pl.Series([])),
    *(pd.Series(["a", None]), pd.DataFrame({"a": ["x"]}), pd.Series([], dtype=object)),
    *(neardup.features(["a b"]), neardup.features(["a b"], bits=64), neardup.fingerprints(["a", None], bits=256)),
    *(neardup.pairs(["a b", "a b"]), neardup.Index(), neardup.Deduplicator(), neardup.Deduplicator().add_batch(["a"])),
]
GOOD = {
    "texts": ["a b", "a b", None],
    "text": "a b",
    "sets": [[1, 2]],
    "codes": np.arange(3, dtype=np.uint64),
    "ids": [1, 2, 3],
    "id": 1,
    "pairs": ([0], [1]),
    "kept": ["a b"],
    "path": "file",
}
FUNCTIONS = [getattr(neardup, name) for name in neardup.__all__ if inspect.isfunction(getattr(neardup, name))]
FUNCTIONS += [neardup.Index, neardup.SetIndex, neardup.Deduplicator, neardup.Index.load, neardup.Deduplicator.load]
METHODS = [("Index", name) for name in ("insert", "erase", "search", "save")]
METHODS += [("SetIndex", name) for name in ("insert", "erase", "search", "nearest", "__contains__")]
METHODS += [("Deduplicator", name) for name in ("add", "add_batch", "find", "find_batch", "erase", "save", "__contains__")]


def check(call, at, junk):
    arguments = [GOOD[name] for name, one in inspect.signature(call).parameters.items() if one.default is one.empty]
    named = {}
    if isinstance(at, int):
        arguments[at] = junk
    else:
        named[at] = junk
    try:
        result = call(*arguments, **named)
    except (TypeError, ValueError, OverflowError, OSError, MemoryError):
        return
    repr(result)
    if hasattr(result, "__arrow_c_stream__"):
        pa.table(result).validate(full=True)
    elif hasattr(result, "__arrow_c_array__"):
        pa.array(result).validate(full=True)


@pytest.mark.parametrize("call", [*FUNCTIONS, *METHODS], ids=lambda call: getattr(call, "__qualname__", str(call)))
def test_junk(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make = (lambda: call) if not isinstance(call, tuple) else lambda: getattr(getattr(neardup, call[0])(), call[1])
    required = 0
    for name, parameter in inspect.signature(make()).parameters.items():
        at = name
        if parameter.default is parameter.empty:
            at, required = required, required + 1
        for junk in JUNK:
            check(make(), at, junk)
