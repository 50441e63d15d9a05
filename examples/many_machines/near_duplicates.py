"""Finds near-duplicates on an engine. with_spark.py and with_dask.py have the engines.

An engine moves rows (partition, kind, blob) to their partitions. A blob is a table in Arrow's stream format, or bytes of
the library. Each step below is a function that reads the rows of one partition, or batches of texts, and yields rows. An
engine has the members that run() calls.
"""

import argparse
import hashlib
import itertools
import json
import os
import sys
from typing import NamedTuple

import neardup
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROWS = pa.schema([("partition", pa.int32()), ("kind", pa.string()), ("blob", pa.binary())])
LONG_TEXT = 24  # mean number of features above which sketches move fewer bytes than sets
MOST_ROUNDS = 20
BYTES_AT_ONCE = 64 << 20  # limit for the blobs that wait in a mapper, and for a batch of rows


class Plan(NamedTuple):
    """The settings of a run, which all tasks share."""

    similarity: float
    measure: str
    features: str
    order: str  # the column by which texts are ordered; empty: the ids decide
    copies_once: bool  # if True, copies form a class with the number of one copy, which alone is paired with other texts
    grouping: str
    partitions: int
    payload: str
    features_in_all: int  # twice the estimated number of features, so that few features share a cell of the counts
    counts: str = ""
    wanted: str = ""
    slots: int = 0  # number of bits of each partition in `wanted`
    paired: str = ""  # "within" or "across" if a column decides which texts are compared
    field: str = ""  # the column for `paired`

    shared = ("counts", "wanted")  # members that are names of shared files

    def shuffle(self):
        made_of = hashlib.blake2b(f"{self.features} {neardup.__version__}".encode(), digest_size=8).digest()
        return neardup.Shuffle(
            self.similarity,
            self.measure,
            0,
            self.partitions,
            self.payload,
            int.from_bytes(made_of, "little"),
            copies_once=self.copies_once,
        )

    def keys(self):
        """Returns the columns by which texts are ordered. For containment, larger texts come first."""
        return [*(["size"] if self.measure == "containment" else []), *(["order"] if self.order else []), "id"]

    def sets(self, batch):
        return neardup.features(batch.column("text"), self.features, bits=64, threads=1)

    def partition_of(self, numbers):
        return ((mixed(numbers) >> np.uint64(32)) % np.uint64(self.partitions)).astype(np.int64)


def mixed(numbers):
    x = numbers ^ (numbers >> np.uint64(32))
    return x * np.uint64(0x9E3779B97F4A7C15)


def numbers_of(ids):
    """Returns a number for each id. Integers keep their order; the number of a string is a hash."""
    if ids.null_count > 0:
        raise ValueError("an id is null")
    if not (pa.types.is_integer(ids.type) or pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type)):
        raise ValueError(f"ids are integers or strings, not {ids.type}")
    if pa.types.is_unsigned_integer(ids.type):
        return ids.cast(pa.uint64()).to_numpy()
    if pa.types.is_integer(ids.type):
        return ids.cast(pa.int64()).to_numpy().view(np.uint64) ^ np.uint64(1 << 63)
    hashes = (hashlib.blake2b(one.encode(), digest_size=8).digest() for one in ids.to_pylist())
    return np.frombuffer(b"".join(hashes), np.uint64)


def values_of(plan, batch):
    """Returns the values of the column that decides which texts are compared."""
    values = batch.column(plan.field)
    values = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
    if not (pa.types.is_integer(values.type) or pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        raise ValueError(f"--{plan.paired} {plan.field}: the values are {values.type}, and neither integers nor strings")
    if values.null_count > 0:
        first = batch.filter(pc.is_null(values)).column("id")[0].as_py()
        raise ValueError(f"the text of the id {first!r} has no {plan.field}")
    return values


# ---- Rows ------------------------------------------------------------------------------------------------------------


def row(partition, kind, table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return partition, kind, sink.getvalue()


def rows_to(plan, kind, table, targets):
    """Yields rows that move each row of a table to its target partition."""
    order = np.argsort(targets, kind="stable")
    ends = np.searchsorted(targets[order], np.arange(plan.partitions + 1))
    table = table.take(order).combine_chunks()
    for partition in range(plan.partitions):
        if ends[partition] < ends[partition + 1]:
            yield row(partition, kind, table.slice(ends[partition], ends[partition + 1] - ends[partition]))


def rows_at(plan, kind, table, column):
    """Yields rows that move each row of a table to the partition of its number in `column`."""
    return rows_to(plan, kind, table, plan.partition_of(table[column].to_numpy()))


def table_of(blobs):
    """Joins blobs to one table. Returns None if there are no blobs."""
    tables = [pa.ipc.open_stream(blob).read_all() for blob in blobs]
    return pa.concat_tables(tables).combine_chunks() if tables else None


def tally(**numbers):
    return 0, "tally", json.dumps(numbers).encode()


def total(blobs):
    """Returns the sums of tallies."""
    result = {}
    for blob in blobs:
        for name, number in json.loads(bytes(blob)).items():
            result[name] = result.get(name, 0) + number
    return result


def numbered(batch, numbers):
    """Adds the numbers of the texts to a batch."""
    return pa.RecordBatch.from_arrays([*batch.columns, pa.array(numbers, pa.int64())], [*batch.schema.names, "number"])


def tables_in(batches):
    """Returns the tables in the blobs of the first column."""
    for batch in batches:
        for blob in batch.column(0):
            yield from pa.ipc.open_stream(blob.as_buffer())


def groups_of(dataset):
    """Returns the row groups of Parquet files: (path, number of the group in its file, number of its first text)."""
    groups = [group for file in dataset.get_fragments() for group in file.split_by_row_group()]
    firsts = itertools.accumulate((group.row_groups[0].num_rows for group in groups), initial=0)
    return [(os.path.abspath(group.path), group.row_groups[0].id, first) for group, first in zip(groups, firsts)]


def batches_in(groups, columns, is_numbered):
    """Reads row groups."""
    for path, of_file in itertools.groupby(groups, lambda group: group[0]):
        with pq.ParquetFile(path) as file:
            for _, group, first in of_file:
                for batch in file.iter_batches(batch_size=10_000, row_groups=[group], columns=columns):
                    yield numbered(batch, range(first, first + len(batch))) if is_numbered else batch
                    first += len(batch)


def schema_of(columns, schema):
    """Returns the schema of a table to write. `columns`: the name of each column, and its type, or a column of `schema` with this type."""
    own = {"double": pa.float64(), "long": pa.int64()}
    return pa.schema({name: own[of] if of in own else schema.field(of).type for name, of in columns.items()})


def write(blobs, schema, path):
    """Writes a file. No incomplete file is ever visible, even if two workers write the file. Returns an empty list."""
    table, part = table_of(blobs), os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{os.getpid()}")
    pq.write_table(schema.empty_table() if table is None else table.cast(schema), part)
    os.replace(part, path)
    return []


def firsts_of(counts):
    """Returns the number of the first text of each file, in the order of names. `counts`: (name of a file, number of its texts)."""
    files = sorted(counts)
    return dict(zip((name for name, _ in files), itertools.accumulate((count for _, count in files), initial=0)))


def numbered_by_files(batches, firsts):
    """Adds numbers to batches, whose last two columns are the file and the number of the row in the file. Without `firsts`,
    returns the batches as they are."""
    if not firsts:
        yield from batches
    for batch in batches:
        first = np.array([firsts[name] for name in batch.column(batch.num_columns - 2).to_pylist()], np.int64)
        numbers = first + batch.column(batch.num_columns - 1).to_numpy()
        yield numbered(batch.select(range(batch.num_columns - 2)), numbers)


def batches_of(rows):
    """Yields rows as batches of Arrow, for an engine."""
    waiting, size = [], 0
    for one in rows:
        waiting.append(one)
        size += len(one[2])
        if size >= BYTES_AT_ONCE:
            yield batch_of(waiting)
            waiting, size = [], 0
    if waiting:
        yield batch_of(waiting)


def batch_of(rows):
    partitions, kinds, blobs = zip(*rows)
    return pa.record_batch(
        [pa.array(partitions, pa.int32()), pa.array(kinds, pa.string()), pa.array([bytes(b) for b in blobs], pa.binary())],
        schema=ROWS,
    )


def rows_of(batches):
    for batch in batches:
        yield from zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), (blob.as_buffer() for blob in batch.column(2)))


def blobs_of(parts, kind):
    """Returns the rows (partition, blob) of a kind. `parts`: a result of by_partition()."""
    return [(partition, blob) for partition, kinds in parts.items() for blob in kinds.get(kind, [])]


def by_partition(rows):
    """Returns rows as {partition: {kind: [blob]}}."""
    result = {}
    for partition, kind, blob in rows:
        result.setdefault(partition, {}).setdefault(kind, []).append(blob)
    return result


# ---- From texts to pairs of numbers ----------------------------------------------------------------------------------


def count(plan, batches):
    """Counts the features of texts, for the driver."""
    counts, texts, nulls = neardup.FeatureCounts(plan.features_in_all), 0, 0
    for batch in batches:
        sets = plan.sets(batch)
        counts.add(sets)
        texts, nulls = texts + len(sets), nulls + sets.nulls
    yield tally(texts=texts, nulls=nulls)
    if counts.counted > 0:
        yield 0, "counts", pa.compress(counts.save(), "lz4", asbytes=True)


def counts_of(plan, blobs):
    """Merges the counts of all texts."""
    result, size = neardup.FeatureCounts(plan.features_in_all), None
    size = len(result.save())
    for blob in blobs:
        result.merge(neardup.FeatureCounts.load(pa.decompress(blob, size, "lz4", asbytes=True)))
    return result.save()


def scatter(plan, batches):
    """Scatters the feature sets of texts to the partitions of rare features, and ids to the partitions of their numbers."""
    counts = neardup.FeatureCounts.load(np.memmap(plan.counts, np.uint8, "r"), mapped=True)
    moving = plan.shuffle().scatter(counts)
    names, columns = [], ["id", plan.order] if plan.order else ["id"]

    def flush():
        for partition, blob in moving.take():
            yield partition, "sets", blob
        if names:
            table = pa.Table.from_batches(names)
            yield from rows_at(plan, "name", table, "number")
            names.clear()

    for batch in batches:
        numbers = numbers_of(batch.column("id"))
        if plan.order and pc.any(pc.is_null(batch.column(plan.order), nan_is_null=True)).as_py():
            without = batch.filter(pc.is_null(batch.column(plan.order), nan_is_null=True))
            raise ValueError(f"the text of the id {without.column('id')[0].as_py()!r} has no {plan.order}")
        sets = plan.sets(batch)
        moving.add(numbers, sets)
        named = {"number": pa.array(numbers), "value": None, **dict(zip(["id", "order"], (batch.column(name) for name in columns)))}
        if "size" in plan.keys():
            named["size"] = pa.array(-np.diff(sets.offsets))
        if plan.paired:
            named["value"] = values_of(plan, batch)
        kept = ["number", *plan.keys(), *(["value"] if plan.paired else [])]
        names.append(pa.record_batch([named[key] for key in kept], kept))
        if len(moving) >= BYTES_AT_ONCE:
            yield from flush()
    yield from flush()


def gather(plan, partition, rows):
    """Joins the sets of a partition to pairs, or to candidates. Passes on the names of the partition."""
    yield from ((partition, "name", blob) for blob in rows.get("name", []))
    found = pa.table(plan.shuffle().gather(rows.get("sets", []), partition, threads=1))
    if plan.payload == "sets":
        yield from named_next(plan, found)
        return
    numbers = [found[name].to_numpy() for name in ("first", "second")]
    yield from rows_to(plan, "candidate", found, plan.partition_of(numbers[0]))
    for one in map(np.unique, numbers):
        yield from rows_to(plan, "want", pa.table({"number": one}), plan.partition_of(one))


# ---- Candidates are verified: only the sets of candidates move ---------------------------------------------------------


def places(plan, numbers):
    """Returns a bit position in a bitmap for each number. Each partition has a range of bits."""
    within = (mixed(numbers) & np.uint64(0xFFFFFFFF)) % np.uint64(plan.slots)
    return plan.partition_of(numbers) * plan.slots + within.astype(np.int64)


def want(plan, partition, rows):
    """Makes this partition's range of the bitmap. A bit is 1 if the sets with this bit have to be moved."""
    bits = np.zeros(plan.slots, bool)
    if "want" in rows:
        bits[places(plan, table_of(rows["want"])["number"].to_numpy()) - partition * plan.slots] = True
    yield partition, "wanted", np.packbits(bits, bitorder="little").tobytes()


def fetch(plan, batches):
    """Moves the sets that candidates need to the partitions of their numbers."""
    bitmap, waiting = np.memmap(plan.wanted, np.uint8, "r"), []

    def flush():
        table = pa.concat_tables(waiting)
        waiting.clear()
        yield from rows_at(plan, "set", table, "number")

    for batch in batches:
        at = places(plan, numbers_of(batch.column("id")))
        batch = batch.filter(pa.array((bitmap[at >> 3] >> (at & 7).astype(np.uint8) & 1).astype(bool)))
        if batch.num_rows > 0:
            waiting.append(pa.table({"number": numbers_of(batch.column("id")), "set": pa.array(plan.sets(batch))}))
        if sum(table.nbytes for table in waiting) >= BYTES_AT_ONCE:
            yield from flush()
    if waiting:
        yield from flush()


def found_in(table, numbers):
    """Returns the indices of the rows with these numbers. Each number must be in the table."""
    have = table["number"].to_numpy()
    order = np.argsort(have)
    at = order[np.minimum(np.searchsorted(have, numbers, sorter=order), len(have) - 1)]
    if not np.array_equal(have[at], numbers):
        raise RuntimeError("a document of a pair is not in its partition: IN has changed during the run")
    return at


def send(plan, partition, rows):
    """Moves each candidate, with the set of its first document, to the partition of its second document."""
    if "candidate" not in rows:
        return
    pairs = table_of(rows["candidate"]).group_by(["first", "second"], use_threads=False).aggregate([])
    sets = table_of(rows["set"])
    second = pairs["second"].to_numpy()
    moved = pairs.append_column("set", sets["set"].take(found_in(sets, pairs["first"].to_numpy())))
    yield from rows_to(plan, "sent", moved, plan.partition_of(second))


def verify(plan, partition, rows):
    """Verifies candidates, and passes on the pairs."""
    if "sent" not in rows:
        return
    sent, sets = table_of(rows["sent"]), table_of(rows["set"])
    behind = sets["set"].take(found_in(sets, sent["second"].to_numpy()))
    a, b = (neardup.feature_sets(one, bits=64) for one in (sent["set"], behind))
    common, similarity = plan.shuffle().verify(a, b)
    found = pa.table({"first": sent["first"], "second": sent["second"], "common": common, "similarity": similarity})
    yield from named_next(plan, found.filter(pa.array(common > 0)))


# ---- From numbers to ids ---------------------------------------------------------------------------------------------


def named_next(plan, pairs):
    """Moves each pair to the partitions of its two documents, which have the ids. Moves a pair of copies to the second copy."""
    if plan.copies_once:
        are_copies = pc.equal(pairs["similarity"], 1.0)
        copies = pairs.filter(are_copies).select(["first", "second"]).rename_columns(["class", "number"])
        yield from rows_at(plan, "copy", copies, "number")
        pairs = pairs.filter(pc.invert(are_copies))
    for half in ("first", "second"):
        table = pairs.select(["first", "second", "similarity"]).append_column("half", pa.array(np.full(len(pairs), half == "second")))
        yield from rows_to(plan, "half", table, plan.partition_of(pairs[half].to_numpy()))


def name_copies(plan, partition, rows):
    """Adds ids to copies, and moves the copies to the partition of their class."""
    if "copy" in rows:
        copies, names = table_of(rows["copy"]), table_of(rows["name"])
        at = found_in(names, copies["number"].to_numpy())
        copies = pa.table({"class": copies["class"], **{key: names[key].take(at) for key in plan.keys()}})
        yield from rows_at(plan, "class", copies, "class")


def members(plan, rows, names):
    """Returns the documents of classes of copies, sorted by class, with the earliest document of a class first."""
    copies = table_of(rows["class"])
    numbers = np.unique(copies["class"].to_numpy())
    first = names.take(found_in(names, numbers)).rename_columns({"number": "class"}).select(copies.column_names)
    every = pa.concat_tables([first, copies], promote_options="none").combine_chunks()
    return every.sort_by([(key, "ascending") for key in ("class", *plan.keys())])


def name(plan, partition, rows):
    """Adds ids to the halves of pairs, and moves both halves to one partition. Refuses ids that are not unique."""
    names = table_of(rows.get("name", []))
    if names is not None:
        numbers = np.sort(names["number"].to_numpy())
        if (numbers[1:] == numbers[:-1]).any():
            twice = numbers[:-1][numbers[1:] == numbers[:-1]][0]
            ids = names.filter(pc.equal(names["number"], pa.scalar(twice, pa.uint64())))["id"].to_pylist()
            if len(set(ids)) == len(ids):
                raise ValueError(f"the ids {ids[0]!r} and {ids[1]!r} have the same hash: rename one of them")
            raise ValueError(f"{len(ids)} texts have the id {max(ids, key=ids.count)!r}")
    if "class" in rows:  # a class has the id of its earliest document
        every = members(plan, rows, names)
        numbers = every["class"].to_numpy()
        is_first = np.append(True, numbers[1:] != numbers[:-1])
        earliest = every.filter(pa.array(is_first))
        of = np.cumsum(is_first) - 1
        copies = pa.table({"first": earliest["id"].take(of), "second": every["id"], "similarity": np.ones(len(of))})
        yield row(partition, "copies", copies.filter(pa.array(~is_first)))
        others = names.filter(pa.array(~np.isin(names["number"].to_numpy(), numbers)))
        earliest = earliest.rename_columns({"class": "number"}).select(names.column_names)
        names = pa.concat_tables([others, earliest]).combine_chunks()
    if "half" in rows:
        half = table_of(rows["half"])
        own = pc.if_else(half["half"], half["second"], half["first"]).to_numpy()
        at = found_in(names, own)
        for column in [*plan.keys(), *(["value"] if plan.paired else [])]:
            half = half.append_column(column, names[column].take(at))
        meeting = plan.partition_of(half["first"].to_numpy() ^ mixed(half["second"].to_numpy()))
        yield from rows_to(plan, "named", half, meeting)


def meet(plan, partition, rows):
    """Joins the halves of pairs to pairs of an earlier and a later document."""
    for blob in rows.get("copies", []):
        yield partition, "pairs", blob
        yield tally(pairs=len(table_of([blob])))
    if "named" not in rows:
        return
    both = table_of(rows["named"]).sort_by([("first", "ascending"), ("second", "ascending"), ("half", "ascending")])
    a, b = both.take(np.arange(0, len(both), 2)), both.take(np.arange(1, len(both), 2))
    if plan.paired:
        agree = pc.equal(a["value"], b["value"])
        chosen = agree if plan.paired == "within" else pc.invert(agree)
        a, b = a.filter(chosen), b.filter(chosen)
        if len(a) == 0:
            return
    is_later, is_equal = pa.array(np.zeros(len(a), bool)), pa.array(np.ones(len(a), bool))  # of (first, second)
    for key in plan.keys():
        is_later = pc.or_(is_later, pc.and_(is_equal, pc.less(b[key], a[key])))
        is_equal = pc.and_(is_equal, pc.equal(b[key], a[key]))
    ends = {"earlier": (a["first"], a["second"]), "later": (a["second"], a["first"])}
    for key in plan.keys():
        ends.update({f"earlier_{key}": (a[key], b[key]), f"later_{key}": (b[key], a[key])})
    pairs = pa.table({key: pc.if_else(is_later, two[1], two[0]) for key, two in ends.items()})
    pairs = pairs.append_column("similarity", a["similarity"])
    earlier, later = (["earlier", *(f"earlier_{key}" for key in plan.keys())], ["later", *(f"later_{key}" for key in plan.keys())])
    yield tally(pairs=len(pairs), edges=len(pairs))
    yield row(partition, "pairs", pairs.select(["earlier_id", "later_id", "similarity"]).rename_columns(["first", "second", "similarity"]))
    to_earlier = plan.partition_of(pairs["earlier"].to_numpy())
    yield from rows_to(plan, "close", pairs.select([*earlier, "later", "similarity"]), to_earlier)
    if plan.copies_once:  # a later class may be kept before some copies of a dropped class
        other = pairs.select([*later, "earlier", "similarity"]).rename_columns([*earlier, "later", "similarity"])
        yield from rows_at(plan, "close", other, "earlier")
    earlier = earlier if plan.grouping == "components" else ["earlier"]
    yield from rows_to(plan, "edge", pairs.select([*earlier, *later]), to_earlier)


# ---- Decisions: a document is dropped if an earlier one that it matches is kept ------------------------------------------


def open_ones(plan, partition, rows):
    """Yields open documents, to their partitions. A document is open if it has an edge from an earlier document."""
    if "edge" in rows:
        later = np.unique(table_of(rows["edge"])["later"].to_numpy())
        yield from rows_to(plan, "open", pa.table({"number": later}), plan.partition_of(later))


def keep(plan, partition, rows):
    """Moves edges to the partitions of their later ends. Marks an edge if its earlier end is kept."""
    if "edge" not in rows:
        return
    edges = table_of(rows["edge"])
    if "dropped" in rows:
        gone = np.isin(edges["earlier"].to_numpy(), table_of(rows["dropped"])["number"].to_numpy())
        edges = edges.filter(pa.array(~gone))
    is_open = np.zeros(len(edges), bool)
    if "open" in rows:
        is_open = np.isin(edges["earlier"].to_numpy(), table_of(rows["open"])["number"].to_numpy())
    edges = edges.append_column("is_kept", pa.array(~is_open))
    yield from rows_at(plan, "marked", edges, "later")


def drop(plan, partition, rows):
    """Finds dropped documents. Moves edges between open documents to the partitions of their earlier ends."""
    if "marked" not in rows:
        return
    edges = table_of(rows["marked"])
    dropped = np.unique(edges.filter(edges["is_kept"])["later"].to_numpy())
    edges = edges.filter(pa.array(~np.isin(edges["later"].to_numpy(), dropped))).drop_columns(["is_kept"])
    later = np.unique(edges["later"].to_numpy())
    yield tally(edges=len(edges))
    if len(dropped) > 0:
        yield row(partition, "dropped", pa.table({"number": dropped}))
    if len(later) > 0:
        yield row(partition, "open", pa.table({"number": later}))
    yield from rows_at(plan, "edge", edges, "earlier")


def decide(plan, edges, gone):
    """Returns the dropped documents of edges. One process decides in order, with a byte for each document. `gone`: the
    documents that the last round has dropped. Their edges may still be in `edges`."""
    if edges is None:
        return np.zeros(0, np.uint64)
    edges = edges.sort_by([(f"later_{key}", "ascending") for key in plan.keys()])
    ends = [edges[end].to_numpy() for end in ("earlier", "later")]
    documents = np.unique(np.concatenate(ends))
    is_dropped = bytearray(len(documents))
    if gone is not None:
        is_dropped = bytearray(np.isin(documents, gone["number"].to_numpy()).tobytes())
    earlier, later = (np.searchsorted(documents, end).tolist() for end in ends)
    for i, j in zip(earlier, later):
        if not is_dropped[i]:
            is_dropped[j] = 1
    return documents[np.frombuffer(is_dropped, bool)]


def connect(plan, edges):
    """Finds the earliest document of each component by union-find, in one process. Returns a row for each other document."""
    columns = ["class", *plan.keys()]
    ends = [[end, *(f"{end}_{key}" for key in plan.keys())] for end in ("earlier", "later")]
    documents = pa.concat_tables([edges.select(end).rename_columns(columns) for end in ends]).combine_chunks()
    numbers, at = np.unique(documents["class"].to_numpy(), return_index=True)
    documents = documents.take(at)
    order = np.argsort(pc.sort_indices(documents, [(key, "ascending") for key in plan.keys()]).to_numpy())
    parent = list(range(len(numbers)))  # numbered by order: parent[i] <= i
    for i, j in zip(*(order[np.searchsorted(numbers, edges[end].to_numpy())].tolist() for end in ("earlier", "later"))):
        while i != j:
            i, j = min(i, j), max(i, j)
            parent[j], j = min(i, parent[j]), parent[j]
    for i, one in enumerate(parent):
        parent[i] = parent[one]
    place = np.argsort(order)
    first = documents.take(place[np.array(parent, np.int64)])
    result = first.set_column(0, "class", documents["class"].take(place)).append_column("similarity", pa.array(np.ones(len(first))))
    return result.filter(pa.array(np.array(parent) != np.arange(len(parent))))


def close(plan, partition, rows):
    """Moves the pairs whose earlier end is kept to the partitions of their later ends."""
    if "close" not in rows:
        return
    pairs = table_of(rows["close"])
    if "dropped" in rows:
        gone = np.isin(pairs["earlier"].to_numpy(), table_of(rows["dropped"])["number"].to_numpy())
        pairs = pairs.filter(pa.array(~gone))
    originals = pa.table({"class": pairs["later"], "similarity": pairs["similarity"], **{key: pairs[f"earlier_{key}"] for key in plan.keys()}})
    yield from rows_to(plan, "original", originals, plan.partition_of(pairs["later"].to_numpy()))


def group(plan, partition, rows):
    """Finds the representative of each document: the closest kept match before it, or the earliest of equally close
    matches. The earliest document of a class without matches represents the class."""
    names = table_of(rows.get("name", []))
    if names is None:
        return
    if "copy" in rows:  # the class of a copy is in another partition
        names = names.filter(pa.array(~np.isin(names["number"].to_numpy(), table_of(rows["copy"])["number"].to_numpy())))
    names = names.rename_columns({"number": "class"})
    originals = table_of(rows.get("original", []))
    more = [table_of(rows[kind]) for kind in ("class",) if kind in rows]
    some = np.unique(np.concatenate([np.zeros(0, np.uint64), *(t["class"].to_numpy() for t in (*more, *filter(None, [originals])))]))
    is_in = np.isin(names["class"].to_numpy(), some)
    alone = names.filter(pa.array(~is_in))["id"]
    columns = ["class", *plan.keys(), "similarity"]
    every = pa.concat_tables([names.filter(pa.array(is_in)), *(t.select(names.column_names) for t in more)])
    is_member = np.append(np.ones(len(every), bool), np.zeros(0 if originals is None else len(originals), bool))
    every = every.append_column("similarity", pa.array(np.zeros(len(every)))).select(columns)
    if originals is not None:
        every = pa.concat_tables([every, originals.select(columns)])
    every = every.append_column("is_member", pa.array(is_member)).combine_chunks()
    every = every.sort_by([(key, "ascending") for key in ("class", *plan.keys())])
    # Finds the best row so far in each class. Classes ascend, so the highest key so far is a key of the same class.
    levels, rank = np.unique(every["similarity"].to_numpy(), return_inverse=True)
    key = np.searchsorted(some, every["class"].to_numpy()) * max(1, len(levels)) + rank
    best = np.maximum.accumulate(key)
    is_better = np.append(True, best[1:] > best[:-1])[: len(best)]
    at = np.maximum.accumulate(np.where(is_better, np.arange(len(best)), 0))
    is_member = every["is_member"].to_numpy()
    ids, own = every["id"].combine_chunks(), np.flatnonzero(is_member)
    kept = pa.concat_arrays([alone.combine_chunks(), ids.take(pa.array(own[at[own] == own]))])
    represented = pa.table({"id": ids.take(pa.array(own)), "representative": ids.take(pa.array(at[own]))})
    yield row(partition, "groups", pa.concat_tables([pa.table({"id": alone, "representative": alone}), represented]))
    yield row(partition, "kept", pa.table({"id": kept}))
    yield tally(kept=len(kept))


# ---- A run -----------------------------------------------------------------------------------------------------------


def arguments(usage, *more):
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("input", metavar="IN.parquet")
    parser.add_argument("output", metavar="OUT")
    for name, options in more:
        parser.add_argument(name, **options)
    parser.add_argument("--similarity", type=float, default=0.8)
    parser.add_argument("--measure", choices=["jaccard", "cosine", "containment"], default="jaccard")
    parser.add_argument("--features", default="words:2")
    parser.add_argument("--order", default="", metavar="COLUMN", help="earlier texts have lower values; equal ones go by id")
    paired = parser.add_mutually_exclusive_group()
    paired.add_argument("--within", default="", metavar="COLUMN", help="only texts with the same value in this column are pairs")
    paired.add_argument("--across", default="", metavar="COLUMN", help="only texts with different values in this column are pairs")
    parser.add_argument("--grouping", choices=["representatives", "components"], default="representatives")
    parser.add_argument("--copies-once", action="store_true", help="of copies, only the earliest is paired with other texts")
    parser.add_argument("--partitions", type=int, default=0, help="default: 4 for each core")
    parser.add_argument("--payload", choices=["auto", "sets", "sketch", "ids"], default="auto")
    parser.add_argument("--passages", default="", metavar="N", help="remove repeated passages of N words, or with bytes:N of N bytes, instead")
    parser.add_argument("--least-documents", type=int, default=1, help="only passages that this number of texts have")
    parser.add_argument("--earlier", type=int, default=0, metavar="N", help="the first N texts are an earlier corpus, from which no passages are removed")
    parser.add_argument("--edges", type=int, default=10_000_000, help="how many pairs one process decides about")
    given = parser.parse_args()
    others = ("similarity", "measure", "features", "order", "within", "across", "grouping", "copies_once", "payload", "edges")
    for name in others if given.passages else ("least_documents", "earlier"):
        if getattr(given, name) != parser.get_default(name):
            raise SystemExit(f"{parser.prog}: --{name.replace('_', '-')} is {'not ' if given.passages else ''}for --passages")
    if os.path.exists(given.output):
        raise SystemExit(f"{parser.prog}: {given.output} exists; name another folder")
    return given


def decisions(engine, plan, edges, left, most):
    """Returns the dropped documents. Rounds on the engine decide, until one process can decide about the rest."""
    dropped, opened = [], None
    for i in range(MOST_ROUNDS):
        if left <= most:
            break
        opened = engine.step(open_ones, plan, edges) if i == 0 else opened
        state = engine.step(drop, plan, engine.step(keep, plan, edges, engine.only(opened, "open"), *dropped[-1:]))
        left = total(blob for _, blob in engine.collect(state, "tally")).get("edges", 0)
        edges, opened = engine.only(state, "edge"), state
        dropped.append(engine.only(state, "dropped"))
    last = table_of(blob for _, blob in engine.collect(dropped[-1], "dropped")) if dropped else None
    numbers = decide(plan, table_of(blob for _, blob in engine.collect(edges, "edge")), last)
    table = pa.table({"number": numbers})
    return [*dropped, engine.local(list(rows_at(plan, "dropped", table, "number")))]


def run(engine, given):
    """Runs all steps. Writes OUT/pairs, OUT/groups and OUT/kept."""
    paired, field = ("within", given.within) if given.within else ("across", given.across) if given.across else ("", "")
    missing = [name for name in ["id", "text", given.order, field] if name and name not in engine.columns]
    if missing:
        raise ValueError(f"{given.input} has no column '{missing[0]}', but {', '.join(engine.columns)}")
    if given.copies_once and given.measure == "containment":
        raise ValueError("--copies-once is not for containment, by which more than copies have the similarity 1")
    if given.copies_once and paired:
        raise ValueError(f"--copies-once is not for --{paired}, by which a copy has pairs of its own")
    texts, sample = engine.size, neardup.features(engine.sample(), given.features, bits=64)
    a_text = len(sample.values) / max(1, len(sample))
    payload = given.payload if given.payload != "auto" else "sets" if a_text <= LONG_TEXT else "sketch"
    partitions = given.partitions or 4 * engine.cores
    plan = Plan(given.similarity, given.measure, given.features, given.order, given.copies_once, given.grouping, partitions, payload, int(2 * a_text * texts) + 1)
    plan = plan._replace(paired=paired, field=field)
    blobs = lambda data, kind: (blob for _, blob in engine.collect(data, kind))  # noqa: E731

    counted = engine.read(count, plan, ["text"], few=True)
    read = total(blobs(counted, "tally"))
    plan = plan._replace(counts=engine.share("counts", counts_of(plan, blobs(counted, "counts"))))
    columns = list(dict.fromkeys(name for name in ("id", "text", plan.order, plan.field) if name))
    found = engine.step(gather, plan, engine.read(scatter, plan, columns, once=True))
    names = engine.only(found, "name")
    if plan.payload != "sets":
        plan = plan._replace(slots=8 * (texts // (2 * plan.partitions) + 1))
        bitmap = np.zeros((plan.partitions, plan.slots // 8), np.uint8)
        for partition, part in engine.collect(engine.step(want, plan, engine.only(found, "want")), "wanted"):
            bitmap[partition] = np.frombuffer(part, np.uint8)
        plan = plan._replace(wanted=engine.share("wanted", bitmap.tobytes()))
        sets = engine.read(fetch, plan, ["id", "text"])
        sent = engine.step(send, plan, engine.only(found, "candidate"), sets)
        found = engine.step(verify, plan, sent, sets)
    copies = [engine.step(name_copies, plan, engine.only(found, "copy"), names)] if plan.copies_once else []
    copied = [*copies, *([engine.only(found, "copy")] if plan.copies_once else [])]
    pairs = engine.step(meet, plan, engine.step(name, plan, engine.only(found, "half"), names, *copies))
    read.update(total(blobs(pairs, "tally")))
    edges, left = engine.only(pairs, "edge"), read.get("edges", 0)
    if plan.grouping == "components":
        if left > given.edges:
            raise ValueError(f"{left:,} pairs of different texts: one process connects up to --edges {given.edges:,}")
        table = table_of(blobs(edges, "edge"))
        originals = [] if table is None else rows_at(plan, "original", connect(plan, table), "class")
        closest = engine.local(list(originals))
    else:
        closest = engine.step(close, plan, engine.only(pairs, "close"), *decisions(engine, plan, edges, left, given.edges))
    groups = engine.step(group, plan, closest, names, *copied)
    engine.write(pairs, "pairs", {"first": "id", "second": "id", "similarity": "double"})
    engine.write(groups, "groups", {"id": "id", "representative": "id"})
    engine.write(groups, "kept", {"id": "id"})
    read.update(total(blobs(groups, "tally")))
    numbers = {key: read.get(key, 0) for key in ("texts", "kept", "nulls", "pairs")}
    print("{texts:,} texts, {kept:,} kept; {nulls:,} null; {pairs:,} pairs".format(**numbers), file=sys.stderr)
