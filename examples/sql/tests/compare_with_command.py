#!/usr/bin/env python3
"""Compares the pairs, groups and batches of both extensions with those of the command. It needs data, so run it by hand.

usage: compare_with_command.py PROGRAM FILE…: JSON Lines with a field `text`, also with gzip. NEARDUP_SQL: see engines.py.
"""
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import engines

# Features, measure, least similarity. The edit similarity compares no features.
SETTINGS = (("words:2", "jaccard", 0.8), ("chars:5", "jaccard", 0.7), ("words:1", "cosine", 0.9), ("words:2", "containment", 0.9),
            (None, "edit", 0.9))
MOST_EDITED = 30000  # the number of rows that are compared by the edit similarity
BATCHES = 6


def rows_of(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as lines:
        return [(i, json.loads(line)["text"]) for i, line in enumerate(lines)]


def of_command(program, verb, features, measure, least, path, *further):
    options = ["--features", features, "--exact"] if features else []
    options += ["--min-similarity", str(least), "--check", measure, *further]
    options += [] if verb == "unique" else ["--format", "jsonl"]
    printed = subprocess.run([program, verb, "--quiet", "--jsonl", *options, path], stdout=subprocess.PIPE)
    if printed.returncode != 0:
        sys.exit(f"{verb} {options} failed")
    return [json.loads(line) for line in printed.stdout.splitlines()]


def kept_by_batches(db, count, least, options):
    """Returns the ids that the statement of docs/sql.md keeps, if the rows come in random batches."""
    db.rows("DROP TABLE IF EXISTS kept")
    db.rows("CREATE TABLE kept AS SELECT * FROM t WHERE id < 0")
    ends = sorted(random.Random(count).sample(range(1, count), BATCHES - 1)) + [count]
    for begin, end in zip([0] + ends, ends):
        batch = f"SELECT * FROM t WHERE id >= {begin} AND id < {end}"
        groups = db.call("neardup_groups", batch + " ORDER BY id", least, against="kept", **options)
        db.rows(f"INSERT INTO kept {batch} AND id NOT IN (SELECT id FROM (SELECT id, original FROM {groups}) g WHERE id <> original)")
    return [row for row, in db.rows("SELECT id FROM kept ORDER BY id")]


def main():
    program, paths = sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]]
    used = [engine for engine in (engines.SQLite, engines.DuckDB) if not engine.missing()]
    differ = 0
    for path in paths:
        rows = rows_of(path)
        middle = len(rows) // 2
        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for name, part in (("all", rows), ("first", rows[:middle]), ("second", rows[middle:])):
                files[name] = str(pathlib.Path(folder) / f"{name}.jsonl")
                with open(files[name], "w", encoding="utf-8") as out:
                    out.writelines(json.dumps({"id": i, "text": text}) + "\n" for i, text in part)
            for engine in used:
                db = engine()
                if engine is engines.SQLite:
                    db.table("t", rows)
                else:
                    db.rows(f"CREATE TABLE t AS SELECT id::INTEGER AS id, text AS body FROM read_json('{files['all']}')")
                halves = {"source": f"SELECT * FROM t WHERE id >= {middle} ORDER BY id",
                          "against": f"SELECT * FROM t WHERE id < {middle} ORDER BY id"}
                for features, measure, least in SETTINGS:
                    if not features and len(rows) > MOST_EDITED:
                        continue
                    options = {"features": features, "measure": measure} if features else {"measure": measure}
                    pairs = [(int(row["a"]), int(row["b"])) for row in
                             of_command(program, "pairs", features, measure, least, files["all"])]
                    across = [(int(row["a"]), int(row["against"])) for row in
                              of_command(program, "pairs", features, measure, least, files["second"], "--against", files["first"])]
                    groups = [[int(member["id"]) for member in row["members"]] for row in
                              of_command(program, "groups", features, measure, least, files["all"])]
                    found = db.rows(f"SELECT a, b FROM {db.call('neardup_pairs', 't', least, **options)}")
                    found_across = db.rows("SELECT a, b FROM " + db.call("neardup_pairs", halves["source"], least,
                                                                         against=halves["against"], **options))
                    of_original = {}
                    for row, original, size in db.rows("SELECT id, original, size FROM " +
                                                       db.call("neardup_groups", "t", least, **options)):
                        if size > 1:
                            of_original.setdefault(original, set()).add(row)
                    same = (sorted(found) == sorted(tuple(sorted(pair)) for pair in pairs),
                            sorted(map(sorted, found_across)) == sorted(map(sorted, across)),
                            sorted((key, sorted(of)) for key, of in of_original.items()) ==
                            sorted((of[0], sorted(of)) for of in groups),
                            # With containment, texts of earlier batches stay, even if a later text is larger.
                            measure == "containment" or kept_by_batches(db, len(rows), least, options) ==
                            [int(row["id"]) for row in of_command(program, "unique", features, measure, least, files["all"])])
                    differ += same.count(False)
                    print(path.name, engine.name, features, measure, least, f"{len(found)} pairs, {len(found_across)} across, "
                          f"{len(of_original)} groups, {BATCHES} batches:", "equal" if all(same) else f"DIFFERENT {same}", flush=True)
                db.close()
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
