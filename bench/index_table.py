#!/usr/bin/env python3
"""Runs the benchmarks of the index and prints the tables of bench/indexes.md. The tables compare the speed of each case
with the bound that the memory of the machine sets, and with baselines of the same run.

Each benchmark is repeated, and the best repetition counts, because other work of the machine can only make a benchmark
slower. Texts are lines of text, or JSON Lines with a field "text" (.gz too). Their default fingerprints are searched at
k = 3, 8 and 12. One in ten fingerprints is a query.
"""

import argparse
import contextlib
import gzip
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile

MILLION = 1e6

# The two forms of the index: in the names of benchmarks, and in the tables.
FORMS = [("frozen/", "frozen"), ("", "growing")]

# The queries that are measured: case, goal, operation, and the rest of the benchmark's name "index/batch/<form>k3/...".
QUERIES = [
    ("U 10^6, 4 blocks", 4 * MILLION, "batch", "k3/b4/n1000000"),
    ("U 10^6, 5 blocks", 3 * MILLION, "batch", "k3/b5/n1000000"),
    ("U 10^7, 4 blocks", 2 * MILLION, "batch", "k3/b4/n10000000"),
    ("U 10^7, 5 blocks", 3 * MILLION, "batch", "k3/b5/n10000000"),
    ("U 10^7, 2 blocks", 0.8 * MILLION, "batch", "k3/b2/n10000000"),
    ("U 10^8, 5 blocks", 2 * MILLION, "batch", "k3/b5/n100000000"),
    ("U 10^8, 2 blocks", 0.5 * MILLION, "batch", "k3/b2/n100000000"),
    ("S2 10^7, 5 blocks", 0.6 * MILLION, "batch", "k3/b5/n10000000/s2"),
    ("U 10^7, 5 blocks, one by one", 1.3 * MILLION, "search", "k3/b5/n10000000"),
]
# Queries that are measured with the fastest number of blocks within these bytes per entry.
BEST = [
    ("k = 6, U 10^6", 800e3, 60, 6, 1_000_000),
    ("k = 8, U 10^6", 350e3, 60, 8, 1_000_000),
    ("k = 10, U 10^6", 120e3, 60, 10, 1_000_000),
    ("k = 12, U 10^6", 50e3, 60, 12, 1_000_000),
    ("k = 8, U 10^7", 60e3, None, 8, 10_000_000),
    ("k = 10, U 10^7", 25e3, None, 10, 10_000_000),
]
RATE = "items_per_second"
CHANGES = [
    ("insert one by one, U to 10^7, 4 blocks, a second", "≥", 5 * MILLION, "index/insert/k3/b4/n10000000", RATE),
    ("insert one by one, U to 10^7, 5 blocks, a second", "≥", 2 * MILLION, "index/insert/k3/b5/n10000000", RATE),
    ("longest insert before 10^6, 4 blocks, ms", "≤", 10, "index/pause/k3/b4/n1000000", "longest_ms"),
    ("longest insert before 10^6, 5 blocks, ms", "≤", 10, "index/pause/k3/b5/n1000000", "longest_ms"),
    ("build from a span, U 10^7, 4 blocks, a second", "≥", 20 * MILLION, "index/build/frozen/k3/b4/n10000000", RATE),
    ("build from a span, U 10^7, 5 blocks, a second", "≥", 6 * MILLION, "index/build/frozen/k3/b5/n10000000", RATE),
    ("the same on 2 threads, 4 blocks", "", None, "index/build/frozen/k3/b4/n10000000/threads2", RATE),
    ("the same on 2 threads, 5 blocks", "", None, "index/build/frozen/k3/b5/n10000000/threads2", RATE),
    ("growing, with reserve, 10^7, 4 blocks, a second", "", None, "index/build/k3/b4/n10000000", RATE),
    ("growing, with reserve, 10^7, 5 blocks, a second", "", None, "index/build/k3/b5/n10000000", RATE),
    *((f"bytes per entry, frozen, U 10^7, {b} blocks", "≤", most, f"index/batch/frozen/k3/b{b}/n10000000",
       "bytes_an_entry") for b, most in ((2, 24), (4, 42), (5, 100))),
    *((f"bytes per entry, growing, U 10^7, {b} blocks", "", None, f"index/batch/k3/b{b}/n10000000", "bytes_an_entry")
      for b in (2, 4, 5)),
    ("all pairs with build, U 10^7, 2 threads, s", "≤", 1.0, "index/pairs/k3/n10000000/threads2", "seconds"),
    ("all pairs with build, U 10^8, 2 threads, s", "≤", 30, "index/pairs/k3/n100000000/threads2", "seconds"),
    ("all pairs with build, U 10^6, 2 threads, s", "", None, "index/pairs/k3/n1000000/threads2", "seconds"),
    ("cluster, S2 10^6, 1 thread, s", "≤", 1.0, "index/cluster/k3/n1000000/s2", "seconds"),
    ("cluster, S2 10^6, 2 threads, s", "≤", 1.0, "index/cluster/k3/n1000000/s2/threads2", "seconds"),
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
# For these counters, the smallest value is the best. For all others, it is the largest.
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
    """The cost of a query that only waits for memory."""

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
        """Returns the queries per second, or None if the tables fit the cache, so that no query waits for memory."""
        lines, following = figures.get(name, "lines"), figures.get(name, "line_bytes")
        if not (self.line_rate and self.run_rate and lines) or lines < 1:
            return None
        return 1 / (lines / self.line_rate + following / self.run_rate)


def figure(value, unit=1.0):
    """Formats a value with three digits, and None as a dash."""
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
    """Prints the rows that have a number after their labels. Prints nothing if there are none."""
    rows = [cells for cells in rows if any(re.search(r"\d", cell) for cell in cells[labels:])]
    if rows:
        print("\n| " + " | ".join(head) + " |")
        print("|---" * len(head) + "|")
        for cells in rows:
            print("| " + " | ".join(cells) + " |")


def goal(sign, wanted, *reached):
    """Formats a goal, with a cross if no value reaches it."""
    if wanted is None:
        return ""
    values = [value for value in reached if value is not None]
    met = any(value >= wanted if sign == "≥" else value <= wanted for value in values)
    return f"{sign} {figure(wanted)}" + ("" if met or not values else " ✗")


def best_block_count(figures, form, k, size, most_bytes):
    """Returns (fits, queries per second, benchmark, blocks, bytes) of the fastest number of blocks. Numbers of
    blocks that fit into the memory come first."""
    cases = []
    for name, counters in figures.best.items():
        found = re.fullmatch(rf"index/batch/{form}k{k}/b(\d+)/n{size}", name)
        if found:
            taken = counters["bytes_an_entry"]
            fits = most_bytes is None or taken <= most_bytes
            cases.append((fits, counters["items_per_second"], name, found.group(1), taken))
    return max(cases, default=None)


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
    rows.append(["everything in order, GB per second",
                 *cells("baseline/sequential", lambda name: figure(figures.get(name, "bytes"), 1e9))])
    table(["the machine's own rate, in 1 GB", "4 KiB pages", "2 MiB pages"], rows, 1)
    if bound.line_rate and bound.run_rate:
        print(f"\nThe bound counts {1e9 / bound.line_rate:.1f} ns per line and {bound.run_rate / 1e9:.1f} GB/s behind it.")


def print_reached(figures, bound, with_goals, page=False):
    rows = []

    def print_table(head, rows):
        """Prints a table. With --goals, it also has the second column."""
        table(*([head, rows] if with_goals else [head[:1] + head[2:], [row[:1] + row[2:] for row in rows]]), 2 if with_goals else 1)

    def add_row(title, wanted, cases):
        """Adds a row in which the better form comes first. `cases` has (fits, queries per second, benchmark, text)."""
        cases = sorted((case for case in cases if case and case[1]), reverse=True)
        if not cases:
            return
        fits, rate, name, form = cases[0]
        most = bound.queries(figures, name)
        other = ", ".join(f"{figure(case[1])} {case[3]}" for case in cases[1:])
        rows.append([title, goal("≥", wanted, rate if fits else 0), figure(rate), form, figure(most),
                     percent(rate, most), other or "–"])

    for title, wanted, operation, rest in QUERIES:
        names = [(f"index/{operation}/{form}{rest}", word) for form, word in FORMS]
        add_row(title, wanted, [(True, figures.get(name), name, word) for name, word in names])
    for title, wanted, most_bytes, k, size in () if page else BEST:
        cases = []
        for form, word in FORMS:
            best = best_block_count(figures, form, k, size, most_bytes)
            if best:
                cases.append((*best[:3], f"{word}, {best[3]} blocks, {figure(best[4])} bytes"))
        add_row(title + (f", at most {most_bytes} bytes" if most_bytes else ""), wanted, cases)
    print_table(["queries per second, k = 3 unless said", "goal", "reached", "by", "bound", "of the bound", "the other form"], rows)

    skewed = [figures.get(f"index/batch/{form}k3/b5/n10000000/s2") or 0 for form, _ in FORMS]
    map_rate = figures.get("baseline/unordered_map/b4/k3/n10000000/s2")
    ratio = max(skewed) / map_rate if map_rate and max(skewed) else None
    rows = [["S2 10^7, 5 blocks, times unordered_map 4 x 16", goal("≥", 100, ratio), figure(ratio)]]
    for title, sign, wanted, name, counter in CHANGES:
        value = figures.get(name, counter)
        rows.append([title, goal(sign, wanted, value), figure(value)])
    rows = [row for row in rows if row[2] != "–" and not (page and re.search("longest|threads|reserve|2 blocks|same", row[0]))]
    print_table(["the rest", "goal", "reached"], rows)


def print_plans(figures):
    """Prints the fastest number of blocks of a frozen index, and the number that the planner expects to be the
    fastest of the measured ones."""
    rows = []
    cases = {}
    for name, counters in figures.best.items():
        found = re.fullmatch(r"index/batch/frozen/k(\d+)/b(\d+)/n(\d+)", name)
        if found:
            k, blocks, size = map(int, found.groups())
            cases.setdefault((k, size), {})[blocks] = counters
    for (k, size), by_blocks in sorted(cases.items()):
        best = max(by_blocks, key=lambda b: by_blocks[b]["items_per_second"])
        planned = min(by_blocks, key=lambda b: by_blocks[b]["planned_us"])
        rate = by_blocks[planned]["items_per_second"]
        rows.append([str(k), f"{size:,}", f"{best} blocks", figure(by_blocks[best]["items_per_second"]),
                     f"{planned} blocks", figure(rate), figure(1e6 / by_blocks[planned]["planned_us"]),
                     percent(rate, by_blocks[best]["items_per_second"])])
    table(["k", "fingerprints, U", "fastest as measured", "queries per second", "fastest as planned", "queries per second",
           "expected", "of the fastest"], rows, 3)


def print_baselines(figures):
    rows = []
    for title, suffix in DATA:
        names = [n for n in figures.best if re.fullmatch(rf"index/batch/(frozen/)?k3/b\d+/{suffix}", n)]
        best = max((figures.get(n) for n in names), default=None)
        values = [figures.get(f"baseline/{name}/k3/{suffix}") for name, _ in BASELINES]
        rows.append([title, figure(best), times(best, figures.get(f"baseline/unordered_map/b4/k3/{suffix}")),
                     *map(figure, values)])
    table(["queries per second, k = 3", "best index, batch", "times unordered_map", *(title for _, title in BASELINES)],
          rows, 1)


def print_real(figures, distances=(3, 8, 12)):
    suffixes = {re.sub(r"^baseline/flat/k\d+/", "", n) for n in figures.best if re.match(r"baseline/flat/k\d+/n\d+/", n)}
    blocks = [2, 3, 4, 5]
    rows = []
    for suffix in sorted(suffix for suffix in suffixes if not suffix.endswith("/s2")):
        for k in distances:
            values = []
            for b in blocks:
                found = [figures.get(f"index/batch/{form}k{k}/b{b}/{suffix}") for form, _ in FORMS]
                values.append(max((v for v in found if v), default=None))
            baselines = [figures.get(f"baseline/{n}/k{k}/{suffix}") for n in ("flat", "flat_avx512", "unordered_map/b4")]
            size, name = suffix.split("/", 1)
            rows.append([f"{name}, {int(size[1:]):,}", str(k), *map(figure, values), *map(figure, baselines),
                         times(max((v for v in values if v), default=None), baselines[2])])
    table(["real texts, queries per second", "k", *(f"{b} blocks" for b in blocks), "flat_index", "scan, AVX-512",
           "unordered_map", "times unordered_map"], rows, 2)


def read_texts(path, folder):
    """Returns the path of a file with one text on each line, for the benchmarks. Converts JSON Lines, which may be
    compressed."""
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


def processor():
    """Returns the processor's name, if the system provides it."""
    with contextlib.suppress(OSError):
        found = re.search(r"^model name\s*: (.+)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
        if found:
            return found.group(1)
    return "a processor"


def print_all(figures, options, page=False):
    """Prints all tables. For a page, it prints only those that help to choose an index."""
    context = figures.context
    print(f"{processor()}, {context['num_cpus']} cores; {context.get('compiler')}; FAISS {context.get('faiss')}; "
          f"{context['date'][:10]}. Up to {options.up_to:,.0f} fingerprints, best of {options.rounds}, "
          f"at a load of {context['load_avg'][0]:.1f} in the end."
          + (" ✗: short of the goal." if options.goals else ""))
    bound = Bound(figures)
    if not page:
        print_machine(figures, bound)
    print_reached(figures, bound, options.goals, page)
    if not page:
        print_plans(figures)
    print_baselines(figures)
    print_real(figures, (3,) if page else (3, 8, 12))


def write_between_marks(path, text):
    """Replaces the tables that an earlier run has written into a Markdown file."""
    whole = path.read_text(encoding="utf-8")
    parts = re.split(r"(<!-- index-table -->\n|<!-- end of index-table -->\n)", whole)
    if len(parts) != 5:
        sys.exit(f"{path}: <!-- index-table --> and <!-- end of index-table --> have to be there once")
    parts[2] = f"\n{text}\n"
    path.write_text("".join(parts), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="neardup_bench_index")
    parser.add_argument("--rounds", type=int, default=3, help="how often each benchmark runs (%(default)s)")
    parser.add_argument("--min-time", type=float, default=0.3, help="seconds of each, each time (%(default)s)")
    parser.add_argument("--up-to", type=float, default=1e7, help="the largest size, of 1e5 to 1e8 (%(default)g)")
    parser.add_argument("--texts", nargs="*", default=[], metavar="FILE", help="real texts to measure, too")
    parser.add_argument("--no-baselines", action="store_true", help="the index only, and the machine")
    parser.add_argument("--no-joins", action="store_true", help="not pairs and cluster")
    parser.add_argument("--goals", action="store_true", help="columns of the goals, too")
    parser.add_argument("--json", metavar="FILE", help="write all figures to FILE, too")
    parser.add_argument("--write", metavar="FILE", help="put the tables between the marks in FILE: bench/indexes.md")
    options = parser.parse_args()

    figures = Figures(options.program, options)
    figures.run("^baseline/(random|sequential)")
    wanted = "" if options.no_baselines else "|baseline/.*/k3/"
    joins = "" if options.no_joins else "|index/(pairs|cluster)/"
    for size in (10**5, 10**6, 10**7, 10**8):
        if size > options.up_to:
            break
        # At 10^7, building takes minutes, so only the benchmarks of the tables run.
        batches = "index/batch/" if size < 10**7 else "index/batch/(frozen/|k3/)"
        figures.run(
            rf"^({batches}|index/search/(frozen/)?k3/b5/|index/build/(frozen/)?k3/b[245]/"
            rf"|index/(pause|insert)/k3/b[45]/{joins}{wanted}).*n{size}($|/)", f"--size={size}")
    with tempfile.TemporaryDirectory() as folder:
        for path in options.texts:
            name = pathlib.Path(path).name.split(".")[0]
            figures.run(f"^(index/batch|baseline)/.*n[0-9]+/{name}$",
                        f"--documents={read_texts(path, folder)}")

    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        print_all(figures, options)
    print(text.getvalue(), end="")
    if options.write:
        with contextlib.redirect_stdout(io.StringIO()) as for_page:
            print_all(figures, options, page=True)
        write_between_marks(pathlib.Path(options.write), for_page.getvalue())
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures.best, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
