"""The file of a label store: made, opened, checked, and what is wrong with it said in plain words."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from evenhand.errors import StoreError
from evenhand.store.connection import number_of, told_plainly, transaction
from evenhand.store.label_store_schema import LABEL_APPLICATION_ID, LABEL_SCHEMA, LABEL_SCHEMA_VERSION

__all__ = ["LabelFile", "now"]

_WAIT_SECONDS: Final = 10.0


class LabelFile:
    """Opens the file anew for each transaction, so any thread may; parameters and errors as :class:`LabelStore`'s."""

    def __init__(self, path: Path, *, create: bool, seed: int | None) -> None:
        self.path = path
        if not create and not path.is_file():
            raise StoreError(f"{path}: there are no labels (no such file): label with `evenhand serve RUN`")
        with self._told(), closing(self._connect("rwc" if create else "ro")) as connection:
            if create and _is_empty(connection):
                _make(connection, seed)
            self._check(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection with a transaction: all of the block or nothing of it; durable when the block is left."""
        with self._told(), closing(self._connect("rw")) as connection, transaction(connection):
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees the file as of one moment."""
        with self._told(), closing(self._connect("ro")) as connection:
            connection.execute("BEGIN")  # everything read is as of one moment
            yield connection

    def _connect(self, mode: str) -> sqlite3.Connection:
        connection = self._opened(f"mode={mode}")
        if mode != "ro":
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA fullfsync = ON")  # macOS: a plain fsync there doesn't reach the disk
            connection.execute("PRAGMA foreign_keys = ON")
            return connection
        try:
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            connection.close()
            log = self.path.with_name(f"{self.path.name}-wal")
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or log.exists():
                raise
            # A folder in which nobody may make the log's index: with no log there, no one is writing either.
            return self._opened("mode=ro&immutable=1")
        return connection

    def _opened(self, how: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{how}", uri=True, timeout=_WAIT_SECONDS, isolation_level=None
        )

    def _check(self, connection: sqlite3.Connection) -> None:
        if number_of(connection, "PRAGMA application_id") != LABEL_APPLICATION_ID:
            raise StoreError(f"{self.path}: is no file of labels that Evenhand wrote: name another with --labels")
        version = number_of(connection, "PRAGMA user_version")
        if version > LABEL_SCHEMA_VERSION:
            raise StoreError(
                f"{self.path}: label format {version} is newer than the {LABEL_SCHEMA_VERSION} that this version of "
                "Evenhand reads: update Evenhand"
            )
        found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        if found != "ok":
            raise self._damaged(found.splitlines()[0][:120])

    @contextmanager
    def _told(self) -> Iterator[None]:
        """SQLite's errors in plain words; what would be said of a damaged journal is said of the labels."""
        with told_plainly(self.path):
            try:
                yield
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                    raise self._damaged(str(error)) from error
                raise

    def _damaged(self, what: str) -> StoreError:
        return StoreError(f"{self.path}: the labels are damaged or no label store ({what}): restore them from a copy")


def _make(connection: sqlite3.Connection, seed: int | None) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        if not _is_empty(connection):  # another server was faster
            return
        for statement in LABEL_SCHEMA:
            connection.execute(statement)
        connection.execute(
            "INSERT INTO store (id, name, seed, created) VALUES (1, ?, ?, ?)",
            (secrets.token_hex(4), secrets.randbits(31) if seed is None else seed, now()),
        )
        connection.execute(f"PRAGMA application_id = {LABEL_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {LABEL_SCHEMA_VERSION}")


def _is_empty(connection: sqlite3.Connection) -> bool:
    return number_of(connection, "SELECT COUNT(*) FROM sqlite_master") == 0


def now() -> str:
    """The moment of a record."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
