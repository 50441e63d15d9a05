"""Reads and writes Parquet in batches, so that the texts are never in memory as a whole.

  python -m neardup unique in.parquet out.parquet --text-field text
  python -m neardup pairs in.parquet pairs.parquet --text-field text --similarity 0.7
  python -m neardup groups in.parquet groups.parquet --text-field text
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from typing import Any, Iterator, List, Optional

import numpy as np

import neardup

ROWS = 1 << 16


def _batches(file: Any, column: str) -> Iterator[Any]:
    for batch in file.iter_batches(batch_size=1 << 13, columns=[column]):
        yield batch


def _column(values: Any) -> Any:
    """Makes a column of Arrow from an array of numbers or bool. pa.array() and pa.table() would import pandas first."""
    import pyarrow as pa

    data = np.packbits(values, bitorder="little") if values.dtype == bool else np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(data)])


def _features(file: Any, options: argparse.Namespace) -> "neardup.FeatureSets":
    import pyarrow as pa

    schema = file.schema_arrow
    if (count := schema.names.count(options.text_field)) != 1:
        raise SystemExit(
            f"neardup: {options.input} has {count or 'no'} columns '{options.text_field}'; "
            f"its columns are {', '.join(schema.names)}; --text-field names the one with the texts"
        )
    texts = pa.schema([schema.field(options.text_field)])
    reader = pa.RecordBatchReader.from_batches(texts, _batches(file, options.text_field))
    return neardup.features(
        reader, options.features, seed=options.seed, bits=options.bits, threads=options.threads
    )


def _kept(batch: Any, keep: Any) -> Any:
    import pyarrow as pa

    try:
        return pa.Table.from_batches([batch.filter(_column(keep))])
    except pa.ArrowNotImplementedError:  # Arrow cannot take rows of string_view, so runs of rows are sliced
        edges = np.flatnonzero(np.diff(keep, prepend=False, append=False))
        runs = [batch.slice(begin, end - begin) for begin, end in zip(edges[::2], edges[1::2])]
        return pa.Table.from_batches(runs, batch.schema)


def _write_kept(file: Any, keep: Any, to: str) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(to, file.schema_arrow) as writer:
        begin = 0
        for batch in file.iter_batches(batch_size=ROWS):
            writer.write_table(_kept(batch, keep[begin : begin + batch.num_rows]))
            begin += batch.num_rows


def _are_one_file(a: str, b: str) -> bool:
    try:
        return os.path.samefile(a, b)
    except OSError:  # one of the two does not exist
        return False


def main(arguments: Optional[List[str]] = None) -> int:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise SystemExit("neardup: Parquet needs pyarrow: pip install 'neardup[parquet]'") from None
    parser = argparse.ArgumentParser(
        prog="python -m neardup", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=neardup.__version__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb, what in (
        ("unique", "the rows that are kept: the first of each kind, and rows whose text is null"),
        ("groups", "for each row its number, and that of the row it is a near-duplicate of, itself if it is kept"),
        ("pairs", "all pairs of rows that are similar enough: first, second, common, similarity"),
    ):
        one = verbs.add_parser(verb, help=what, description=f"Writes {what}.")
        one.add_argument("input", metavar="IN.parquet")
        one.add_argument("output", metavar="OUT.parquet")
        one.add_argument("--text-field", default="text", metavar="COLUMN", help="default: text")
        one.add_argument("--similarity", type=float, default=0.8, metavar="S", help="the least one; default: 0.8")
        one.add_argument("--measure", default="jaccard", choices=["jaccard", "cosine", "containment"])
        one.add_argument("--features", default="words:2", help="default: words:2")
        one.add_argument("--bits", type=int, default=32, choices=[32, 64], help="of a feature; default: 32")
        one.add_argument("--seed", type=int, default=0, metavar="N")
        one.add_argument("--threads", type=int, metavar="N", help="default: all cores; never changes the result")
        one.add_argument("-q", "--quiet", action="store_true")
    options = parser.parse_args(arguments)
    how = {"similarity": options.similarity, "measure": options.measure, "threads": options.threads}
    folder = os.path.dirname(os.path.abspath(options.output))
    part = None
    if _are_one_file(options.input, options.output):
        print(f"neardup: {options.output} is also an input", file=sys.stderr)
        return 2
    try:
        with pq.ParquetFile(options.input, buffer_size=1 << 20) as file:
            sets = _features(file, options)
            # Writes another file first, so that a run that fails leaves an older output unchanged.
            descriptor, part = tempfile.mkstemp(prefix=".neardup-", suffix=".parquet", dir=folder)
            os.close(descriptor)
            if options.verb == "pairs":
                found = neardup.pairs(sets, **how)
                pq.write_table(pa.table({name: _column(one) for name, one in found.to_numpy().items()}), part)
                summary = f"{len(found):,} pairs"
            elif options.verb == "groups":
                labels = neardup.groups(sets, **how)
                rows = np.arange(len(labels), dtype=np.uint32)
                pq.write_table(pa.table({"row": _column(rows), "representative": _column(labels)}), part)
                summary = f"{int((labels == rows).sum()):,} kept"
            else:
                keep = neardup.unique(sets, **how)
                _write_kept(file, keep, part)
                summary = f"{int(keep.sum()):,} kept"
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(part, 0o666 & ~mask)
        os.replace(part, options.output)
        part = None
    except (OSError, ValueError, OverflowError, pa.ArrowException) as e:
        raise SystemExit(f"neardup: {e}") from None
    finally:
        if part is not None:
            os.unlink(part)
    if not options.quiet:
        print(f"neardup: {len(sets):,} rows, {summary}; {sets.nulls:,} null", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
