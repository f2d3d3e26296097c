"""One writer to a run: a lock that the operating system drops when the process ends, however it ends."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from evenhand.errors import StoreError

__all__ = ["WriterLock", "is_being_written"]

_LOCK = "writer.lock"
_PID = "writer.pid"


class WriterLock:
    """Held from construction to :meth:`release`.

    An exclusive transaction on an empty SQLite file serves as the lock: it works on every system that the journal
    itself works on, is not inherited by forked children, and dies with the process (SIGKILL too). The holder's
    process id stands in a file beside it, only for the error message.

    Raises
    ------
    StoreError
        Another writer holds it, or the folder can't be written.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        try:
            self._connection = _lock(directory / _LOCK)
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise StoreError(self._held()) from error
            raise StoreError(
                f"{directory}: can't be locked for writing ({error}): check the permissions of the directory"
            ) from error
        # A folder too full for six bytes will refuse the journal next, with its own message.
        with suppress(OSError):
            (directory / _PID).write_text(f"{os.getpid()}\n", encoding="ascii")

    def _held(self) -> str:
        holder = _holder(self._directory)
        if holder == str(os.getpid()):
            return f"this process already has {self._directory} open for writing: close that journal first"
        return (
            f"another evenhand process (pid {holder}) is writing to {self._directory}: "
            "wait for it, stop it, or use another directory"
        )

    def release(self) -> None:
        """Give the lock back. Releasing twice is harmless."""
        with suppress(OSError):
            if _holder(self._directory) == str(os.getpid()):
                (self._directory / _PID).unlink()
        self._connection.close()


def _lock(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def is_being_written(directory: Path) -> bool:
    """Whether some process holds the lock now."""
    path = directory / _LOCK
    if not path.exists():
        return False
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0, isolation_level=None)
    except sqlite3.Error:
        return False
    try:
        connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return error.sqlite_errorcode == sqlite3.SQLITE_BUSY
    finally:
        connection.close()
    return False


def _holder(directory: Path) -> str:
    try:
        text = (directory / _PID).read_bytes()[:20].strip()
    except OSError:
        return "unknown"
    return text.decode("ascii") if text.isdigit() else "unknown"
