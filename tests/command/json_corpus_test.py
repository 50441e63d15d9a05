"""The inputs that the fuzzer of the JSON Lines reader begins with, whole and cut off, by the command itself."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("NEARDUP_PROGRAM", "")
SOURCE = pathlib.Path(os.environ.get("NEARDUP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
FIELDS = ["text", "title"]


def record_of(line):
    """The record as Python reads it, if it is an object with a string in each field."""
    try:
        value = json.loads(line.decode("utf-8"))
    except ValueError:
        return None
    is_record = isinstance(value, dict) and all(isinstance(value.get(field), str) for field in FIELDS)
    return value if is_record else None


class JsonCorpus(unittest.TestCase):
    def test_each_line_of_the_corpus_is_read_or_refused_as_python_does(self):
        whole = [path.read_bytes() for path in sorted((SOURCE / "fuzz" / "json").iterdir())]
        self.assertGreaterEqual(len(whole), 5)
        lines = [line[:size] for line in whole for size in range(1, len(line) + 1)]
        self.assertNotIn(b"\n", b"".join(lines))
        fields = [argument for field in FIELDS for argument in ("--text-field", field)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "corpus")
            path.write_bytes(b"\n".join(lines) + b"\n")
            done = subprocess.run(
                [PROGRAM, "hash", "--jsonl", *fields, "--format", "jsonl", "--skip-bad", path],
                capture_output=True, timeout=300, check=False,
            )
        read = [json.loads(line)["id"] for line in done.stdout.decode().splitlines()]
        records = [(number, record_of(line)) for number, line in enumerate(lines, 1)]
        expected = [str(record.get("id", f"{path}:{number}")) for number, record in records if record is not None]
        self.assertEqual(read, expected, done.stderr.decode(errors="replace"))
        self.assertGreater(len(expected), 2)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
