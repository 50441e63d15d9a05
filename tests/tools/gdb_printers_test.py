"""The text that gdb prints for a fingerprint and for an index. The test is skipped if gdb or a compiler is missing."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = """
#include <neardup/index/flat_index.hpp>
#include <neardup/index/frozen_index.hpp>
#include <neardup/index/pigeonhole_index.hpp>
#include <neardup/simhash.hpp>
#include <neardup/sets/set_index.hpp>

int main() {
  const neardup::simhash<64> fingerprint{0x0123456789abcdefU};
  const neardup::simhash<24> narrow{0xabcU};
  const auto wide = neardup::simhash<128>::from_hex("f123456789abcdef0000000000000001");
  const neardup::minwise<32> code{0xfeU};
  neardup::pigeonhole_index<64, 3, 4> index;
  neardup::flat_index<64> flat;
  for (unsigned id = 0; id < 3; ++id) index.insert(neardup::simhash<64>{id / 2}, id);
  flat.insert(fingerprint, 7);
  const neardup::frozen_index<64> frozen = freeze(index, 3, 4);
  const std::vector<std::uint32_t> features = {1, 2, 3}, others = {4, 5, 6, 7};
  neardup::set_index<> sets{neardup::jaccard{0.75}};
  sets.insert(features, 1);
  sets.insert(features, 2);
  sets.insert(others, 3);
  const neardup::set_index<std::uint64_t> none{neardup::containment{0.9}};
  return index.size() == frozen.size() && sets.size() == 3 && none.empty() && wide && narrow.to_uint64() != 0 && code.to_uint64() != 0 ? 0 : 1;  // stop here
}
"""


class Printers(unittest.TestCase):
    @unittest.skipUnless(shutil.which("gdb") and shutil.which("g++"), "gdb or g++ is missing")
    def test_fingerprints_are_hexadecimal_and_indexes_have_size_and_shape(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "program.cpp")
            source.write_text(PROGRAM, encoding="utf-8")
            line = PROGRAM[: PROGRAM.index("// stop here")].count("\n") + 1
            program = os.path.join(folder, "program")
            subprocess.run(["g++", "-std=c++20", "-g", "-O0", "-w", f"-I{ROOT / 'include'}", str(source), "-o", program], check=True)
            commands = [f"source {ROOT / 'tools/gdb_printers.py'}", f"break program.cpp:{line}", "run"]
            names = ["fingerprint", "narrow", "wide._M_payload._M_payload._M_value", "code", "index", "flat", "frozen", "sets", "none"]
            arguments = [part for command in commands + [f"print {name}" for name in names] for part in ("-ex", command)]
            run = subprocess.run(["gdb", "-batch", "-nx", *arguments, program], capture_output=True, text=True, check=False)
        printed = [line.split(" = ", 1)[1] for line in run.stdout.splitlines() if line.startswith("$")]
        self.assertEqual(
            printed,
            [
                "simhash<64> 0123456789abcdef",
                "simhash<24> 000abc",
                "simhash<128> f123456789abcdef0000000000000001",
                "minwise<32> 000000fe",
                "pigeonhole_index<64, 3, 4>: 3 pairs, 2 distinct fingerprints, 4 tables",
                "flat_index<64>: 1 pairs, 1 distinct fingerprints",
                "frozen_index<64>: 3 pairs, 2 distinct fingerprints, 4 tables",
                "set_index<unsigned int, unsigned int>: 3 ids, 2 distinct sets, jaccard of at least 0.75",
                "set_index<unsigned long, unsigned int>: 0 ids, 0 distinct sets, containment of at least 0.9",
            ],
            run.stdout + run.stderr,
        )


if __name__ == "__main__":
    unittest.main()
