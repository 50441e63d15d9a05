"""Tests the behaviour of calls: memory is freed, signals work, other threads run, and results outlive their sources."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import neardup
from corpora import corpus


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_result_outlives_what_it_came_from():
    found = neardup.pairs(["a b c", "a b c", "d e f"])
    first, table, frame = found.first, pa.table(found), pl.DataFrame(found)
    rows = table.to_pylist()
    del found
    gc.collect()
    neardup.pairs(corpus(2000))
    assert first.tolist() == [0] and table.to_pylist() == rows and frame.rows() == [(0, 1, 2, 1.0)]
    values = neardup.features(["a b c"]).values
    lists = pa.array(neardup.features(["a b c", None]))
    gc.collect()
    assert len(values) == 2 and lists[0].as_py() == values.tolist() and lists.type == pa.large_list(pa.uint32())
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1


def test_a_result_is_no_copy():
    found = neardup.pairs(corpus(1000))
    address = found.first.__array_interface__["data"][0]
    assert pa.table(found)["first"].chunk(0).buffers()[1].address == address == found.first.__array_interface__["data"][0]
    sets = neardup.features(corpus(10))
    assert pa.array(sets).values.buffers()[1].address == sets.values.__array_interface__["data"][0]


def test_results_in_other_libraries():
    found = neardup.pairs(["a b c", "a b c"])
    expected = {"first": [0], "second": [1], "common": [2], "similarity": [1.0]}
    assert pa.table(found).to_pydict() == pl.DataFrame(found).to_dict(as_series=False) == expected
    assert pd.DataFrame.from_arrow(found).to_dict("list") == pd.DataFrame(found.to_numpy()).to_dict("list") == expected
    assert duckdb.sql("SELECT * FROM found").fetchall() == [(0, 1, 2, 1.0)]
    empty = neardup.pairs(["a", "b"])
    assert len(empty) == 0 and pa.table(empty).num_rows == 0 and pl.DataFrame(empty).shape == (0, 4)


def test_capsules_that_nobody_consumes():
    found, sets, codes = neardup.pairs(["a b", "a b"]), neardup.features(["a b"]), neardup.fingerprints(["a", None])
    verdicts = neardup.Deduplicator().add_batch(["a b", "a b"])
    for one in (found, verdicts):
        one.__arrow_c_array__(), one.__arrow_c_stream__()
    sets.__arrow_c_array__(), codes.__arrow_c_array__()
    stream = found.__arrow_c_stream__()
    del found, verdicts
    gc.collect()
    del stream


def test_objects_that_give_what_is_released():
    stream = pa.table({"t": ["a b"]}).__arrow_c_stream__()
    pa.RecordBatchReader._import_from_c_capsule(stream).read_all()  # consumes the stream
    array = pa.array(["a b"]).__arrow_c_array__()
    pa.Array._import_from_c_capsule(*array)
    used = [type("Used", (), {"__arrow_c_stream__": lambda self: stream})(), type("Used", (), {"__arrow_c_array__": lambda self: array})()]
    for one in used:
        for call in (neardup.features, neardup.fingerprints, neardup.Deduplicator().add_batch, neardup.feature_sets, neardup.cluster):
            with pytest.raises(ValueError, match="released"):
                call(one)
    for wrong in (None, 5, "x", (1, 2), pa.array(["a"]).__arrow_c_array__()):
        odd = type("Odd", (), {"__arrow_c_stream__": lambda self, wrong=wrong: wrong})()
        with pytest.raises((TypeError, ValueError)):
            neardup.features(odd)
        odd = type("Odd", (), {"__arrow_c_array__": lambda self, wrong=wrong: wrong if wrong is None or not isinstance(wrong, tuple) else wrong[:1]})()
        with pytest.raises((TypeError, ValueError, IndexError)):
            neardup.features(odd)


def test_many_threads_are_only_asked_for():
    assert len(neardup.pairs(["a b", "a b"], threads=10**9)) == 1


def test_nothing_is_leaked():
    texts, array = corpus(2000), pa.array(corpus(2000))

    def everything():
        sets = neardup.features(array)
        found = neardup.pairs(sets)
        pa.table(found), pl.DataFrame(found), pa.array(sets), found.first
        neardup.groups(texts), neardup.pairs(pa.table({"t": array}).to_reader(max_chunksize=100))
        codes = neardup.fingerprints(array)
        pl.DataFrame(neardup.near_pairs(codes)), pa.array(codes)
        dedup = neardup.Deduplicator()
        pa.table(dedup.add_batch(texts, [str(i) for i in range(len(texts))])), pa.table(dedup.find_batch(texts))
        index = neardup.SetIndex()
        index.insert(sets, [str(i) for i in range(len(sets))])
        pl.DataFrame(index.search(array)), pa.table(index.nearest(texts[:100])).to_pydict()
        pl.DataFrame(neardup.pairs(texts[:50], measure="edit", progress=lambda done, all: None))
        for wrong in ([1], pa.array([1]), ["a", 5]):
            with pytest.raises((TypeError, ValueError)):
                neardup.features(wrong)

    def growth():
        begin = resident(), pa.total_allocated_bytes()
        for _ in range(20):
            everything()
        gc.collect()
        return resident() - begin[0], pa.total_allocated_bytes() - begin[1]

    for _ in range(3):
        everything()
    gc.collect()
    counts = [sys.getrefcount(texts), sys.getrefcount(array)]
    # A leak grows with each run. Memory that an allocator keeps, or that another thread frees late, does not grow.
    grown = [growth()]
    while len(grown) < 3 and not (grown[-1][0] < 20_000_000 and grown[-1][1] == 0):
        grown.append(growth())
    assert grown[-1][0] < 20_000_000 and grown[-1][1] == 0, grown
    assert [sys.getrefcount(texts), sys.getrefcount(array)] == counts


def test_nanobind_finds_nothing_leaked():
    code = "import neardup, pyarrow as pa; p = neardup.pairs(['a b', 'a b']); pa.table(p); neardup.Deduplicator().add('a')"
    environment = {**os.environ, "NEARDUP_LEAK_WARNINGS": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stderr == ""


def test_a_table_that_lives_until_the_end_is_no_leak():
    code = "import neardup, polars as pl; kept = pl.DataFrame(neardup.pairs(['a b', 'a b']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""


LONG_CALLS = [
    "neardup.pairs(sets, similarity=0.05, threads=1)",
    "neardup.groups(sets, similarity=0.05, threads=1)",
    "neardup.groups(sets, similarity=0.05, chains=True, threads=1)",
    "neardup.features(array, threads=1)",
    "neardup.Deduplicator(0.6).add_batch(array, threads=1)",
    "neardup.Deduplicator(0.1, features='words').add_batch(alike, threads=1)",
    "neardup.near_pairs(codes, k=12, threads=1)",
    "index.search(codes, threads=1)",
    "set_index.search(sets, threads=1)",
    "neardup.pairs(array, similarity=0.3, measure='edit', threads=1)",
    "neardup.pairs(two_long, similarity=0.5, measure='edit', threads=1)",
    "neardup.groups(two_long, similarity=0.5, measure='edit', threads=1)",
    "neardup.extend_groups(two_long[:1], two_long[1:], similarity=0.5, measure='edit', threads=1)",
    "neardup.verify(([0], [1]), two_long, similarity=0.5, measure='edit', threads=1)",
    "neardup.Index(8).insert(many_codes, range(len(many_codes)))",
]


def test_ctrl_c_works_within_a_second():
    code = textwrap.dedent(
        f"""
        import sys, time
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import neardup, pyarrow as pa, numpy as np
        from corpora import corpus
        array = pa.array(corpus(20_000, 60))
        sets = neardup.features(array)
        codes = np.random.default_rng(1).integers(0, 2**63, 200_000, np.uint64)
        index, set_index = neardup.Index(8), neardup.SetIndex(0.1)
        index.insert(codes, range(len(codes)))
        set_index.insert(sets, range(len(sets)))
        many_codes = np.tile(codes, 10)
        letters = np.random.default_rng(1).integers(97, 105, 600_000, np.uint8)
        rows = np.random.default_rng(2).integers(0, 1000, (32_768, 60)).tolist()
        alike = [" ".join(map(str, row)) for row in rows]  # a piece in which nearly all documents are candidates
        two_long = [letters.tobytes(), np.where(np.arange(len(letters)) % 4 == 0, 120, letters).astype(np.uint8).tobytes()]
        for call in {LONG_CALLS!r}:
            try:
                print("ready", flush=True)
                while True:
                    exec(call)
            except KeyboardInterrupt:
                print("interrupted", time.process_time(), flush=True)
        """
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        for call in LONG_CALLS:
            assert process.stdout.readline() == "ready\n"
            begin = processor_seconds(process.pid)
            while processor_seconds(process.pid) < begin + 0.15:
                time.sleep(0.02)
            before = processor_seconds(process.pid)
            process.send_signal(signal.SIGINT)
            answer = process.stdout.readline().split()
            # The CPU time of one thread does not depend on other programs.
            assert answer[0] == "interrupted" and float(answer[1]) - before < 1, call


def test_other_threads_run_meanwhile():
    sets = neardup.features(corpus(20_000, 60))
    ticks, over = [], threading.Event()

    def tick():
        while not over.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    neardup.pairs(sets, similarity=0.1, threads=1)
    end = time.monotonic()
    over.set()
    thread.join()
    assert len(ticks) > (end - begin) / 0.1


def test_a_list_that_changes_meanwhile():
    texts = corpus(30_000)
    expected = neardup.features(texts).values.tolist()
    over = threading.Event()

    def change():
        while not over.is_set():
            texts[:] = [f"new {i}" for i in range(10)]
            texts.clear()

    for _ in range(5):
        texts[:] = corpus(30_000)
        thread = threading.Thread(target=change)
        found = []
        runner = threading.Thread(target=lambda: found.append(neardup.features(list(texts)).values.tolist()))
        runner.start()
        thread.start()
        runner.join()
        over.set()
        thread.join()
        over.clear()
    assert neardup.features(corpus(30_000)).values.tolist() == expected


def test_a_forked_process():
    code = """
import os, neardup
neardup.pairs(["a b", "a b"], threads=4)
child = os.fork()
if child == 0:
    os._exit(0 if len(neardup.pairs(["a b", "a b"], threads=4)) == 1 else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_forked_process_changes_no_file_of_its_parent(tmp_path):
    code = """
import os, sys, neardup
path = sys.argv[1]
seen = neardup.Deduplicator(path=path)
seen.add("before the fork one two three")
if (child := os.fork()) == 0:
    for change in (lambda: seen.add("of the child four five six"), seen.save, lambda: seen.erase(0)):
        try:
            change()
        except OSError as e:
            assert "forked" in str(e)
        else:
            os._exit(1)
    seen.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
seen.add("of the parent seven eight nine")
seen.close()
assert len(neardup.Deduplicator(path=path)) == 2
"""
    subprocess.run([sys.executable, "-c", code, tmp_path / "seen"], check=True, timeout=60)


def test_an_error_of_an_iterator_of_texts_is_raised():
    def texts(error):
        yield "a b"
        raise error

    for error in (RuntimeError("gone"), KeyboardInterrupt("stopped"), TypeError("of the caller")):
        with pytest.raises(type(error), match=str(error)):
            neardup.unique(texts(error))
    with pytest.raises(TypeError, match="a column, not int"):
        neardup.unique(5)


def test_what_objects_say_of_themselves():
    found = neardup.pairs(["a b <c>", "a b <c>", None])
    assert repr(found) == "<neardup.Pairs: 1 rows of first, second, common, similarity>"
    assert found._repr_html_().count("<tr>") == 2
    assert neardup.pairs(corpus(300))._repr_html_().endswith("<p>30 rows</p>")
    assert repr(neardup.features(["a b", None])) == "<neardup.FeatureSets: 2 sets (1 null), 1 features of 32 bits>"
    assert repr(neardup.fingerprints(["a"])) == "<neardup.Fingerprints: 1 of 64 bits>"
    assert repr(neardup.Index()) == "<neardup.Index: 0 codes of 64 bits, searched within 3>"
    assert repr(neardup.SetIndex().search([])) == "<neardup.Matches: 0 rows of query, id, common, similarity>"
    assert repr(neardup.Deduplicator()) == "<neardup.Deduplicator: 0 documents kept of 0, similarity 0.8, words:2>"
    with pytest.raises(AttributeError, match="no distance"):
        found.distance
    with pytest.raises(IndexError):
        neardup.features(["a"])[1]


def test_sets_of_the_callers():
    expected = [[1, 5, 7], [], [5], [2**32 - 1]]
    for form in (
        expected,
        [{7, 1, 5}, set(), {5}, {2**32 - 1}],
        [np.array([7, 5, 1, 5], np.uint32), None, [5, 5], np.array([2**32 - 1], np.int64)],
        pa.array([expected[0], None, expected[2], expected[3]], pa.list_(pa.uint32())),
        pa.array([[9], *expected, [9]], pa.large_list(pa.uint32()))[1:-1],
        pa.table({"sets": pa.chunked_array([expected[:1], expected[1:]], pa.list_(pa.uint32()))}),
        pl.Series(expected, dtype=pl.List(pl.UInt32)),
        neardup.feature_sets(expected),
    ):
        sets = neardup.feature_sets(form)
        assert [sets[i].tolist() for i in range(len(sets))] == expected
    wide = neardup.feature_sets([[2**64 - 1, 3]], bits=64)
    assert wide.values.tolist() == [3, 2**64 - 1] and wide.bits == 64
    assert neardup.feature_sets([]).offsets.tolist() == [0]
    for form, error in (
        ([["a"]], TypeError),
        ([[1.5]], TypeError),
        ([[True]], TypeError),
        ([[-1]], OverflowError),
        ([[2**32]], OverflowError),
        ([np.array([-1])], OverflowError),
        ([np.array([2**32])], OverflowError),
        ([np.array([1.5])], TypeError),
        (pa.array([[2, 1]], pa.list_(pa.uint32())), ValueError),
        (pa.array([[1, 1]], pa.list_(pa.uint32())), ValueError),
        (pa.array([[1]], pa.list_(pa.int32())), ValueError),
        (pa.array([[1]], pa.list_(pa.uint64())), ValueError),
        (pa.array([[1, None]], pa.list_(pa.uint32())), ValueError),
        (pa.array([1], pa.uint32()), ValueError),
    ):
        with pytest.raises(error):
            neardup.feature_sets(form)
    with pytest.raises(ValueError, match="32 bits"):
        neardup.pairs(wide, neardup.feature_sets([]))


def test_pairs_to_verify():
    texts = ["a b c d e", "a b c d e f", "x y"]
    found = neardup.pairs(texts, similarity=0.5)
    for form in (found, pl.DataFrame(found), pa.table(found), pd.DataFrame(found.to_numpy()), (found.first, found.second), ([0], [1])):
        assert pa.table(neardup.verify(form, texts)).equals(pa.table(neardup.pairs(texts)))
    assert len(neardup.verify(([], []), texts)) == 0
    for form, error in ((([0], [3]), ValueError), (([0], []), ValueError), (([-1], [0]), ValueError), (([0.5], [0]), TypeError), ("ab", TypeError), ({}, TypeError), (7, TypeError), (([2**32], [0]), ValueError)):
        with pytest.raises(error):
            neardup.verify(form, texts)


def test_import_is_fast():
    code = "import numpy, time; begin = time.process_time(); import neardup; print(time.process_time() - begin)"
    best = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(3))
    assert best < 0.1


def test_a_wrong_id_similarity_or_same_is_named():
    texts = ["a b c d", "e f g h"]
    for id in (2**64, -1, 10**400):
        for call in (lambda: neardup.Deduplicator().add(texts[0], id), lambda: neardup.Deduplicator().add_batch(texts, [1, id])):
            with pytest.raises(ValueError, match="^an id must be at least 0 and at most 18446744073709551615, not"):
                call()
    for similarity in (10**400, -(10**400)):
        with pytest.raises(ValueError, match="^the similarity must be above 0, and at most 1"):
            neardup.pairs(texts, similarity=similarity)
    for same in (True, 5):
        with pytest.raises(TypeError, match="^same must be a name or a list of names, not"):
            neardup.pairs(texts, same=same)
