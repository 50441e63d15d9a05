"""Tests the deduplicator: decisions, limits, files and threads."""

import threading

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
import oracle
from test_texts import texts


@settings(max_examples=60)
@given(
    texts=texts,
    batches=st.integers(1, 4),
    least=st.sampled_from([0.3, 0.8, 1.0]),
    threads=st.integers(1, 2),
    sizes=st.lists(st.integers(0, 5), min_size=1, max_size=5),
)
def test_one_by_one_in_batches_and_as_a_whole(texts, batches, least, threads, sizes):
    labels = oracle.groups(oracle.sets_of(texts), least=least)
    one, many, stream, mixed = (neardup.Deduplicator(least) for _ in range(4))
    singles = [one.add(text) for text in texts]
    assert [i if v.is_new else v.original for i, v in enumerate(singles)] == labels
    step = len(texts) // batches + 1
    found = []
    for first in range(0, len(texts), step):
        found += list(many.add_batch(texts[first : first + step], threads=threads))
    assert found == singles
    reader = pa.table({"t": pa.array(texts, pa.string())}).to_reader(max_chunksize=step)
    assert list(stream.add_batch(reader, threads=threads)) == singles
    found = []
    while len(found) < len(texts):  # a size of 0 stands for add()
        size = sizes[len(found) % len(sizes)]
        more = texts[len(found) : len(found) + max(size, 1)]
        found += [mixed.add(more[0])] if size == 0 else list(mixed.add_batch(more, threads=threads))
    assert found == singles
    kept = sum(label == i and bool(s) for i, (label, s) in enumerate(zip(labels, oracle.sets_of(texts))))
    for dedup in (one, many, stream, mixed):
        assert (len(dedup), dedup.added) == (kept, len(texts))
        for text, verdict in zip(texts, dedup.find_batch(texts, threads=threads)):
            assert verdict.is_new == (not text or not neardup.tokens(text))
            assert dedup.find(text) == verdict


def test_ids_and_erasing():
    dedup = neardup.Deduplicator()
    assert dedup.add("one two three", 2**64 - 1).is_new
    assert dedup.add("one two three", 5) == neardup.Verdict(False, 2**64 - 1, 1.0)
    assert 2**64 - 1 in dedup and 5 not in dedup
    with pytest.raises(ValueError, match="kept already"):
        dedup.add("four five six", 2**64 - 1)
    assert dedup.erase(2**64 - 1) and not dedup.erase(2**64 - 1)
    assert dedup.add("one two three", 7).is_new
    for texts, ids in ((["a"], [1, 2]), (["a", "b"], [1]), (["a b", "b c"], [3, 3]), (["a"], [-1]), (pa.array(["a"]), [])):
        with pytest.raises(ValueError):
            dedup.add_batch(texts, ids)
    with pytest.raises(TypeError):
        dedup.add_batch(["a"], ["x"])
    with pytest.raises(ValueError):
        dedup.add("a", 2**64)
    assert dedup.added == 3
    reader = pa.table({"t": ["x y z", "u v w"]}).to_reader(max_chunksize=1)
    assert dedup.add_batch(reader, np.array([8, 9], np.uint64)).is_new.all() and 9 in dedup
    with pytest.raises(ValueError, match="ids"):
        dedup.add_batch(pa.table({"t": ["x y", "u v"]}).to_reader(), [10])


def test_limits():
    few = neardup.Deduplicator(max_documents=2)
    for text in ("a b c", "d e f", "g h i"):
        assert few.add(text).is_new
    assert len(few) == 2 and few.add("a b c").is_new
    full = neardup.Deduplicator(max_documents=1, when_full="refuse")
    full.add("a b c")
    with pytest.raises(OverflowError):
        full.add("d e f")
    old = neardup.Deduplicator(max_age=10)
    assert old.add("a b c", now=100).is_new
    assert not old.add("a b c", now=110).is_new
    assert old.add("a b c", now=111).is_new
    for now in (None, 110):
        with pytest.raises(ValueError):
            old.add("a b c", now=now)
    renewed = neardup.Deduplicator(max_age=10, duplicates_renew=True)
    assert [renewed.add("a b c", now=now).is_new for now in (0, 10, 20, 31)] == [True, False, False, True]
    for options in ({"max_documents": 0}, {"max_age": -1}, {"max_bytes": 2**64}, {"when_full": "x"}, {"similarity": 1.1}, {"similarity": 0}, {"features": "x"}, {"path": ""}, {"path": "a\0b"}, {"features": "words\0"}):
        with pytest.raises(ValueError):
            neardup.Deduplicator(**options)


def test_bytes_are_limited_after_each_call():
    for size in (1, 100, 20_000):
        dedup = neardup.Deduplicator(max_bytes=1_000_000)
        for first in range(0, 40_000, size):
            texts = [f"u{i} v{i * 3} w{i * 7} x{i * 11}" for i in range(first, first + size)]
            if size > 1:
                dedup.add_batch(texts)
            else:
                dedup.add(texts[0])
            if first % 1000 == 0:
                assert dedup.memory_usage <= 1_000_000
        assert len(dedup) > 1000
    refusing = neardup.Deduplicator(max_bytes=1000, when_full="refuse")
    with pytest.raises(OverflowError):
        refusing.add_batch(texts)
    assert (len(refusing), refusing.added) == (0, 0)


def test_a_small_call_ends_as_a_large_one():
    texts = ["one two three four", None, "one two three four"]
    told = []
    for progress in (None, lambda done, all: told.append((done, all))):
        assert len(neardup.pairs(texts, progress=progress)) == 1
        assert neardup.groups(texts, measure="edit", progress=progress).tolist() == [0, 1, 0]
        assert neardup.features(texts, progress=progress).nulls == 1
        assert neardup.fingerprints(texts, progress=progress).valid.tolist() == [True, False, True]
        dedup = neardup.Deduplicator()
        assert dedup.add_batch(texts, progress=progress).is_new.tolist() == [True, True, False]
        with pytest.raises(TypeError):
            neardup.features(["a", 7], progress=progress)
    assert told
    for wrong in (7, ["a"]):
        with pytest.raises(TypeError):
            dedup.add(wrong)
        with pytest.raises(TypeError):
            dedup.find(wrong)
    with pytest.raises(TypeError):
        dedup.add("a", True)


def test_durable(tmp_path):
    path = tmp_path / "seen"
    with neardup.Deduplicator(path=path, features="chars:4") as dedup:
        assert dedup.add("a ferry leaves the pier").is_new
        with pytest.raises(OSError, match="seen"):
            neardup.Deduplicator(path=path, features="chars:4")
    assert repr(dedup) == "<neardup.Deduplicator: closed>"
    for call in (lambda: dedup.add("a"), lambda: len(dedup), lambda: 1 in dedup, dedup.save, lambda: dedup.erase(1)):
        with pytest.raises(ValueError, match="closed"):
            call()
    with pytest.raises(ValueError, match="tokenizer|composition|features|made"):
        neardup.Deduplicator(path=path)
    with neardup.Deduplicator(path=path, features="chars:4") as dedup:
        assert dedup.add("a ferry leaves the pier").original == 0
        assert (len(dedup), dedup.added) == (1, 2)
        dedup.save()
        dedup.save(tmp_path / "copy")
    copy = neardup.Deduplicator.load(tmp_path / "copy", features="chars:4")
    assert (len(copy), copy.added) == (1, 2) and not copy.find("a ferry leaves the pier").is_new
    with pytest.raises(ValueError, match="path"):
        copy.save()
    with pytest.raises(ValueError, match="similarity"):
        neardup.Deduplicator.load(tmp_path / "copy", 0.9, features="chars:4")
    with pytest.raises(OSError, match="nothing"):
        neardup.Deduplicator.load(tmp_path / "nothing")
    (tmp_path / "copy").write_bytes(b"x" * 100)
    with pytest.raises(OSError, match="copy"):
        neardup.Deduplicator.load(tmp_path / "copy", features="chars:4")


def test_a_file_is_not_read_or_replaced_without_its_log(tmp_path):
    path = tmp_path / "seen"
    with neardup.Deduplicator(path=path) as seen:
        seen.add("one two three")
        other = neardup.Deduplicator()
        for one in (other, seen):
            with pytest.raises(OSError, match="is being written"):
                one.save(path)
        seen.add("four five six")
    with pytest.raises(OSError, match="has changes since"):
        neardup.Deduplicator.load(path)
    with neardup.Deduplicator(path=path) as seen:
        assert len(seen) == 2
        seen.save()
    assert len(neardup.Deduplicator.load(path)) == 2


def test_many_threads_on_one_deduplicator():
    dedup = neardup.Deduplicator(1.0)
    texts = [f"w{i} x{i} y{i}" for i in range(400)]
    new = []

    def work():
        for text in texts:
            new.append(dedup.add(text).is_new)
            assert not dedup.find(text).is_new and len(dedup) > 0

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(new) == 1600 and sum(new) == 400 == len(dedup)


def test_closing_while_others_read():
    for _ in range(20):
        dedup = neardup.Deduplicator()
        dedup.add("a b c")

        def read(dedup=dedup):
            try:
                while True:
                    dedup.find("a b c")
            except ValueError:
                pass

        thread = threading.Thread(target=read)
        thread.start()
        dedup.close()
        thread.join()
