#!/usr/bin/env python3
"""Runs the benchmarks of the index and prints the tables of bench/README.md: each case with its goal, its share of
what the memory of the machine allows, and its baselines, all of one run.

Each benchmark is repeated and the best counts: what else a machine does makes a benchmark slower, never faster.
Texts are JSON Lines with a field "text" (.gz too) or lines of text; their default fingerprints are searched at
k = 3, 8 and 12, one in ten of them is the query.
"""

import argparse
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

MILLION = 1e6

# What is measured: the case, the goal, and the benchmark: "index/<engine>batch/...", or a function of the figures.
QUERIES = [
    ("U 10^6, 4 blocks", 4 * MILLION, "batch/k3/b4/n1000000"),
    ("U 10^6, 5 blocks", 3 * MILLION, "batch/k3/b5/n1000000"),
    ("U 10^7, 4 blocks", 2 * MILLION, "batch/k3/b4/n10000000"),
    ("U 10^7, 5 blocks", 3 * MILLION, "batch/k3/b5/n10000000"),
    ("U 10^7, 2 blocks", 0.8 * MILLION, "batch/k3/b2/n10000000"),
    ("U 10^8, 5 blocks", 2 * MILLION, "batch/k3/b5/n100000000"),
    ("U 10^8, 2 blocks", 0.5 * MILLION, "batch/k3/b2/n100000000"),
    ("S2 10^7, 5 blocks", 0.6 * MILLION, "batch/k3/b5/n10000000/s2"),
    ("U 10^7, 5 blocks, one by one", 1.3 * MILLION, "search/k3/b5/n10000000"),
]
# The best block count with at most so many bytes an entry.
BEST = [
    ("k = 6, U 10^6", 800e3, 60, 6, 1_000_000),
    ("k = 8, U 10^6", 350e3, 60, 8, 1_000_000),
    ("k = 10, U 10^6", 120e3, 60, 10, 1_000_000),
    ("k = 12, U 10^6", 50e3, 60, 12, 1_000_000),
    ("k = 8, U 10^7", 60e3, None, 8, 10_000_000),
    ("k = 10, U 10^7", 25e3, None, 10, 10_000_000),
]
CHANGES = [
    ("insert one by one, U to 10^7, 4 blocks", "≥", 5 * MILLION, "index/insert/k3/b4/n10000000", "items_per_second"),
    ("insert one by one, U to 10^7, 5 blocks", "≥", 2 * MILLION, "index/insert/k3/b5/n10000000", "items_per_second"),
    ("longest insert before 10^6, 4 blocks, ms", "≤", 10, "index/pause/k3/b4/n1000000", "longest_ms"),
    ("longest insert before 10^6, 5 blocks, ms", "≤", 10, "index/pause/k3/b5/n1000000", "longest_ms"),
    ("build from a span, 10^7, 4 blocks", "≥", 20 * MILLION, "index/frozen_build/k3/b4/n10000000", "items_per_second"),
    ("build from a span, 10^7, 5 blocks", "≥", 6 * MILLION, "index/frozen_build/k3/b5/n10000000", "items_per_second"),
    ("the same, to be changed later, 4 blocks", "", None, "index/build/k3/b4/n10000000", "items_per_second"),
    ("the same, to be changed later, 5 blocks", "", None, "index/build/k3/b5/n10000000", "items_per_second"),
    ("bytes an entry, frozen, 10^7, 2 blocks", "≤", 24, "index/frozen_batch/k3/b2/n10000000", "bytes_an_entry"),
    ("bytes an entry, frozen, 10^7, 4 blocks", "≤", 42, "index/frozen_batch/k3/b4/n10000000", "bytes_an_entry"),
    ("bytes an entry, frozen, 10^7, 5 blocks", "≤", 100, "index/frozen_batch/k3/b5/n10000000", "bytes_an_entry"),
    ("all pairs with build, U 10^7, 2 threads, s", "≤", 1.0, "index/all_pairs/k3/n10000000/threads2", "seconds"),
    ("all pairs with build, U 10^8, 2 threads, s", "≤", 30, "index/all_pairs/k3/n100000000/threads2", "seconds"),
    ("cluster, S2 10^6, 1 thread, s", "≤", 1.0, "index/cluster/k3/n1000000/s2", "seconds"),
]
BASELINES = [
    ("flat", "flat_index"),
    ("flat_avx512", "scan, AVX-512"),
    ("flat_avx512_by_8", "8 queries at once"),
    ("unordered_map/b4", "unordered_map 4 x 16"),
    ("faiss_multi_hash/b4/batch", "FAISS 4 x 16"),
    ("faiss_multi_hash/b2/batch", "FAISS 2 x 32"),
]
DATA = [
    ("U 10^6", "n1000000"),
    ("S2 10^6", "n1000000/s2"),
    ("U 10^7", "n10000000"),
    ("S2 10^7", "n10000000/s2"),
]
# For the smallest these rise, for all others fall.
SMALLER_IS_BETTER = {"seconds", "longest_ms", "bytes_an_entry", "heap_an_entry", "planned_us", "build_s", "peak_GiB"}


class Figures:
    """The best value of each counter of each benchmark."""

    def __init__(self, program, options):
        self.command = [program, "--benchmark_format=json", f"--benchmark_min_time={options.min_time}"]
        self.command += [f"--benchmark_repetitions={options.rounds}"]
        self.best = {}
        self.context = {}

    def run(self, pattern, *arguments):
        print(f"measuring {pattern}", file=sys.stderr)
        command = [*self.command, f"--benchmark_filter={pattern}", *arguments]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        if not output.strip():
            sys.exit(f"{command[0]}: no benchmark is called {pattern}")
        report = json.loads(output)
        self.context = report["context"]
        for result in report["benchmarks"]:
            if result["run_type"] != "iteration":
                continue
            if result.get("error_occurred"):
                sys.exit(f"{result['name']}: {result['error_message']}")
            counters = self.best.setdefault(result["run_name"], {})
            for name, value in result.items():
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    best = min if name in SMALLER_IS_BETTER else max
                    counters[name] = best(value, counters.get(name, value))

    def get(self, name, counter="items_per_second"):
        return self.best.get(name, {}).get(counter)


class Bound:
    """What a query could cost if it did nothing but wait for memory."""

    def __init__(self, figures):
        lines = [v["items_per_second"] for n, v in figures.best.items() if n.startswith("baseline/random_lines/")]
        self.line_rate = max(lines, default=None)
        runs = {}
        for length in (19, 190):
            names = (f"baseline/random_runs/lines{length}", f"baseline/random_runs/lines{length}/2MiB_pages")
            rates = [rate for rate in map(figures.get, names) if rate]
            runs[length] = 1 / max(rates) if rates else None
        self.run_rate = 64 * (190 - 19) / (runs[190] - runs[19]) if all(runs.values()) else None

    def queries(self, figures, name):
        """Queries a second, or None: a table that fits the cache waits for no memory."""
        lines, following = figures.get(name, "lines"), figures.get(name, "line_bytes")
        if not (self.line_rate and self.run_rate and lines) or lines < 1:
            return None
        return 1 / (lines / self.line_rate + following / self.run_rate)


def figure(value, unit=1.0):
    """Three digits; a dash for nothing."""
    if value is None:
        return "–"
    value /= unit
    if value >= 10_000_000:
        return f"{value / 1e6:.1f} M"
    if value >= 1_000_000:
        return f"{value / 1e6:.2f} M"
    if value >= 10_000:
        return f"{value / 1e3:.0f} k"
    if value >= 1000:
        return f"{value / 1e3:.1f} k"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def percent(a, b):
    return f"{100 * a / b:.0f} %" if a and b else "–"


def times(a, b):
    return f"{figure(a / b)} x" if a and b else "–"


def table(head, rows, labels):
    """Rows without any figure behind their labels are left out, and so is a table without rows."""
    rows = [cells for cells in rows if any(re.search(r"\d", cell) for cell in cells[labels:])]
    if rows:
        print("\n| " + " | ".join(head) + " |")
        print("|---" * len(head) + "|")
        for cells in rows:
            print("| " + " | ".join(cells) + " |")


def goal(sign, wanted, *reached):
    """The goal, and a cross if nothing reaches it."""
    if wanted is None:
        return ""
    values = [value for value in reached if value is not None]
    met = any(value >= wanted if sign == "≥" else value <= wanted for value in values)
    return f"{sign} {figure(wanted)}" + ("" if met or not values else " ✗")


def best_block_count(figures, engine, k, size, most_bytes):
    """(benchmark, blocks, bytes an entry) of the fastest block count within the memory; of the fastest if none is."""
    cases = []
    for name, counters in figures.best.items():
        found = re.fullmatch(rf"index/{engine}batch/k{k}/b(\d+)/n{size}", name)
        if found:
            taken = counters.get("bytes_an_entry", counters.get("heap_an_entry"))
            fits = most_bytes is None or (taken is not None and taken <= most_bytes)
            cases.append((fits, counters["items_per_second"], name, found.group(1), taken))
    return max(cases)[2:] if cases else (None, None, None)


def print_machine(figures, bound):
    def cells(name, value):
        return [value(name + pages) for pages in ("", "/2MiB_pages")]

    def nanoseconds(name):
        rate = figures.get(name)
        return figure(1e9 / rate if rate else None)

    rows = [[f"random lines, {n} in flight, ns", *cells(f"baseline/random_lines/f{n}", nanoseconds)]
            for n in (1, 8, 16, 64)]
    rows += [[f"a run of {n} lines at a random place, ns", *cells(f"baseline/random_runs/lines{n}", nanoseconds)]
             for n in (19, 190)]
    rows.append(["everything in order, GB a second",
                 *cells("baseline/sequential", lambda name: figure(figures.get(name, "bytes"), 1e9))])
    table(["the machine's own rate, in 1 GB", "4 KiB pages", "2 MiB pages"], rows, 1)
    if bound.line_rate and bound.run_rate:
        print(f"\nThe bound counts {1e9 / bound.line_rate:.1f} ns a line and {bound.run_rate / 1e9:.1f} GB/s behind it.")


def print_goals(figures, bound):
    rows = []
    for title, wanted, name in QUERIES:
        frozen, mutable = figures.get("index/frozen_" + name), figures.get("index/" + name)
        most = bound.queries(figures, "index/" + name)
        rows.append([title, goal("≥", wanted, frozen, mutable), figure(frozen), figure(mutable), figure(most),
                     percent(frozen or mutable, most)])
    for title, wanted, most_bytes, k, size in BEST:
        cells, values, bounds, allowed = [], [], [], []
        for engine in ("frozen_", ""):
            name, blocks, taken = best_block_count(figures, engine, k, size, most_bytes)
            values.append(figures.get(name) if name else None)
            bounds.append(bound.queries(figures, name) if name else None)
            fits = most_bytes is None or (taken is not None and taken <= most_bytes)
            if values[-1]:
                allowed.append(values[-1] if fits else 0)
            cells.append(f"{figure(values[-1])} ({blocks} blocks, {figure(taken)} bytes)" if name else "–")
        first = 0 if values[0] else 1
        limit = f", {most_bytes} bytes" if most_bytes else ""
        rows.append([title + limit, goal("≥", wanted, *allowed), *cells, figure(bounds[first]),
                     percent(values[first], bounds[first])])
    table(["queries a second, k = 3 unless said", "goal", "frozen", "mutable", "bound", "of the bound"], rows, 2)

    rows = []
    for title, sign, wanted, name, counter in CHANGES:
        value = figures.get(name, counter)
        rows.append([title, goal(sign, wanted, value), figure(value)])
    table(["the rest", "goal", "reached"], rows, 2)


def print_plans(figures):
    """The fastest block count as measured beside that which the planner expects; only among those measured."""
    rows = []
    cases = {}
    for name, counters in figures.best.items():
        found = re.fullmatch(r"index/(frozen_)?batch/k(\d+)/b(\d+)/n(\d+)", name)
        if found:
            engine, k, blocks, size = found.groups()
            cases.setdefault((engine or "", int(k), int(size)), {})[int(blocks)] = counters
    engine = "frozen_" if any(case[0] for case in cases) else ""
    for (_, k, size), by_blocks in sorted(item for item in cases.items() if item[0][0] == engine):
        best = max(by_blocks, key=lambda b: by_blocks[b]["items_per_second"])
        planned = min(by_blocks, key=lambda b: by_blocks[b]["planned_us"])
        rate = by_blocks[planned]["items_per_second"]
        rows.append([str(k), f"{size:,}", f"{best} blocks", figure(by_blocks[best]["items_per_second"]),
                     f"{planned} blocks", figure(rate), figure(1e6 / by_blocks[planned]["planned_us"]),
                     percent(rate, by_blocks[best]["items_per_second"])])
    table(["k", "fingerprints, U", "fastest as measured", "queries a second", "fastest as planned", "queries a second",
           "expected", "of the fastest"], rows, 3)


def print_baselines(figures):
    rows = []
    for title, suffix in DATA:
        names = [n for n in figures.best if re.fullmatch(rf"index/(frozen_)?batch/k3/b\d+/{suffix}", n)]
        best = max((figures.get(n) for n in names), default=None)
        values = [figures.get(f"baseline/{name}/k3/{suffix}") for name, _ in BASELINES]
        rows.append([title, figure(best), times(best, figures.get(f"baseline/unordered_map/b4/k3/{suffix}")),
                     *map(figure, values)])
    table(["queries a second, k = 3", "best index, batch", "times unordered_map", *(title for _, title in BASELINES)],
          rows, 1)


def print_real(figures):
    suffixes = {re.sub(r"^baseline/flat/k\d+/", "", n) for n in figures.best if re.match(r"baseline/flat/k\d+/n\d+/", n)}
    blocks = [2, 3, 4, 5]
    rows = []
    for suffix in sorted(suffix for suffix in suffixes if not suffix.endswith("/s2")):
        for k in (3, 8, 12):
            values = []
            for b in blocks:
                found = [figures.get(f"index/{engine}batch/k{k}/b{b}/{suffix}") for engine in ("frozen_", "")]
                values.append(max((v for v in found if v), default=None))
            baselines = [figures.get(f"baseline/{n}/k{k}/{suffix}") for n in ("flat", "flat_avx512", "unordered_map/b4")]
            size, name = suffix.split("/", 1)
            rows.append([f"{name}, {int(size[1:]):,}", str(k), *map(figure, values), *map(figure, baselines),
                         times(max((v for v in values if v), default=None), baselines[2])])
    table(["real texts, queries a second", "k", *(f"{b} blocks" for b in blocks), "flat_index", "scan, AVX-512",
           "unordered_map", "times unordered_map"], rows, 2)


def read_texts(path, folder):
    """A file of one text a line, as the benchmarks read it: JSON Lines, packed or not, are turned into one."""
    name = pathlib.Path(path).name
    if ".jsonl" not in name and not name.endswith(".gz"):
        return path
    opened = gzip.open if name.endswith(".gz") else open
    target = pathlib.Path(folder) / (name.split(".")[0] + ".txt")
    with opened(path, "rt", encoding="utf-8") as source, open(target, "w", encoding="utf-8") as lines:
        for line in source:
            text = json.loads(line)["text"] if ".jsonl" in name else line
            lines.write(" ".join(text.split()) + "\n")
    return str(target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="neardup_bench_index")
    parser.add_argument("--rounds", type=int, default=3, help="how often each benchmark runs (%(default)s)")
    parser.add_argument("--min-time", type=float, default=0.3, help="seconds of each, each time (%(default)s)")
    parser.add_argument("--up-to", type=float, default=1e7, help="the largest size, of 1e5 to 1e8 (%(default)g)")
    parser.add_argument("--texts", nargs="*", default=[], metavar="FILE", help="real texts to measure, too")
    parser.add_argument("--no-baselines", action="store_true", help="the index only, and the machine")
    parser.add_argument("--no-joins", action="store_true", help="not all_pairs and cluster")
    parser.add_argument("--json", metavar="FILE", help="write all figures to FILE, too")
    options = parser.parse_args()

    figures = Figures(options.program, options)
    figures.run("^baseline/(random|sequential)")
    wanted = "" if options.no_baselines else "|baseline/[^rs]"
    joins = "" if options.no_joins else "|index/(all_pairs|cluster)/"
    for size in (10**5, 10**6, 10**7, 10**8):
        if size > options.up_to:
            break
        # Not the visits, and of what is rebuilt each time only what a table shows.
        figures.run(
            rf"^(index/(frozen_)?(batch|search)/|index/(frozen_)?build/k3/b[245]/|index/(pause|insert)/k3/b[45]/"
            rf"{joins}{wanted}).*n{size}($|/)", f"--size={size}")
    with tempfile.TemporaryDirectory() as folder:
        for path in options.texts:
            name = pathlib.Path(path).name.split(".")[0]
            figures.run(f"^(index/(frozen_)?batch|baseline)/.*n[0-9]+/{name}$",
                        f"--documents={read_texts(path, folder)}")

    context = figures.context
    print(f"{context.get('compiler')}; FAISS {context.get('faiss')}. Best of {options.rounds}; ✗: short of the goal.")
    bound = Bound(figures)
    print_machine(figures, bound)
    print_goals(figures, bound)
    print_plans(figures)
    print_baselines(figures)
    print_real(figures)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures.best, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
