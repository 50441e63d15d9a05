"""Tests which names tools/declarations.py takes for public names. The lint and tools/house read headers by it."""

import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(os.environ["NEARDUP_SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tools"))
import declarations  # noqa: E402


def names(text):
    return [d.name for d in declarations.public_names("namespace neardup::inline v0 {\n" + text + "\n}\n")]


class PublicNames(unittest.TestCase):
    def test_are_declared_in_the_namespace_itself(self):
        self.assertEqual(names("class a;\nnamespace detail { class b; }\nenum class c { d };\nint e(int f);"), ["a", "c", "e"])

    def test_are_templates_aliases_concepts_and_constants(self):
        text = "template <class T> struct a {};\nusing b = a<int>;\ntemplate <class T> concept c = true;\n"
        self.assertEqual(names(text + "inline constexpr int d = 1;"), ["a", "b", "c", "d"])

    def test_are_not_specialisations(self):
        self.assertEqual(names("template <> struct a<int> {};"), [])
        self.assertEqual(names("template <class T> struct detail::rewriter_of<masked<T>> { using type = int; };"), [])
        self.assertEqual(names("template <class T>\ninline constexpr int detail::part_name<a<T>> = 1;"), [])

    def test_are_not_members(self):
        self.assertEqual(names("struct a { int b(); struct c {}; };"), ["a"])

    def test_have_constraints_without_default_arguments(self):
        text = "template <detail::a T, int N = detail::b<T>(), class U>\n  requires detail::c<T>\nvoid f(T t) requires(d<U>);"
        found = declarations.declarations("namespace neardup::inline v0 {\n" + text + "\n}\n")
        words = "".join(found[0].constraints)
        self.assertEqual(words, "template<detail::aT,intN,classU>requiresdetail::c<T>requires(d<U>)")


if __name__ == "__main__":
    unittest.main()
