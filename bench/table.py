#!/usr/bin/env python3
"""Runs the benchmarks of fingerprints and prints the tables of bench/fingerprints.md.

The programs take turns, round after round. The best round of each benchmark counts, because other work of the machine
can only make a benchmark slower. The cell of a level is empty if the machine lacks the instructions of the level.
"""

import argparse
import json
import subprocess
import sys

LEVELS = ("avx512", "avx2", "sse2")

# The benchmark's name without "fingerprint/" and level, its description, and the goals for each level.
CYCLES = [
    ("accumulate/unit/64/n16384", "count the bits of 16,384 hashes", (0.35, 0.8, 3.0)),
    ("accumulate/unit/64/n512", "of 512 hashes", ()),
    ("accumulate/unit/64/n64", "of 64 hashes", ()),
    ("accumulate/unit/64/n16", "of 16 hashes", ()),
]
GIGABYTES = [
    ("bytes:8/tf/64", "byte 8-grams, each occurrence", (5, 1.4, 0.8)),
    ("bytes:5/tf/64", "byte 5-grams, each occurrence", (5, 1.4, 0.8)),
    ("bytes:5/unit/64", "byte 5-grams, distinct", (0.5, 0.3, 0.2)),
    ("words/tf/64", "words, each occurrence", (1.5, 1.0, 0.8)),
    ("words/unit/64", "words, distinct", (1.0, 0.7, 0.6)),
    ("words/idf/64", "words, by an idf table of 100,000 terms", (0.6,)),
    ("default/unit/64", "default: pairs of words, distinct", (0.6, 0.45, 0.35)),
    ("chars:2/tf/64/zh", "Chinese, 2-grams of code points, each occurrence", (4, 1.2, 0.8)),
    ("bytes:8/tf/64/500-byte-documents", "byte 8-grams, documents of 500 bytes", (4,)),
]
# Goals as shares of the value for 64 bits.
SHARES_OF_64_BITS = [
    ("words/tf/128", "words, each occurrence, 128 bits", (0.7, 0.7, 0.7)),
    ("bytes:8/tf/128", "byte 8-grams, each occurrence, 128 bits", (0.48, 0.48, 0.48)),
]
LIMITS = ("xxh3", "memcpy")
STREAMS = ["words/tf/64", "words/unit/64", "bytes:8/tf/64", "chars:2/tf/64/zh", "default/unit/64"]


class Figures:
    """The best value of each benchmark of a program over all rounds."""

    def __init__(self, program):
        self.program = program
        self.compiler = "?"
        self.best = {}

    def run(self, names, seconds):
        command = [
            self.program,
            "--benchmark_format=json",
            f"--benchmark_min_time={seconds}",
            f"--benchmark_filter=^({'|'.join(names)})$",
        ]
        report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        self.compiler = report["context"]["compiler"]
        for result in report["benchmarks"]:
            name = result["name"]
            if result.get("error_occurred"):
                sys.exit(f"{self.program}: {name}: {result['error_message']}")
            if "cycles" in result:
                self.best[name] = min(result["cycles"], self.best.get(name, result["cycles"]))
            elif "bytes" in result:
                self.best[name] = max(result["bytes"] / 1e9, self.best.get(name, 0))


def figure(value):
    """Formats a value with three significant digits. Keeps all digits before the point. Formats None as a dash."""
    if value is None:
        return "–"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def ratio(a, b):
    return a / b if a and b else None


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def head(*cells):
    row(*cells)
    print("|---" * len(cells) + "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="+", help="neardup_bench_fingerprint of one or more compilers; _naive last")
    parser.add_argument("--rounds", type=int, default=5, help="how often each benchmark runs (%(default)s)")
    parser.add_argument("--min-time", type=float, default=0.2, help="seconds of each, each time (%(default)s)")
    parser.add_argument("--goals", action="store_true", help="columns of the goals, too")
    options = parser.parse_args()
    *libraries, naive = map(Figures, options.program)
    if not libraries or not naive.program.endswith("naive"):
        parser.error("the last program is neardup_bench_naive, after at least one neardup_bench_fingerprint")

    cases = [name for name, _, _ in CYCLES + GIGABYTES + SHARES_OF_64_BITS]
    measured = cases + [f"stream:4096/{name}" for name in STREAMS]
    names = [f"fingerprint/{name}/({'|'.join(LEVELS)})" for name in measured]
    names += [f"baseline/({'|'.join(LIMITS)})(/.*)?"]
    for number in range(options.rounds):
        for figures in (*libraries, naive):
            print(f"round {number + 1} of {options.rounds}: {figures.program}", file=sys.stderr)
            figures.run(names if figures is not naive else ["baseline/naive/.*"], options.min_time)

    first = libraries[0]

    def values(name, level):
        return [figures.best.get(f"fingerprint/{name}/{level}") for figures in libraries]

    def cell(numbers):
        return " / ".join(map(figure, numbers))

    def with_goal(text, goals, level, sign):
        """Returns the cell, and with --goals the cell of its goal."""
        number = LEVELS.index(level)
        return [text, f"{sign} {goals[number]}" if number < len(goals) else ""] if options.goals else [text]

    level_columns = [text for level in LEVELS for text in ((level, "goal") if options.goals else (level,))]
    print(
        f"`/`: {' / '.join(figures.compiler for figures in libraries)}. The naive loop: {naive.compiler} -O3 for this "
        f"machine. Ratios: AVX-512, {first.compiler}. Best of {options.rounds} rounds.\n"
    )

    head("cycles a token", *level_columns, "naive", "times naive")
    for name, title, goals in CYCLES:
        cells = [text for level in LEVELS for text in with_goal(cell(values(name, level)), goals, level, "≤")]
        loop = naive.best.get(f"baseline/naive/{name}")
        row(title, *cells, figure(loop), figure(ratio(loop, values(name, LEVELS[0])[0])))

    print()
    head("GB per second", *level_columns, "naive", "times naive")
    for name, title, goals in GIGABYTES + SHARES_OF_64_BITS:
        cells = []
        for level in LEVELS:
            numbers = values(name, level)
            if name.endswith("/128"):
                half = values(name.replace("/128", "/64"), level)
                shares = [ratio(both, one) for both, one in zip(numbers, half)]
                cells += with_goal(f"{cell(numbers)} ({cell(shares)} of 64 bits)", goals, level, "≥")
            else:
                cells += with_goal(cell(numbers), goals, level, "≥")
        best = values(name, LEVELS[0])[0]
        loop = naive.best.get(f"baseline/naive/{name}")
        row(title, *cells, figure(loop), figure(ratio(best, loop)))

    print()
    head("GB per second", *(text for level in LEVELS for text in (level, "in chunks of 4,096 bytes")))
    titles = {name: title for name, title, _ in GIGABYTES}
    for name in STREAMS:
        cells = [cell(values(case, level)) for level in LEVELS for case in (name, f"stream:4096/{name}")]
        row(titles[name], *cells)

    print()
    head("limits, GB per second", "XXH3", "memcpy")
    texts = (("", "English"), ("/zh", "Chinese"), ("/500-byte-documents", "English, documents of 500 bytes"))
    for suffix, title in texts:
        row(title, *(cell([f.best.get(f"baseline/{limit}{suffix}") for f in libraries]) for limit in LIMITS))


if __name__ == "__main__":
    main()
