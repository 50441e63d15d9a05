"""Opens SQLite and DuckDB with the extensions, for the tests. NEARDUP_SQL is the folder of both extensions."""
import os
import pathlib
import sqlite3
import unittest

try:
    import duckdb
except ImportError:
    duckdb = None

FOLDER = pathlib.Path(os.environ.get("NEARDUP_SQL", "build/sql")).resolve()
SQLITE = FOLDER / "neardup_sqlite.so"
DUCKDB = FOLDER / "neardup.duckdb_extension"


class SQLite:
    """A database of SQLite. Its optional arguments are conditions."""
    name = "sqlite"
    error = sqlite3.Error

    @staticmethod
    def missing():
        """Returns the reason why the tests of this engine are skipped, or an empty string."""
        if not hasattr(sqlite3.Connection, "enable_load_extension"):
            return "the sqlite3 of this Python cannot load extensions"
        return "" if SQLITE.exists() else f"{SQLITE} is not built"

    def __init__(self, path=":memory:"):
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.enable_load_extension(True)
        self.connection.load_extension(str(SQLITE.with_suffix("")))

    def rows(self, sql, values=()):
        return self.connection.execute(sql, values).fetchall()

    def table(self, name, rows):
        self.rows(f"CREATE TABLE {name}(id, body TEXT)")
        self.rows("BEGIN")
        self.connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)
        self.rows("COMMIT")

    @staticmethod
    def call(function, source, least, **options):
        """Returns a call of the table function for FROM, with the columns id and body."""
        text = f"{function}({quoted(source)}, 'id', 'body', {least})"
        conditions = [f"{name} = {quoted(value)}" for name, value in options.items()]
        return text + (" WHERE " + " AND ".join(conditions) if conditions else "")

    def close(self):
        self.connection.close()


class DuckDB:
    """A database of DuckDB. Its optional arguments have names."""
    name = "duckdb"
    error = duckdb.Error if duckdb else Exception

    @staticmethod
    def missing():
        if duckdb is None:
            return "this Python has no duckdb"
        return "" if DUCKDB.exists() else f"{DUCKDB} is not built"

    def __init__(self, path=":memory:"):
        self.connection = duckdb.connect(path, config={"allow_unsigned_extensions": "true"})
        self.rows(f"LOAD '{DUCKDB}'")

    def rows(self, sql, values=()):
        return self.connection.execute(sql, values).fetchall()

    def table(self, name, rows):
        kind = "VARCHAR" if any(isinstance(row[0], str) for row in rows) else "INTEGER"
        self.rows(f"CREATE TABLE {name}(id {kind}, body VARCHAR)")
        if rows:
            self.connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)

    @staticmethod
    def call(function, source, least, **options):
        return (f"{function}({quoted(source)}, 'id', 'body', {least}" +
                "".join(f", {name} := {quoted(value)}" for name, value in options.items()) + ")")

    def close(self):
        self.connection.close()


def quoted(value):
    """Returns a value as an SQL literal."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value))


def needs(engine):
    """Skips a class of tests if its engine is missing."""
    return unittest.skipIf(engine.missing(), engine.missing())
