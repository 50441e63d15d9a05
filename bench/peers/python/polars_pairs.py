"""Polars: the exact Jaccard similarity by joins. Texts are compared if they share one of the rarest fifth of their features."""
import sys

import polars as pl

words = pl.read_ndjson(sys.argv[1]).select(pl.col("id").cast(pl.UInt32), w=pl.col("text").str.split(" "))
pairs = words.explode("w").with_columns(next=pl.col("w").shift(-1).over("id")).drop_nulls()
single = words.filter(pl.col("w").list.len() == 1).explode("w").with_columns(next=pl.lit(""))
f = pl.concat([pairs, single]).select("id", x=pl.struct("w", "next").hash()).unique()
f = f.with_columns(n=pl.len().over("id").cast(pl.Int64), frequency=pl.len().over("x"))
rare = (f.sort("id", "frequency", "x").with_columns(k=pl.int_range(pl.len()).over("id"))
        .filter(pl.col("k") < pl.col("n") - (4 * pl.col("n") + 4) // 5 + 1).select("id", "x").lazy())
candidates = rare.join(rare, on="x").filter(pl.col("id") < pl.col("id_right")).select("id", "id_right").unique()
features = f.lazy().select("id", "x", "n")
(candidates.join(features, on="id").join(features, left_on=["id_right", "x"], right_on=["id", "x"], suffix="_right")
 .group_by("id", "id_right", "n", "n_right").len("m").with_columns(m=pl.col("m").cast(pl.Int64))
 .filter(5 * pl.col("m") >= 4 * (pl.col("n") + pl.col("n_right") - pl.col("m")))
 .select("id", "id_right").collect().write_csv(sys.argv[2], separator="\t", include_header=False))
