#!/usr/bin/env python3
"""Turns the C++ of Markdown pages into files that the tests compile (and run, if complete).

Every block that begins with ```cpp is taken, exactly as printed:

  with "int main"    a program: <page>_<line>_program.cpp, compiled and run; a comment
                     "// prints: TEXT" in it is checked against what it prints
  otherwise          the body of a function, compiled only: all those of a page are in
                     <page>_fragments.cpp; #include lines move to its top, which includes
                     neardup.hpp and the usual standard headers

An HTML comment on the line before the block (invisible on the page) changes that:

  <!-- compile: std::string a, b; -->   these lines are put before the fragment
  <!-- compile: file -->                the fragment stands at file scope (templates, functions),
                                        in <page>_<line>_fragment.cpp
  <!-- continues -->                    the block goes on where the page's block before it ended
  <!-- not compiled: REASON -->         left out; the reason is required

On how-to pages each block begins with its #include lines, so that it can be copied.
"""

import argparse
import pathlib
import re
import sys

STANDARD_HEADERS = (
    "algorithm array cstddef cstdint cstdio filesystem fstream functional iostream iterator latch map "
    "memory optional span sstream stdexcept string string_view thread tuple utility vector"
).split()


class PageError(Exception):
    pass


def blocks(text):
    """Yields (line number, directive or "", code) for each ```cpp block."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        opening = re.fullmatch(r"( *)```(cpp|c\+\+)\s*", lines[at])
        if not opening:
            at += 1
            continue
        before = at - 1
        while before >= 0 and not lines[before].strip():
            before -= 1
        comment = re.fullmatch(r"\s*<!--\s*(.*?)\s*-->\s*", lines[before]) if before >= 0 else None
        start = at + 1
        end = start
        while end < len(lines) and lines[end].strip() != "```":
            end += 1
        if end == len(lines):
            raise PageError(f"line {at + 1}: the block has no end")
        indent = len(opening.group(1))
        code = [line[indent:] if line[:indent].isspace() or not indent else line for line in lines[start:end]]
        yield start + 1, comment.group(1) if comment else "", code
        at = end + 1


def hoist(code):
    """Splits the lines into #include lines and the rest; each include leaves an empty line."""
    includes = [line for line in code if re.match(r"\s*#\s*include\b", line)]
    rest = ["" if re.match(r"\s*#\s*include\b", line) else line for line in code]
    return includes, rest


def units(page):
    """The compiled blocks of a page: where each unit starts, how it is compiled, and [(line, code)]."""
    result = []
    previous = None
    for line, directive, code in blocks(page.read_text(encoding="utf-8")):
        if directive.startswith("not compiled"):
            if not re.match(r"not compiled:\s*\S", directive):
                raise PageError(f"line {line}: say why: <!-- not compiled: REASON -->")
            previous = None
            continue
        if directive == "continues":
            if previous is None:
                raise PageError(f"line {line}: nothing to continue")
            previous["parts"].append((line, code))
            continue
        first = next((text for text in code if text.strip()), "")
        if page.parent.name == "how-to" and not re.match(r"\s*#\s*include\b", first):
            raise PageError(f"line {line}: the block does not begin with its #include lines")
        setup = re.match(r"compile:\s*(.*)", directive)
        setup = setup.group(1) if setup else ""
        previous = {
            "line": line,
            "file_scope": setup == "file",
            "prelude": "" if setup == "file" else setup,
            "parts": [(line, code)],
        }
        result.append(previous)
    return result


def is_program(unit):
    return any(re.search(r"\bint\s+main\s*\(", "\n".join(code)) for _, code in unit["parts"])


def printed(page, line, code):
    """The lines, after a #line directive that makes compilers name the page and its line."""
    return [f'#line {line} "{page.name}"', *code]


def program(page, unit):
    return [text for line, code in unit["parts"] for text in printed(page, line, code)]


def fragments(page, page_units):
    """One file with all units that are fragments."""
    includes = ["#include <neardup/neardup.hpp>", *(f"#include <{header}>" for header in STANDARD_HEADERS)]
    body = []
    for unit in page_units:
        function = f"fragment_{stem(page)}_{unit['line']}"
        if not unit["file_scope"]:
            body += [f"static void {function}() {{", unit["prelude"]]
        for line, code in unit["parts"]:
            hoisted, rest = hoist(code)
            includes += hoisted
            body += printed(page, line, rest)
        if not unit["file_scope"]:
            body += ["}", f"[[maybe_unused]] static void (*const use_{function})() = &{function};"]
    return includes + body


def stem(page):
    return re.sub(r"\W", "_", page.stem.lower())


def files(page):
    """The files that a page gives: {name: lines}."""
    result = {}
    in_functions = []
    for unit in units(page):
        if is_program(unit):
            result[f"{stem(page)}_{unit['line']:03}_program.cpp"] = program(page, unit)
        elif unit["file_scope"]:
            result[f"{stem(page)}_{unit['line']:03}_fragment.cpp"] = fragments(page, [unit])
        else:
            in_functions.append(unit)
    if in_functions:
        result[f"{stem(page)}_fragments.cpp"] = fragments(page, in_functions)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for the files")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()

    arguments.out.mkdir(parents=True, exist_ok=True)
    written = set()
    for page in arguments.pages:
        try:
            page_files = files(page)
        except PageError as error:
            sys.exit(f"{page}: {error}")
        for name, lines in page_files.items():
            path = arguments.out / name
            text = "\n".join(lines) + "\n"
            # An unchanged file is left untouched, so that it is not compiled again.
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
            written.add(path)
    for path in arguments.out.glob("*.cpp"):
        if path not in written:
            path.unlink()


if __name__ == "__main__":
    main()
