#!/usr/bin/env python3
"""Writes include/neardup/text/kernels/unicode_tables.hpp from the Unicode Character Database.

Usage: make_unicode_tables.py [--data DIR] [--output FILE] [--check | --summary]

  (no mode)   write the header
  --check     say whether the header is what this program would write; exit 1 if it is not,
              77 (skipped) if the database is not installed in the right version
  --summary   print the golden values of tests/text/unicode_test.cpp, taken from other files of the
              database than the tables are, and compare with Python's own unicodedata

DIR is where Debian's package unicode-data puts the database.

How a character gets its class (the classes are those of neardup::character_class), the first line that holds:
  ignored     Default_Ignorable_Code_Point
  pictograph  Extended_Pictographic, but for the three signs of PLAIN_SIGNS; Emoji_Modifier
  regional    Regional_Indicator
  mark    general category M
  other   any category that is not L, M or N; unassigned code points and surrogates with them
  han     L or N, script Han
  lone    L or N, a script written without spaces (SPACELESS below)
  letter  any other L or N
The script is that of Scripts.txt. Characters that Scripts.txt gives to no script (Common, Inherited)
go by ScriptExtensions.txt where all the scripts named there are Han or written without spaces: so
U+30FC, the sound mark that kana share, is lone, U+3006 and U+3220 are han, but U+0660 stays a letter.
"""

import argparse
import pathlib
import re
import sys

# Tokens depend on these tables, and fingerprints on tokens, so another version would change stored data.
VERSION = "15.0.0"

OTHER, LETTER, MARK, LONE, HAN, IGNORED, PICTOGRAPH, REGIONAL = range(8)
CLASS_NAMES = ["other", "letter", "mark", "lone", "han", "ignored", "pictograph", "regional"]
HAS_LOWER = 8

# The copyright, registered and trade mark signs are pictographs to Unicode, but punctuation in most texts.
PLAIN_SIGNS = {0xA9, 0xAE, 0x2122}

# Line_Break=SA ("complex context dependent") marks most scripts without spaces; collect() compares the two lists. The
# others allow a break between any two characters (ID), or that property does not cover them.
SPACELESS_SA = {
    "Ahom", "Khmer", "Lao", "Myanmar", "New_Tai_Lue", "Tai_Le", "Tai_Tham", "Tai_Viet", "Thai",
}
SPACELESS_OTHER = {"Hiragana", "Katakana", "Khitan_Small_Script", "Nushu", "Tangut", "Yi"}
SPACELESS = SPACELESS_SA | SPACELESS_OTHER
NO_SCRIPT = {"Common", "Inherited", None}

# Properties that take precedence over the general category; a later one overrides an earlier one.
OVERRIDES = [
    ("emoji/emoji-data.txt", "Extended_Pictographic", PICTOGRAPH),
    ("emoji/emoji-data.txt", "Emoji_Modifier", PICTOGRAPH),
    ("PropList.txt", "Regional_Indicator", REGIONAL),
    ("DerivedCoreProperties.txt", "Default_Ignorable_Code_Point", IGNORED),
]

CODE_POINTS = 0x110000
LEAF = 16  # code points in a 64-bit word of the table, four bits each
PAGE = 256  # code points in a page: a row of LEAF indices

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "include/neardup/text/kernels/unicode_tables.hpp"


class NotInstalled(Exception):
    """The database is missing, or of another version."""


def properties(path):
    """Yields (first, last, value) of a file in the format `0041..005A ; Latin # comment`."""
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if len(fields) >= 2:
            first, _, last = fields[0].partition("..")
            yield int(first, 16), int(last or first, 16), fields[1]


def by_code_point(path):
    """Returns the property as a list with one value (or None) for each code point."""
    values = [None] * CODE_POINTS
    for first, last, value in properties(path):
        values[first : last + 1] = [value] * (last + 1 - first)
    return values


def code_points_with(path, value):
    """Returns all code points to which a file gives the value."""
    return {i for first, last, found in properties(path) if found == value for i in range(first, last + 1)}


def unicode_data(path):
    """Returns the general category of each code point and the simple lower case {upper: lower}."""
    categories = ["Cn"] * CODE_POINTS
    lower = {}
    range_first = None
    for line in path.read_text(encoding="ascii").splitlines():
        fields = line.split(";")
        code_point = int(fields[0], 16)
        if fields[1].endswith(", First>"):
            range_first = code_point
            continue
        first = range_first if fields[1].endswith(", Last>") else code_point
        categories[first : code_point + 1] = [fields[2]] * (code_point + 1 - first)
        if fields[13]:
            lower[code_point] = int(fields[13], 16)
    return categories, lower


def check_version(data):
    try:
        with open(data / "Scripts.txt", encoding="utf-8") as file:
            found = re.match(r"# Scripts-([\d.]+)\.txt", file.readline()).group(1)
    except OSError as error:
        raise NotInstalled(f"{error} (Debian: apt-get install unicode-data)") from error
    if found != VERSION:
        raise NotInstalled(f"{data} holds Unicode {found}, the tables are of Unicode {VERSION}")


def collect(data):
    """Returns the class of each code point and the simple lower case."""
    categories, lower = unicode_data(data / "UnicodeData.txt")
    scripts = by_code_point(data / "Scripts.txt")
    breaks = by_code_point(data / "LineBreak.txt")
    extensions = by_code_point(data / "ScriptExtensions.txt")

    long_names = {}
    for line in (data / "PropertyValueAliases.txt").read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if fields[0] == "sc":
            long_names[fields[1]] = fields[2]

    classes = [OTHER] * CODE_POINTS
    sa_scripts = set()
    for code_point, category in enumerate(categories):
        if category[0] == "M":
            classes[code_point] = MARK
        elif category[0] in "LN":
            script = {scripts[code_point]}
            if script <= NO_SCRIPT and extensions[code_point]:
                script = {long_names[name] for name in extensions[code_point].split()}
            if script == {"Han"}:
                classes[code_point] = HAN
            elif script <= SPACELESS | {"Han"}:
                classes[code_point] = LONE
            else:
                classes[code_point] = LETTER
            if breaks[code_point] == "SA":
                sa_scripts |= script
    for file, value, character_class in OVERRIDES:
        for code_point in code_points_with(data / file, value):
            classes[code_point] = character_class
    for code_point in PLAIN_SIGNS:
        classes[code_point] = OTHER
    if sa_scripts != SPACELESS_SA:
        sys.exit(f"scripts with Line_Break=SA: {sorted(sa_scripts)}, expected {sorted(SPACELESS_SA)}")
    return classes, lower


def deduplicate(rows):
    """Returns the distinct rows in order of appearance, and for each row its index among them."""
    place = {}
    places = [place.setdefault(row, len(place)) for row in rows]
    return list(place), places


def wrap(items, indent="  ", width=120):
    """Returns the items, separated by commas, as lines of at most `width` columns."""
    lines = [indent]
    for item in items:
        if len(lines[-1]) + len(item) + 1 > width:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += item + ", "
    return [line.rstrip() for line in lines]


def make_header(classes, lower):
    codes = [c | HAS_LOWER if i in lower else c for i, c in enumerate(classes)]

    # Behind the ideographs there are only ignored code points of plane 14: one comparison replaces 2800 pages.
    end = max(i for i, code in enumerate(codes) if code and i < 0xE0000) // PAGE * PAGE + PAGE
    tail = [i for i in range(end, CODE_POINTS) if codes[i]]
    assert tail == list(range(tail[0], tail[-1] + 1)) and {codes[i] for i in tail} == {IGNORED}

    words = [
        sum(code << 4 * i for i, code in enumerate(codes[first : first + LEAF])) for first in range(0, end, LEAF)
    ]
    leaves, leaf_of = deduplicate(words)
    per_page = PAGE // LEAF
    pages, page_of = deduplicate([tuple(leaf_of[i : i + per_page]) for i in range(0, len(leaf_of), per_page)])
    assert len(pages) <= 256

    # The table tells which characters have a lower case, so a step does not need an end.
    steps = []
    for code_point, small in sorted(lower.items()):
        if not steps or steps[-1][1] != small - code_point:
            steps.append((code_point, small - code_point))

    # Check: the tables, read as the C++ code does, give back what they were made from.
    for i in range(end):
        code = leaves[pages[page_of[i // PAGE]][i % PAGE // LEAF]] >> 4 * (i % LEAF) & 15
        assert code == codes[i]
        if code & HAS_LOWER:
            assert i + max(step for step in steps if step[0] <= i)[1] == lower[i]
    assert max(lower) < end

    return "\n".join(
        [
            "// SPDX-License-Identifier: MIT AND Unicode-DFS-2016",
            "// Classes and lower case of all code points, as compact tables.",
            "// Made by tools/make_unicode_tables.py from the Unicode Character Database: do not edit.",
            "// Copyright (c) 1991-2022 Unicode, Inc., https://www.unicode.org/license.txt",
            "#pragma once",
            "",
            "#include <cstdint>",
            "#include <string_view>",
            "",
            "namespace neardup::inline v0::detail {",
            "",
            f'inline constexpr std::string_view unicode_tables_version = "{VERSION}";',
            "",
            "// clang-format off",
            "",
            "// Code points from unicode_table_end on are `other`, except the range of the tail, which is ignored.",
            f"inline constexpr char32_t unicode_table_end = 0x{end:x};",
            f"inline constexpr char32_t unicode_tail_first = 0x{tail[0]:x}, unicode_tail_last = 0x{tail[-1]:x};",
            "",
            "// unicode_pages[code point / 256] is a row of unicode_rows.",
            f"inline constexpr std::uint8_t unicode_pages[{len(page_of)}] = {{",
            *wrap(map(str, page_of)),
            "};",
            "",
            "// unicode_rows[16 * row + code point / 16 % 16] indexes unicode_words.",
            f"inline constexpr std::uint16_t unicode_rows[{per_page * len(pages)}] = {{",
            *wrap(str(leaf) for page in pages for leaf in page),
            "};",
            "",
            "// Four bits per code point, lowest first: its character_class, plus 8 if it has a lower case.",
            f"inline constexpr std::uint64_t unicode_words[{len(leaves)}] = {{",
            *wrap(f"0x{leaf:016x}" for leaf in leaves),
            "};",
            "",
            "// A range of code points: from `from` up to the `from` of the next element. The lower case of a code point c of the",
            "// range, if c has a lower case, is c + delta.",
            "struct unicode_lower_step {",
            "  char32_t from;",
            "  std::int32_t delta;",
            "};",
            f"inline constexpr unicode_lower_step unicode_lower_steps[{len(steps)}] = {{",
            *wrap(f"{{0x{first:x}, {delta}}}" for first, delta in steps),
            "};",
            "",
            "// clang-format on",
            "}  // namespace neardup::inline v0::detail",
            "",
        ]
    )


def summary(data):
    """Prints the golden values, computed independently: from files of derived properties, in whole ranges, without tables."""
    import unicodedata

    mask, prime, basis = 2**64 - 1, 0x100000001B3, 0xCBF29CE484222325
    general = list(properties(data / "extracted/DerivedGeneralCategory.txt"))
    classes = bytearray(CODE_POINTS)
    for first, last, category in general:
        if category[0] in "LN":
            classes[first : last + 1] = bytes([LETTER]) * (last + 1 - first)
    is_letter = bytes(classes)
    assigned = [(f, l, LONE) for f, l, s in properties(data / "Scripts.txt") if s in SPACELESS]
    assigned += [(f, l, HAN) for f, l, s in properties(data / "Scripts.txt") if s == "Han"]
    shared = {"Hani": HAN, "Hira Kana": LONE, "Hani Hira Kana": LONE}
    unshared = set()  # real scripts keep their characters, whatever ScriptExtensions.txt adds
    for first, last, script in properties(data / "Scripts.txt"):
        if script not in NO_SCRIPT:
            unshared.update(range(first, last + 1))
    for first, last, scripts in properties(data / "ScriptExtensions.txt"):
        if scripts in shared:
            assigned += [(i, i, shared[scripts]) for i in range(first, last + 1) if i not in unshared]
    for first, last, value in assigned:
        for i in range(first, last + 1):
            if is_letter[i]:
                classes[i] = value
    for first, last, category in general:
        if category[0] == "M":
            classes[first : last + 1] = bytes([MARK]) * (last + 1 - first)

    for first, last, value in properties(data / "emoji/emoji-data.txt"):
        if value in ("Extended_Pictographic", "Emoji_Modifier"):
            for i in range(first, last + 1):
                classes[i] = OTHER if i in PLAIN_SIGNS else PICTOGRAPH
    for first, last, value in properties(data / "auxiliary/GraphemeBreakProperty.txt"):
        if value == "Regional_Indicator":
            classes[first : last + 1] = bytes([REGIONAL]) * (last + 1 - first)
    for first, last, value in properties(data / "DerivedCoreProperties.txt"):
        if value == "Default_Ignorable_Code_Point":
            classes[first : last + 1] = bytes([IGNORED]) * (last + 1 - first)

    digest = basis
    for value in classes:
        digest = (digest ^ value) * prime & mask
    for value, name in enumerate(CLASS_NAMES):
        print(f"{name:<12}{classes.count(value)}")
    print(f"classes {digest:#018x}")

    digest, count = basis, 0
    for line in (data / "UnicodeData.txt").read_text(encoding="ascii").splitlines():
        found = re.match(r"([0-9A-F]+);(?:[^;]*;){12}([0-9A-F]+);", line)
        if found:
            count += 1
            for value in found.groups():
                digest = (digest ^ int(value, 16)) * prime & mask
    print(f"lowered {count}\nlower   {digest:#018x}")

    # Python has tables of another version: compare the characters that it knows, too, and count the differences.
    collected, lower = collect(data)
    assert collected == list(classes)
    differing = 0
    for i in range(CODE_POINTS):
        category = unicodedata.category(chr(i))
        if category != "Cn":
            expected = {"M": [MARK], "L": [LETTER, LONE, HAN], "N": [LETTER, LONE, HAN]}.get(category[0], [OTHER])
            if collected[i] >= IGNORED:  # Python knows nothing of these properties
                expected = [collected[i]]
            small = chr(i).lower()
            same_lower = ord(small) == lower.get(i, i) if len(small) == 1 else i == 0x130
            differing += collected[i] not in expected or not same_lower
    print(f"python, Unicode {unicodedata.unidata_version}: {differing} of its characters differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("/usr/share/unicode"))
    parser.add_argument("--output", type=pathlib.Path, default=HEADER)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    try:
        check_version(options.data)
    except NotInstalled as error:
        print(f"make_unicode_tables.py: {error}", file=sys.stderr)
        return 77
    if options.summary:
        summary(options.data)
        return 0
    header = make_header(*collect(options.data))
    if options.check:
        current = options.output.read_text(encoding="utf-8") if options.output.exists() else ""
        if current != header:
            print(f"{options.output} is not what make_unicode_tables.py writes: run it", file=sys.stderr)
        return int(current != header)
    options.output.write_text(header, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
