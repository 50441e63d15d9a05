#!/usr/bin/env python3
"""Measures neardup and its peers in turns, on the same inputs. Writes the tables of docs/peers.md and of
bench/peers/README.md.

usage: ./dev bench peers [OPTIONS]      (which builds all that this needs)

Each peer has a file in this folder, in Python, Rust or Java. A run is a process on one core. The CPU time of a run is
user and system time, with the start of the process. Inputs, true pairs and figures stay in build/peers, and a figure
that is there is not measured again. --from measures nothing, and only writes the tables.
"""

import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys
import time

import page
from inputs import Inputs

HERE = pathlib.Path(__file__).resolve().parent
PYTHON, RUST, JAVA = "python", "rust", "java"


@dataclasses.dataclass
class Peer:
    name: str
    package: str  # its name in the registry
    file: str
    arguments: tuple = ()
    only: int = 0  # the only k with which the peer is measured; 0 for all
    bits: tuple = (64, 256)
    one_by_one: bool = False  # true if the peer takes one query at a time

    @property
    def language(self):
        return {".py": PYTHON, ".rs": RUST, ".java": JAVA}[pathlib.Path(self.file).suffix]

    @property
    def path(self):
        return HERE / {PYTHON: "python", RUST: "rust/src/bin", JAVA: "java"}[self.language] / self.file

    def command(self, build):
        stem = pathlib.Path(self.file).stem
        return {PYTHON: [build / "venv/bin/python", self.path], RUST: [build / "rust/release" / stem],
                JAVA: ["java", "-XX:+UseSerialGC", "-Xmx6g", "-cp", f"{build}/java:{build}/java/*", stem]}[self.language]


PAIRS = (
    Peer("rensa", "rensa", "rensa_pairs.py"),
    Peer("gaoya", "gaoya", "gaoya_pairs.rs"),
    Peer("FastSketchLSH", "fastsketchlsh", "fastsketchlsh_pairs.py"),
    Peer("datasketch", "datasketch", "datasketch_pairs.py"),
    Peer("datatrove", "datatrove", "datatrove_pairs.py"),
    Peer("text-dedup", "text-dedup", "text_dedup_pairs.py"),
    Peer("hash4j", "hash4j", "Hash4jPairs.java"),
    Peer("find-simdoc", "find-simdoc", "find_simdoc_pairs.rs"),
    Peer("SetSimilaritySearch", "SetSimilaritySearch", "set_similarity_search_pairs.py"),
    Peer("DuckDB", "duckdb", "duckdb_pairs.py"),
    Peer("Polars", "polars", "polars_pairs.py"),
    Peer("simhash", "simhash", "simhash_pairs.py"),
    Peer("SemHash", "semhash", "semhash_pairs.py"),
)
COPIES = (Peer("DuckDB", "duckdb", "duckdb_copies.py"), Peer("Polars", "polars", "polars_copies.py"))
SEARCH = (
    Peer("mih-rs", "mih-rs", "mih_codes.rs", bits=(64,), one_by_one=True),
    Peer("FAISS MultiHash", "faiss-cpu", "faiss_multihash_codes.py"),
    Peer("FAISS IVF, 8 of 1,024", "faiss-cpu", "faiss_ivf_codes.py", ("8",)),
    Peer("FAISS IVF, 64 of 1,024", "faiss-cpu", "faiss_ivf_codes.py", ("64",)),
    Peer("gaoya", "gaoya", "gaoya_codes.rs", only=3, bits=(64,), one_by_one=True),
    Peer("pynear MIH", "pynear", "pynear_codes.py"),
    Peer("hnswlib", "hnswlib", "hnswlib_codes.py", only=10, bits=(64,)),
)
JOIN = (Peer("all-pairs-hamming", "all-pairs-hamming", "all_pairs_hamming_join.rs", bits=(64,)),)


class Bench:
    def __init__(self, options):
        self.options, self.build = options, options.folder.resolve()
        self.inputs = Inputs(self.build / "inputs", options.programs, options.base)
        self.output, self.own_output = self.build / "output", self.build / "own_output"
        self.tables = json.loads(options.json.read_text(encoding="utf-8")) if options.json.exists() else []
        self.last = {}  # the kind of input and the peer -> CPU seconds by size
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=True)
        self.about = {"commit": commit.stdout.strip(), "date": time.strftime("%Y-%m-%d"), "limit": options.limit}

    def run(self, command):
        """Returns the CPU seconds, memory and status of a process, and its output, which has the times of its parts."""
        measure = [sys.executable, HERE / "measure.py", self.options.limit, self.options.memory, *command]
        done = subprocess.run(list(map(str, measure)), capture_output=True, check=True, text=True, cwd=self.build)
        figures = json.loads(done.stdout.splitlines()[-1])
        figures["said"] = done.stderr
        return figures

    def in_turns(self, ours, theirs):
        """Runs neardup and a peer in turns. A slow or failing peer has one turn."""
        runs = ([], [])
        for _ in range(self.options.rounds):
            runs[0].append(self.run(ours))
            if runs[0][-1]["status"] != 0:
                sys.exit(f"{ours}: {runs[0][-1]}")
            runs[1].append(self.run(theirs))
            if runs[1][-1]["status"] != 0 or runs[1][-1]["cpu"] > self.options.slow:
                break
        return runs

    def table(self, job, title, size, peers, ours, theirs, score):
        """Measures one table: each peer in turns with neardup. `ours(peer)` and `theirs(peer)` are commands that
        write self.own_output and self.output. A peer is left out if it would take too long, assuming that its time
        grows with `size`. Rows that exist already are kept."""
        kind = "pairs" if job == "pairs" else title.split(" ", 1)[1]
        entry = next((one for one in self.tables if (one["job"], one["title"]) == (job, title)), None)
        if not entry:
            entry = {"job": job, "title": title, "rows": {}} | self.about
            self.tables.append(entry)
        for peer in peers:
            if peer.name not in entry["rows"]:
                print(f"{title}: {peer.name}", file=sys.stderr, flush=True)
                row = {"package": peer.package, "one_by_one": peer.one_by_one, "pace": self.last.get((kind, peer.name), 0)}
                if row["pace"] * size > self.options.limit:
                    row["failed"] = f"would, by extrapolation, take more than {self.options.limit} s"
                else:
                    row |= self.measured(size, ours(peer), theirs(peer), score)
                entry["rows"][peer.name] = row
                self.options.json.write_text(json.dumps(self.tables), encoding="utf-8")
            self.last[kind, peer.name] = entry["rows"][peer.name]["pace"]

    def measured(self, size, ours, theirs, score):
        own, runs = self.in_turns(ours, theirs)
        row = {"own_score": score(self.own_output), "own": own, "runs": runs}
        last = runs[-1]
        row["pace"] = last["cpu"] / size
        if last["status"] == 0:
            return row | score(self.output)
        row["failed"] = page.reason(last, self.options)
        row["pace"] = (self.options.limit + 1) / size  # larger inputs would fail, too
        print(f"{row['failed']}: {last['said'][-500:]}", file=sys.stderr, flush=True)
        return row

    def neardup(self, verb, *arguments):
        return [self.options.neardup, verb, "--jsonl", "--threads", "1", "--quiet", "--output", self.own_output, *arguments]

    def pairs(self, title, texts):
        truth = pairs_in(self.inputs.truth(texts.name, "texts", texts))
        self.table("pairs", title, texts.stat().st_size, PAIRS, lambda _: self.neardup("pairs", "--features", "spaced:words:2", texts),
                   lambda peer: [*peer.command(self.build), texts, self.output], lambda output: score(truth, pairs_in(output)))

    def copies(self, title, texts, size):
        first, dropped = set(), set()
        with open(texts, encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                text = json.loads(line)["text"]
                (dropped if text in first else first).add(number if text in first else text)

        def of(output):
            with open(output, encoding="utf-8") as kept:
                return score(dropped, set(range(size)) - {int(json.loads(line)["id"]) for line in kept})
        self.table("copies", title, size, COPIES,
                   lambda _: self.neardup("unique", "--copies", texts),
                   lambda peer: [*peer.command(self.build), texts, self.output], of)

    def codes(self, job, peers, title, size, bits, k):
        stored, queries = self.inputs.codes(size, bits, 31 if bits == 256 else 10)
        arguments = [stored, queries, bits, k]
        of_job = ("join", stored, k) if job == "join" else ("codes", bits, stored, queries, k)
        truth = pairs_in(self.inputs.truth(f"{job}-{size}-{bits}-{k}", *of_job), job == "join")

        def ours(peer):
            return [self.options.programs / "neardup_peers_codes", *arguments, self.own_output, "one-by-one" if peer.one_by_one else job]
        self.table(job, title, size, [peer for peer in peers if bits in peer.bits and peer.only in (0, k)], ours,
                   lambda peer: [*peer.command(self.build), *arguments, self.output, *peer.arguments],
                   lambda output: score(truth, pairs_in(output, job == "join")))


def pairs_in(path, smaller_first=True):
    """Returns the pairs of numbers in the last two columns."""
    with open(path, encoding="ascii") as lines:
        pairs = (tuple(map(int, line.split()[-2:])) for line in lines)
        return {(min(pair), max(pair)) if smaller_first else pair for pair in pairs}


def score(truth, found):
    return {"true": len(truth), "found": len(truth & found), "wrong": len(found - truth)}


def measure_texts(bench, options):
    sizes = [int(float(size)) for size in options.sizes]
    for size in sizes:
        bench.pairs(f"{size:,} generated texts", bench.inputs.generated_texts(size))
    bench.copies(f"{sizes[-1]:,} generated texts", bench.inputs.generated_texts(sizes[-1]), sizes[-1])
    for path in options.texts:
        texts = bench.inputs.real_texts(path)
        with open(texts, "rb") as lines:
            size = sum(1 for _ in lines)
        bench.pairs(f"{size:,} real texts, {path.name.split('.')[0]}", texts)


def measure_codes(bench):
    for size in (100_000, 1_000_000):
        for bits, k in ((64, 3), (64, 6), (64, 10), (256, 31)):
            bench.codes("search", SEARCH, f"{size:,} codes of {bits} bits, k = {k}", size, bits, k)
        bench.codes("join", JOIN, f"{size:,} codes of 64 bits, k = 3", size, 64, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("neardup", nargs="?", type=pathlib.Path, help="the command")
    parser.add_argument("programs", nargs="?", type=pathlib.Path, help="folder of neardup_bench_scale, neardup_peers_codes, neardup_peers_truth")
    parser.add_argument("base", nargs="?", help="real texts that generated ones are made of")
    parser.add_argument("--texts", type=pathlib.Path, nargs="+", default=[], help="real corpora: JSON Lines with text, or .gz")
    parser.add_argument("--part", choices=("texts", "codes"), help="only these inputs")
    parser.add_argument("--sizes", nargs="+", default=["2e4", "1e5", "1e6"], help="of generated corpora (2e4 1e5 1e6)")
    parser.add_argument("--rounds", type=int, default=2, help="turns of each (%(default)s)")
    parser.add_argument("--slow", type=float, default=5, help="a peer that takes more CPU seconds has one turn (%(default)s)")
    parser.add_argument("--limit", type=int, default=100, help="CPU seconds that a run may take (%(default)s)")
    parser.add_argument("--memory", type=int, default=12, help="GiB that a run may allocate (%(default)s)")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/peers"), help="for all that is made (%(default)s)")
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("build/peers/results.json"), help="the figures (%(default)s)")
    parser.add_argument("--from", dest="source", action="store_true", help="only write the tables of these figures")
    options = parser.parse_args()
    if not options.source:
        if not options.base:
            parser.error("name neardup, the folder of programs and texts, or --from")
        options.folder.mkdir(parents=True, exist_ok=True)
        options.neardup, options.programs = options.neardup.resolve(), options.programs.resolve()
        bench = Bench(options)
        if options.part != "codes":
            measure_texts(bench, options)
        if options.part != "texts":
            measure_codes(bench)
    page.write(json.loads(options.json.read_text(encoding="utf-8")), HERE)


if __name__ == "__main__":
    main()
