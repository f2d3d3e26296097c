"""Opening the journal's database, and saying in plain words what SQLite complains of."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evenhand.errors import StoreError
from evenhand.records import ROWS_VERSION, SCHEMA_VERSION
from evenhand.store.manifest_json import newer_format
from evenhand.store.schema import APPLICATION_ID, SCHEMA

__all__ = [
    "JOURNAL",
    "ReadConnection",
    "connect_reader",
    "connect_writer",
    "make_run_directory",
    "number_of",
    "told_plainly",
    "transaction",
]

JOURNAL = "journal.sqlite"

_WAIT_SECONDS = 10.0
"""How long a statement waits for another connection's short lock (a checkpoint) before it gives up."""

_FULLY_CHECKED = 64 << 20
"""Bytes up to which a damaged index is looked for too: about 100,000 presentations, and under a second."""


@contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one clear StoreError that names the file and the remedy."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {_explain(error)}") from error
    except UnicodeDecodeError as error:  # Python's own, where a damaged page gets into the text of SQLite's complaint
        raise StoreError(f"{path}: {_damaged(error)}") from error


def _damaged(what: object) -> str:
    return f"the journal is damaged ({what}): restore the run directory from a copy, or start a new one"


def _explain(error: sqlite3.Error) -> str:
    # The low byte is the primary result code (https://www.sqlite.org/rescode.html).
    match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return "the disk is full; nothing of this step was recorded. Free some space and run the command again"
        case sqlite3.SQLITE_IOERR:
            return (
                f"the disk refused ({error}); nothing of this step was recorded. "
                "Check the space and the disk, then run the command again"
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return _damaged(error)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
            return f"can't be opened or written ({error}): check the permissions of the directory"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"is in use by another program ({error}): close it and try again"
        case _:
            return f"SQLite says: {error}"


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of the block or nothing of it; durable when the block is left."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite has rolled back by itself after some errors
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


def make_run_directory(directory: Path) -> None:
    """Make the folder of a run, and those above it, where they are missing."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{directory}: can't be made a run directory ({error.strerror or error})") from error


def connect_writer(directory: Path, *, create: bool) -> sqlite3.Connection:
    """Open for writing; with ``create`` an absent or still empty database gets its tables.

    Raises
    ------
    StoreError
        No journal, another program's, a newer one's, or a damaged one; a folder that can't be written.
    """
    path = directory / JOURNAL
    if not create:
        _require(path)
    with told_plainly(path):
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}",
            uri=True,
            timeout=_WAIT_SECONDS,
            isolation_level=None,
        )
        try:
            empty = _is_empty(connection)
            if not empty or not create:
                _check_kind(connection, path)
                _check_pages(connection, path)
            # Only now, so that a database that isn't ours stays as it is.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA fullfsync = ON")  # macOS: a plain fsync there doesn't reach the disk
            connection.execute("PRAGMA foreign_keys = ON")
            if empty:
                with transaction(connection):
                    for statement in SCHEMA:
                        connection.execute(statement)
                    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    connection.execute(f"PRAGMA user_version = {ROWS_VERSION}")
        except BaseException:
            connection.close()
            raise
    return connection


class ReadConnection:
    """A read-only connection, and the temporary copy behind it where the folder itself can't be read in place."""

    def __init__(self, connection: sqlite3.Connection, copy: tempfile.TemporaryDirectory[str] | None = None) -> None:
        self.connection = connection
        self._copy = copy

    @property
    def copied(self) -> bool:
        """Whether it reads a copy."""
        return self._copy is not None

    def close(self) -> None:
        """Close, and delete the copy. Closing twice is harmless."""
        self.connection.close()
        if self._copy is not None:
            self._copy.cleanup()


def connect_reader(directory: Path, *, check: bool = True) -> ReadConnection:
    """Open for reading, also while a writer is at work, and also in a folder that nobody may write to.

    Everything read is as of one moment, that of opening.

    Parameters
    ----------
    directory
        The run.
    check
        Whether every page is checked first (about a second a gigabyte).

    Raises
    ------
    StoreError
        As :func:`connect_writer`.
    """
    path = directory / JOURNAL
    _require(path)
    with told_plainly(path):
        reader = _open_in_place(path)
        if reader is None:
            reader = _open_copy(path)
        try:
            _check_kind(reader.connection, path)
            if check:
                _check_pages(reader.connection, path)
        except BaseException:
            reader.close()
            raise
    return reader


def _open_in_place(path: Path) -> ReadConnection | None:
    """None where the write-ahead log needs its index file, and the folder doesn't let us make it."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_WAIT_SECONDS, isolation_level=None
    )
    try:
        connection.execute("BEGIN")  # with the first read it fixes the moment that all later reads show
        connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        connection.close()
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            return None
        raise
    return ReadConnection(connection)


def _open_copy(path: Path) -> ReadConnection:
    # Nobody can be writing to it (the writer would have made the index file), so a copy of the files is a snapshot.
    folder = tempfile.TemporaryDirectory(prefix="evenhand-read-")
    try:
        for name in (path.name, f"{path.name}-wal"):
            if path.with_name(name).exists():
                shutil.copyfile(path.with_name(name), Path(folder.name) / name)
        copy = Path(folder.name) / path.name
        connection = sqlite3.connect(copy, timeout=_WAIT_SECONDS, isolation_level=None)
        connection.execute("PRAGMA query_only = ON")
    except OSError as error:
        folder.cleanup()
        raise StoreError(f"{path}: can't be read ({error.strerror or error})") from error
    return ReadConnection(connection, folder)


def _require(path: Path) -> None:
    if not path.is_file():
        raise StoreError(f"{path.parent}: not a run directory (it has no {path.name})")


def _is_empty(connection: sqlite3.Connection) -> bool:
    # A process killed while it made the journal leaves a file without tables: that is a new journal still.
    return number_of(connection, "SELECT COUNT(*) FROM sqlite_master") == 0


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    application = number_of(connection, "PRAGMA application_id")
    version = number_of(connection, "PRAGMA user_version")
    if application != APPLICATION_ID:
        if _is_empty(connection):
            raise StoreError(f"{path}: the journal is empty: its run was stopped before it began, or it was truncated")
        raise StoreError(f"{path}: a database, but not an Evenhand journal")
    if version > SCHEMA_VERSION:
        raise StoreError(f"{path}: {newer_format(version)}")


def _check_pages(connection: sqlite3.Connection, path: Path) -> None:
    # The full check compares every index with its table, at ten times the price (0.1 s for 10 MB).
    size = number_of(connection, "PRAGMA page_count") * number_of(connection, "PRAGMA page_size")
    check = "integrity_check" if size <= _FULLY_CHECKED else "quick_check"
    found = str(connection.execute(f"PRAGMA {check}(1)").fetchone()[0])
    if found != "ok":
        first = found.splitlines()[0][:120]
        raise StoreError(f"{path}: {_damaged(first)}")


def number_of(connection: sqlite3.Connection, query: str, *values: object) -> int:
    """The one whole number that a query gives."""
    return int(connection.execute(query, values).fetchone()[0])
