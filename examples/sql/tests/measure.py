#!/usr/bin/env python3
"""Measures the extensions and the command. Prints the least processor seconds of several runs, and the pairs found.

usage: measure.py PROGRAM TEXTS.jsonl [RUNS]: the records have a field `text`. The runs alternate. The time of the command is
the time of its process. The time of an engine is the time of the query. DuckDB uses one thread.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import engines

LEAST = 0.8
BATCH = 1000      # the number of rows that are joined with all other rows
SELF_JOIN = 2000  # the number of rows of a self-join, which takes quadratic time

# Each query runs in a separate process: python -c QUERY ENGINE FILE SQL
QUERY = f"""
import sys, time
sys.path.insert(0, {str(pathlib.Path(__file__).resolve().parent)!r})
import engines
db = getattr(engines, sys.argv[1])(sys.argv[2])
if sys.argv[1] == "DuckDB": db.rows("SET threads = 1; SET enable_progress_bar = false")
start = time.process_time()
found = db.rows(sys.argv[3])[0][0]
print(time.process_time() - start, found)
"""


def of_command(command):
    """Returns the processor seconds of the command, and the number of lines that it prints."""
    before = os.times()
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, printed.count(b"\n")


def of_query(engine, path, sql):
    """Returns the processor seconds of a query, and the number that it returns."""
    printed = subprocess.run([sys.executable, "-c", QUERY, engine.__name__, path, sql], stdout=subprocess.PIPE, check=True).stdout
    return float(printed.split()[0]), int(printed.split()[1])


def main():
    program, texts, runs = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 5
    rows = [(i, json.loads(line)["text"]) for i, line in enumerate(open(texts, encoding="utf-8"))]
    used = [engine for engine in (engines.SQLite, engines.DuckDB) if not engine.missing()]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, part in (("all", rows), ("batch", rows[:BATCH]), ("rest", rows[BATCH:])):
            with open(folder / f"{name}.jsonl", "w", encoding="utf-8") as out:
                out.writelines(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in part)
        if engines.SQLite in used:
            db = engines.SQLite(str(folder / "sqlite"))
            db.table("t", rows)
            db.table("few", rows[:SELF_JOIN])
            db.close()
        if engines.DuckDB in used:
            # The extension is not loaded here, because it would keep the file open.
            with engines.duckdb.connect(str(folder / "duckdb")) as db:
                db.execute(f"CREATE TABLE t AS SELECT id::INTEGER AS id, text AS body FROM read_json('{folder / 'all.jsonl'}')")
                db.execute(f"CREATE TABLE few AS SELECT * FROM t WHERE id < {SELF_JOIN}")
        command = [program, "pairs", "--quiet", "--jsonl", "--threads", "1", "--similarity", str(LEAST)]
        batch = f"SELECT * FROM t WHERE id < {BATCH}", f"SELECT * FROM t WHERE id >= {BATCH}"
        jobs = {
            "pairs of all": ([*command, str(folder / "all.jsonl")],
                             lambda engine: f"SELECT count(*) FROM {engine.call('neardup_pairs', 't', LEAST)}"),
            f"pairs of {BATCH} rows with all others": (
                [*command, "--against", str(folder / "rest.jsonl"), str(folder / "batch.jsonl")],
                lambda engine: f"SELECT count(*) FROM {engine.call('neardup_pairs', batch[0], LEAST, against=batch[1])}"),
            f"self-join of {SELF_JOIN} rows": (
                None, lambda engine: f"SELECT count(*) FROM few x JOIN few y ON x.id < y.id AND neardup_same(x.body, y.body, {LEAST})"),
        }
        print("| job | " + " | ".join(["the command", *(engine.name for engine in used)]) + " |")
        print("|---" * (2 + len(used)) + "|")
        for name, (plain, sql) in jobs.items():
            calls = [lambda: of_command(plain)] if plain else []
            calls += [lambda engine=engine: of_query(engine, str(folder / engine.name), sql(engine)) for engine in used]
            found = [[call() for call in calls] for _ in range(runs if plain else 1)]
            cells = [f"{min(run[i][0] for run in found):.2f} ({found[0][i][1]:,})" for i in range(len(calls))]
            print(f"| {name} | " + " | ".join(cells if plain else ["", *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
