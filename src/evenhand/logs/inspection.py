"""What a file supports as a verdict log, and what is missing, without importing it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from evenhand.errors import DataError
from evenhand.logs.archive import ZIP_MAGIC, open_archive
from evenhand.logs.base import Capability, Inspection, Problem, VerdictLog
from evenhand.logs.documents import decode_json, decode_text, read_bytes
from evenhand.logs.read import no_log, open_format
from evenhand.registry import BUILT_IN, available, resolve

__all__ = ["guess_format", "guesses", "inspect"]

_MANY = 200
"""Problems that an inspection lists at most; the rest is counted."""


_HEADER = 1 << 20
"""Bytes of a CSV file that are read for its header."""


def inspect(path: Path | str, format: str | None = None, **options: object) -> Inspection:
    r"""Say what a log file supports and what is missing, row and field named.

    Parameters
    ----------
    path
        The file; for LLMBar also the directory that holds ``result.json``.
    format
        A log format; guessed from the file's suffix and its first record's keys where None.
    options
        The format's own options, as :func:`evenhand.logs.read_log` takes them.

    Returns
    -------
    Inspection
        A damaged file is a result with problems, not an error.

    Raises
    ------
    ConfigError
        The format is unknown, or it has no such option.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "verdicts.csv"
    ...     _ = file.write_text("pair_id,order,outcome\np1,AB,first\np1,BA,frist\n")
    ...     found = inspect(file)
    >>> found.format, found.rows, found.problems[0].row, found.problems[0].field
    ('table', 2, 2, 'outcome')
    """
    file = Path(path)
    if (why := no_log(file)) is not None:
        return Inspection(format=None, rows=0, problems=(Problem(row=None, field=None, problem=why),))
    try:
        names = (format,) if format is not None else guesses(file)
    except DataError as error:
        said = f"{error.problem} ({error.remedy})" if error.remedy else error.problem
        return Inspection(format=None, rows=0, problems=(Problem(row=error.row, field=error.field, problem=said),))
    if len(names) != 1:
        why = (
            f"it may be {' or '.join(names)}: say which, as in `evenhand import --inspect {names[0]} FILE`"
            if names
            else f"no log format recognises it (known: {', '.join(available('logs'))})"
        )
        return Inspection(format=None, rows=0, problems=(Problem(row=None, field=None, problem=why),))
    name = names[0]
    scan = open_format(name, **options).scan(file)
    problems = scan.problems
    if len(problems) > _MANY:
        more = Problem(row=None, field=None, problem=f"and {len(problems) - _MANY} more rows with problems")
        problems = (*problems[:_MANY], more)
    supports = () if scan.log is None else _capabilities(scan.log)
    return Inspection(format=name, rows=scan.rows, supports=supports, problems=problems)


def guess_format(path: Path) -> str | None:
    """Name the one format that recognises the file's first record; None where none or several do.

    Raises
    ------
    DataError
        The file can't be read at all.
    """
    names = guesses(path)
    return names[0] if len(names) == 1 else None


def guesses(path: Path) -> tuple[str, ...]:
    """Name every format that recognises a file: by its bytes, its suffix and the keys of its first record.

    A record is an element of a JSON array, a line, a JSON object (or its first lines), the columns of a table, or the
    header of a zip archive. A folder is taken for its ``result.json``, else for its first ``.jsonl`` file.

    Raises
    ------
    DataError
        The file can't be read at all.
    """
    file = _inside(path)
    if file.suffix.lower() in (".csv", ".parquet"):
        return _of_table(file)
    data = read_bytes(file)
    if data.startswith(ZIP_MAGIC):
        # By its members' names: what they hold may be packed in a way that this Python can't unpack.
        return ("inspect",) if {"header.json", "_journal/start.json"} & set(open_archive(data, file).names()) else ()
    return _recognising(_first_record(decode_text(data, file), file))


def _inside(path: Path) -> Path:
    if not path.is_dir():
        return path
    result = path / "result.json"
    return result if result.exists() else next(iter(sorted(path.glob("*.jsonl"))), result)


def _of_table(file: Path) -> tuple[str, ...]:
    """A table by its columns; the plain ``table`` format says what is missing where none is telling."""
    elsewhere = set(BUILT_IN["logs"]) - {"table", "trace_csv"}
    found = _recognising(dict.fromkeys(_columns(file), ""))
    return tuple(name for name in found if name not in elsewhere) or ("table",)


def _columns(file: Path) -> tuple[str, ...]:
    """The names of a table's columns, from its beginning alone; none where it can't be read."""
    if file.suffix.lower() == ".parquet":
        import polars as pl

        try:
            return tuple(pl.read_parquet_schema(file))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
            return ()
    try:
        with file.open("rb") as table:
            head = table.read(_HEADER).decode("utf-8-sig", "replace")
        return tuple(next(csv.reader(io.StringIO(head, newline="")), []))
    except (OSError, csv.Error):
        return ()


def _first_record(text: str, file: Path) -> object:
    head = text.lstrip()[:1]
    if head == "[":
        values = decode_json(text, path=file)
        return values[0] if isinstance(values, list) and values else None
    line = next((line for line in text.split("\n") if line.strip()), None)
    if line is None:
        return decode_json(text, path=file)  # which says that it is empty
    try:
        return decode_json(line, path=file, row=1)
    except DataError:
        if head != "{":
            raise
        # An object over several lines.
        return decode_json(text, path=file)


def _recognising(record: object) -> tuple[str, ...]:
    names = tuple(name for name in available("logs") if resolve("logs", name).recognises(record))
    # A table of runs that is named as the plain table format names it needs no mapping.
    return ("table",) if "table" in names and set(names) <= {"table", "trace_csv"} else names


def _capabilities(log: VerdictLog) -> tuple[Capability, ...]:
    total = len(log.entries)
    completions = [entry.completion for entry in log.entries]
    orders: dict[str, set[str]] = {}
    for entry in log.entries:
        orders.setdefault(entry.presentation.pair_id, set()).add(entry.presentation.order)
    both = sum(len(found) == 2 for found in orders.values())
    shown = f"of {total} presentations"
    pairs = f"of {len(log.pairs)} pairs"

    def capability(name: str, count: int, what: str) -> Capability:
        return Capability(name=name, supported=count > 0, why=f"{count} {what}")

    return (
        capability("position figures", both, f"{pairs} are there in both orders"),
        capability("generated readout", sum(one.text is not None for one in completions), f"{shown} have the text"),
        capability(
            "first-token readout and compliance",
            sum(one.first_token is not None for one in completions),
            f"{shown} have first-token log probabilities",
        ),
        capability(
            "comparison with the log's own reading",
            sum(one.log_outcome is not None for one in completions),
            f"{shown} state an outcome",
        ),
        capability("accuracy", sum(pair.gold is not None for pair in log.pairs), f"{pairs} have a gold preference"),
        capability(
            "question groups and lengths",
            sum(bool(pair.instruction and pair.response_a and pair.response_b) for pair in log.pairs),
            f"{pairs} have instruction and responses",
        ),
        capability(
            "repeated-question control",
            sum(entry.presentation.repeat > 0 for entry in log.entries),
            f"{shown} are repeats",
        ),
    )
