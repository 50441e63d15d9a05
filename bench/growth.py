#!/usr/bin/env python3
"""Measures how the index grows, from 10^5 fingerprints on, and draws it: time a query, bytes an entry, time to build.

For uniform fingerprints and k = 3, with one line for each block count; the frozen index where there is one. Needs
Matplotlib (Debian: python3-matplotlib). The figures go to a JSON file as well, from which --from draws again.
"""

import argparse
import json
import pathlib
import re
import types

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

from index_table import Bound, Figures  # noqa: E402

SIZES = [10**5, 3 * 10**5, 10**6, 3 * 10**6, 10**7, 3 * 10**7, 10**8]
# By blocks; told apart in grey and by the colour-blind, too (Okabe and Ito).
STYLES = {2: ("#0072B2", "o"), 3: ("#009E73", "s"), 4: ("#D55E00", "^"), 5: ("#CC79A7", "D")}
SCAN = ("#555555", "x")


def measure(options):
    """[{blocks, n, query_us, bound_us, bytes, build_s}] and [{n, query_us}] of the scan."""
    figures = Figures(options.program, types.SimpleNamespace(rounds=options.rounds, min_time=options.min_time))
    figures.run("^baseline/random")
    sizes = [size for size in SIZES if size <= options.up_to]
    for size in sizes:
        figures.run(
            rf"^index/(frozen_)?(batch|build)/k3/b[{min(STYLES)}-{max(STYLES)}]/n{size}$|^baseline/flat_avx512/k3/n{size}$",
            f"--size={size}")
    bound = Bound(figures)
    engine = "frozen_" if any(name.startswith("index/frozen_") for name in figures.best) else ""
    points = []
    for blocks in STYLES:
        for size in sizes:
            batch = f"index/{engine}batch/k3/b{blocks}/n{size}"
            build = f"index/{engine}build/k3/b{blocks}/n{size}"
            rate, built = figures.get(batch), figures.get(build)
            if not rate:
                continue
            most = bound.queries(figures, batch)
            points.append({
                "blocks": blocks,
                "n": size,
                "query_us": 1e6 / rate,
                "bound_us": 1e6 / most if most else None,
                "bytes": figures.get(batch, "bytes_an_entry") or figures.get(batch, "heap_an_entry"),
                "build_s": size / built if built else None,
            })
    scans = [{"n": size, "query_us": 1e6 / rate} for size in sizes
             if (rate := figures.get(f"baseline/flat_avx512/k3/n{size}"))]
    return {"engine": "frozen" if engine else "mutable", "points": points, "scans": scans}


def draw(measured, target):
    # The same figures make the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "neardup", "font.size": 9, "axes.spines.top": False,
                                "axes.spines.right": False})
    picture, panels = pyplot.subplots(1, 3, figsize=(11, 3.6), constrained_layout=True)
    titles = [("query_us", "a query in a batch, µs"), ("bytes", "bytes an entry"), ("build_s", "to build, seconds")]
    has_bounds = False
    for panel, (value, title) in zip(panels, titles):
        for blocks, (colour, marker) in STYLES.items():
            points = [p for p in measured["points"] if p["blocks"] == blocks and p[value]]
            if not points:
                continue
            panel.plot([p["n"] for p in points], [p[value] for p in points], color=colour, marker=marker,
                       markersize=4, label=f"{blocks} blocks")
            bounds = [p for p in points if value == "query_us" and p["bound_us"]]
            if len(bounds) > 1:
                panel.plot([p["n"] for p in bounds], [p["bound_us"] for p in bounds], color=colour, linestyle=":")
                has_bounds = True
        if value == "query_us" and measured["scans"]:
            panel.plot([p["n"] for p in measured["scans"]], [p["query_us"] for p in measured["scans"]], color=SCAN[0],
                       marker=SCAN[1], markersize=4, linestyle="--", label="scan, AVX-512")
        panel.set_xscale("log")
        if value != "bytes":
            panel.set_yscale("log")
        else:
            panel.set_ylim(bottom=0)
        panel.set_title(title, loc="left")
        panel.set_xlabel("fingerprints")
        panel.grid(True, which="major", color="#dddddd", linewidth=0.6)
    if has_bounds:
        panels[0].plot([], [], color=SCAN[0], linestyle=":", label="bound of memory")
    panels[0].legend(frameon=False, fontsize=8)
    metadata = {"Date": None} if re.search(r"\.svg$", str(target)) else {}
    picture.savefig(target, metadata=metadata, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="neardup_bench_index")
    parser.add_argument("--out", default="docs/index_growth.svg", help="the picture, SVG or PNG (%(default)s)")
    parser.add_argument("--json", default="build/index_growth.json", help="the figures (%(default)s)")
    parser.add_argument("--from", dest="source", metavar="FILE", help="draw figures that were measured before")
    parser.add_argument("--up-to", type=float, default=1e7, help="the largest size, up to 1e8 (%(default)g)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each benchmark runs (%(default)s)")
    parser.add_argument("--min-time", type=float, default=0.3, help="seconds of each, each time (%(default)s)")
    options = parser.parse_args()
    if options.source:
        measured = json.loads(pathlib.Path(options.source).read_text(encoding="utf-8"))
    elif options.program:
        measured = measure(options)
        pathlib.Path(options.json).write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    else:
        parser.error("name neardup_bench_index, or figures by --from")
    draw(measured, options.out)
    print(f"{options.out}: {len(measured['points'])} points of the {measured['engine']} index")


if __name__ == "__main__":
    main()
