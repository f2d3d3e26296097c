"""What a file supports as a verdict log, and what is missing, without importing it."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import DataError
from evenhand.logs.base import Capability, Inspection, Problem, VerdictLog
from evenhand.logs.documents import decode_json, decode_text, read_bytes
from evenhand.logs.read import open_format
from evenhand.registry import available, resolve

__all__ = ["guess_format", "inspect"]

_MANY = 200
"""Problems that an inspection lists at most; the rest is counted."""


def inspect(path: Path | str, format: str | None = None) -> Inspection:
    r"""Say what a log file supports and what is missing, row and field named.

    Parameters
    ----------
    path
        The file; for LLMBar also the directory that holds ``result.json``.
    format
        A log format; guessed from the file's suffix and its first record's keys where None.

    Returns
    -------
    Inspection
        A damaged file is a result with problems, not an error.

    Raises
    ------
    ConfigError
        The format is unknown.

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
    try:
        name = format if format is not None else guess_format(file)
    except DataError as error:
        return Inspection(format=None, rows=0, problems=(Problem(row=error.row, field=None, problem=error.problem),))
    if name is None:
        known = ", ".join(available("logs"))
        problem = Problem(row=None, field=None, problem=f"no log format recognises it (known: {known})")
        return Inspection(format=None, rows=0, problems=(problem,))
    scan = open_format(name).scan(file)
    problems = scan.problems
    if len(problems) > _MANY:
        more = Problem(row=None, field=None, problem=f"and {len(problems) - _MANY} more rows with problems")
        problems = (*problems[:_MANY], more)
    supports = () if scan.log is None else _capabilities(scan.log)
    return Inspection(format=name, rows=scan.rows, supports=supports, problems=problems)


def guess_format(path: Path) -> str | None:
    """Name the format that recognises the file's first record; None where none does.

    Raises
    ------
    DataError
        The file can't be read at all.
    """
    file = path / "result.json" if path.is_dir() else path
    if file.suffix.lower() in (".csv", ".parquet"):
        return "table"
    text = decode_text(read_bytes(file), file)
    if text.lstrip()[:1] == "[":
        values = decode_json(text, path=file)
        record = values[0] if isinstance(values, list) and values else None
    else:
        line = next((line for line in text.split("\n") if line.strip()), "")
        record = decode_json(line, path=file, row=1)
    return next((name for name in available("logs") if resolve("logs", name).recognises(record)), None)


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
