"""Runs the commands of the console blocks of pages, and compares their output with the page. NEARDUP_PROGRAM names
the program."""

import os
import pathlib
import re
import subprocess
import tempfile

from harness import PROGRAM, SOURCE, TIMEOUT, unittest, main

JIEBA = pathlib.Path("/usr/lib/python3/dist-packages/jieba")


def steps_of(page):
    """Yields (needs, command, printed) for each command in a console block. `needs` is from an HTML comment before
    the block, which names further programs that the block needs."""
    for needs, block in re.findall(r"^(?:<!-- needs: ([a-z]+) -->\n)?```console\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = step.split("\n")
            end = 1
            while lines[end - 1].endswith("\\"):  # a backslash continues the command
                end += 1
            yield needs, "\n".join(lines[:end]), "\n".join(lines[end:])


class Articles(unittest.TestCase):
    def check(self, name):
        count = skipped = 0
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"PATH": f"{pathlib.Path(PROGRAM).resolve().parent}:{os.environ['PATH']}"}
            for needs, command, printed in steps_of((SOURCE / "docs" / name).read_text(encoding="utf-8")):
                count += 1
                if needs == "jieba" and not JIEBA.exists():
                    skipped += 1
                    continue
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
                self.assertEqual((command, done.stdout), (command, printed))
        if skipped:
            print(f"{name}: {skipped} of {count} commands need python3-jieba and were skipped")
        return count - skipped

    def test_each_row_in_english(self):
        self.assertGreaterEqual(self.check("articles.md"), 9)

    def test_lists_from_elsewhere(self):
        self.assertEqual(self.check("how-to/own-fingerprints.md"), 3)

    def test_notes_of_agents(self):
        self.assertEqual(self.check("how-to/agents-notes.md"), 6)

    def test_tasks_of_many_machines(self):
        self.assertEqual(self.check("many-machines.md"), 9)

    def test_both_pages_run_the_same(self):
        english, chinese = (list(steps_of((SOURCE / "docs" / name).read_text(encoding="utf-8")))
                            for name in ("articles.md", "articles.zh.md"))
        self.assertEqual(english, chinese)


if __name__ == "__main__":
    main()
