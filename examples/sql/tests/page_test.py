#!/usr/bin/env python3
"""Runs the queries and programs of docs/sql.md, and checks that they print what the page says."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import engines

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "sql.md"
BLOCKS = re.findall(r"```(sql|python|js|sh)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def blocks_of(language):
    return [block for kind, block in BLOCKS if kind == language]


def statements(block):
    """Yields the statements of a block, each with the rows in the comments after it."""
    found, statement, rows = [], [], []
    for line in block.splitlines() + [""]:
        if line.startswith("-- = "):
            rows.append(line[5:])
            continue
        if rows:
            found[-1][1].extend(rows)
            rows = []
        statement.append(line)
        if line.split(" --")[0].rstrip().endswith(("; END;", ";")) and not line.rstrip().endswith("RAISE(IGNORE);"):
            found.append(("\n".join(statement).strip().rstrip(";"), []))
            statement = []
    return found


def shown(row):
    return " | ".join("NULL" if value is None else str(value) for value in row)


class Queries:
    """Runs all blocks of SQL in the order of the page, except the blocks of the other engine."""
    engine = None

    def test_queries_return_what_the_page_says(self):
        checked = 0
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                db = self.engine()
                for block in blocks_of("sql"):
                    only = re.match(r"-- (SQLite|DuckDB)\b", block)
                    if only and only.group(1) != self.engine.__name__:
                        continue
                    for statement, expected in statements(block):
                        found = [shown(row) for row in db.rows(statement)]
                        if expected:
                            self.assertEqual(found, expected, statement)
                            checked += 1
                db.close()
            finally:
                os.chdir(before)
        self.assertGreaterEqual(checked, 9)


@engines.needs(engines.SQLite)
class InSQLite(Queries, unittest.TestCase):
    engine = engines.SQLite


@engines.needs(engines.DuckDB)
class InDuckDB(Queries, unittest.TestCase):
    engine = engines.DuckDB


class Programs(unittest.TestCase):
    """Runs the programs of the page in the folder of the extensions. The file notes.db has the sample."""

    def run_block(self, language, part, command, environment=None):
        (block,) = (one for one in blocks_of(language) if part in one)
        expected = re.findall(r"(?:#|//) prints: (.*)", block)
        self.assertTrue(expected)
        with tempfile.TemporaryDirectory() as folder:
            for extension in (engines.SQLITE, engines.DUCKDB):
                if extension.exists():
                    shutil.copy(extension, folder)
            if engines.SQLITE.exists():
                self.make_sample(pathlib.Path(folder) / "notes.db")
            printed = subprocess.run([*command, block], cwd=folder, capture_output=True, text=True,
                                     env=dict(os.environ, **(environment or {})))
        self.assertEqual(printed.stdout.splitlines(), expected, printed.stderr)

    @staticmethod
    def make_sample(path):
        import sqlite3
        connection = sqlite3.connect(path)
        for statement, _ in statements(blocks_of("sql")[0]):
            connection.execute(statement)
        connection.commit()
        connection.close()

    @engines.needs(engines.SQLite)
    def test_python(self):
        self.run_block("python", "sqlite3.connect", [sys.executable, "-c"])

    @engines.needs(engines.DuckDB)
    def test_python_with_duckdb(self):
        self.run_block("python", "duckdb.connect", [sys.executable, "-c"])

    @engines.needs(engines.SQLite)
    def test_shell(self):
        if shutil.which("sqlite3") is None:
            self.skipTest("there is no sqlite3")
        self.run_block("sh", "sqlite3 notes.db", ["bash", "-ec"])

    @engines.needs(engines.SQLite)
    def test_node(self):
        """Uses the node that NEARDUP_NODE names, or the node of the path."""
        node = os.environ.get("NEARDUP_NODE") or shutil.which("node")
        probe = "new (require('node:sqlite').DatabaseSync)(':memory:')"
        if not node or subprocess.run([node, "-e", probe], capture_output=True).returncode != 0:
            self.skipTest("there is no node with node:sqlite")
        self.run_block("js", "DatabaseSync", [node, "--no-warnings", "-e"])


if __name__ == "__main__":
    unittest.main()
