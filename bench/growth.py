#!/usr/bin/env python3
"""Measures an index of 10^5 and more fingerprints, and draws how its figures grow: the time of a query, the bytes per
entry and the time to build it.

The fingerprints are uniform, and k = 3. Each panel has a line for each number of blocks. The panels of frozen_index are
above those of pigeonhole_index, with the same scales. Needs Matplotlib (Debian: python3-matplotlib). The figures are
also written to a JSON file. --from draws the figures of such a file.
"""

import argparse
import json
import pathlib
import re
import types

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

from index_table import FORMS, Bound, Figures, processor  # noqa: E402

SIZES = [10**5, 3 * 10**5, 10**6, 3 * 10**6, 10**7, 3 * 10**7, 10**8]
# The colour and mark of each number of blocks. They differ in grey, too, and for colour-blind readers (Okabe and Ito).
STYLES = {2: ("#0072B2", "o"), 3: ("#009E73", "s"), 4: ("#D55E00", "^"), 5: ("#CC79A7", "D")}
SCAN = ("#555555", "x")


def measure(options):
    """{points: [{form, blocks, n, query_us, bound_us, bytes, build_s}], scans: [{n, query_us}], where}"""
    figures = Figures(options.program, types.SimpleNamespace(rounds=options.rounds, min_time=options.min_time))
    figures.run("^baseline/random")
    sizes = [size for size in SIZES if size <= options.up_to]
    for size in sizes:
        blocks = f"b[{min(STYLES)}-{max(STYLES)}]"
        # Each run takes minutes, and is repeated, so one number of blocks stands for all.
        mutable = blocks if size <= 10**7 else "b4"
        figures.run(
            rf"^index/(batch|build)/(frozen/k3/{blocks}|k3/{mutable})/n{size}$|^baseline/flat_avx512/k3/n{size}$",
            f"--size={size}")
    bound = Bound(figures)
    points = []
    for form, word in FORMS:
        for blocks in STYLES:
            for size in sizes:
                batch = f"index/batch/{form}k3/b{blocks}/n{size}"
                rate = figures.get(batch)
                if not rate:
                    continue
                most = bound.queries(figures, batch)
                points.append({
                    "form": word,
                    "blocks": blocks,
                    "n": size,
                    "query_us": 1e6 / rate,
                    "bound_us": 1e6 / most if most else None,
                    "bytes": figures.get(batch, "bytes_an_entry"),
                    "build_s": figures.get(f"index/build/{form}k3/b{blocks}/n{size}", "seconds"),
                })
    scans = [{"n": size, "query_us": 1e6 / rate} for size in sizes
             if (rate := figures.get(f"baseline/flat_avx512/k3/n{size}"))]
    return {"points": points, "scans": scans, "where": f"{processor()}, {figures.context['date'][:10]}"}


def draw_panel(panel, points, value, scans):
    for blocks, (colour, marker) in STYLES.items():
        line = [p for p in points if p["blocks"] == blocks and p[value]]
        if not line:
            continue
        panel.plot([p["n"] for p in line], [p[value] for p in line], color=colour, marker=marker, markersize=4,
                   label=f"{blocks} blocks")
        bounds = [p for p in line if value == "query_us" and p["bound_us"]]
        if len(bounds) > 1:
            panel.plot([p["n"] for p in bounds], [p["bound_us"] for p in bounds], color=colour, linestyle=":")
    if value == "query_us" and scans:
        panel.plot([p["n"] for p in scans], [p["query_us"] for p in scans], color=SCAN[0], marker=SCAN[1],
                   markersize=4, linestyle="--", label="scan, AVX-512")
    panel.set_xscale("log")
    if value != "bytes":
        panel.set_yscale("log")
    panel.grid(True, which="major", color="#dddddd", linewidth=0.6)


def draw(measured, target):
    # A fixed salt makes the file reproducible, and `none` keeps text as text.
    matplotlib.rcParams.update({"svg.hashsalt": "neardup", "svg.fonttype": "none", "font.size": 9,
                                "axes.spines.top": False, "axes.spines.right": False})
    values = [("query_us", "a query in a batch, µs"), ("bytes", "bytes per entry"),
              ("build_s", "to build on one thread, s")]
    names = {"frozen": "frozen_index", "mutable": "pigeonhole_index"}
    picture, rows = pyplot.subplots(2, 3, figsize=(11, 6.6), sharex=True, sharey="col", constrained_layout=True)
    for (_, form), panels in zip(FORMS, rows):
        points = [p for p in measured["points"] if p["form"] == form]
        for panel, (value, title) in zip(panels, values):
            draw_panel(panel, points, value, measured["scans"])
            panel.set_title(f"{names[form]}: {title}", loc="left", fontsize=9)
    for panel in rows[-1]:
        panel.set_xlabel("fingerprints")
    for panel in rows.flat:
        panel.tick_params(labelleft=True)
        panel.minorticks_off()
    if len({p["n"] for p in measured["points"] if p["bound_us"]}) > 1:
        rows[0][0].plot([], [], color=SCAN[0], linestyle=":", label="bound of memory")
    rows[0][1].set_ylim(0, 1.05 * max(p["bytes"] for p in measured["points"]))
    # The legend is in a panel in which no line passes there.
    rows[0][2].legend(*rows[0][0].get_legend_handles_labels(), loc="upper left", frameon=False, fontsize=8)
    picture.suptitle(f"Uniform fingerprints of 64 bits, k = 3, one thread; {measured['where']}", fontsize=9, x=0.01,
                     ha="left", color=SCAN[0])
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
    print(f"{options.out}: {len(measured['points'])} points")


if __name__ == "__main__":
    main()
