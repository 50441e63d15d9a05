"""Each fault of tests/mutants.toml can still be planted. ./dev mutants plants the faults and runs tests, which takes
long."""

import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Mutants(unittest.TestCase):
    def test_each_fault_has_one_place(self):
        try:
            import tomllib
        except ImportError:
            self.skipTest("Python before 3.11 has no tomllib")
        mutants = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
        self.assertTrue(mutants)
        for mutant in mutants:
            with self.subTest(mutant["promise"]):
                folder = ROOT if mutant["file"].startswith("examples/") else ROOT / "include" / "neardup"
                header = (folder / mutant["file"]).read_text(encoding="utf-8")
                self.assertEqual(header.count(mutant["old"]), 1, f"{mutant['old']} in {mutant['file']}")
                self.assertTrue((ROOT / "tests" / mutant["test"]).is_file(), mutant["test"])


if __name__ == "__main__":
    unittest.main()
