"""Whether what is going to be made can be written: asked before the work, not found out after it."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

__all__ = ["check_out", "check_save"]


def check_out(path: Path, *, option: str = "--out") -> None:
    """Refuse a folder that can't be made or written in.

    Raises
    ------
    ConfigError
        A file is in its way, or nobody may write there.
    """
    from evenhand.errors import ConfigError

    there = next((each for each in (path, *path.parents) if each.exists()), Path())
    if not there.is_dir():
        raise ConfigError(f"{option} {path}: {there} is a file, expected a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ConfigError(f"{option} {path}: nothing may be written in {there}")


def check_save(path: Path | None, *, reads: Collection[Path] = (), option: str = "--save") -> None:
    """Refuse a file that can't be written; None is fine.

    Parameters
    ----------
    reads
        Files that are read, and must not be written over.

    Raises
    ------
    ConfigError
        No file's name, a folder, a place in which nothing can be written, or the file that is read.
    """
    from evenhand.errors import ConfigError

    if path is None:
        return
    if not path.name.strip("."):
        raise ConfigError(f"{option} {str(path)!r}: expected a file's name, such as NAME.json")
    if path.is_dir():
        raise ConfigError(f"{option} {path}: is a folder, expected a file's name, such as {path / 'NAME.json'}")
    check_out(path.parent, option=option)
    if path.resolve() in {each.resolve() for each in reads}:
        raise ConfigError(f"{option} {path}: would replace the file that is read; take another name")
