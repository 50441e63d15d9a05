"""The manual page and the completion have exactly the options that the program has."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["NEARDUP_PROGRAM"]


def help_of(*verb):
    return subprocess.run([PROGRAM, *verb, "--help-all"], capture_output=True, text=True, check=True).stdout


def verbs():
    return re.findall(r"^  ([a-z-]+)  ", help_of().split("Verbs", 1)[1].split("\n\n", 1)[0], re.MULTILINE)


def options(text):
    return re.findall(r"^  (--[a-z-]+)", text.split("\nRules:", 1)[0], re.MULTILINE)


def man_page():
    command = [sys.executable, ROOT / "tools" / "man_page", PROGRAM]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class ManPage(unittest.TestCase):
    def test_it_has_every_verb_and_every_option(self):
        page = man_page()
        self.assertGreaterEqual(len(verbs()), 4)
        for verb in verbs():
            self.assertIn(f"\n.SS {verb}\n", page)
            for option in options(help_of(verb)):
                self.assertIn("\n.B " + option.replace("-", "\\-"), page, f"{verb} {option}")

    def test_it_has_all_rules(self):
        for rule in ("Exit status: 0 if all is done", "The id of a document is its path", "Files that gzip or zstd compressed"):
            self.assertIn(rule, man_page())

    def test_groff_has_no_complaint(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-k"], input=man_page(), capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--similarity", re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout))

    def test_another_program_is_refused(self):
        command = [sys.executable, ROOT / "tools" / "man_page", shutil.which("true")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--help", done.stderr)


class Completion(unittest.TestCase):
    def complete(self, *words):
        """The completions that bash offers for the last word."""
        script = (
            f". {ROOT}/examples/neardup/completion.bash\n"
            'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n_neardup\n[[ ${#COMPREPLY[@]} == 0 ]] || printf "%s\\n" "${COMPREPLY[@]}"\n'
        )
        done = subprocess.run(
            ["bash", "-c", script, "bash", PROGRAM, *words], capture_output=True, text=True, check=True, cwd=ROOT
        )
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def setUp(self):
        if not shutil.which("bash"):
            self.skipTest("no bash")

    def test_the_first_word_is_a_verb_or_a_path(self):
        self.assertEqual(self.complete("uniq"), ["unique"])
        self.assertEqual(self.complete("CHANGE"), ["CHANGELOG.md"])

    def test_options_are_those_of_the_verb(self):
        for verb in verbs():
            self.assertEqual(set(options(help_of(verb))) - set(self.complete(verb, "--")), set())
        self.assertNotIn("--grouping", self.complete("hash", "--"))
        self.assertEqual(self.complete("groups", "--simi"), ["--similarity"])

    def test_a_file_is_offered_where_an_option_takes_one(self):
        self.assertEqual(self.complete("groups", "--idf-file", "CHANGE"), ["CHANGELOG.md"])
        self.assertEqual(self.complete("pairs", "--against", "CHANGE"), ["CHANGELOG.md"])
        self.assertEqual(self.complete("groups", "--bits", "READ"), [])
        self.assertEqual(self.complete("groups", "--lines", "CHANGE"), ["CHANGELOG.md"])


if __name__ == "__main__":
    unittest.main()
