#!/usr/bin/python3
"""The groups of near-duplicates in a corpus of parts, by tasks on a cluster of Dask (Debian: python3-distributed).

    with_dask.py [OPTION…] SCHEDULER FOLDER PART…      prints what `neardup groups --jsonl PART…` prints

All workers see FOLDER, where the files of tasks lie, and the parts. One that is there is whole, so a task of a worker
that died is done again by another, and a run that was stopped goes on where it was. Other parts or options, which
FOLDER.run has, need another folder.
"""
import argparse
import pathlib
import shlex
import subprocess
import sys

from distributed import Client, as_completed


def neardup(program, *arguments):
    """In a worker: its own error, if the program fails, tells what the program says."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())


def hash_part(given, number, part):
    shard = f"{given.folder}/{number}.shard"
    if not pathlib.Path(shard).exists():  # the list, which is written last
        neardup(given.program, "hash", *given.input, "--quiet", "--threads", "1", "--shard", str(number),
                "--keep-features", *given.compare, "--output", shard, "--", part)
    return number


def join_and_verify(given, earlier, later):
    name = f"{given.folder}/{earlier}-{later}"
    shards = [f"{given.folder}/{number}.shard" for number in sorted({earlier, later})]
    how = ["--quiet", "--threads", "1"]
    if not pathlib.Path(name + ".checked").exists():
        if not pathlib.Path(name + ".candidates").exists():
            neardup(given.program, "join", *how, *given.join, "--output", name + ".candidates", *shards)
        neardup(given.program, "verify", *how, "--output", name + ".checked", name + ".candidates", *shards)
    return earlier, later


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("scheduler", help="tcp://HOST:PORT")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("parts", nargs="+")
    parser.add_argument("--program", default="neardup")
    parser.add_argument("--input", type=shlex.split, default=["--jsonl"])
    parser.add_argument("--compare", type=shlex.split, default=[], help="such as --compare='--similarity 0.7'")
    parser.add_argument("--join", type=shlex.split, default=[], help="those of join, such as --join='--blocks 4'")
    parser.add_argument("--merge", type=shlex.split, default=[], help="such as --merge='--format jsonl'")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    run, known = str([given.input, given.compare, given.join, given.parts]), given.folder.with_name(given.folder.name + ".run")
    if not known.exists():
        known.write_text(run, encoding="utf-8")
    if known.read_text(encoding="utf-8") != run:
        sys.exit(f"with_dask: {given.folder} has the files of a run with other parts or options ({known}); name another folder")
    count = len(given.parts)

    with Client(given.scheduler) as client:
        # A join begins as soon as its two shards are there.
        joined, ready = 0, set()
        tasks = as_completed([client.submit(hash_part, given, i, part, key=f"hash-{i}", retries=3)
                              for i, part in enumerate(given.parts)])
        for done in tasks:
            result = done.result()
            if isinstance(result, tuple):
                joined += 1
                print(f"with_dask: {joined} of {count * (count + 1) // 2} joins", file=sys.stderr, flush=True)
                continue
            ready.add(result)
            for other in sorted(ready):
                earlier, later = sorted((other, result))
                tasks.add(client.submit(join_and_verify, given, earlier, later, key=f"join-{earlier}-{later}", retries=3))
    shards = [f"{given.folder}/{i}.shard" for i in range(count)]
    checked = [f"{given.folder}/{i}-{j}.checked" for j in range(count) for i in range(j + 1)]
    subprocess.run([given.program, "merge", "--quiet", *given.merge, *shards, *checked], check=True)


if __name__ == "__main__":
    main()
