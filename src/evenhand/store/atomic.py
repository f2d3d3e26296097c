"""Files that are either the old one or the new one, whatever happens while they are written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from evenhand.errors import StoreError

__all__ = ["sync_directory", "write_atomically", "write_bytes_atomically", "write_text_atomically"]

_SURELY_OVER = 60.0
"""Seconds after which no attempt at one file still goes on. Its process id may be one of another machine."""


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, make it durable, and rename it onto ``path``.

    Raises
    ------
    StoreError
        The folder can't be written, or the disk is full; ``path`` is then as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    _remove_left_over(path.parent)
    try:
        write(temporary)
        descriptor = os.open(temporary, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(path)
        sync_directory(path.parent)
    except OSError as error:
        raise StoreError(f"{path}: can't be written ({error.strerror or error})") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@cache  # once a process: a folder may hold thousands of files, each written so
def _remove_left_over(folder: Path) -> None:
    """Delete what killed processes left of their attempts at files in a folder."""
    with suppress(OSError, ValueError):
        for left in folder.glob(".*.part"):
            pid = left.name.split(".")[-2]
            if pid.isdecimal() and time.time() - left.stat().st_mtime > _SURELY_OVER and not _is_alive(int(pid)):
                left.unlink()


def _is_alive(pid: int) -> bool:
    if os.name != "posix":
        return False  # a file that is open there can't be deleted
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """:func:`write_atomically` for bytes."""
    write_atomically(path, lambda temporary: temporary.write_bytes(data))


def write_text_atomically(path: Path, text: str) -> None:
    """:func:`write_atomically` for UTF-8 text, line ends as given; a lone surrogate becomes its escape."""
    write_bytes_atomically(path, text.encode("utf-8", errors="backslashreplace"))


def sync_directory(directory: Path) -> None:
    """Make a rename or a new file durable. Systems that can't open a folder (Windows) don't need it."""
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except PermissionError:
        return
    try:
        with suppress(OSError):  # some file systems can't sync a folder; the rename itself has happened
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
