#!/usr/bin/env python3
"""with_spark.py [OPTION…] IN.parquet OUT

Finds the near-duplicates among the texts of a Parquet file with the columns `id` and `text`, on Spark. Writes OUT/pairs,
OUT/groups and OUT/kept (docs/many-machines.md). With --passages N, removes repeated passages of N words instead, and writes
OUT/texts and OUT/passages. All executors need the package neardup.
"""
import gc
import itertools
import os
import pathlib
import tempfile

import near_duplicates as steps
import pyarrow as pa
import pyarrow.dataset as ds
import repeated_passages
from pyspark import SparkConf, SparkContext, SparkFiles, StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType


def here(plan):
    """Returns the plan with the paths that shared files have on this worker."""
    if gc.get_freeze_count() == 0:
        gc.freeze()  # Spark collects garbage after each task: the objects of all modules would take 25 ms
    return plan._replace(**{name: SparkFiles.get(getattr(plan, name)) for name in plan.shared if getattr(plan, name)})


def plain(rows):
    return ((partition, kind, bytes(blob)) for partition, kind, blob in rows)


class Files:
    """Parquet files that each worker opens by their paths. The workers read and write them without the JVM."""

    def __init__(self, context, dataset):
        self.context, self.cores, self.schema, self.groups = context, context.defaultParallelism, dataset.schema, steps.groups_of(dataset)
        self.columns, self.size = dataset.schema.names, dataset.count_rows()

    def sample(self):
        texts = (text for batch in steps.batches_in(self.groups, ["text"], False) for text in batch.column(0))
        return [text.as_py() for text in itertools.islice(texts, 1000)]

    def read(self, work, columns, few, numbered):
        tasks = min(max(1, len(self.groups)), self.cores if few else max(4 * self.cores, self.size // 50_000))
        return self.context.parallelize(self.groups, tasks).mapPartitions(lambda groups: work(steps.batches_in(groups, columns, numbered)))

    def write(self, blobs, columns, out):
        schema, out = steps.schema_of(columns, self.schema), pathlib.Path(out).absolute()
        out.mkdir(parents=True)
        blobs.mapPartitionsWithIndex(lambda i, blobs: steps.write(blobs, schema, f"{out}/part-{i:05}.parquet")).count()


class Tables:
    """Tables that Spark reads and writes: on any file system of Hadoop, with columns in the names of folders."""

    def __init__(self, context, path):
        self.spark, self.cores = SparkSession.builder.getOrCreate(), context.defaultParallelism
        self.table = self.spark.read.parquet(path)
        self.columns, self.size = self.table.columns, self.table.count()

    def sample(self):
        return [row[0] for row in self.table.select("text").limit(1000).collect()]

    def read(self, work, columns, few, numbered):
        place = ["_metadata.file_path", "_metadata.row_index"] if numbered else []
        table = self.table.select(*columns, *place).coalesce(self.cores if few else 1 << 30)
        firsts = steps.firsts_of(table.groupBy("file_path").count().collect()) if numbered else {}
        rows = lambda batches: steps.batches_of(work(steps.numbered_by_files(batches, firsts)))  # noqa: E731
        return table.mapInArrow(rows, "partition int, kind string, blob binary").rdd.map(tuple)

    def write(self, blobs, columns, out):
        schema = StructType()
        for name, of in columns.items():
            schema.add(name, of if of in ("double", "long") else self.table.schema[of].dataType)
        table = self.spark.createDataFrame(blobs.map(lambda blob: (blob,)), "blob binary")
        table.mapInArrow(steps.tables_in, schema).write.parquet(out)


def source_of(context, given):
    """Returns Files if each worker can open IN and OUT by their paths and Files and Spark read the same values, otherwise Tables."""

    def is_local(path):
        system = context._jvm.org.apache.hadoop.fs.Path(path).getFileSystem(context._jsc.hadoopConfiguration())
        return system.getUri().getScheme() == "file"

    if os.path.exists(given.input) and is_local(given.input) and is_local(given.output):
        dataset = ds.dataset(given.input)
        names = {"id", given.order, given.within, given.across} - {""}
        types = [dataset.schema.field(name).type for name in names & {*dataset.schema.names}]
        are_plain = all(pa.types.is_primitive(one) or pa.types.is_string(one) or pa.types.is_large_string(one) for one in types)
        if names | {"text"} <= {*dataset.schema.names} and are_plain:
            return Files(context, dataset)
    return Tables(context, given.input)


class Engine:
    """An engine on Spark. Its data are an RDD of rows, on the disks of the executors, and the kind to use."""

    def __init__(self, context, given, folder):
        self.context, self.out, self.folder, self.source = context, given.output, folder, source_of(context, given)
        self.columns, self.size, self.cores, self.sample = self.source.columns, self.source.size, self.source.cores, self.source.sample

    def kept(self, rows):
        return rows.persist(StorageLevel.DISK_ONLY), None

    def read(self, function, plan, columns, few=False, numbered=False, once=False):
        rows = self.source.read(lambda batches: plain(function(here(plan), batches)), columns, few, numbered)
        return (rows, None) if once else self.kept(rows)

    def only(self, data, kind):
        return data[0], kind

    def step(self, function, plan, *data):
        kinds = {rows: [kind for other, kind in data if other is rows] for rows, _ in data}
        wanted = [kinds[rows] for rows in kinds for _ in range(rows.getNumPartitions())]  # by the partitions of the union
        moved = self.context.union([*kinds]) if len(kinds) > 1 else data[0][0]
        moved = moved.mapPartitionsWithIndex(lambda i, rows: ((row[0], row) for row in rows if row[1] in wanted[i] or None in wanted[i]))

        def work(rows):
            for partition, parts in steps.by_partition(row for _, row in rows).items():
                yield from plain(function(here(plan), partition, parts))

        return self.kept(moved.partitionBy(plan.partitions, int).mapPartitions(work))

    def collect(self, data, kind):
        return data[0].filter(lambda row: row[1] == kind).map(lambda row: (row[0], row[2])).toLocalIterator()

    def share(self, name, content):
        pathlib.Path(self.folder, name).write_bytes(content)
        self.context.addFile(f"{self.folder}/{name}")
        return name

    def local(self, rows):
        return self.context.parallelize([*plain(rows)], 1).mapPartitions(list), None

    def write(self, data, kind, columns):
        self.source.write(data[0].filter(lambda row: row[1] == kind).map(lambda row: row[2]), columns, f"{self.out}/{kind}")


def main():
    given = steps.arguments(__doc__)
    context = SparkContext.getOrCreate(SparkConf().setAppName("neardup").set("spark.sql.execution.arrow.maxBytesPerBatch", 8 << 20))
    for module in (steps, repeated_passages):
        context.addPyFile(module.__file__)
    with tempfile.TemporaryDirectory() as folder:
        (repeated_passages if given.passages else steps).run(Engine(context, given, folder), given)
    context.stop()


if __name__ == "__main__":
    main()
