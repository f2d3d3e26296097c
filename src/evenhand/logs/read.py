"""The front door: read a verdict log by its format's name."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from evenhand.errors import ConfigError, DataError
from evenhand.logs.base import LogFormat, VerdictLog
from evenhand.logs.mapped_format import mapped_format
from evenhand.records.regular_file import why_no_file
from evenhand.registry import resolve

__all__ = ["no_log", "open_format", "read_log"]


def open_format(name: str, **options: object) -> LogFormat:
    """Build a log format with the user's options; a table whose columns are mapped is one of ``trace_csv``.

    Raises
    ------
    ConfigError
        The format is unknown, or it has no such option.
    """
    if "map" in options:
        name = mapped_format(name)
    kind = resolve("logs", name)
    try:
        return cast("LogFormat", kind(**options))
    except TypeError as error:
        given = ", ".join(sorted(options)) or "none"
        why = str(error).rpartition("() ")[2]  # without the name of the class
        raise ConfigError(f"log format {name!r} can't take these options ({given}): {why}") from error


def no_log(path: Path) -> str | None:
    """Why nothing can be read there; None for a file, and for a folder, which some formats take."""
    problem = why_no_file(path)
    return None if problem is None or problem.startswith("is a directory") else problem


def read_log(format: str, path: Path | str, **options: object) -> VerdictLog:
    r"""Read a verdict log that someone else's judge wrote.

    Parameters
    ----------
    format
        A name that :func:`evenhand.registry.available` lists for ``logs``, such as ``llmbar``, ``arena_hard``,
        ``inspect`` or ``table``.
    path
        The file; for ``llmbar`` also the directory that holds ``result.json``, for ``arena_hard`` a judge's folder.
    options
        The format's own options, such as ``judge`` and ``model`` where the file names none or several, or ``map``.

    Returns
    -------
    VerdictLog
        Records only: pairs, presentations, completions. Readouts are applied by the caller.

    Raises
    ------
    DataError
        The file can't be read; the message names file, row and field.
    ConfigError
        The format or an option is unknown.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "verdicts.csv"
    ...     _ = file.write_text("pair_id,order,outcome\np1,AB,first\np1,BA,first\n")
    ...     log = read_log("table", file)
    >>> log.orders, [str(entry.completion.log_outcome) for entry in log.entries]
    ('both', ['first', 'first'])
    """
    reader = open_format(format, **options)
    file = Path(path)
    if (problem := no_log(file)) is not None:
        raise DataError(problem, path=file, remedy="check the path")
    return reader.read(file)
