"""Polars: the first of equal texts."""
import sys

import polars as pl

pl.scan_ndjson(sys.argv[1]).unique("text", keep="first", maintain_order=True).sink_ndjson(sys.argv[2])
