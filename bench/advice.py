#!/usr/bin/env python3
"""Compares the time and the memory that `neardup advise` predicts for the advised run with those of the run. Also
measures the advice itself. Prints a table of bench/accuracy/README.md.

  bench/advice.py NEARDUP FILE.jsonl... [--rounds 3]

For each file, the script runs the advice, and then the advised command as it is printed, with one thread. CPU time
is user and system time. Memory is the peak of the process. All figures are medians of the rounds.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import tempfile


def run(command):
    """Returns CPU seconds, peak memory in bytes, and the output."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
        out.seek(0)
        printed = out.read() if command[1] == "advise" else b""
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, printed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("| texts | documents | advised | predicted CPU s | took | ratio | predicted MB | took | ratio | the advice took, CPU s | share |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in options.files:
        rounds = []
        for _ in range(options.rounds):
            own, _, printed = run([options.program, "advise", "--jsonl", "--threads", "1", "--format", "jsonl", name])
            advice = json.loads(printed)
            arguments = shlex.split(advice["command"])[1:]
            seconds, memory, _ = run([options.program, *arguments, "--threads", "1", "--quiet"])
            rounds.append((advice["seconds"], seconds, advice["seconds"] / seconds, advice["bytes"] / 1e6, memory / 1e6,
                           advice["bytes"] / memory, own, own / seconds))
        predicted, took, of_time, megabytes, memory, of_memory, own, share = (statistics.median(column) for column in zip(*rounds))
        by = advice["check_features"] or advice["check"]
        stem = os.path.splitext(os.path.basename(name))[0]
        print(f"| {stem} | {advice['documents']:,} | `{by}` | {predicted:.2f} | {took:.2f} | {of_time:.2f} | {megabytes:,.0f} | "
              f"{memory:,.0f} | {of_memory:.2f} | {own:.2f} | {share:.2f} |", flush=True)


if __name__ == "__main__":
    main()
