#!/usr/bin/env python3
"""Measures the tasks of the command for many machines, and writes the figures of README.md: what the tasks cost here,
what they would cost for very many documents, what a store of tables needs for these, and what Redis needs.

usage: bench/many_machines/run.py MODEL [--neardup PROGRAM] [--redis] [--json FILE] [--from FILE]

MODEL is neardup_bench_many_machines. PROGRAM is the command: without it, the tasks are not run. --redis measures Redis
with a redis-server that this program starts (Debian: redis-server). Figures that are not measured are taken from FILE.
"""
import argparse
import bisect
import itertools
import json
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

DOCUMENTS = (1e9, 1e10, 1e11)
ROOT = pathlib.Path(__file__).parents[2]
PAGE = pathlib.Path(__file__).with_name("README.md")
BEGIN, END = "<!-- figures: bench/many_machines/run.py writes this -->", "<!-- end of figures -->"
# Bytes of a text -> numbers of texts. The model gets the records and bytes from the first and the last number, and the
# second number checks it. The model computes the growth of the CPU time from the second and the last number.
RUNS = {230: (100_000, 300_000, 1_000_000), 3000: (10_000, 30_000, 100_000)}
PARTS = 10
PARTITIONS = 64
STEPS = {"features": PARTS, "counts": 1, "scatter": PARTS, "gather": PARTITIONS, "groups": 1}  # the steps, and the number of tasks of each


def output(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def model(given):
    figures = []
    for documents in DOCUMENTS[:2]:
        figures.append({"documents": documents} | json.loads(output(given.model, "model", 3, documents)))
    return figures


def measured(command, sink=subprocess.DEVNULL):
    """Returns the CPU seconds and the peak memory of a command."""
    process = subprocess.Popen([str(word) for word in command], stdout=sink, stderr=subprocess.PIPE)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command}: {error}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def texts_of(size, count):
    """Yields texts of about `size` bytes. Their words follow Zipf's law over 200,000 words. One in ten is an earlier
    text with up to three words changed."""
    make = random.Random(size)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    vocabulary = []
    for rank in range(200_000):
        length = 2 + rank.bit_length() // 3 + make.randrange(2)
        vocabulary.append("".join(make.choice(letters) for _ in range(length)))
    sums = list(itertools.accumulate(1 / rank for rank in range(1, len(vocabulary) + 1)))
    mean = 1 + sum(len(word) / rank for rank, word in enumerate(vocabulary, 1)) / sums[-1]
    words = round(size / mean)
    draw, top = make.random, sums[-1]
    recent = []
    for _ in range(count):
        if recent and draw() < 0.1:
            text = list(make.choice(recent))
            for _ in range(make.randrange(4)):
                text[make.randrange(len(text))] = vocabulary[bisect.bisect_left(sums, draw() * top)]
        else:
            text = [vocabulary[bisect.bisect_left(sums, draw() * top)] for _ in range(make.randrange(3 * words // 5, 7 * words // 5 + 1))]
            recent.append(text)
            if len(recent) > 20_000:
                recent[make.randrange(20_000)] = recent.pop()
        yield " ".join(text)


def records_in(path):
    """Returns the number of records in a file of scattered sets, which is in the header of each partition's blob."""
    with open(path, "rb") as file:
        count, = struct.unpack_from("<I", file.read(64), 20)
        records = 0
        for tag, _, begin, _, _ in struct.iter_unpack("<IIQQQ", file.read(32 * count)):
            if tag >= 66:
                records += struct.unpack("<Q", os.pread(file.fileno(), 8, begin + 64))[0]
        return records


def run_here(given, size, count):
    """Measures groups of texts: by tasks with one thread each, and by one run."""
    one = ["--quiet", "--threads", "1"]
    figures = {"size": size, "count": count, "start": statistics.median(measured([given.neardup, "--version"])[0] for _ in range(21))}
    with tempfile.TemporaryDirectory(prefix="many_machines.", dir=given.folder) as name:
        folder = pathlib.Path(name)
        parts = [folder / f"part{i}.txt" for i in range(PARTS)]
        made = texts_of(size, count)
        for part in parts:
            with open(part, "w", encoding="utf-8") as out:
                out.writelines(text + "\n" for text in itertools.islice(made, count // PARTS))
        figures["texts"] = sum(part.stat().st_size for part in parts)
        with open(folder / "one.txt", "wb") as out:
            figures["one"] = measured([given.neardup, "groups", *one, "--lines", *parts], out)
        steps = {}
        steps["features"] = [measured([given.neardup, "features", *one, "--lines", "--part", i, "--output", folder / f"{i}.features", part])
                             for i, part in enumerate(parts)]
        counts = folder / "all.counts"
        steps["counts"] = [measured([given.neardup, "counts", *one, "--partitions", PARTITIONS, "--output", counts, folder])]
        steps["scatter"] = [measured([given.neardup, "scatter", *one, "--counts", counts, "--output", folder / f"{i}.scattered",
                                      folder / f"{i}.features"]) for i in range(PARTS)]
        steps["gather"] = [measured([given.neardup, "gather", *one, "--partition", i, "--output", folder / f"{i}.pairs", folder])
                           for i in range(PARTITIONS)]
        with open(folder / "many.txt", "wb") as out:
            steps["groups"] = [measured([given.neardup, "groups", *one, "--pairs", folder, folder], out)]
        figures["equal"] = (folder / "one.txt").read_bytes() == (folder / "many.txt").read_bytes()
        figures["steps"] = {step: [sum(cpu for cpu, _ in tasks), max(memory for _, memory in tasks)] for step, tasks in steps.items()}
        figures["files"] = {kind: sum(path.stat().st_size for path in folder.glob(f"*.{kind}"))
                            for kind in ("features", "counts", "scattered", "pairs")}
        figures["records"] = sum(records_in(path) for path in folder.glob("*.scattered"))
        figures["sketches"] = b"\npayload sketches\n" in counts.read_bytes()[:4096]
    print(json.dumps(figures), file=sys.stderr)
    return figures


def line_through(first, last, value):
    """Extrapolates from two runs: returns `value` for n texts, if each tenfold number of texts adds the same to it."""
    slope = (value(last) - value(first)) / math.log10(last["count"] / first["count"])
    return lambda count: value(last) + slope * math.log10(count / last["count"])


def per_text(value):
    return lambda run: value(run) / run["count"]


COSTS = {
    "records": per_text(lambda run: run["records"]),
    "bytes scattered": per_text(lambda run: run["files"]["scattered"]),
    "bytes of features": per_text(lambda run: run["files"]["features"]),
    **{f"µs of {step}": (lambda step: per_text(lambda run: 1e6 * max(0, run["steps"][step][0] - STEPS[step] * run["start"])))(step)
       for step in STEPS},
}


def redis(given, count=500_000, queries=10_000):
    """Measures Redis sets for a table of 16 bits, as articles describe it. A key is table and segment, and its
    members are fingerprint and docId. Only one of the four tables is filled, so a query reads it four times."""
    with tempfile.TemporaryDirectory() as folder:
        port = 7391
        server = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--appendonly", "no", "--dir", folder],
                                  stdout=subprocess.DEVNULL)
        try:
            cli = ["redis-cli", "-p", str(port)]
            while subprocess.run([*cli, "ping"], capture_output=True, check=False).stdout != b"PONG\n":
                time.sleep(0.1)

            def info(section, field):
                return float(re.search(rf"{field}:([0-9.]+)", output(*cli, "info", section))[1])

            def pipe(commands):
                def encoded():
                    for words in commands:
                        yield b"*%d\r\n" % len(words)
                        for word in words:
                            yield b"$%d\r\n%s\r\n" % (len(word), word)
                with open(f"{folder}/commands", "wb") as out:
                    out.writelines(encoded())
                with open(f"{folder}/commands", "rb") as file:
                    start = time.monotonic()
                    subprocess.run([*cli, "--pipe"], stdin=file, stdout=subprocess.DEVNULL, check=True)
                    return time.monotonic() - start

            def rows(prints, tables):
                for number, text in enumerate(prints):
                    value = int(text, 16)
                    for table in range(tables):
                        yield number, value, b"CONTENT_INDEX:0:%04x" % (value >> (16 * table) & 0xffff)

            before = info("memory", "used_memory")
            prints = output(given.model, "prints", count, 1).split()
            # A member has 8 bytes of the fingerprint and 16 bytes of the docId.
            pipe((b"SADD", key, value.to_bytes(8, "little") + number.to_bytes(16, "little")) for number, value, key in rows(prints, 1))
            size = info("memory", "used_memory") - before
            output(*cli, "config", "resetstat")
            seconds = pipe((b"SMEMBERS", key) for _, _, key in rows(output(given.model, "prints", queries, 2).split(), 4))
            moved = info("stats", "total_net_output_bytes")
            cpu = float(re.search(r"cmdstat_smembers:calls=\d+,usec=(\d+)", output(*cli, "info", "commandstats"))[1]) / 1e6
        finally:
            server.terminate()
            server.wait()
    own = json.loads(output(given.model, "index", count, 1))
    return {"count": count, "bytes": 4 * size / count, "queries_per_second": queries / seconds,
            "queries_per_cpu_second": queries / cpu, "bytes_per_query": moved / queries, "index": own}


def number(value):
    for unit, name in ((1e18, " E"), (1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= unit:
            return f"{value / unit:.3g}{name}"
    return f"{value:.3g}"


def page_of(figures):
    lines = []
    for size, runs in figures.get("runs", {}).items():
        first, *between, last = runs
        lines += [f"**Texts of {last['texts'] / last['count']:.0f} bytes**, each with {last['files']['features'] / last['count']:.0f} bytes of features and names. "
                  f"The run has {PARTS} parts, {PARTITIONS} partitions and one thread a task, and scatters {'sketches' if last['sketches'] else 'sets'}. "
                  f"CPU time is without the start of the program ({1e3 * statistics.median(run['start'] for run in runs):.0f} ms a task). The groups were "
                  f"{'byte for byte the same as in' if all(run['equal'] for run in runs) else 'NOT those of'} one run.", "",
                  "| texts | records a text | bytes scattered a text | " + " | ".join(f"{step}, µs a text" for step in STEPS) + " | all | one run, µs a text |",
                  "|---|---|---|" + "---|" * (len(STEPS) + 2)]
        for run in runs:
            costs = [COSTS[f"µs of {step}"](run) for step in STEPS]
            lines.append(f"| {run['count']:,} | {COSTS['records'](run):.2f} | {COSTS['bytes scattered'](run):.0f} | "
                         + " | ".join(f"{cost:.1f}" for cost in costs) + f" | {sum(costs):.1f} | {1e6 * run['one'][0] / run['count']:.1f} |")
        for run in between:
            says = {name: line_through(first, last, COSTS[name])(run["count"]) for name in ("records", "bytes scattered")}
            lines.append(f"| {run['count']:,} by the model | {says['records']:.2f} | {says['bytes scattered']:.0f} |" + " |" * (len(STEPS) + 2))
        lines += ["", f"| at {last['count']:,}, mapped files included | " + " | ".join(STEPS) + " | one run |", "|---|" + "---|" * (len(STEPS) + 1),
                  "| memory of a task, MB | " + " | ".join(f"{last['steps'][step][1] / 1e6:,.0f}" for step in STEPS) + f" | {last['one'][1] / 1e6:,.0f} |", ""]
    if "runs" in figures:
        lines += ["**The model** estimates the costs of more texts than we ran. The model makes two assumptions. First, the records and bytes of a text grow by the "
                  "same amount with each tenfold number of texts. To check this, compare the rows \"by the model\" above with the measured rows. Second, the "
                  "CPU time of a step does not fall, and grows as it grew from the second to the last number of texts above. Nothing checks this.", "",
                  "| texts | bytes each | core-hours | features written | scattered | memory of counts | moved in all |", "|---|---|---|---|---|---|---|"]
        for runs in figures["runs"].values():
            first, second, last = runs
            for count in DOCUMENTS:
                says = {name: line_through(first, last, COSTS[name])(count) for name in ("bytes scattered", "bytes of features")}
                cpu = sum(max(value(last), line_through(second, last, value)(count)) for name, value in COSTS.items() if name.startswith("µs"))
                features, scattered = says["bytes of features"] * count, says["bytes scattered"] * count
                cells = last["files"]["counts"] / last["count"] * count
                lines.append(f"| {number(count)} | {last['texts'] / last['count']:.0f} | {cpu * count / 3.6e9:,.0f} | {number(features)}B | {number(scattered)}B | "
                             f"{number(cells)}B | {number(4 * features + 2 * scattered)}B |")
        lines += ["", "\"Moved in all\" counts the bytes of the features four times, because `features` writes them, and `counts`, `scatter` and `groups` read "
                  "them. The bytes of the scattered sets count twice, because `scatter` writes them, and `gather` reads them. With sketches, `gather` also "
                  "reads the features of its candidates, which are not counted."]
    if "model" in figures:
        lines += ["", "This table has the costs of a store of tables that answers one query for each document, with k = 3. `costs_of` computes them:", "",
                  "| documents | tables | memory of all, 24 bytes an entry | look-ups of a query | candidates of a query | candidates moved for all |",
                  "|---|---|---|---|---|---|"]
        for one in figures["model"]:
            for name in ("4 blocks", "10 tables"):
                store = one[name]
                lines.append(f"| {number(one['documents'])} | {store['tables']} | {number(24 * store['tables'] * one['documents'])}B | "
                             f"{store['probes']:,.0f} | {number(store['candidates'])} | {number(24 * store['candidates'] * one['documents'])}B |")
    if "redis" in figures:
        store = figures["redis"]
        own = store["index"]
        lines += ["", f"This table was measured with {store['count']:,} random fingerprints, k = 3 and four tables:", "", "| | bytes a fingerprint | queries a second | bytes moved a query |",
                  "|---|---|---|---|",
                  f"| Redis, four sets a fingerprint, one server | {store['bytes']:.0f} | {store['queries_per_second']:,.0f} (pipelined; {store['queries_per_cpu_second']:,.0f} by the time of its commands alone) | {store['bytes_per_query']:,.0f} |",
                  f"| `pigeonhole_index<64, 3>` in the process, one thread | {own['bytes']:.0f} | {own['queries_per_second']:,.0f} | 0 |"]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--neardup", type=pathlib.Path)
    parser.add_argument("--redis", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path, help="for the files of runs")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build" / "many_machines.json")
    parser.add_argument("--from", dest="source", type=pathlib.Path)
    given = parser.parse_args()
    source = given.source or given.json
    figures = json.loads(source.read_text(encoding="utf-8")) if source.exists() else {}
    figures["model"] = model(given)
    if given.neardup:
        figures["runs"] = {str(size): [run_here(given, size, count) for count in counts] for size, counts in RUNS.items()}
    if given.redis:
        if not shutil.which("redis-server"):
            sys.exit("run.py: no redis-server")
        figures["redis"] = redis(given)
    given.json.parent.mkdir(parents=True, exist_ok=True)
    given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n\n" + page_of(figures) + "\n\n" + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
