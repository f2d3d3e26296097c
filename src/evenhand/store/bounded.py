"""Reading a small file that others wrote: never more of it than such a file can have."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import DataError
from evenhand.records.regular_file import why_never

__all__ = ["read_bounded"]


def read_bounded(path: Path, *, most: int, what: str) -> bytes:
    """A file's bytes, unless they are more than any file of its kind has.

    Raises
    ------
    DataError
        It can't be read, or is larger than ``most`` bytes, which no such file (``what``) is.
    """
    if (problem := why_never(path)) is not None:
        raise DataError(problem, path=path, remedy="check the path")
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise DataError(f"can't be read ({error.strerror or error})", path=path) from error
    if len(data) > most:
        raise DataError(f"is larger than {most:,} bytes, which no {what} is", path=path)
    return data
