"""Makes the inputs of the peers, and the right answers, once in a folder."""

import gzip
import json
import pathlib
import subprocess
import sys

import numpy as np

QUERIES = 10_000


class Inputs:
    def __init__(self, folder, programs, base):
        self.folder, self.programs, self.base = pathlib.Path(folder), pathlib.Path(programs), base
        self.folder.mkdir(parents=True, exist_ok=True)

    def made(self, name, make):
        """Returns the file of that name. If the file is missing or incomplete, `make(output)` writes it."""
        path = self.folder / name
        if not path.exists():
            part = path.with_name(path.name + ".part")
            make(part)
            part.rename(path)
        return path

    def texts_of(self, name, lines):
        """Returns JSON Lines of texts. The words of a text have one space between them, and the id is the line
        number."""
        def make(path):
            with open(path, "w", encoding="utf-8") as output:
                texts = (" ".join(json.loads(line)["text"].split()) for line in lines())
                for number, text in enumerate(filter(None, texts)):
                    output.write(json.dumps({"id": str(number), "text": text}) + "\n")
        return self.made(name, make)

    def generated_texts(self, count):
        def lines():
            command = [self.programs / "neardup_bench_scale", "corpus", self.base, "--records", str(count), "--bytes", "230",
                       "--planted", "/dev/null"]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                yield from process.stdout
            if process.returncode != 0:
                sys.exit("neardup_bench_scale failed")
        return self.texts_of(f"texts-{count}.jsonl", lines)

    def real_texts(self, path):
        def lines():
            with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
                yield from file
        return self.texts_of(path.name.split(".")[0] + ".real.jsonl", lines)

    def codes(self, count, bits, far):
        """Returns random codes and queries. One code in a hundred, and every other query, is another code with 0 to
        `far` flipped bits."""
        def make(path, size, copied):
            rng = np.random.default_rng(size + bits)
            codes = rng.integers(0, 256, (size, bits // 8), dtype=np.uint8)
            sources = codes[:size // 2] if copied is None else copied
            at = rng.choice(np.arange(size // 2, size), size // 100 if copied is None else size // 2, replace=False)
            for place, source in zip(at, rng.integers(0, len(sources), len(at))):
                code = sources[source].copy()
                for bit in rng.choice(bits, rng.integers(far + 1), replace=False):
                    code[bit // 8] ^= np.uint8(1 << bit % 8)
                codes[place] = code
            codes.tofile(path)
            return codes

        def queries(path):
            make(path, QUERIES, np.fromfile(stored, np.uint8).reshape(-1, bits // 8))
        stored = self.made(f"codes-{count}-{bits}-{far}", lambda path: make(path, count, None))
        return stored, self.made(f"queries-{count}-{bits}-{far}", queries)

    def truth(self, name, *arguments):
        def make(path):
            with open(path, "wb") as output:
                subprocess.run([self.programs / "neardup_peers_truth", *map(str, arguments)], stdout=output, check=True)
        return self.made(name + ".truth", make)
