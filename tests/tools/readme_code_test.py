"""tools/readme_code.py: the files that it makes from the code blocks of a page."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "readme_code.py"


class ReadmeCode(unittest.TestCase):
    def extract(self, text, code=0, path="README.md"):
        """Runs the script on a page with this text. Returns {file name: content}, or the error message."""
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / path
            page.parent.mkdir(exist_ok=True)
            page.write_text(text, encoding="utf-8")
            out = pathlib.Path(folder) / "out"
            done = subprocess.run(
                [sys.executable, SCRIPT, "--out", out, page], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stderr if code else {f.name: f.read_text(encoding="utf-8") for f in out.iterdir()}

    def test_a_block_with_main_is_a_program_as_printed(self):
        files = self.extract("# Title\n\n```cpp\nint main() {}\n```\n")
        self.assertEqual(files, {"readme_004_program.cpp": '#line 4 "README.md"\nint main() {}\n'})

    def test_another_block_is_the_body_of_a_function_and_its_includes_go_to_the_top(self):
        (name, text), = self.extract("```cpp\n#include <set>\nstd::set<int> s;\n```\n").items()
        self.assertEqual(name, "readme_fragments.cpp")
        self.assertLess(text.index("#include <set>"), text.index("static void fragment_readme_2() {"))
        self.assertLess(text.index("static void fragment_readme_2() {"), text.index("std::set<int> s;"))

    def test_the_fragments_of_a_page_are_in_one_file_in_a_function_each(self):
        (text,) = self.extract("```cpp\nint a = 1;\n```\n\n```cpp\nint a = 2;\n```\n").values()
        self.assertIn("static void fragment_readme_2() {", text)
        self.assertIn("static void fragment_readme_6() {", text)

    def test_other_languages_are_left_out(self):
        self.assertEqual(self.extract("```sh\nint main() {}\n```\n\n    int main() {}\n"), {})

    def test_a_prelude_stands_before_the_block(self):
        (text,) = self.extract("<!-- compile: int a = 1; -->\n```cpp\nint b = a;\n```\n").values()
        self.assertLess(text.index("int a = 1;"), text.index("int b = a;"))

    def test_a_block_at_file_scope_is_in_no_function(self):
        files = self.extract("<!-- compile: file -->\n```cpp\ntemplate <class T> struct s {};\n```\n")
        self.assertEqual(list(files), ["readme_003_fragment.cpp"])
        self.assertNotIn("static void", files["readme_003_fragment.cpp"])

    def test_a_block_can_continue_the_one_before(self):
        page = "```cpp\nint a = 1;\n```\ntext\n<!-- continues -->\n```cpp\nint b = a;\n```\n"
        (text,) = self.extract(page).values()
        self.assertLess(text.index("int a = 1;"), text.index('#line 7 "README.md"\nint b = a;'))

    def test_a_block_of_a_how_to_page_begins_with_its_includes(self):
        bare = "```cpp\nint a = 1;\n```\n"
        self.assertIn("line 2: the block does not begin", self.extract(bare, code=1, path="how-to/page.md"))
        whole = "```cpp\n#include <set>\n\nint a = 1;\n```\n<!-- continues -->\n```cpp\nint b = a;\n```\n"
        self.assertEqual(list(self.extract(whole, path="how-to/page.md")), ["page_fragments.cpp"])

    def test_a_block_that_is_not_compiled_needs_a_reason(self):
        self.assertEqual(self.extract("<!-- not compiled: a sketch -->\n```cpp\nwhat\n```\n"), {})
        self.assertIn("line 3: say why", self.extract("<!-- not compiled -->\n```cpp\nwhat\n```\n", code=1))

    def test_a_block_without_an_end_is_an_error(self):
        self.assertIn("line 1: the block has no end", self.extract("```cpp\nint a;\n", code=1))

    def test_a_file_of_a_block_that_is_gone_is_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "README.md"
            for text in ("```cpp\nint a;\n```\n", "no code\n"):
                page.write_text(text, encoding="utf-8")
                subprocess.run([sys.executable, SCRIPT, "--out", folder, page], check=True)
            self.assertEqual(sorted(os.listdir(folder)), ["README.md"])


if __name__ == "__main__":
    unittest.main()
