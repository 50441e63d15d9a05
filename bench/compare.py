#!/usr/bin/env python3
"""Compares the speed of two builds of a benchmark program. The builds run in turns.

  bench/compare.py BEFORE AFTER [--filter REGEX] [--rounds 5] [--min-time 0.1] [--chunk 8]

Machines are noisy, and two runs minutes apart differ by more than most changes. So the benchmarks are cut into small
chunks. Each round runs a chunk with both programs. The program that begins changes after each round. The ratio of a
round is speed of AFTER / speed of BEFORE: above 1, AFTER is faster. The program prints for each benchmark the median of
the ratios, and in the last line the geometric mean of these medians. The exit status is 1 if the mean is below 0.99 or
the median of any benchmark is below 0.95.
"""

import argparse
import json
import math
import re
import statistics
import subprocess
import sys


def names(program, pattern, extra):
    listing = subprocess.run([program, "--benchmark_list_tests=true", *extra], capture_output=True, text=True, check=True)
    found = [line.strip() for line in listing.stdout.splitlines() if line.strip()]
    return [name for name in found if re.search(pattern, name)]


def run(program, chunk, min_time, extra):
    """Returns name -> time of one iteration, for each benchmark."""
    pattern = "^(" + "|".join(re.escape(name).replace("\\-", "-") for name in chunk) + ")$"
    done = subprocess.run(
        [program, f"--benchmark_filter={pattern}", f"--benchmark_min_time={min_time}", "--benchmark_format=json", *extra],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    times = {}
    for entry in json.loads(done.stdout[done.stdout.index("{"):])["benchmarks"]:
        if entry.get("run_type") == "aggregate" or entry.get("error_occurred"):
            continue
        # A benchmark of wall-clock time reports its best time in a counter.
        key = "real_time" if "real_time" in entry["name"] else "cpu_time"
        times[entry["name"]] = entry.get("seconds", entry[key])
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--filter", default="", help="only benchmarks whose names this expression finds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--min-time", type=float, default=0.1, help="seconds for each benchmark and round")
    parser.add_argument("--chunk", type=int, default=8, help="benchmarks in one run of a program")
    parser.add_argument("--extra", action="append", default=[], help="a further argument for both programs")
    arguments = parser.parse_args()

    after = set(names(arguments.after, arguments.filter, arguments.extra))
    common = [name for name in names(arguments.before, arguments.filter, arguments.extra) if name in after]
    if not common:
        sys.exit("compare: the programs have no such benchmark in common")
    medians = {}
    for first in range(0, len(common), arguments.chunk):
        chunk = common[first : first + arguments.chunk]
        ratios = {name: [] for name in chunk}
        for number in range(arguments.rounds):
            order = ["before", "after"] if number % 2 == 0 else ["after", "before"]
            times = {which: run(getattr(arguments, which), chunk, arguments.min_time, arguments.extra) for which in order}
            for name in chunk:
                if name in times["before"] and name in times["after"]:
                    ratios[name].append(times["before"][name] / times["after"][name])
        for name in chunk:
            if not ratios[name]:
                continue
            medians[name] = statistics.median(ratios[name])
            spread = f"{min(ratios[name]):.3f} to {max(ratios[name]):.3f}"
            mark = "  <-- below .95" if medians[name] < 0.95 else ""
            print(f"{medians[name]:6.3f}  ({spread})  {name}{mark}", flush=True)
    mean = math.exp(statistics.fmean(math.log(m) for m in medians.values()))
    low = sorted(name for name in medians if medians[name] < 0.95)
    print(f"{len(medians)} benchmarks: geometric mean {mean:.4f}, {len(low)} below .95 in the median of "
          f"{arguments.rounds} rounds")
    sys.exit(1 if mean < 0.99 or low else 0)


if __name__ == "__main__":
    main()
