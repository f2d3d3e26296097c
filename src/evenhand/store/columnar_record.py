"""The journal's own note of a columnar run: which files hold its verdicts."""

from __future__ import annotations

import sqlite3

from evenhand.records import COLUMNS_VERSION, ROWS_VERSION
from evenhand.store.codec import dump, load
from evenhand.store.columns import ColumnFiles
from evenhand.store.sealed import seal, unseal

__all__ = ["read_record", "write_record"]

# Not part of the schema of every journal: one without columns stays as earlier versions read it.
_TABLE = "CREATE TABLE IF NOT EXISTS columnar (id INTEGER PRIMARY KEY CHECK (id = 1), record TEXT NOT NULL)"


def write_record(connection: sqlite3.Connection, files: ColumnFiles | None) -> None:
    """Note the files, or (None) that the journal holds its answers itself, and the run format that follows.

    Within the caller's transaction, which the run format is part of.
    """
    if files is None:
        if _has_table(connection):
            connection.execute("DROP TABLE columnar")
            connection.execute(f"PRAGMA user_version = {ROWS_VERSION}")
        return
    connection.execute(_TABLE)
    connection.execute("INSERT OR REPLACE INTO columnar (id, record) VALUES (1, ?)", (seal(dump(files)),))
    connection.execute(f"PRAGMA user_version = {COLUMNS_VERSION}")


def read_record(connection: sqlite3.Connection) -> ColumnFiles | None:
    """The files; None where the journal holds its answers itself.

    Raises
    ------
    DataError
        The record is not one of ours.
    """
    if not _has_table(connection):
        return None
    row = connection.execute("SELECT record FROM columnar").fetchone()
    return None if row is None else load(ColumnFiles, unseal(row[0], what="columns"), what="columns")


def _has_table(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'columnar'"
    return connection.execute(query).fetchone() is not None
