#!/usr/bin/env python3
"""Measures how many lines of two logs of this machine `neardup unique --lines` keeps with each kind of features, and
how many kinds of lines. Prints a Markdown table for docs/how-to/filter-logs.md.

The kind of a line in dpkg.log is its action and status. The kind of a line in alternatives.log is what was done. Names
and versions of packages are no part of a kind. A good filter keeps at least one line of each kind, and few more.
"""

import argparse
import pathlib
import re
import resource
import subprocess
import sys

LOGS = {
    # 2026-08-01 10:00:01 status half-installed zlib1g:amd64 1:1.2.13
    "/var/log/dpkg.log": re.compile(r"^\S+ \S+ (status \S+|startup \S+ \S+|\S+)"),
    # update-alternatives 2026-08-01 10:00:01: run with --install /usr/bin/x x /usr/bin/y 10
    "/var/log/alternatives.log": re.compile(r"^update-alternatives \S+ \S+: (run with --\S+|link group|\S+ \S+)"),
}
FEATURES = ("words:2", "chars:5", "bytes:8", "masked:words:2")


def kind(pattern, line):
    found = pattern.match(line)
    return found.group(1) if found else line


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout.decode(), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="neardup")
    parser.add_argument("--similarity", default="0.7")
    options = parser.parse_args()
    print("| log | features | lines | kinds | lines kept | kinds kept | CPU, s |\n|---|---|---|---|---|---|---|")
    for name, pattern in LOGS.items():
        path = pathlib.Path(name)
        if not path.exists() or not path.stat().st_size:
            print(f"{name}: not on this machine", file=sys.stderr)
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        kinds = {kind(pattern, line) for line in lines}
        for features in FEATURES:
            kept, seconds = cpu_seconds([options.program, "unique", "--quiet", "--lines", "--threads", "1", "--features", features,
                                         "--similarity", options.similarity, name])
            kept = kept.splitlines()
            print(f"| {path.name if features == FEATURES[0] else ''} | {features} | {len(lines):,} | {len(kinds)} | {len(kept):,} "
                  f"| {len({kind(pattern, line) for line in kept})} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
