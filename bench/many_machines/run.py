#!/usr/bin/env python3
"""Writes the figures of docs/many-machines.md: what very many documents cost by the model, what of it a run here measures,
and what the same fingerprints take in Redis.

usage: bench/many_machines/run.py MODEL [--neardup PROGRAM (--scale SCALE TEXTS… | --corpus FILE) --records N --shards N] [--redis]
                                  [--json FILE] [--from FILE]

MODEL is neardup_bench_many_machines, PROGRAM the command, SCALE neardup_bench_scale, which makes the corpus of TEXTS. The
figures of parts that are not run stay as they are in FILE. --redis starts a redis-server of its own (Debian: redis-server).
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SHARD = 1e7
DOCUMENTS = (1e9, 1e10)
ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "many-machines.md"
BEGIN, END = "<!-- figures: bench/many_machines/run.py writes this -->", "<!-- end of figures -->"


def output(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def model(given):
    near = int(output(given.model, "distance", "0.8"))
    figures = []
    for k in (3, near):
        for documents in DOCUMENTS:
            figures.append({"k": k, "documents": documents} | json.loads(output(given.model, "model", k, SHARD, documents)))
    return figures


def measured(command, sink=subprocess.DEVNULL):
    """The CPU seconds and the peak memory of a command."""
    process = subprocess.Popen([str(word) for word in command], stdout=sink, stderr=subprocess.PIPE)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command}: {error}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def run_here(given):
    """Groups all records: by one run, and by tasks of shards."""
    figures = {"records": given.records, "shards": given.shards}
    with tempfile.TemporaryDirectory(prefix="many_machines.") as name:
        folder = pathlib.Path(name)
        if given.corpus:
            (folder / "all.jsonl").symlink_to(given.corpus.resolve())
        else:
            with open(folder / "all.jsonl", "wb") as out:
                subprocess.run([given.scale, "corpus", *given.texts, "--records", str(given.records), "--bytes", "730", "--planted", folder / "planted.txt"], stdout=out, check=True)
        figures["texts"] = (folder / "all.jsonl").stat().st_size
        subprocess.run(["split", "-n", f"l/{given.shards}", "-d", "-a", "3", "all.jsonl", "part"], cwd=folder, check=True)
        parts = sorted(folder.glob("part*"))
        one = ["--quiet", "--threads", "1"]
        with open(folder / "one.txt", "wb") as out:
            figures["groups"] = measured([given.neardup, "groups", *one, "--kind", "auto", "--jsonl", *parts], out)
        steps = {step: [] for step in ("hash", "join", "verify")}
        shards = [folder / f"{i}.shard" for i in range(len(parts))]
        for i, part in enumerate(parts):
            steps["hash"].append(measured([given.neardup, "hash", *one, "--jsonl", "--shard", i, "--keep-features",
                                           "--output", shards[i], part]))
        tasks = [(i, j) for j in range(len(parts)) for i in range(j + 1)]
        for i, j in tasks:
            name = folder / f"{i}-{j}"
            two = [shards[i]] if i == j else [shards[i], shards[j]]
            steps["join"].append(measured([given.neardup, "join", *one, "--kind", "auto", "--output", f"{name}.candidates", *two]))
            steps["verify"].append(measured([given.neardup, "verify", *one, "--output", f"{name}.checked", f"{name}.candidates", *two]))
        checked = [folder / f"{i}-{j}.checked" for i, j in tasks]
        with open(folder / "many.txt", "wb") as out:
            steps["merge"] = [measured([given.neardup, "merge", *one, *shards, *checked], out)]
        figures["equal"] = (folder / "one.txt").read_bytes() == (folder / "many.txt").read_bytes()
        for step, of_tasks in steps.items():
            figures[step] = [sum(cpu for cpu, _ in of_tasks), max(memory for _, memory in of_tasks), len(of_tasks)]
        figures["joins of two"] = [steps["join"][n][0] for n, (i, j) in enumerate(tasks) if i != j]
        for kind in ("shard", "features", "candidates", "checked"):
            figures[kind + " bytes"] = sum(path.stat().st_size for path in folder.glob(f"*.{kind}"))
    figures["model"] = json.loads(output(given.model, "model", output(given.model, "distance", "0.8").strip(), given.records / given.shards, given.records))
    return figures


def redis(given, count=500_000, queries=10_000):
    """Redis sets for one table of 16 bits, as articles describe it: the key is table and segment, the members are fingerprint
    and docId. One of the four tables is filled; a query asks it four times."""
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
            # 8 bytes of the fingerprint and 16 bytes of the docId
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
    if "model" in figures:
        here = figures.get("run")
        features = here["features bytes"] / here["records"] if here else 400
        lines += [f"Shards of {number(SHARD)} documents, fingerprints of 64 bits, {features:.0f} bytes of features and names a document "
                  "(those of the run below). A worker takes two shards from the shared storage, joins them, and checks.", "",
                  "| documents | k | tasks | fingerprints moved | features moved | comparisons | core-hours of joins | memory of a task: join, checking |",
                  "|---|---|---|---|---|---|---|---|"]
        for one in figures["model"]:
            shards = one["documents"] / SHARD
            tasks = shards * (shards + 1) / 2
            lines.append(f"| {number(one['documents'])} | {one['k']} | {tasks:,.0f} | {number(tasks * 2 * 16 * SHARD)}B | "
                         f"{number(tasks * 2 * features * SHARD)}B | {number(tasks * one['join']['compared'])} | "
                         f"{tasks * one['join']['seconds'] / 3600:,.0f} | {number(2 * SHARD * (8 + 16 + 16))}B, {number(2 * SHARD * features)}B |")
        lines += ["", "The same in a store of tables that is asked for each document, by `costs_of`: what a query looks up and gets back.", "",
                  "| documents | k | tables | memory of all, 24 bytes an entry | look-ups of a query | candidates of a query | candidates moved for all |",
                  "|---|---|---|---|---|---|---|"]
        for one in figures["model"]:
            for name in ("4 blocks", "10 tables", "k+1 blocks"):
                if name in one:
                    store = one[name]
                    lines.append(f"| {number(one['documents'])} | {one['k']} | {store['tables']} | {number(24 * store['tables'] * one['documents'])}B | "
                                 f"{store['probes']:,.0f} | {number(store['candidates'])} | {number(24 * store['candidates'] * one['documents'])}B |")
    if "run" in figures:
        run = figures["run"]
        per = run["joins of two"]
        lines += ["", f"A run here: {run['records']:,} texts of {run['texts'] / run['records']:.0f} bytes in {run['shards']} shards, one thread a task, "
                  f"other work on the machine. The output of `merge` was {'the same, byte for byte, as' if run['equal'] else 'NOT that'} of one run of `groups`.", "",
                  "| step | tasks | CPU seconds | most memory of a task |", "|---|---|---|---|"]
        lines.append(f"| groups, one run | 1 | {run['groups'][0]:.1f} | {run['groups'][1] / 1e6:,.0f} MB |")
        for step in ("hash", "join", "verify", "merge"):
            cpu, memory, tasks = run[step]
            lines.append(f"| {step} | {tasks} | {cpu:.1f} | {memory / 1e6:,.0f} MB |")
        expected = run["model"]["join"]["seconds"]
        lines += ["", f"Files: shards {number(run['shard bytes'])}B, features {number(run['features bytes'])}B, candidates "
                  f"{number(run['candidates bytes'])}B, checked pairs {number(run['checked bytes'])}B. A join of two shards took "
                  f"{sum(per) / len(per):.3f} s of CPU, reading and writing included; the model says {expected:.3f} s for the join itself, "
                  f"{sum(per) / len(per) / expected:.1f} times less."]
    if "redis" in figures:
        store = figures["redis"]
        own = store["index"]
        lines += ["", f"{store['count']:,} random fingerprints, k = 3, four tables:", "", "| | bytes a fingerprint | queries a second | bytes moved a query |",
                  "|---|---|---|---|",
                  f"| Redis, four sets a fingerprint, one server | {store['bytes']:.0f} | {store['queries_per_second']:,.0f} (pipelined; {store['queries_per_cpu_second']:,.0f} by the time of its commands alone) | {store['bytes_per_query']:,.0f} |",
                  f"| `pigeonhole_index<64, 3>` in the process, one thread | {own['bytes']:.0f} | {own['queries_per_second']:,.0f} | 0 |"]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--neardup", type=pathlib.Path)
    parser.add_argument("--scale", type=pathlib.Path)
    parser.add_argument("--corpus", type=pathlib.Path, help="JSON Lines, in place of a corpus that SCALE makes")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--shards", type=int, default=10)
    parser.add_argument("--redis", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build" / "many_machines.json")
    parser.add_argument("--from", dest="source", type=pathlib.Path)
    given = parser.parse_args()
    source = given.source or given.json
    figures = json.loads(source.read_text(encoding="utf-8")) if source.exists() else {}
    figures["model"] = model(given)
    if given.neardup:
        figures["run"] = run_here(given)
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
