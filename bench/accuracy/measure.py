"""Runs neardup_bench_accuracy over labelled sets, and keeps its results.

The results of each run are in a file whose name depends on the command. So no run is repeated.
"""

import gzip
import hashlib
import json
import pathlib
import shlex
import shutil
import subprocess
import sys

# For each set: what it contains, and the features whose Jaccard similarity defines the truth.
SETS = {
    "poetry-zh": ("classical Chinese poems", "chars:2"),
    "bible-en": ("English Bible verses", "chars:5"),
    "tidb-zh": ("pages of a Chinese manual", "chars:3"),
    "codes-en": ("sections of statutes, by OCR", "words:3"),
}
FEATURES = ("words", "words:2", "chars:3", "chars:5")
SIMILARITY = 0.7
AUDITED = (0.8,)
# The distances of 64-bit fingerprints that distance_for() gives for each similarity.
PROMISED = {
    "minwise": ("min-wise codes, .99", {0.6: 18, 0.7: 14, 0.8: 10, 0.9: 6}),
    "unit": ("SimHash, .97", {0.6: 19, 0.7: 16, 0.8: 14, 0.9: 10}),
}

# The arguments of each run over each set, without --truth.
RUNS = {
    "grid": f"--features {','.join(FEATURES)} --bits 64,128 --distance 20 --minhash --skew --no-theory",
    "weights": f"--features {','.join(FEATURES)} --weights tf,logtf --distance 20 --no-own-check --no-theory",
    "advice": "--advice --distance 0 --no-own-check --no-theory",
    "theory": "--features words:2 --theory-from 0.5 --no-own-check",
    "intervals": "--advice-seeds 20 --distance 0 --no-own-check --no-theory",
    **{f"audit {similarity}": f"--audit --similarity {similarity} --distance 0 --no-own-check --no-theory"
       for similarity in AUDITED},
    **{f"promise {similarity}": "--features words:2 --weights unit,minwise --bits 64 --distance 20 --no-theory "
                                f"--similarity {similarity}" for similarity in PROMISED["unit"][1]},
    "times": "--features words:2 --bits 64,128 --time-at 14 --distance 14 --no-own-check --no-theory",
}
ROUNDS_OF_TIMES = 3


def command(name, run):
    """Returns the command of a run, as a reader would type it."""
    return f"neardup_bench_accuracy --truth {SETS[name][1]} {RUNS[run]} {name}.jsonl"


class Measured:
    """The results of all runs: self[set, run]."""

    def __init__(self, program, data, kept):
        self.program = program
        self.data = pathlib.Path(data) if data else None
        self.kept = pathlib.Path(kept)
        self.kept.mkdir(parents=True, exist_ok=True)
        self.read = {}

    def __getitem__(self, name_and_run):
        if name_and_run not in self.read:
            self.read[name_and_run] = self._measure(*name_and_run)
        return self.read[name_and_run]

    def _measure(self, name, run):
        rounds = ROUNDS_OF_TIMES if run == "times" else 1
        results = [self._round(name, run, number) for number in range(rounds)]
        if run == "times":  # the fastest round counts, because other work on the machine only makes a run slower
            for i, composition in enumerate(results[0]["compositions"]):
                for j, pipeline in enumerate(composition["pipelines"]):
                    for part in ("fingerprint_seconds", "pair_seconds", "check_seconds"):
                        pipeline[part] = min(r["compositions"][i]["pipelines"][j][part] for r in results)
        return results[0]

    def _round(self, name, run, number):
        line = command(name, run)
        # The name of the file depends on the command, so another command has another file.
        file = self.kept / f"{name}.{run.replace(' ', '-')}.{number}.{hashlib.sha256(line.encode()).hexdigest()[:8]}.json"
        if not file.exists():
            if not self.data or not self.program:
                sys.exit(f"{file} is not there, and there is no program or data to measure it with")
            print(line, file=sys.stderr, flush=True)
            arguments = [self.program, "--json", *shlex.split(line)[1:]]
            arguments[-1] = str(self._unpacked(name))
            done = subprocess.run(arguments, stdout=subprocess.PIPE, check=False)
            if done.returncode not in (0, 1):  # 1: the theory does not hold, which the results say, too
                sys.exit(f"{' '.join(arguments)}: exit status {done.returncode}")
            json.loads(done.stdout)
            part = file.with_suffix(".part")
            part.write_bytes(done.stdout)
            part.rename(file)
        return json.loads(file.read_text(encoding="utf-8"))

    def _unpacked(self, name):
        """Returns the path of the set as JSON Lines. Unpacks the set into the folder of the results."""
        plain = self.data / f"{name}.jsonl"
        if plain.exists():
            return plain
        packed = self.data / f"{name}.jsonl.gz"
        if not packed.exists():
            sys.exit(f"{packed}: no such file")
        unpacked = self.kept / f"{name}.jsonl"
        if not unpacked.exists() or unpacked.stat().st_mtime < packed.stat().st_mtime:
            with gzip.open(packed) as source, unpacked.open("wb") as target:
                shutil.copyfileobj(source, target)
        return unpacked


def compositions(figures, **wanted):
    """Returns the compositions of a run that have these features, weights or bits."""
    return [c for c in figures["compositions"] if all(c[key] == value for key, value in wanted.items())]


