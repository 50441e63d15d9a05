#!/usr/bin/env python3
"""Writes a test in C, made from neardup.h: each function gets NULL for each of its pointers in turn.

  null_pointers.py NEARDUP_H OUTPUT_C

If a pointer may be NULL, the status is NEARDUP_OK. For any other pointer, the status is NEARDUP_INVALID, and the message
names the argument. A function without a status returns 0 or NULL for a NULL handle. The script fails if it does not know a
parameter or a function, or if a comment of the header names a NEARDUP_… that the header does not declare."""

import pathlib
import re
import sys

# Types of which NULL stands for the defaults, as the first comment of the header says.
DEFAULTS = {"neardup_composition", "neardup_join", "neardup_grouping", "neardup_code_options", "neardup_dedup_options",
            "neardup_passage_options", "neardup_run", "neardup_error"}
# Other arguments that may be NULL, as their comments say: (function, parameter); * is any function.
OPTIONAL = {("*", "others"), ("*", "made_of"), ("*", "context"), ("neardup_dedup_add", "ids"), ("neardup_dedup_add", "now")}
# Arguments that are checked in test_optional() of c_test.c, because NULL means something else there.
OTHERWISE = {("neardup_dedup_save", "path")}
# Valid arguments by their type, or by (function, parameter).
VALID = {
    "neardup_dictionary_files*": "&of->files", "neardup_composition*": "NULL", "neardup_text": "of->text",
    "int(*)": "take_nothing", "void*": "NULL", "neardup_error*": "&of->error", "neardup_sets*": "of->sets",
    "neardup_input*": "&of->input", "neardup_run*": "NULL", "neardup_join*": "NULL", "neardup_grouping*": "NULL",
    "neardup_texts*": "of->texts", "neardup_idf*": "of->idf", "neardup_code_options*": "NULL",
    "neardup_code_view*": "&of->codes", "neardup_pair_view*": "&of->pairs", "neardup_index*": "of->index", "neardup_set_index*": "of->set_index",
    "neardup_dedup*": "of->dedup", "neardup_dedup_options*": "NULL", "neardup_verdicts*": "&of->verdicts",
    "neardup_counts*": "of->counts", "neardup_scatter*": "of->scatter", "neardup_shuffle*": "&of->shuffle",
    "neardup_blob*": "&of->blob", "uint32_t*": "of->positions", "uint64_t*": "of->ids", "int64_t*": "of->offsets",
    "double*": "of->scores", "size_t*": "&of->changed", "int*": "&of->was_kept", "char*": "of->path", "size_t": "1",
    "int": "32", "uint32_t": "0", "uint64_t": "7", "double": "0",
    ("*", "k"): "3", ("*", "blocks"): "0", ("*", "bits"): "64", ("*", "copies_once"): "0", ("*", "is_mapped"): "0",
    ("*", "nearest_only"): "0", ("neardup_sets_add", "features"): "of->features", ("*", "made_of"): "NULL",
    ("neardup_counts_load", "data"): "of->blob.data", ("neardup_counts_load", "size"): "of->blob.size",
    ("neardup_gather", "count"): "0", ("neardup_gather", "blobs"): "&of->blob",
    ("neardup_index_load", "path"): "of->index_path", ("neardup_index_save", "path"): "of->index_path",
    ("neardup_idf_load", "path"): "of->idf_path", ("neardup_idf_save", "path"): "of->idf_path",
    ("neardup_dedup_load", "path"): "of->dedup_path", ("neardup_dedup_save", "path"): "of->dedup_path",
    ("neardup_passage_repeated_anchors", "count"): "0", ("neardup_passage_gather", "count"): "0",
    ("neardup_passage_scatter", "size"): "0", ("*", "first_text"): "0", "neardup_blobs*": "NULL",
    "neardup_passage_shuffle*": "&of->passages", "neardup_passage_view*": "&of->places",
    ("*", "others"): "NULL", "neardup_passage_options*": "NULL", "neardup_passage_column": "NEARDUP_PASSAGE_TEXT",
}
LISTS = ("neardup_sets_add_lists", "neardup_input*")  # the only input without texts
# Functions whose other arguments need a count above 0 before a NULL is refused.
NEEDS_COUNT = {("neardup_gather", "blobs"): {"count": "1"}, ("neardup_passage_repeated_anchors", "blobs"): {"count": "1"},
               ("neardup_passage_gather", "blobs"): {"count": "1"}, ("neardup_passage_scatter", "repeated"): {"size": "1"}}


def parameters(text):
    """Splits at the commas outside of parentheses. Yields (type, name); the name is "" if there is none."""
    parts, depth, last = [], 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(last)
            last = ""
        else:
            last += c
    for part in [*parts, last]:
        part = " ".join(part.replace("const ", "").replace("struct ", "").split())
        if part in ("void", ""):
            continue
        if "(*" in part:
            yield part[: part.index("(*")].strip() + "(*)", re.search(r"\(\*(\w*)\)", part)[1]
            continue
        found = re.fullmatch(r"(\w+)\s*(\**)\s*(\w*)", part)
        yield found[1] + found[2], found[3]


def functions(header):
    """Yields (type of the result, name, parameters) for each function."""
    code = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    for found in re.finditer(r"^((?:const )?\w+\*?) (neardup_\w+)\((.*?)\);", code, flags=re.S | re.M):
        yield found[1].replace("const ", ""), found[2], list(parameters(found[3]))


def known(table, function, name, kind=None):
    """Returns the entry of a table for a parameter: for this function, for all functions, or for its type."""
    for key in ((function, name), ("*", name), kind):
        if key in table:
            return table[key] if isinstance(table, dict) else True
    return None


def argument(function, kind, name):
    if kind.endswith("**"):
        return "&made"
    value = "&of->lists" if (function, kind) == LISTS else known(VALID, function, name, kind)
    if value is None:
        raise SystemExit(f"null_pointers.py: {function}: no valid argument for {kind} {name}")
    return value


def tests(header):
    """Yields the statements of the test."""
    for result, function, given in functions(header):
        if result == "void":
            yield f"  {function}(NULL);"
            continue
        if result != "neardup_status":
            call = ", ".join("NULL" if kind.endswith("*") else argument(function, kind, name) for kind, name in given)
            if "NULL" in call:
                yield f'  expect_nothing("{function}", {function}({call}) == 0);'
            continue
        arguments = [argument(function, kind, name) for kind, name in given]
        made = next((kind[:-2] for kind, _ in given if kind.endswith("**")), None)
        for i, (kind, name) in enumerate(given):
            if not kind.endswith("*") and not kind.endswith("(*)") or (function, name) in OTHERWISE:
                continue
            changed = known(NEEDS_COUNT, function, name) or {}
            call = ", ".join("NULL" if k == i else changed.get(given[k][1], arguments[k]) for k in range(len(given)))
            optional = kind.rstrip("*") in DEFAULTS or known(OPTIONAL, function, name)
            wanted = "NULL" if optional else '"' + (name or kind.rstrip("*").split("_")[-1]) + ' is NULL"'
            if made:
                yield f"  {{ {made}* made = NULL;"
            yield f'  begin(of, "{function}, argument {i + 1}");'
            yield f"  expect(of, {function}({call}), {wanted});"
            if made:
                yield f"  {made}_free(made); }}"


def undeclared(header):
    """Returns the names in comments that the header does not declare."""
    comments = " ".join(re.findall(r"/\*.*?\*/", header, flags=re.S))
    code = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    names = set(re.findall(r"\b(?:NEARDUP_|neardup_)\w+\b(?!\*)", comments))
    return sorted(name for name in names if not re.search(rf"\b{name}\b", code))


def main():
    header = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    names = undeclared(header)
    if names:
        raise SystemExit(f"neardup.h: comments name what is not declared: {', '.join(names)}")
    lines = list(tests(header))
    pathlib.Path(sys.argv[2]).write_text(
        '/* Written by null_pointers.py. */\n#include "null_pointers.h"\n\n'
        "void call_with_null_pointers(null_fixture* of) {\n" + "\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
