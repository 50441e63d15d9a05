#!/usr/bin/env python3
"""Writes include/neardup/text/kernels/reference_tables.hpp from the character references of HTML that Python knows.

Usage: make_reference_tables.py [--output FILE] [--check | --summary]

  (no mode)   write the header
  --check     say whether the header is what this program would write; exit 1 if it is not
  --summary   print how many names there are, and how large the tables are

The names are those of HTML 5 with a semicolon. A number from 128 to 159 is a character of windows-1252, as HTML says.
"""

import argparse
import html
import html.entities
import pathlib
import sys

from make_unicode_tables import ROOT, wrap

HEADER = ROOT / "include/neardup/text/kernels/reference_tables.hpp"
SURROGATE = 0xD800
LITERAL = 112  # characters of a line


def names_and_values():
    """Returns (name, text) without the semicolon, shorter names first."""
    named = {name[:-1]: text for name, text in html.entities.html5.items() if name.endswith(";")}
    return sorted(named.items(), key=lambda item: (len(item[0]), item[0]))


def units(text):
    """Returns the text as two UTF-16 units, the second one 0 if one is enough."""
    encoded = text.encode("utf-16-le")
    parts = [int.from_bytes(encoded[i:i + 2], "little") for i in range(0, len(encoded), 2)]
    assert len(parts) in (1, 2)
    return parts


def make_header():
    rows = names_and_values()
    longest = len(rows[-1][0])
    counts = [sum(len(name) == size for name, _ in rows) for size in range(longest + 1)]
    names = "".join(name for name, _ in rows)
    longer = list(dict.fromkeys(tuple(units(text)) for _, text in rows if len(units(text)) > 1))
    shown = [units(text)[0] if len(units(text)) == 1 else SURROGATE + longer.index(tuple(units(text))) for _, text in rows]
    windows = [ord(html.unescape(f"&#{number};")) for number in range(0x80, 0xA0)]
    header = [
        "// SPDX-License-Identifier: MIT",
        "// The characters of the character references of HTML: &eacute; and all other names of HTML 5, and numbers.",
        "// Made by tools/make_reference_tables.py: do not edit.",
        "#pragma once",
        "",
        "#include <cstddef>",
        "#include <cstdint>",
        "",
        "namespace neardup::inline v0::detail {",
        "",
        "// clang-format off",
        "",
        f"inline constexpr std::size_t longest_reference_name = {longest};",
        "",
        "// Indexed by length: the number of names with that many characters.",
        f"inline constexpr std::uint16_t reference_counts[{longest + 1}] = {{",
        *wrap(map(str, counts)),
        "};",
        "",
        "// The names of HTML character references without & and semicolon, by ascending length. Names of equal length are in",
        "// byte order.",
        "inline constexpr char reference_names[] =",
        *(f'  "{names[i:i + LITERAL]}"' for i in range(0, len(names), LITERAL)),
        ";",
        "",
        "// Indexed by name: the character that the name represents; or 0xd800 + i, if it represents the two UTF-16 units",
        "// reference_pairs[i].",
        f"inline constexpr char16_t reference_units[{len(rows)}] = {{",
        *wrap(map(str, shown)),
        "};",
        f"inline constexpr char16_t reference_pairs[{len(longer)}][2] = {{",
        *wrap(f"{{{first}, {second}}}" for first, second in longer),
        "};",
        "",
        "// The characters for the numbers 128 to 159, as in windows-1252.",
        "inline constexpr char16_t reference_windows[32] = {",
        *wrap(f"0x{code_point:x}" for code_point in windows),
        "};",
        "",
        "// clang-format on",
        "}  // namespace neardup::inline v0::detail",
        "",
    ]
    summary = [f"names   {len(rows)}", f"size    {len(names) + 2 * len(rows) + 4 * len(longer)} bytes", f"lines   {len(header) - 1}"]
    return "\n".join(header), "\n".join(summary)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=HEADER)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    header, summary = make_header()
    if options.summary:
        print(summary)
        return 0
    if options.check:
        current = options.output.read_text(encoding="utf-8") if options.output.exists() else ""
        if current != header:
            print(f"{options.output} is not what make_reference_tables.py writes: run it", file=sys.stderr)
        return int(current != header)
    options.output.write_text(header, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
