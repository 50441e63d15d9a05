"""tools/vector_code: finds functions with instructions beyond the baseline."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "vector_code"
loader = importlib.machinery.SourceFileLoader("vector_code", str(SCRIPT))
vector_code = importlib.util.module_from_spec(importlib.util.spec_from_loader("vector_code", loader))
loader.exec_module(vector_code)


def misplaced(**functions):
    lines = []
    for name, instructions in functions.items():
        lines.append(f"0000000000000000 <{name}>:")
        lines += [f"   {i}:\t{instruction}" for i, instruction in enumerate(instructions)]
    return vector_code.misplaced("\n".join(lines))


class VectorCode(unittest.TestCase):
    def test_kernels_are_named(self):
        self.assertEqual(misplaced(count_avx2=["vpaddd %ymm0,%ymm0,%ymm0", "ret"]), ({}, {"count_avx2"}))

    def test_instructions_of_each_set_are_found_elsewhere(self):
        for instruction in ("vmovdqu (%rdi),%ymm0", "vaddsd %xmm0,%xmm0,%xmm0", "kmovd %k1,%eax", "popcnt %rdi,%rax",
                            "bzhi %rsi,%rdi,%rax", "mulx %rsi,%rdi,%rax", "vzeroupper"):
            self.assertEqual(misplaced(count=["ret", instruction]), ({"count": instruction}, set()))

    def test_the_baseline_is_found_nowhere(self):
        baseline = ["movdqu (%rdi),%xmm0", "pshufd $0xe,%xmm0,%xmm1", "verr %ax", "rep bsf %rdi,%rax", "bsr %rdi,%rax",
                    "cpuid", "xgetbv", "shl %cl,%rax"]
        self.assertEqual(misplaced(count=baseline), ({}, set()))


if __name__ == "__main__":
    unittest.main()
