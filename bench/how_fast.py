#!/usr/bin/env python3
"""Time and memory of `neardup groups` on corpora of JSON Lines, and a formula for others. Prints the tables of docs/how-fast.md.

  bench/how_fast.py NEARDUP FILE.jsonl... [--rounds 3] [--memory SIZE]

Each file is grouped by features and by fingerprints (--kind auto), with one thread. With --memory, each file has a
second row: the runs with this option. CPU time is user time plus system time. Memory is the peak of the process. Both
are medians over the rounds. The formula is the line through the runs by features of 100,000 documents and more.
"""

import argparse
import json
import os
import statistics
import subprocess

WAYS = (("by features", ()), ("by fingerprints", ("--kind", "auto")))


def run(command):
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=subprocess.PIPE)
        process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6


def line_through(points):
    """Returns the slope of a straight line, and its value at 0. The line has the least sum of squared relative
    errors."""
    weights = [1 / y**2 for _, y in points]
    total = sum(weights)
    mx = sum(w * x for w, (x, _) in zip(weights, points)) / total
    my = sum(w * y for w, (_, y) in zip(weights, points)) / total
    slope = sum(w * (x - mx) * (y - my) for w, (x, y) in zip(weights, points)) / sum(
        w * (x - mx) ** 2 for w, (x, _) in zip(weights, points))
    return slope, my - slope * mx


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", help="also measure runs with this option of the command")
    options = parser.parse_args()
    print("| texts | documents | bytes each | by features, CPU s | MB | by fingerprints, CPU s | MB |")
    print("|---|---|---|---|---|---|---|")
    times, sizes = [], []
    for name in options.files:
        count = length = 0
        with open(name, encoding="utf-8") as lines:
            for record in lines:
                count += 1
                length += len(json.loads(record)["text"].encode())
        stem = os.path.splitext(os.path.basename(name))[0]
        for bound in ([], *([["--memory", options.memory]] if options.memory else [])):
            cells = []
            for way, extra in WAYS:
                runs = [run([options.program, "groups", "--quiet", "--jsonl", "--threads", "1", *bound, *extra, name])
                        for _ in range(options.rounds)]
                seconds, memory = (statistics.median(values) for values in zip(*runs))
                cells += [f"{seconds:.2f}", f"{memory:,.0f}"]
                if way == WAYS[0][0] and count >= 100_000 and not bound:
                    times.append((length / count, 1e6 * seconds / count))
                    sizes.append((length / count, 1e6 * memory / count))
            row = " ".join([stem, *bound])
            print(f"| {row} | {count:,} | {length / count:.0f} | " + " | ".join(cells) + " |", flush=True)
    if len(times) > 1:
        for what, points in (("µs", times), ("bytes", sizes)):
            slope, start = line_through(points)
            worst = max(abs((start + slope * x) / y - 1) for x, y in points)
            print(f"{what} for a document of n bytes: {start:.3g} + {slope:.3g} n, off by at most {100 * worst:.0f} %")


if __name__ == "__main__":
    main()
