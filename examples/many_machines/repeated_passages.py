"""Removes repeated passages on an engine. near_duplicates.py describes steps, rows and engines.

Texts are numbered in the order of their files and rows. The range of all numbers is split into ranges of equal length, and
each range belongs to a partition.
"""

import os
import sys
from typing import NamedTuple

import neardup
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from near_duplicates import BYTES_AT_ONCE, row, rows_to, table_of, tally, total


class Plan(NamedTuple):
    """The settings of a run, which all tasks share."""

    shuffle: neardup.PassageShuffle
    texts: int  # number of all texts
    repeated: str = ""  # the name of the shared file with the repeated anchors of all partitions

    shared = ("repeated",)

    @property
    def partitions(self):
        return self.shuffle.partitions

    def targets(self, numbers):
        """Returns the partitions of texts."""
        return numbers.to_numpy().astype(np.int64) // (self.texts // self.partitions + 1)


def pieces(batches):
    """Joins batches of numbered texts to tables. A table has consecutive texts, of about BYTES_AT_ONCE bytes."""
    waiting, size, expected = [], 0, None
    for batch in batches:
        numbers = batch.column("number").to_numpy()
        begins = [0, *(np.flatnonzero(np.diff(numbers) != 1) + 1)] if len(numbers) > 0 else []
        for begin, end in zip(begins, [*begins[1:], len(numbers)]):
            if waiting and (numbers[begin] != expected or size >= BYTES_AT_ONCE):
                yield pa.Table.from_batches(waiting)
                waiting, size = [], 0
            waiting.append(batch.slice(begin, end - begin))
            size, expected = size + waiting[-1].nbytes, numbers[end - 1] + 1
    if waiting:
        yield pa.Table.from_batches(waiting)


def rows_with(partition, kind, table):
    """Returns rows that together contain a table. Each row has about BYTES_AT_ONCE bytes."""
    step = max(1, len(table) * BYTES_AT_ONCE // max(1, table.nbytes))
    return (row(partition, kind, table.slice(begin, step)) for begin in range(0, len(table), step))


def columns_of(table, *names):
    return {name: table[name].to_numpy() for name in names}


def count(plan, batches):
    """Scatters the anchors of texts."""
    for table in pieces(batches):
        yield tally(texts=len(table), nulls=table["text"].null_count)
        for partition, blob in plan.shuffle.scatter_anchors(table["text"], threads=1):
            yield partition, "anchors", blob


def repeat(plan, partition, rows):
    """Finds the repeated anchors of a partition. The driver writes them to the shared file."""
    yield partition, "repeated", plan.shuffle.repeated_anchors(rows.get("anchors", []), partition)


def scatter(plan, batches):
    """Scatters passages that may be repeated to the partitions of their anchors, and texts to the partitions of their numbers."""
    repeated = np.memmap(plan.repeated, np.uint8, "r") if os.path.getsize(plan.repeated) > 0 else b""
    for table in pieces(batches):
        for partition, blob in plan.shuffle.scatter(table["text"], table["number"][0].as_py(), repeated, threads=1):
            yield partition, "windows", blob
        yield from rows_to(plan, "text", table, plan.targets(table["number"]))


def gather(plan, partition, rows):
    """Finds the repeated passages of a partition, and moves them to the partitions of their texts."""
    found = pa.table(plan.shuffle.gather(rows.get("windows", []), partition))
    yield from rows_to(plan, "found", found, plan.targets(found["text"]))


def texts_in(rows):
    """Returns the texts of a partition in order, and the number of the first text."""
    texts = table_of(rows["text"]).sort_by("number").combine_chunks()
    first = texts["number"][0].as_py()
    if not np.array_equal(texts["number"].to_numpy(), np.arange(first, first + len(texts))):
        raise RuntimeError("the texts of a partition are incomplete: IN has changed during the run")
    return texts, first


def cut(plan, partition, rows):
    """Removes the passages of the texts of a partition. Drops texts that lose their last word. Moves each passage to the partition
    of its first place."""
    if "text" not in rows:
        return
    texts, first = texts_in(rows)
    if "found" not in rows:
        yield from rows_with(partition, "texts", texts.select(["id", "text"]))
        yield tally(kept=len(texts))
        return
    found = plan.shuffle.join(columns_of(table_of(rows["found"]), "text", "begin", "end", "first_text", "first_begin"))
    rest = pa.array(plan.shuffle.cut(texts["text"], first, found)).cast(texts["text"].type)
    has_words = pa.array(np.diff(neardup.features(rest, "words:1").offsets) > 0)
    is_same = pc.fill_null(pc.equal(rest, texts["text"]), True)  # a text that was not cut stays, even without words
    kept = pa.table({"id": texts["id"], "text": rest}).filter(pc.or_(has_words, is_same))
    yield from rows_with(partition, "texts", kept)

    places = pa.table(plan.shuffle.locate(texts["text"], first, found))
    at = pa.array(found.text - first)
    passages, last, text = [], None, ""
    for i, begin, end in zip(at.to_pylist(), places["begin"].to_pylist(), places["end"].to_pylist()):
        if i != last:
            last, text = i, texts["text"][i].as_py()
        passages.append(text[begin:end])
    length = pc.subtract(places["end_byte"], places["begin_byte"])
    table = pa.table({"id": texts["id"].take(at), "offset": places["begin_byte"], "length": length, "passage": passages})
    for name in ("first_text", "first_begin", "first_end"):
        table = table.append_column(name, pa.array(getattr(found, name)))
    table = table.filter(pc.greater(length, 0))  # a passage of bytes may have no whole character
    yield tally(kept=len(kept), passages=len(table))
    yield from rows_to(plan, "asked", table, plan.targets(table["first_text"]))


def name_first(plan, partition, rows):
    """For each passage, adds the id of the text where it occurs first, and the offset in this text."""
    if "asked" not in rows:
        return
    texts, first = texts_in(rows)
    asked = table_of(rows["asked"])
    columns = columns_of(asked, "first_text", "first_begin", "first_end")
    places = plan.shuffle.locate(texts["text"], first, dict(zip(("text", "begin", "end"), columns.values())))
    of = texts["id"].take(pa.array(columns["first_text"] - first))
    columns = {"id": asked["id"], "offset": asked["offset"], "length": asked["length"], "first": of, "first_offset": pa.array(places.begin_byte)}
    for name in ("offset", "length", "first_offset"):
        columns[name] = columns[name].cast(pa.int64())  # Spark has no unsigned integers
    yield from rows_with(partition, "passages", pa.table({**columns, "passage": asked["passage"]}))


def shuffle_of(given, partitions):
    unit, _, length = given.passages.rpartition(":")
    if unit not in ("", "bytes") or not length.isdecimal():
        raise ValueError(f"--passages is N or bytes:N, not {given.passages}")
    return neardup.PassageShuffle(int(length), unit or "words", given.least_documents, given.earlier, partitions)


def run(engine, given):
    """Runs all steps. Writes OUT/texts and OUT/passages."""
    missing = [name for name in ("id", "text") if name not in engine.columns]
    if missing:
        raise ValueError(f"{given.input} has no column '{missing[0]}', but {', '.join(engine.columns)}")
    plan = Plan(shuffle_of(given, given.partitions or 4 * engine.cores), engine.size)
    counted = engine.read(count, plan, ["text"], numbered=True)
    repeated = engine.step(repeat, plan, engine.only(counted, "anchors"))
    plan = plan._replace(repeated=engine.share("repeated", b"".join(bytes(blob) for _, blob in engine.collect(repeated, "repeated"))))
    scattered = engine.read(scatter, plan, ["id", "text"], numbered=True)
    texts = engine.only(scattered, "text")
    found = engine.step(gather, plan, engine.only(scattered, "windows"))
    left = engine.step(cut, plan, engine.only(found, "found"), texts)
    passages = engine.step(name_first, plan, engine.only(left, "asked"), texts)
    engine.write(left, "texts", {"id": "id", "text": "text"})
    engine.write(passages, "passages", {"id": "id", "offset": "long", "length": "long", "first": "id", "first_offset": "long", "passage": "text"})
    numbers = {"kept": 0, "passages": 0, "texts": 0, "nulls": 0}
    for data in (counted, left):
        numbers.update(total(blob for _, blob in engine.collect(data, "tally")))
    print("{texts:,} texts, {kept:,} kept; {nulls:,} null; {passages:,} passages removed".format(**numbers), file=sys.stderr)
