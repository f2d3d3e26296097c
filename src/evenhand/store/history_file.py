"""The history file: one line of JSON a run, appended whole or not at all, read strictly.

Every writer holds the file's lock while it reads, checks and appends, so two jobs that end at once both get their line.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evenhand.errors import DataError, StoreError
from evenhand.records.regular_file import why_never
from evenhand.store.atomic import write_bytes_atomically
from evenhand.store.bounded import read_bounded

__all__ = ["SCHEMA", "HistoryEntry", "HistoryFigure", "add_entry", "read_history"]

SCHEMA: Final = 1
"""Version of a line. A reader refuses a newer one by name."""

_LARGEST: Final = 64 << 20
_LARGEST_NUMBER: Final = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFigure:
    """One figure of one run.

    Attributes
    ----------
    value, low, high, standard_error
        None where it was refused; ``reason`` then says why.
    n, clusters, pairs
        Observations, resampling units, and pairs that entered.
    """

    condition: str
    readout: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    n: int
    clusters: int | None
    pairs: int
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One run.

    Attributes
    ----------
    run
        A hash that is another for another run, and stays when the same run goes on.
    created, added
        When the run was planned, and when the line was written; ISO 8601.
    judge, data
        Their specs; ``judge_hash``, ``data_hash`` and ``settings_hash`` (prompts, labels, decoding) say whether they
        are the same.
    planned, finished
        Presentations.
    baseline
        Whether the run was marked as one of a judge in control.
    note
        What the user wrote beside it.
    """

    run: str
    created: str
    added: str
    judge: str
    judge_hash: str
    data: str
    data_hash: str
    settings_hash: str
    planned: int
    finished: int
    level: float
    figures: tuple[HistoryFigure, ...]
    baseline: bool = False
    note: str = ""

    def figure(self, measure: str, *, condition: str, readout: str) -> HistoryFigure | None:
        """One of its figures; None where the run has none such."""
        return next(
            (x for x in self.figures if (x.measure, x.condition, x.readout) == (measure, condition, readout)), None
        )


def read_history(path: Path) -> tuple[HistoryEntry, ...]:
    """Read every line, in the file's order.

    Raises
    ------
    DataError
        Not a file, or a line that isn't an entry: with its row and field.
    """
    _refuse_no_file(path)
    return _parsed(read_bounded(path, most=_LARGEST, what="history file"), path)


def add_entry(path: Path, entry: HistoryEntry, *, replace: bool = False) -> None:
    """Append a run to the file, which is made where it is missing.

    Parameters
    ----------
    replace
        Put the entry in the place of the same run's.

    Raises
    ------
    DataError
        The run is in the file already (and ``replace`` is off), or the file holds a line that isn't an entry: nothing
        is added to what can't be read.
    StoreError
        It can't be written.
    """
    _refuse_no_file(path)
    line = json.dumps({"schema": SCHEMA, **_tree(entry)}, ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path) as descriptor:
            data = _all(descriptor)
            entries = _parsed(data, path)
            same = [row for row, other in enumerate(entries) if other.run == entry.run]
            if same and not replace:
                raise DataError(
                    f"this run of {entry.created} is in the history already",
                    path=path,
                    row=same[0] + 1,
                    remedy="--replace puts it there anew",
                )
            if same:
                lines = data.split(b"\n")
                lines[same[0]] = line.rstrip(b"\n")
                write_bytes_atomically(path, b"\n".join(lines))
            else:
                _append(descriptor, line, at=len(data))
    except OSError as error:
        raise StoreError(f"{path}: can't be written ({error.strerror or error})") from error


def _refuse_no_file(path: Path) -> None:
    """A pipe would be waited for without end, and a device has no lines. What isn't there yet may be made."""
    if (problem := why_never(path)) is not None:
        raise DataError(problem, path=path, remedy="a history is a file of JSON Lines that runs are added to")


def _append(descriptor: int, line: bytes, *, at: int) -> None:
    """Append all of the line, or none: a full disk leaves the file as it was."""
    whole = False
    try:
        whole = os.write(descriptor, line) == len(line)
        os.fsync(descriptor)
    finally:
        if not whole:
            os.ftruncate(descriptor, at)
    if not whole:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _all(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """The file, open and locked. Another writer may have put a new file in its place while we waited: then again."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
        try:
            _lock(descriptor)
            if _is_at(descriptor, path):
                yield descriptor
                return
        finally:
            os.close(descriptor)  # which gives the lock back


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _tree(entry: HistoryEntry) -> dict[str, object]:
    tree: dict[str, object] = {name: getattr(entry, name) for name in _ENTRY if name != "figures"}
    tree["figures"] = [{name: getattr(figure, name) for name in _FIGURE} for figure in entry.figures]
    return tree


_TEXT, _NUMBER, _COUNT, _FLAG = (str,), (int, float), (int,), (bool,)
_NONE = type(None)
_ENTRY: Mapping[str, tuple[type, ...]] = {
    "run": _TEXT,
    "created": _TEXT,
    "added": _TEXT,
    "judge": _TEXT,
    "judge_hash": _TEXT,
    "data": _TEXT,
    "data_hash": _TEXT,
    "settings_hash": _TEXT,
    "planned": _COUNT,
    "finished": _COUNT,
    "level": _NUMBER,
    "baseline": _FLAG,
    "note": _TEXT,
    "figures": (list,),
}
_FIGURE: Mapping[str, tuple[type, ...]] = {
    "condition": _TEXT,
    "readout": _TEXT,
    "measure": _TEXT,
    "value": (*_NUMBER, _NONE),
    "low": (*_NUMBER, _NONE),
    "high": (*_NUMBER, _NONE),
    "standard_error": (*_NUMBER, _NONE),
    "n": _COUNT,
    "clusters": (*_COUNT, _NONE),
    "pairs": _COUNT,
    "reason": (*_TEXT, _NONE),
}


def _parsed(data: bytes, path: Path) -> tuple[HistoryEntry, ...]:
    if data and not data.endswith(b"\n"):
        raise DataError(
            "the last line has no end: something stopped while it was written",
            path=path,
            row=data.count(b"\n") + 1,
            remedy="remove that line",
        )
    # Not splitlines: a text may hold a line separator that JSON lets stand.
    entries = tuple(_entry(line, path, row) for row, line in enumerate(data.split(b"\n")[:-1], start=1))
    first: dict[str, int] = {}
    for row, entry in enumerate(entries, start=1):
        # Such as after two branches were merged: a chart would count the run twice.
        if first.setdefault(entry.run, row) != row:
            raise DataError(
                f"is the same run as row {first[entry.run]}",
                path=path,
                row=row,
                field="run",
                remedy="remove one of them",
            )
    return entries


def _entry(line: bytes, path: Path, row: int) -> HistoryEntry:
    try:
        tree = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not a line of JSON ({error})", path=path, row=row) from error
    if not isinstance(tree, dict):
        raise DataError("not a JSON object", path=path, row=row)
    schema = tree.pop("schema", None)
    if isinstance(schema, int) and not isinstance(schema, bool) and schema > SCHEMA:
        raise DataError(
            f"history format {schema} is newer than the {SCHEMA} that this version reads",
            path=path,
            row=row,
            field="schema",
            remedy="update Evenhand",
        )
    if schema != SCHEMA or isinstance(schema, bool):
        raise DataError(f"{schema!r}, expected {SCHEMA}", path=path, row=row, field="schema")
    _check(tree, _ENTRY, path, row, prefix="")
    figures = []
    for number, figure in enumerate(tree["figures"], start=1):
        if not isinstance(figure, dict):
            raise DataError("not a JSON object", path=path, row=row, field=f"figures, {number}")
        _check(figure, _FIGURE, path, row, prefix=f"figures, {number}, ")
        figures.append(HistoryFigure(**figure))
    return HistoryEntry(**{**tree, "figures": tuple(figures)})


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number that JSON has")


def _check(
    tree: Mapping[str, object], known: Mapping[str, tuple[type, ...]], path: Path, row: int, *, prefix: str
) -> None:
    for name in known:
        if name not in tree:
            raise DataError("is missing", path=path, row=row, field=f"{prefix}{name}")
    for name, value in tree.items():
        if name not in known:
            raise DataError("unknown field", path=path, row=row, field=f"{prefix}{name}")
        kinds = known[name]
        # True is a whole number to Python, and none to us; 1e999 is read as infinity.
        wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
        if wrong or _out_of_range(name, value):
            raise DataError(f"{str(value)[:60]!r} can't be its value", path=path, row=row, field=f"{prefix}{name}")


def _out_of_range(name: str, value: object) -> bool:
    """Whether a number is one that no run has: not finite, too large for a double, a negative count, no such level."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if name == "level":
        return not 0 < value < 1
    counted = name in ("planned", "finished", "n", "clusters", "pairs", "standard_error")
    return not abs(value) <= _LARGEST_NUMBER or (counted and value < 0)
