"""Compares the index of sets with the oracle after every change. Also tests ids that are integers or str."""

import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
import oracle
from test_texts import texts


def rows(table):
    return [tuple(row.values()) for row in pa.table(table).to_pylist()]


@settings(max_examples=60)
@given(
    data=st.data(),
    measure=st.sampled_from(["jaccard", "cosine", "containment"]),
    least=st.sampled_from([0.1, 0.5, 0.8, 1.0]),
    min_common=st.integers(1, 3),
    bits=st.sampled_from([32, 64]),
    named=st.booleans(),
)
def test_searches_after_every_change(data, measure, least, min_common, bits, named):
    index = neardup.SetIndex(least, measure=measure, min_common=min_common, bits=bits)
    stored = {}
    for _ in range(data.draw(st.integers(1, 4))):
        batch = data.draw(texts)
        numbers = data.draw(st.lists(st.integers(0, 9), min_size=len(batch), max_size=len(batch)))
        ids = [f"n{i}é" for i in numbers] if named else numbers
        expected = len(set(ids) - set(stored))
        for one, text in zip(ids, batch):
            stored.setdefault(one, text)
        assert index.insert(batch, ids, threads=2) == expected
        gone = data.draw(st.lists(st.sampled_from([f"n{i}é" for i in range(10)] if named else range(10)), max_size=3))
        assert index.erase(gone) == len(set(gone) & set(stored))
        for one in gone:
            stored.pop(one, None)
        assert len(index) == len(stored) and all(one in index for one in stored) and all(one not in index for one in gone)
    queries = data.draw(texts)
    ask = data.draw(st.sampled_from([None, least, 1.0]))
    found = rows(index.search(queries, ask, threads=2))
    sets, keys = oracle.sets_of(queries), list(stored)
    expected = [
        (q, keys[i], common, similarity)
        for q, i, common, similarity in oracle.pairs(
            sets, oracle.sets_of(stored.values()), measure, least if ask is None else ask, min_common
        )
    ]
    assert sorted(found) == sorted(expected)
    assert [(q, -s) for q, _, _, s in found] == sorted((q, -s) for q, _, _, s in found)
    nearest = rows(index.nearest(queries, ask))
    best = {}
    for row in found:
        best.setdefault(row[0], row)
    assert nearest == list(best.values())
    if not named:
        assert found == sorted(expected, key=lambda row: (row[0], -row[3], row[1]))


def test_forms_of_results():
    index = neardup.SetIndex(0.5)
    assert index.insert(["a b c", None, "a b d"], pd.Series(["x", "yé", "z"]).to_numpy()) == 3
    found = index.search(["a b c", "q"])
    expected = {"query": [0], "id": ["x"], "common": [2], "similarity": [1.0]}
    assert pa.table(found).to_pydict() == pl.DataFrame(found).to_dict(as_series=False) == expected
    assert found.id.tolist() == ["x"] and found.to_numpy()["similarity"].tolist() == [1.0]
    assert "x" in found._repr_html_() and "yé" in index and 0 not in index and None not in index
    assert repr(found) == "<neardup.Matches: 1 rows of query, id, common, similarity>"
    assert repr(index) == "<neardup.SetIndex: 3 sets, searched for jaccard of at least 0.5, words:2>"
    assert index.memory_usage > 0 and bool(neardup.SetIndex()) and len(neardup.SetIndex()) == 0
    numbers = neardup.SetIndex()
    numbers.insert(neardup.features(["a b c"]), [2**64 - 1])
    assert numbers.search(["a b c"]).id.tolist() == [2**64 - 1] and 2**64 - 1 in numbers and 2**64 not in numbers


def test_what_is_refused():
    index = neardup.SetIndex(0.5)
    for texts_, ids, error in (
        (["a"], [1, 2], ValueError),
        (["a"], [-1], ValueError),
        (["a", "b"], [1, "x"], TypeError),
        (["a"], [1.5], TypeError),
        (["a", 5], [1, 2], TypeError),
        (["a", 5], ["x", "y"], TypeError),
        (["a"], ["x", "y"], ValueError),
        (["a"], ["\ud800"], ValueError),
        (neardup.features(["a"], bits=64), [1], ValueError),
    ):
        with pytest.raises(error):
            neardup.SetIndex(0.5).insert(texts_, ids)
    index.insert(["a b"], [1])
    with pytest.raises(TypeError, match="are integers"):
        index.insert(["a b"], ["x"])
    names = neardup.SetIndex()
    names.insert(["a b"], ["x"])
    with pytest.raises(TypeError, match="are str"):
        names.insert(["a b"], [1])
    assert names.erase([1]) == 0 == index.erase(["x"])
    for least in (0.4, 0, -1, float("nan")):
        for ask in (index.search, index.nearest):
            with pytest.raises(ValueError):
                ask([], least)
    for options in ({"measure": "edit"}, {"similarity": 0}, {"min_common": 0}, {"bits": 16}, {"features": "x"}, {"seed": -1}):
        with pytest.raises(ValueError):
            neardup.SetIndex(**options).insert(["a"], [1])


def test_searches_while_others_write():
    for kind in (int, str):
        index, failures = neardup.SetIndex(1.0), []

        def search(index=index, failures=failures, kind=kind):
            for _ in range(100):
                for i in index.search(["a b c"]).id.tolist():
                    if not isinstance(i, kind):
                        failures.append(i)

        readers = [threading.Thread(target=search) for _ in range(2)]
        for reader in readers:
            reader.start()
        for i in range(200):
            index.insert(["a b c"], [kind(i)])
            index.erase([kind(i // 2)])
        for reader in readers:
            reader.join()
        assert not failures and len(index) == 100


def test_the_first_id_of_str_arrives_within_a_search():
    index = neardup.SetIndex(1.0)

    class Late:  # simulates a thread that inserts while search() begins
        def __init__(self, native):
            self.native = native

        def search(self, *arguments):
            index._native = self.native
            index.insert(["a b c"], ["x"])
            return self.native.search(*arguments)

        def __len__(self):
            return len(self.native)

    index._native = Late(index._native)
    assert index.search(["a b c"]).id.tolist() == ["x"]


def test_names_of_documents():
    dedup = neardup.Deduplicator(max_documents=3)
    assert dedup.add("a b c", "first").is_new
    assert dedup.add("a b c", "second") == neardup.Verdict(False, "first", 1.0)
    assert "first" in dedup and "second" not in dedup and dedup.find("a b c").original == "first"
    verdicts = dedup.add_batch(["d e f", None, "a b c", "g h i"], np.array(["x", "null", "y", "z"]))
    assert pa.table(verdicts)["original"].to_pylist() == [None, None, "first", None] and "null" not in dedup
    assert verdicts.original.tolist() == [None, None, "first", None] and verdicts[2] == (False, "first", 1.0)
    for ids in (["first"], ["p", "p"], ["p", "x"]):
        with pytest.raises(ValueError, match="kept already|same id"):
            dedup.add_batch(["j k l", "m n o"][: len(ids)], ids)
    for ids in (None, [1]):
        with pytest.raises(TypeError, match="are str"):
            dedup.add_batch(["j k l"], ids)
    with pytest.raises(TypeError):
        dedup.add_batch(["j k l", 5], ["p", "q"])
    assert dedup.add("j k l", "p").is_new and "first" not in dedup  # the oldest document is forgotten
    assert dedup.add("a b c", "first").is_new and len(dedup) == 3
    assert dedup.erase("first") and not dedup.erase("first") and dedup.added == 8
    with pytest.raises(ValueError, match="its ids are str"):
        dedup.save("nowhere")
    for i in range(3000):
        dedup.add(f"text{i} number{i} of{i}", f"d{i}")
    assert len(dedup._names.numbers) == len(dedup._names.names) < 2000


def test_ids_in_every_form():
    forms = [list, tuple, np.array, pa.array, pl.Series, pd.Series, lambda ids: (one for one in ids), dict.fromkeys]
    for ids in (["x", "y", "z"], [1, 2, 3], [1, 2**63, 2**64 - 1]):
        for form in forms:
            if ids[1] == 2**63 and form in (np.array, pa.array, pl.Series, pd.Series):
                continue  # these libraries have no exact form
            index, dedup = neardup.SetIndex(), neardup.Deduplicator()
            assert index.insert(["a b", "c d", "e f"], form(ids)) == 3
            assert dedup.add_batch(["a b", "c d", "e f"], form(ids)).is_new.all()
            assert all(one in index and one in dedup for one in ids)
            assert index.erase(form(ids[:2])) == 2 and len(index) == 1
    for refused in ("x", b"x"):
        with pytest.raises(TypeError, match="a list of ids"):
            index.insert(["a b"], refused)
        with pytest.raises(TypeError, match="a list of ids"):
            index.erase(refused)
    assert len(neardup.near_pairs([1, 2**63 + 1], k=1)) == 1


def test_a_failed_insertion_leaves_no_names():
    index, dedup = neardup.SetIndex(), neardup.Deduplicator()
    for ids in (["good", "\ud800"], ["x"]):
        with pytest.raises(ValueError):
            index.insert(["a b", "c d"], ids)
        with pytest.raises(ValueError):
            dedup.add_batch(["a b", "c d"], ids)
        assert not any(one in index or one in dedup for one in ids) and len(index) == len(dedup) == 0
    assert index.insert(["a b"], [1]) == 1 and dedup.add("a b", 1).is_new
    for one in ("x", -1, 2**64, None):
        assert one not in index and one not in dedup
    assert not dedup.erase("x")


def test_two_threads_add_the_first_names():
    for _ in range(200):
        dedup = neardup.Deduplicator()
        threads = [threading.Thread(target=dedup.add, args=(f"{name} b c", name)) for name in "xy"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert "x" in dedup and "y" in dedup


def test_settings_of_texts_are_refused_with_sets():
    sets = neardup.features(["a 1", "a 2"])
    for call in (neardup.unique, neardup.pairs):
        with pytest.raises(TypeError, match="`same` does not go with FeatureSets"):
            call(sets, same="numbers")
    for similarity in (1.01, 80, float("inf"), float("nan"), 0):
        for call in (lambda: neardup.pairs(sets, similarity=similarity), lambda: neardup.SetIndex(similarity)):
            with pytest.raises(ValueError, match="similarity"):
                call()


def test_names_and_numbers_do_not_mix(tmp_path):
    dedup = neardup.Deduplicator()
    dedup.add("a b c")
    with pytest.raises(TypeError, match="integers"):
        dedup.add("d e f", "x")
    with neardup.Deduplicator(path=tmp_path / "seen") as dedup:
        with pytest.raises(TypeError, match="file"):
            dedup.add("d e f", "x")
        assert dedup.add("d e f").is_new
