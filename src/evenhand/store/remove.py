"""Removing what an earlier writing left: a file that the newer one no longer has would pass for a part of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evenhand.errors import StoreError

__all__ = ["remove_files"]


def remove_files(paths: Iterable[Path]) -> None:
    """Remove the regular files among the paths; a folder, a link, or what isn't there is left.

    Raises
    ------
    StoreError
        With the first file that can't be removed.
    """
    for path in sorted(paths):
        try:
            if path.is_file() and not path.is_symlink():
                path.unlink()
        except OSError as error:
            raise StoreError(f"{path}: can't be removed ({error.strerror or error})") from error
