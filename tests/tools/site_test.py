"""tools/site --check finds a dead link of a site."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "site"


class DeadLinks(unittest.TestCase):
    def check(self, body):
        """Returns the output of the check for a site with this page and sub/other.html."""
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder)
            (site / "sub").mkdir()
            (site / "sub" / "other.html").write_text('<h2 id="here">x</h2><a href="../index.html">up</a>', encoding="utf-8")
            (site / "index.html").write_text(f'<h1 id="top">x</h1>{body}', encoding="utf-8")
            done = subprocess.run([sys.executable, SCRIPT, "--check", site], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def test_links_that_lead_somewhere(self):
        good = '<a href="sub/other.html#here">1</a> <a href="#top">2</a> <a href="https://example.org/x">3</a>'
        self.assertEqual(self.check(good), (0, ""))

    def test_no_such_file(self):
        self.assertEqual(self.check('<a href="sub/missing.html">x</a>'), (1, "index.html:1: sub/missing.html: no such file\n"))
        self.assertEqual(self.check('<img src="missing.svg">')[0], 1)

    def test_no_such_place(self):
        status, said = self.check('<a href="sub/other.html#there">x</a>')
        self.assertEqual((status, said), (1, "index.html:1: sub/other.html#there: no such place in the page\n"))
        self.assertEqual(self.check('<a href="#bottom">x</a>')[0], 1)


if __name__ == "__main__":
    unittest.main()
