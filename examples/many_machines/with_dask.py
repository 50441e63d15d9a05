#!/usr/bin/env python3
"""with_dask.py [OPTION…] IN.parquet OUT [--scheduler tcp://HOST:PORT]

Finds the near-duplicates among the texts of a Parquet file with the columns `id` and `text`, on a cluster of Dask, or on this
machine. Writes OUT/pairs, OUT/groups and OUT/kept (docs/many-machines.md). All workers need IN, OUT and the package neardup.
With --passages N, removes repeated passages of N words instead, and writes OUT/texts and OUT/passages.
"""
import pathlib
import shutil

import near_duplicates as steps
import pyarrow.dataset as ds
import repeated_passages
from distributed import Client


def read(function, plan, columns, groups, numbered):
    return steps.by_partition(function(plan, steps.batches_in(groups, columns, numbered)))


def pick(parts, kind, partition):
    """Returns the blobs of a partition that have the kind `kind`, or all blobs if `kind` is None."""
    return {name: blobs for name, blobs in parts.get(partition, {}).items() if kind in (None, name)}


def step(function, plan, partition, picked):
    rows = {}
    for kind, blobs in (item for one in picked for item in one.items()):
        rows.setdefault(kind, []).extend(blobs)
    return steps.by_partition(function(plan, partition, rows))


def write(parts, kind, schema, path):
    return steps.write([blob for _, blob in steps.blobs_of(parts, kind)], schema, path)


class Engine:
    """An engine on Dask. Its data are a list of futures, each with {partition: {kind: [blob]}}, and the kind to use."""

    def __init__(self, client, given):
        self.client, self.out, self.dataset = client, pathlib.Path(given.output).absolute(), ds.dataset(given.input)
        self.groups = steps.groups_of(self.dataset)
        (self.out / ".shared").mkdir(parents=True)
        self.columns, self.size = self.dataset.schema.names, self.dataset.count_rows()
        self.cores = sum(client.nthreads().values())

    def sample(self):
        return self.dataset.head(1000, columns=["text"])["text"]

    def submit(self, *call):
        return self.client.submit(*call, pure=False)

    def read(self, function, plan, columns, few=False, numbered=False, once=False):
        tasks = min(len(self.groups), self.cores) if few else len(self.groups)
        return [self.submit(read, function, plan, columns, self.groups[i::tasks], numbered) for i in range(tasks)], None

    def only(self, data, kind):
        return data[0], kind

    def step(self, function, plan, *data):
        moved = [[self.submit(pick, part, kind, p) for parts, kind in data for part in parts] for p in range(plan.partitions)]
        return [self.submit(step, function, plan, p, picked) for p, picked in enumerate(moved)], None

    def collect(self, data, kind):
        return (row for part in data[0] for row in self.submit(steps.blobs_of, part, kind).result())

    def share(self, name, content):
        (self.out / ".shared" / name).write_bytes(content)
        return str(self.out / ".shared" / name)

    def local(self, rows):
        return self.client.scatter([steps.by_partition(rows)], hash=False), None

    def write(self, data, kind, columns):
        schema = steps.schema_of(columns, self.dataset.schema)
        (self.out / kind).mkdir()
        paths = [str(self.out / kind / f"part-{i:05}.parquet") for i in range(len(data[0]))]
        self.client.gather([self.submit(write, part, kind, schema, path) for part, path in zip(data[0], paths)])


def main():
    given = steps.arguments(__doc__, ("--scheduler", {"help": "tcp://HOST:PORT; by default this machine is the cluster"}))
    with Client(given.scheduler) as client:
        client.upload_file(steps.__file__)
        client.upload_file(repeated_passages.__file__)
        (repeated_passages if given.passages else steps).run(Engine(client, given), given)
    shutil.rmtree(pathlib.Path(given.output) / ".shared")


if __name__ == "__main__":
    main()
