#!/usr/bin/env python3
"""Writes include/neardup/text/kernels/canonical_tables.hpp from the Unicode Character Database.

Usage: make_canonical_tables.py [--data DIR] [--output FILE] [--check | --summary]

  (no mode)   write the header
  --check     say whether the header is what this program would write; exit 1 if it is not,
              77 (skipped) if the database is not installed in the right version
  --summary   print how many code points are of each kind, and how large the tables are

DIR is where Debian's package unicode-data puts the database.

What becomes of a code point in canonical text (docs/fingerprint.md says how the steps are put together):
  dropped     Default_Ignorable_Code_Point; the three that only lengthen a word: U+0640, U+07FA, U+180A; and the marks of
              Hebrew and Arabic (category Mn, blocks POINTED below, U+FB1E), which most texts leave out
  mapped      presentation forms (blocks PRESENTATION below) and letters in another font (<font> in field 5 of
              UnicodeData.txt) become what they are a form of: field 5, once; then the canonical decomposition, the full case folding (C and F of CaseFolding.txt), the canonical
              decomposition again, and the simple lower case, which changes Cherokee only; at last the spellings SPELLINGS
  others      their simple lower case
"""

import argparse
import pathlib
import sys

from make_unicode_tables import (
    CODE_POINTS, LEAF, LETTER, PAGE, ROOT, NotInstalled, by_code_point, check_version, collect, deduplicate, properties,
    unicode_data, wrap,
)

HEADER = ROOT / "include/neardup/text/kernels/canonical_tables.hpp"

# These blocks contain only other forms of characters that have their code points elsewhere; they exist for
# compatibility with older character sets. Superscripts and circled letters are not among them, because there the form
# has a meaning.
PRESENTATION = {
    "Alphabetic Presentation Forms", "Arabic Presentation Forms-A", "Arabic Presentation Forms-B",
    "Halfwidth and Fullwidth Forms",
}
LENGTHENERS = {0x0640, 0x07FA, 0x180A}
POINTED = {"Hebrew", "Arabic", "Arabic Extended-A", "Arabic Extended-B", "Arabic Extended-C"}
HEBREW_VARIKA = 0xFB1E
# Letters that people type instead of each other: alef wasla and alef; the Persian and the Arabic kaf and yeh; the
# dotless i, which is the lower case of I in Turkish; and modifier letters used as apostrophes.
SPELLINGS = {
    0x0671: 0x0627, 0x06A9: 0x0643, 0x06CC: 0x064A, 0x0131: 0x0069, 0x02BB: 0x0027, 0x02BC: 0x0027, 0x02BD: 0x0027,
}
IOTA_BELOW, IOTA = 0x345, 0x3B9
CIRCLED_M = 0x24C2
CASED = {"Lu", "Ll", "Lt"}
DOT_ABOVE, SMALL_I = 0x307, 0x69
ABOVE = 230  # combining class of a mark above its letter

PLAIN, ORDERED, SECOND, DROPPED, MAPPED, STABLE = range(6)
KIND_NAMES = ["plain", "ordered", "second", "dropped", "mapped", "stable"]
KIND_SHIFT = 13

L_FIRST, V_FIRST, T_FIRST = 0x1100, 0x1161, 0x11A7
L_COUNT, V_COUNT, T_COUNT = 19, 21, 28


class Characters:
    """The database's properties, and canonical text by them, one code point after the other."""

    def __init__(self, data):
        self.categories, self.lower = unicode_data(data / "UnicodeData.txt")
        classes, _ = collect(data)
        self.cased = {
            c for c, category in enumerate(self.categories) if category in CASED and classes[c] == LETTER
        }
        self.capitals = {c for c in self.cased if self.categories[c] != "Ll" and c not in self.lower}
        assert not any(self.categories[c] == "Ll" and c in self.lower for c in self.cased)
        self.combining, self.canonical, self.compatible, self.fonts = {}, {}, {}, set()
        for line in (data / "UnicodeData.txt").read_text(encoding="ascii").splitlines():
            fields = line.split(";")
            code_point = int(fields[0], 16)
            if fields[3] != "0":
                self.combining[code_point] = int(fields[3])
            if fields[5].startswith("<"):
                self.compatible[code_point] = [int(part, 16) for part in fields[5].split()[1:]]
                if fields[5].startswith("<font>"):
                    self.fonts.add(code_point)
            elif fields[5]:
                self.canonical[code_point] = [int(part, 16) for part in fields[5].split()]
        self.ignorable = set()
        for first, last, value in properties(data / "DerivedCoreProperties.txt"):
            if value == "Default_Ignorable_Code_Point":
                self.ignorable.update(range(first, last + 1))
        blocks = by_code_point(data / "Blocks.txt")
        self.points = {HEBREW_VARIKA} | {
            c for c, block in enumerate(blocks) if block in POINTED and self.categories[c] == "Mn"
        }
        self.dropped = self.ignorable | LENGTHENERS | self.points
        excluded = set()
        for first, last, value in properties(data / "DerivedNormalizationProps.txt"):
            if value == "Full_Composition_Exclusion":
                excluded.update(range(first, last + 1))
        self.composites = {tuple(parts): c for c, parts in self.canonical.items() if c not in excluded}
        assert all(len(pair) == 2 for pair in self.composites)
        self.folding = {}
        for line in (data / "CaseFolding.txt").read_text(encoding="utf-8").splitlines():
            fields = [field.strip() for field in line.split("#")[0].split(";")]
            if len(fields) >= 3 and fields[1] in "CF":
                self.folding[int(fields[0], 16)] = [int(part, 16) for part in fields[2].split()]
        # An emoji; its lower case is not an emoji.
        del self.lower[CIRCLED_M], self.folding[CIRCLED_M]
        self.presentation = {
            c: to for c, to in self.compatible.items() if blocks[c] in PRESENTATION or c in self.fonts
        }

        # The order of the steps relies on these properties.
        assert all(self.categories[c][0] == "M" for c in self.combining)
        assert not any(c in self.combining or c in self.canonical for c in self.dropped - self.points)
        assert not any(c in self.canonical for c in self.points)
        assert not any(part in self.dropped - self.points or part in self.presentation
                       for parts in self.canonical.values() for part in parts)
        assert not any(c in self.canonical for c in SPELLINGS) and not SPELLINGS.keys() & set(SPELLINGS.values())
        assert [c for c, order in self.combining.items() if order == 240] == [IOTA_BELOW]

    def decompose(self, code_points):
        """Full canonical decompositions, without reordering; Hangul syllables stay."""
        result = []
        for c in code_points:
            result += self.decompose(self.canonical[c]) if c in self.canonical else [c]
        return result

    def mapping(self, c):
        """What a code point becomes before marks are ordered and composed; U+0345 stays until then."""
        result = self.decompose(self.presentation.get(c, [c]))
        result = [part for part in result if part not in self.dropped]
        result = [part if part == IOTA_BELOW else folded for part in result
                  for folded in ([part] if part == IOTA_BELOW else self.folding.get(part, [part]))]
        result = [self.lower.get(part, part) for part in self.decompose(result)]
        return [SPELLINGS.get(part, part) for part in result]

    def order(self, c):
        return self.combining.get(c, 0)

    def compose_pair(self, first, second):
        if L_FIRST <= first < L_FIRST + L_COUNT and V_FIRST <= second < V_FIRST + V_COUNT:
            return 0xAC00 + ((first - L_FIRST) * V_COUNT + second - V_FIRST) * T_COUNT
        if 0xAC00 <= first < 0xD7A4 and (first - 0xAC00) % T_COUNT == 0 and T_FIRST < second < T_FIRST + T_COUNT:
            return first + second - T_FIRST
        return self.composites.get((first, second))

    def canonical_text(self, code_points):
        """Canonical text, except for what is between words: the documented rule, without a limit on the number of marks."""
        decomposed = [part for c in code_points if c not in self.dropped for part in self.mapping(c)]
        ordered, marks = [], []
        for c in [*decomposed, None]:
            if c is not None and self.order(c):
                marks.append(c)
                continue
            marks.sort(key=self.order)
            above = [m for m in marks if self.order(m) == ABOVE]
            while ordered and ordered[-1] == SMALL_I and above and above[0] == DOT_ABOVE:
                marks.remove(above.pop(0))
            ordered += [IOTA if m == IOTA_BELOW else m for m in marks] + ([] if c is None else [c])
            marks = []
        result, starter, last = [], None, -1
        for c in ordered:
            order = self.order(c)
            composite = self.compose_pair(result[starter], c) if starter is not None and last < order else None
            if composite is not None:
                result[starter] = composite
                continue
            if order == 0:
                starter, last = len(result), -1
            else:
                last = order
            result.append(c)
        return result


class Tables:
    def __init__(self, characters):
        self.characters = characters
        by_second = {}
        for (first, second), composite in characters.composites.items():
            # Letters are lower-cased before they are composed, and by then U+0345 is a letter.
            if characters.mapping(first) != characters.decompose([first]) or second == IOTA_BELOW:
                continue
            if second in characters.dropped:
                continue
            assert composite not in characters.lower
            by_second.setdefault(second, []).append((first, composite))
        by_second.setdefault(DOT_ABOVE, [])
        no_pairs = {IOTA_BELOW: [], **{c: [] for c in range(V_FIRST, V_FIRST + V_COUNT)},
                    **{c: [] for c in range(T_FIRST + 1, T_FIRST + T_COUNT)}}
        assert not by_second.keys() & no_pairs.keys()

        # Code points that may compose with the one before them. The jamo share one entry, because they compose by
        # arithmetic.
        self.seconds, self.pairs, place_of = [], [], {}
        for second, pairs in sorted({**by_second, **no_pairs}.items()):
            entry = (characters.order(second), len(self.pairs), len(pairs))
            if not pairs and entry[0] == 0:
                entry = (0, 0, 0)
            if entry not in self.seconds:
                self.seconds.append(entry)
            place_of[second] = self.seconds.index(entry)
            self.pairs += sorted(pairs)

        # Mappings to one unit come first: for these, the pool has no number of units.
        found = [self.code(c, place_of) for c in range(CODE_POINTS)]
        mappings = dict.fromkeys(code[1] for code in found if isinstance(code, tuple))
        self.pool = [unit for units in mappings if len(units) == 1 for unit in units]
        self.singles = len(self.pool)
        place_in_pool = {(unit,): i for i, unit in enumerate(self.pool)}
        for units in mappings:
            if len(units) > 1:
                place_in_pool[units] = len(self.pool)
                self.pool += [len(units), *units]
        assert max(place_in_pool.values()) < 1 << KIND_SHIFT
        self.codes = [c[0] << KIND_SHIFT | place_in_pool[c[1]] if isinstance(c, tuple) else c for c in found]

    def code(self, c, place_of):
        """The entry of a code point, or its kind and the units that it is mapped to."""
        characters = self.characters
        if c in characters.dropped:
            return DROPPED << KIND_SHIFT
        mapping = characters.mapping(c)
        if not mapping:
            return DROPPED << KIND_SHIFT
        lower = characters.lower.get(c, c)
        if mapping == [lower]:
            if c in place_of:
                return SECOND << KIND_SHIFT | place_of[c]
            is_mark = characters.categories[c][0] == "M"
            return ORDERED << KIND_SHIFT | characters.order(c) if is_mark else PLAIN
        units = tuple(unit for part in mapping for unit in utf_16(part))
        # A mark that is mapped is never stable: its effect depends on what precedes it.
        is_mark = characters.categories[c][0] == "M" or characters.order(mapping[0])
        # Characters between words stay between words, in whichever form.
        is_between = all(characters.categories[part][0] not in "LMN" for part in [c, *mapping])
        stable = (characters.canonical_text([c]) == [lower] or is_between) and not is_mark
        return (STABLE if stable else MAPPED), units


def utf_16(c):
    return [c] if c < 0x10000 else [0xD7C0 + (c >> 10), 0xDC00 + (c & 0x3FF)]


def edges(code_points):
    """The first code point of each run, and the one behind its last, in turn."""
    return sorted(code_points ^ {c + 1 for c in code_points})


def make_header(characters):
    tables = Tables(characters)
    codes = tables.codes
    end = max(i for i, code in enumerate(codes) if code and i < 0xE0000) // PAGE * PAGE + PAGE
    tail = [i for i in range(end, CODE_POINTS) if codes[i]]
    assert tail == list(range(0xE0000, 0xE1000)) and {codes[i] for i in tail} == {DROPPED << KIND_SHIFT}

    leaves, leaf_of = deduplicate([tuple(codes[first : first + LEAF]) for first in range(0, end, LEAF)])
    per_page = PAGE // LEAF
    pages, page_of = deduplicate([tuple(leaf_of[i : i + per_page]) for i in range(0, len(leaf_of), per_page)])
    assert len(pages) <= 256
    for i in range(end):
        assert codes[i] == leaves[pages[page_of[i // PAGE]][i // LEAF % per_page]][i % LEAF]

    size = len(page_of) + 2 * per_page * len(pages) + 2 * LEAF * len(leaves) + 2 * len(tables.pool)
    cased, capitals = edges(characters.cased), edges(characters.capitals)
    size += 4 * len(tables.seconds) + 8 * len(tables.pairs) + 4 * (len(cased) + len(capitals))
    rows = [row for page in pages for row in page]
    header = [
        "// SPDX-License-Identifier: MIT AND Unicode-DFS-2016",
        "// Compact tables of canonical text: which code points are dropped, decomposed, folded and composed.",
        "// Made by tools/make_canonical_tables.py from the Unicode Character Database: do not edit.",
        "// Copyright (c) 1991-2022 Unicode, Inc., https://www.unicode.org/license.txt",
        "#pragma once",
        "",
        "#include <cstddef>",
        "#include <cstdint>",
        "",
        "namespace neardup::inline v0::detail {",
        "",
        "// clang-format off",
        "",
        "// Code points from canonical_table_end on are plain, except the range of the tail, which is dropped.",
        f"inline constexpr char32_t canonical_table_end = 0x{end:x};",
        f"inline constexpr char32_t canonical_tail_first = 0x{tail[0]:x}, canonical_tail_last = 0x{tail[-1]:x};",
        "",
        f"// canonical_pages[code point / 256] is a row of canonical_rows, of {per_page} entries.",
        f"inline constexpr std::uint8_t canonical_pages[{len(page_of)}] = {{",
        *wrap(map(str, page_of)),
        "};",
        "",
        f"// canonical_rows[16 * row + code point / 16 % 16] is a row of canonical_leaves, of {LEAF} entries.",
        f"inline constexpr std::uint16_t canonical_rows[{per_page * len(pages)}] = {{",
        *wrap(map(str, rows)),
        "};",
        "",
        "// An entry has the canonical_kind in its three highest bits. The lower bits are:",
        "//   ordered: the combining class;  second: the index in canonical_seconds;",
        "//   mapped, stable: the index in canonical_pool of one UTF-16 unit, if the index is below canonical_singles; otherwise",
        "//   of the number of units, which follow.",
        f"inline constexpr std::uint16_t canonical_leaves[{LEAF * len(leaves)}] = {{",
        *wrap(f"{code}" for leaf in leaves for code in leaf),
        "};",
        "",
        f"inline constexpr std::size_t canonical_singles = {tables.singles};",
        f"inline constexpr char16_t canonical_pool[{len(tables.pool)}] = {{",
        *wrap(map(str, tables.pool)),
        "};",
        "",
        "// A character that may compose with the character before it: its combining class, and its run of canonical_pairs.",
        "struct canonical_second {",
        "  std::uint8_t combining_class, pairs;",
        "  std::uint16_t first_pair;",
        "};",
        f"inline constexpr canonical_second canonical_seconds[{len(tables.seconds)}] = {{",
        *wrap(f"{{{order}, {count}, {first}}}" for order, first, count in tables.seconds),
        "};",
        "",
        "// The composite of `first` and a second character. The pairs of a second character are adjacent, and ascend by `first`.",
        "struct canonical_pair {",
        "  char32_t first, composite;",
        "};",
        f"inline constexpr canonical_pair canonical_pairs[{len(tables.pairs)}] = {{",
        *wrap(f"{{0x{first:x}, 0x{composite:x}}}" for first, composite in tables.pairs),
        "};",
        "",
        "// cased_edges has the letters of category Lu, Ll or Lt. The second list has the letters of Lu or Lt without a simple",
        "// lower case, such as mathematical capitals. A list alternates between the first code point of a run and the code point",
        "// behind its last.",
        f"inline constexpr char32_t cased_edges[{len(cased)}] = {{",
        *wrap(f"0x{c:x}" for c in cased),
        "};",
        f"inline constexpr char32_t fixed_capital_edges[{len(capitals)}] = {{",
        *wrap(f"0x{c:x}" for c in capitals),
        "};",
        "",
        "// clang-format on",
        "}  // namespace neardup::inline v0::detail",
        "",
    ]
    kinds = [sum(code >> KIND_SHIFT == kind for code in codes) for kind in range(len(KIND_NAMES))]
    summary = [f"{name:<8}{count}" for name, count in zip(KIND_NAMES, kinds)]
    summary += [f"pairs   {len(tables.pairs)}", f"pool    {len(tables.pool)} units", f"size    {size} bytes",
                f"lines   {len(header) - 1}"]
    return "\n".join(header), "\n".join(summary)


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
        print(f"make_canonical_tables.py: {error}", file=sys.stderr)
        return 77
    header, summary = make_header(Characters(options.data))
    if options.summary:
        print(summary)
        return 0
    if options.check:
        current = options.output.read_text(encoding="utf-8") if options.output.exists() else ""
        if current != header:
            print(f"{options.output} is not what make_canonical_tables.py writes: run it", file=sys.stderr)
        return int(current != header)
    options.output.write_text(header, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
