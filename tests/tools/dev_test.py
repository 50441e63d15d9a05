"""./dev VERB --help explains the verb, and neither installs nor builds anything."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERBS = ("demo", "serve", "test", "bench", "format", "lint", "single-header", "mutants", "coverage", "docs")


class Dev(unittest.TestCase):
    def test_help_of_a_verb(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copy(ROOT / "dev", root / "dev")
            tools = root / "tools"
            tools.mkdir()
            for name in ("bash", "awk", "cat", "dirname", "nproc", "env"):
                (tools / name).symlink_to(shutil.which(name))
            before = sorted(path.name for path in root.rglob("*"))
            for verb in VERBS:
                for arguments in (("--help",), ("-h",), ("x", "--help")):
                    done = subprocess.run([root / "dev", verb, *arguments], cwd=folder, env={"PATH": str(tools)}, capture_output=True,
                                          text=True, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), (verb, arguments))
                    self.assertTrue(done.stdout.startswith("  " + verb + " "), done.stdout)
                    self.assertTrue(all(line[2] == " " for line in done.stdout.splitlines()[1:]), done.stdout)
            self.assertEqual(sorted(path.name for path in root.rglob("*")), before)
        self.assertTrue(os.access(ROOT / "dev", os.X_OK))


if __name__ == "__main__":
    unittest.main()
