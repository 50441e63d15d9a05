"""The driver by GNU parallel of examples/many_machines, run for real: its output is that of one run over everything.

Those for engines and for Slurm have tests of their own, in examples/many_machines/tests.

NEARDUP_PROGRAM and NEARDUP_SOURCE_DIR name the program and the source.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("NEARDUP_PROGRAM", "")
DRIVERS = pathlib.Path(os.environ.get("NEARDUP_SOURCE_DIR", pathlib.Path(__file__).parents[2])) / "examples" / "many_machines"


class Sizes(unittest.TestCase):
    def test_they_are_short(self):
        for driver, lines in {"with_parallel": 100, "with_slurm": 70, "with_dask.py": 100, "with_spark.py": 160}.items():
            self.assertLessEqual(len((DRIVERS / driver).read_text(encoding="utf-8").splitlines()), lines)


class Drivers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        make = random.Random(5)
        made, self.parts = [], []
        for part in range(6):
            self.parts.append(str(self.folder / f"part {part}.jsonl"))
            with open(self.parts[-1], "w", encoding="utf-8") as out:
                for _ in range(300):
                    words = list(make.choice(made)) if made and make.random() < 0.4 else make.choices(range(5000), k=60)
                    words[make.randrange(60)] = make.randrange(5000)
                    made.append(words)
                    out.write(json.dumps({"text": " ".join(f"w{word}" for word in words)}) + "\n")
        self.whole = self.output(PROGRAM, "groups", "--jsonl", "--quiet", *self.parts)
        self.assertGreater(self.whole.count("\n\n"), 100)

    def output(self, *command, **options):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @unittest.skipUnless(shutil.which("parallel"), "no GNU parallel")
    def test_gnu_parallel(self):
        command = [DRIVERS / "with_parallel", self.folder / "tasks", *self.parts]
        environment = os.environ | {"NEARDUP": PROGRAM}
        self.assertEqual(self.output(*command, env=environment), self.whole)
        # A second run makes only the missing files.
        kept = self.folder / "tasks" / "1.scattered"
        for name in ("2.pairs", "3.features"):
            (self.folder / "tasks" / name).unlink()
        before = kept.stat().st_mtime_ns
        self.assertEqual(self.output(*command, env=environment), self.whole)
        self.assertEqual(kept.stat().st_mtime_ns, before)
        self.assertEqual(self.output(*command, env=environment | {"DECIDE": "--grouping components"}),
                         self.output(PROGRAM, "groups", "--jsonl", "--quiet", "--grouping", "components", *self.parts))
        # Files of a run with other options are refused, since they would be taken for this run's.
        done = subprocess.run(command, env=environment | {"COUNTS": "--similarity 0.6"}, capture_output=True, text=True,
                              timeout=300, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("tasks has the files of a run with other parts or options", done.stderr)

    @unittest.skipUnless(shutil.which("parallel"), "no GNU parallel")
    def test_gnu_parallel_removes_passages(self):
        texts, dropped = self.folder / "texts", self.folder / "dropped"
        self.output(PROGRAM, "unique", "--jsonl", "--passages", "20", "--output", texts, "--dropped", dropped, *self.parts)
        command = [DRIVERS / "with_parallel", self.folder / "tasks", *self.parts]
        environment = os.environ | {"NEARDUP": PROGRAM, "FEATURES": "--passages 20 --partitions 3"}
        self.assertEqual(self.output(*command, env=environment), texts.read_text())
        parts = [self.folder / "tasks" / f"{part}.dropped" for part in range(6)]
        self.assertEqual("".join(part.read_text() for part in parts), dropped.read_text())
        self.assertGreater(len(dropped.read_text().splitlines()), 100)
        # A second run makes only the missing files.
        before = parts[0].stat().st_mtime_ns
        for name in ("2.pairs", "3.unique", "4.dropped", "1.features"):
            (self.folder / "tasks" / name).unlink()
        self.assertEqual(self.output(*command, env=environment), texts.read_text())
        self.assertEqual(parts[0].stat().st_mtime_ns, before)

    @unittest.skipUnless(shutil.which("parallel"), "no GNU parallel")
    def test_gnu_parallel_tells_of_a_part_that_cannot_be_read(self):
        done = subprocess.run([DRIVERS / "with_parallel", self.folder / "tasks", *self.parts, "no such part"], env=os.environ | {"NEARDUP": PROGRAM},
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no such part: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
