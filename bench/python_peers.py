#!/usr/bin/env python3
"""The package for Python beside others: from lines of JSON to the pairs of a Jaccard similarity of at least .8.

  bench/python_peers.py TEXTS.jsonl [--program build/release/bin/neardup] [--only neardup rensa …]

The peers are those of bench/peers/python, installed where this runs. Each is a process on one core with one thread. Printed are
its CPU seconds, its peak of memory, its pairs, and how many of them are wrong or missing by SetSimilaritySearch, which is exact
and shares no code with neardup.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PEERS = pathlib.Path(__file__).resolve().parent / "peers"
EXACT = "set_similarity_search"


def main():
    names = sorted(path.name[: -len("_pairs.py")] for path in (PEERS / "python").glob("*_pairs.py"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", metavar="TEXTS.jsonl", help="objects with a text")
    parser.add_argument("--only", nargs="+", choices=names, default=["neardup", EXACT, "rensa", "gaoya", "datasketch"])
    parser.add_argument("--program", help="the command, to be measured, too")
    options = parser.parse_args()
    commands = {name: [sys.executable, PEERS / "python" / f"{name}_pairs.py"] for name in options.only}
    figures, pairs = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, command in commands.items():
            out = pathlib.Path(folder, name)
            figures[name] = measure([*command, options.texts, out])
            rows = out.read_text(encoding="ascii").splitlines() if out.exists() else []
            pairs[name] = {tuple(sorted(map(int, row.split("\t")))) for row in rows}
        if options.program:
            line = [options.program, "pairs", "--jsonl", "--quiet", "--threads", "1", "--output", f"{folder}/own", options.texts]
            figures["the command"] = measure(line)
    for name, figure in figures.items():
        line = f"{name:24} {figure['cpu']:8.2f} CPU s {figure['memory']:7.0f} MB"
        if name in pairs:
            line += f" {len(pairs[name]):9} pairs"
        if name in pairs and EXACT in pairs:
            line += f" {len(pairs[name] - pairs[EXACT]):7} wrong {len(pairs[EXACT] - pairs[name]):7} missing"
        print(line + (f"   exit status {figure['status']}" if figure["status"] else ""))


def measure(command):
    line = [sys.executable, PEERS / "measure.py", "4000", "16", *command]
    done = subprocess.run(list(map(str, line)), stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
