#!/usr/bin/env python3
"""Compares neardup's Python package with other packages. Each runs in a process of its own, on one core with one thread.

  bench/python_peers.py TEXTS.jsonl [--program build/release/bin/neardup] [--only neardup rensa …]
  bench/python_peers.py TEXTS.jsonl --streams 1e4 1e5 1e6 [--only neardup rensa …]

The first form reads JSON Lines, and finds the pairs with a Jaccard similarity of at least .8. The peers are the programs in
bench/peers/python. Their packages have to be installed for the Python that runs this script. The script prints CPU seconds, the
peak of memory, the number of pairs, and how many pairs are wrong or missing. SetSimilaritySearch decides which pairs are right,
because it is exact and shares no code with neardup.

The second form prints a table: the microseconds of CPU time to add a text to as many texts as given. Each cell has three values:
for texts one by one, for batches of 10, and for batches of 1,000. A value is the least of several rounds, in which the peers take
turns. TEXTS.jsonl needs 3 % more texts than the largest number, and at least 6,000 more.
"""

import argparse
import importlib
import importlib.metadata
import itertools
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

PEERS = pathlib.Path(__file__).resolve().parent / "peers"
EXACT = "set_similarity_search"
sys.path.append(str(PEERS / "python"))

# ---- Streams: `add(texts)` returns for each text whether it is new, and keeps new texts --------------------------------


class Neardup:
    def __init__(self):
        self.kept = importlib.import_module("neardup").Deduplicator(0.8)

    def add(self, texts):
        if len(texts) == 1:
            return [self.kept.add(texts[0]).is_new]
        return self.kept.add_batch(texts, threads=1).is_new.tolist()


class Rensa:
    """MinHash of 128 values in 16 bands. A text is a duplicate of a candidate if their estimated similarity is at least .8."""

    def __init__(self):
        self.kept = importlib.import_module("rensa").RMinHashDeduplicator(0.8, 128, True, 16)
        self.features, self.ids = importlib.import_module("texts").features, map(str, itertools.count())

    def add(self, texts):
        return self.kept.add_pairs([(next(self.ids), self.features(text)) for text in texts])


class Datasketch:
    """MinHash of 128 values in 16 bands of 8. Candidates are not checked."""

    def __init__(self):
        self.library, self.features = importlib.import_module("datasketch"), importlib.import_module("texts").features
        self.kept, self.ids = self.library.MinHashLSH(num_perm=128, params=(16, 8)), itertools.count()

    def add(self, texts):
        sets = [[feature.encode() for feature in self.features(text)] for text in texts]
        return [self.is_new(one) for one in self.library.MinHash.bulk(sets, num_perm=128)]

    def is_new(self, one):
        if self.kept.query(one):
            return False
        self.kept.insert(next(self.ids), one)
        return True


class SetOfHashes:
    """Finds copies of whole texts only."""

    def __init__(self):
        self.kept = set()

    def add(self, texts):
        return [self.is_new(hash(text.encode())) for text in texts]  # a str would keep its hash for the next round

    def is_new(self, number):
        if number in self.kept:
            return False
        self.kept.add(number)
        return True


STREAMS = {"neardup": Neardup, "rensa": Rensa, "datasketch": Datasketch, "set": SetOfHashes}
NAMES = {"neardup": "**neardup**", "set": "`set` of hashes, copies only"}
BATCHES = (1, 10, 1000)


def cpu_time():
    """Returns the CPU seconds of this process. time.process_time() counts in steps of 4 ms under a limit of CPU time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def stream(name, path, kept):
    """Prints, for each batch size, the microseconds of CPU time to add a text to `kept` texts."""
    timed = max(2000, kept // 100)
    with open(path, encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in itertools.islice(lines, kept + timed * len(BATCHES))]
    best = [float("inf")] * len(BATCHES)
    for _ in range(max(1, 50_000 // kept)):
        peer = STREAMS[name]()
        for begin in range(0, kept, 10_000):
            peer.add(texts[begin : min(begin + 10_000, kept)])
        for i, size in enumerate(BATCHES):
            first = kept + i * timed
            start = cpu_time()
            for begin in range(first, first + timed, size):
                peer.add(texts[begin : begin + size])
            best[i] = min(best[i], (cpu_time() - start) / timed * 1e6)
    print(json.dumps(best))


def streams(options):
    rows, sizes = {}, [int(float(size)) for size in options.streams]
    for _, kept, name in itertools.product(range(options.rounds), sizes, options.only or STREAMS):
        known = rows.setdefault((kept, name), {})
        if known.get("failed"):
            continue
        done = measure([sys.executable, __file__, options.texts, "--stream", name, str(kept)], capture=True)
        if done["status"] != 0:
            if done["memory"] < 8000:
                sys.exit(f"{name}: {done['said']}")
            known["failed"] = True
            continue
        found = json.loads(done["said"].splitlines()[-1])
        known["best"] = list(map(min, known.get("best", found), found))
    print("|", " | ".join(["", *(f"{kept:,} kept" for kept in sizes)]), "|")
    print("|---" * (1 + len(sizes)) + "|")
    for name in options.only or STREAMS:
        cells = [", ".join(f"{one:.{1 if one >= 1 else 2}f}" for one in rows[kept, name].get("best", [])) or "more than 12 GiB" for kept in sizes]
        title = NAMES.get(name) or f"{name} {importlib.metadata.version(name)}"
        print("|", " | ".join([title, *cells]), "|")


# ---- Pairs -------------------------------------------------------------------------------------------------------------


def pairs(options):
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


def measure(command, capture=False):
    """Runs a command. Returns: its CPU seconds, memory in MB and exit status, and with `capture`, what it printed."""
    line = [sys.executable, PEERS / "measure.py", "4000", "12" if capture else "16", *command]
    done = subprocess.run(list(map(str, line)), stdout=subprocess.PIPE, stderr=subprocess.PIPE if capture else None, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1]) | {"said": done.stderr}


def main():
    names = sorted(path.name[: -len("_pairs.py")] for path in (PEERS / "python").glob("*_pairs.py"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", metavar="TEXTS.jsonl", help="objects with a text")
    parser.add_argument("--only", nargs="+", choices=sorted({*names, *STREAMS}), help="these peers")
    parser.add_argument("--program", help="the command, to be measured, too")
    parser.add_argument("--streams", nargs="+", metavar="KEPT", help="how many texts are kept")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of --streams (%(default)s)")
    parser.add_argument("--stream", nargs=2, help=argparse.SUPPRESS)  # given to the measured process: name, kept
    options = parser.parse_args()
    if options.stream:
        return stream(options.stream[0], options.texts, int(options.stream[1]))
    if options.streams:
        return streams(options)
    options.only = options.only or ["neardup", EXACT, "rensa", "gaoya", "datasketch"]
    return pairs(options)


if __name__ == "__main__":
    main()
