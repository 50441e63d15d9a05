"""tools/single_header: the content of the header, and the refused arguments."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "single_header"


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)


class SingleHeader(unittest.TestCase):
    def write(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "new" / "neardup.hpp"
            done = run("-o", output, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return output.read_text(encoding="utf-8")

    def test_it_includes_no_header_of_neardup_and_has_each_once(self):
        text = self.write()
        self.assertEqual(re.findall(r'^\s*#\s*include\s*"', text, re.MULTILINE), [])
        self.assertEqual(text.count("#pragma once"), 1)
        for name in ("class pigeonhole_engine", "class accumulator"):
            self.assertEqual(len(re.findall(rf"^{name} .*{{$", text, re.MULTILINE)), 1, name)

    def test_both_licences_are_in_it(self):
        text = self.write()
        self.assertIn("// MIT License", text)
        self.assertIn("// UNICODE, INC. LICENSE AGREEMENT", text)

    def test_an_opt_in_header_is_in_it_if_it_is_named(self):
        opt_in = "neardup/dedup/parts/repeated_parts.hpp"
        self.assertNotIn("class part_collection", self.write())
        self.assertIn("class part_collection", self.write("neardup/neardup.hpp", opt_in))

    def test_xxhash_is_in_it_if_it_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder) / "xxhash.h"
            header.write_text("/* XXH_INLINE_ALL */ int the_text_of_xxhash;\n", encoding="utf-8")
            self.assertEqual(self.write("--xxhash", header).count("int the_text_of_xxhash;"), 1)
            header.write_text("int something_else;\n", encoding="utf-8")
            done = run("-o", f"{folder}/out.hpp", "--xxhash", header)
            self.assertEqual(done.returncode, 1)
            self.assertIn("not the header of xxHash 0.8 or later", done.stderr)

    def test_a_name_that_is_no_header_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("-o", f"{folder}/out.hpp", "neardup/nothing.hpp")
            self.assertEqual(done.returncode, 2)
            self.assertIn("no such header", done.stderr)
            self.assertFalse(pathlib.Path(folder, "out.hpp").exists())

    @unittest.skipUnless(pathlib.Path("/usr/include/xxhash.h").exists(), "dev would install xxHash")
    def test_dev_writes_it_where_its_caller_is(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([ROOT / "dev", "single-header", "new/n.hpp"], cwd=folder, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(pathlib.Path(folder, "new", "n.hpp").exists())


if __name__ == "__main__":
    unittest.main()
