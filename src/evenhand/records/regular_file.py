"""Whether a path is a file that ends: a pipe would be waited for without end, and a device may never end."""

from __future__ import annotations

from pathlib import Path

__all__ = ["why_never", "why_no_file"]


_FOLDER = "is a directory, expected a file"
_NOTHING = "no such file"


def why_no_file(path: Path) -> str | None:
    """Say why a path can't be read as a file, for an error that names the path; None where it can.

    Examples
    --------
    >>> why_no_file(Path("no-such-file.csv"))
    'no such file'
    >>> why_no_file(Path("/"))
    'is a directory, expected a file'
    """
    if "\0" in str(path):  # for which pathlib says that there is no such file, and opening raises ValueError
        return "can't be a file's name (null byte)"
    try:
        if path.is_file():
            return None
        if path.is_dir():
            return _FOLDER
        return "is a pipe or a device, expected a file" if path.exists() else _NOTHING
    except (OSError, ValueError) as error:  # too long a name, a loop of links, a null byte
        return f"can't be a file's name ({getattr(error, 'strerror', None) or error})"


def why_never(path: Path) -> str | None:
    """Say why a path must not even be opened: a pipe, a device, a name that no file can have.

    None for a file, a folder, or nothing at all, which opening tells by itself.

    Examples
    --------
    >>> why_never(Path("no-such-file.csv")), why_never(Path("/"))
    (None, None)
    """
    problem = why_no_file(path)
    return None if problem in (None, _NOTHING, _FOLDER) else problem
