#!/usr/bin/env python3
"""with_spark.py [OPTION…] IN.parquet OUT

Finds the near-duplicates among the texts of a Parquet file with the columns `id` and `text`, on Spark. Writes OUT/pairs,
OUT/groups and OUT/kept (docs/many-machines.md), and OUT.steps during the run. With --passages N, removes repeated passages
of N words instead, and writes OUT/texts and OUT/passages (Spark 3.5). All executors need the package neardup.
"""
import functools
import pathlib
import tempfile

import near_duplicates as steps
import repeated_passages
from pyspark import SparkFiles
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

ROWS = "partition int, kind string, blob binary"
# A blob has megabytes, so each blob is a page. No step reads checksums of pages or statistics.
FILES = {f"parquet.{what}.size.row.check.{end}": 1 for what in ("page", "block") for end in ("min", "max")} | {"compression": "none"}
FILES |= {f"parquet.{what}": False for what in ("enable.dictionary", "page.write-checksum.enabled", "column.statistics.enabled")}


def here(plan):
    """Returns the plan with the paths that shared files have on this worker."""
    return plan._replace(**{name: SparkFiles.get(getattr(plan, name)) for name in plan.shared if getattr(plan, name)})


class Engine:
    """An engine on Spark. Its data are a frame of rows in files. Without files, the plan would grow with each step."""

    def __init__(self, spark, given, folder):
        self.spark, self.out, self.folder, self.written = spark, given.output, folder, 0
        self.table, self.blobs = spark.read.parquet(given.input), spark.newSession()
        self.blobs.conf.set("spark.sql.parquet.columnarReaderBatchSize", 8)
        self.columns, self.size, self.cores = self.table.columns, self.table.count(), spark.sparkContext.defaultParallelism

    def sample(self):
        texts = [row[0] for row in self.table.select("text").limit(1000).collect()]
        are_short = sum(len(text or "") for text in texts) < 1000 * len(texts)  # then to check a limit after each row costs time
        self.spark.conf.set("spark.sql.execution.arrow.maxBytesPerBatch", 2**31 - 1 if are_short else 8 << 20)
        return texts

    def kept(self, frame):
        self.written += 1
        frame.write.partitionBy("kind").options(**FILES).parquet(f"{self.out}.steps/{self.written}")
        return self.blobs.read.schema(ROWS).parquet(f"{self.out}.steps/{self.written}").select("partition", "kind", "blob")

    def read(self, function, plan, columns, few=False, numbered=False):
        place = ["_metadata.file_path", "_metadata.row_index"] if numbered else []
        table = self.table.select(*columns, *place).coalesce(self.cores if few else 1 << 30)
        firsts = steps.firsts_of(table.groupBy("file_path").count().collect()) if numbered else {}
        work = lambda batches: steps.batches_of(function(here(plan), steps.numbered_by_files(batches, firsts)))  # noqa: E731
        return self.kept(table.mapInArrow(work, ROWS))

    def only(self, data, kind):
        return data.where(data.kind == kind)

    def step(self, function, plan, *data):
        def work(batches):
            for partition, rows in steps.by_partition(steps.rows_of(batches)).items():
                yield from steps.batches_of(function(here(plan), partition, rows))

        rows = functools.reduce(DataFrame.unionAll, data)
        by_id = getattr(rows, "repartitionById", rows.repartition)  # one partition for each task, if Spark supports it
        return self.kept(by_id(plan.partitions, "partition").mapInArrow(work, ROWS))

    def collect(self, data, kind):
        return ((row.partition, row.blob) for row in self.only(data, kind).select("partition", "blob").toLocalIterator())

    def share(self, name, content):
        pathlib.Path(self.folder, name).write_bytes(content)
        self.spark.sparkContext.addFile(f"{self.folder}/{name}")
        return name

    def local(self, rows):
        return self.blobs.createDataFrame([(p, kind, bytes(blob)) for p, kind, blob in rows], ROWS)

    def write(self, data, kind, columns):
        schema = StructType()
        for name, of in columns.items():
            schema.add(name, of if of in ("double", "long") else self.table.schema[of].dataType)
        self.only(data, kind).select("blob").mapInArrow(steps.tables_in, schema).write.parquet(f"{self.out}/{kind}")


def main():
    given = steps.arguments(__doc__)
    builder = SparkSession.builder.appName("neardup").config("spark.sql.execution.arrow.maxBytesPerBatch", 8 << 20)
    spark = builder.config("spark.sql.maxConcurrentOutputFileWriters", 64).getOrCreate()  # otherwise Spark sorts blobs by kind
    for module in (steps, repeated_passages):
        spark.sparkContext.addPyFile(module.__file__)
    with tempfile.TemporaryDirectory() as folder:
        (repeated_passages if given.passages else steps).run(Engine(spark, given, folder), given)
    path = spark._jvm.org.apache.hadoop.fs.Path(f"{given.output}.steps")
    path.getFileSystem(spark._jsc.hadoopConfiguration()).delete(path, True)
    spark.stop()


if __name__ == "__main__":
    main()
