"""./dev VERB --help explains the verb, and neither installs nor builds anything."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
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

    def test_a_killed_demo_ends_the_build(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copy(ROOT / "dev", root / "dev")
            for name, script in (("cmake", 'if [ "$1" = --build ]; then echo $$ >"$STARTED"; sleep 60; fi'), ("compiler", "sleep 60")):
                (root / name).write_text(f"#!/bin/sh\n{script}\n")
                (root / name).chmod(0o755)
            started = root / "started"
            environment = {**os.environ, "PATH": f"{root}:{os.environ['PATH']}", "CXX": str(root / "compiler"), "STARTED": str(started)}
            with subprocess.Popen([root / "dev", "demo"], cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True) as demo:
                until = time.monotonic() + 30
                while not (started.exists() and started.read_text()) and demo.poll() is None and time.monotonic() < until:
                    time.sleep(0.05)
                build = int(started.read_text())
                demo.terminate()
                until = time.monotonic() + 10
                while self.runs(build) and time.monotonic() < until:
                    time.sleep(0.05)
                survived = self.runs(build)
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(demo.pid, signal.SIGKILL)
                if survived:
                    os.kill(build, signal.SIGKILL)
            self.assertFalse(survived)

    def runs(self, process):
        """Returns True if the process runs, and is no zombie."""
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False


if __name__ == "__main__":
    unittest.main()
