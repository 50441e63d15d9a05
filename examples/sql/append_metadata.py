#!/usr/bin/env python3
"""Appends the 512 bytes that DuckDB looks for at the end of an extension: append_metadata.py LIBRARY EXTENSION PLATFORM"""
import pathlib
import sys

INTERFACE = "v1.2.0"  # version of the stable C interface; every later DuckDB loads such an extension
VERSION = "v0.1"      # version of the extension, which DuckDB only displays


def main():
    library, extension, platform = sys.argv[1:]
    # All platforms use a custom section of WebAssembly: 8 fields, the last field first, and a signature of zeros.
    section = bytes((0, 147, 4, 16)) + b"duckdb_signature" + bytes((128, 4))
    fields = ("", "", "", "C_STRUCT", VERSION, INTERFACE, platform, "4")
    footer = b"".join(field.encode().ljust(32, b"\0") for field in fields) + bytes(256)
    pathlib.Path(extension).write_bytes(pathlib.Path(library).read_bytes() + section + footer)


main()
