"""From a study's typed values to cells and tables that every surface prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real

from evenhand.analysis.study import StudyTable, StudyValue, Unit
from evenhand.report.cells import Footnotes, gathered, name_cell, p_cell
from evenhand.report.format import DASH, count_of, integer, is_shown
from evenhand.report.model import Cell, Column, Table
from evenhand.report.study.methods import intervals_line
from evenhand.report.study.quantities import axis_text, p_number, study_interval, study_quantity
from evenhand.report.text import NAME_LIMIT, visible
from evenhand.stats import Estimate, Refusal, TestResult

__all__ = ["study_cell", "study_table"]

_FOLDED = 60  # rows above which nobody reads a table through
_CUT = 30  # characters that saying what was cut may take
_NOTE_LIMIT = 1000
_NO_ROWS = "It has no rows: there was nothing to fill them with."
_N = Column(label="n", hint="Observations that entered the row's estimates.")


def study_table(table: StudyTable, *, name: str, clusters: str = "") -> Table:
    """A table as it is shown.

    The number of observations stands in a column of its own where each row has one; where a row's estimates rest on
    several, each says its own. Reasons of refusals, flags and names of tests are the table's footnotes.

    Parameters
    ----------
    name
        Its id on a page and in files.
    clusters
        What the clusters are, in the plural; empty where that isn't known.
    """
    notes = Footnotes()
    each = _sizes(table)
    numeric = [_is_numeric(table, index) for index in range(len(table.columns))]
    headers = _headers(table)
    rows = []
    for number, row in enumerate(table.rows):
        cells = [name_cell(_name_text(row[index], table.unit(number, index))) for index in range(headers)]
        for index, value in enumerate(row[headers:], start=headers):
            cells.append(study_cell(value, table.unit(number, index), notes, say_n=each == "cell"))
        if each == "row":
            cells.append(_n_cell(row))
        rows.append(tuple(cells))
    columns = [
        Column(
            label=visible(column.label or column.name),
            numeric=is_number,
            hint=visible(column.definition, limit=_NOTE_LIMIT),
        )
        for column, is_number in zip(table.columns, numeric, strict=True)
    ]
    said = (
        *(visible(note, limit=_NOTE_LIMIT) for note in table.notes),
        intervals_line(_estimates(table), clusters=clusters),
    )
    return Table(
        id=name,
        title=visible(table.title),
        caption=visible(" ".join((table.caption, *([] if table.rows else [_NO_ROWS]))), limit=_NOTE_LIMIT),
        columns=(*columns, *([_N] if each == "row" else [])),
        rows=gathered(rows) if headers > 1 else tuple(rows),
        headers=headers,
        notes=notes.notes,
        intervals=" ".join(part for part in said if part),
        folded=len(rows) > _FOLDED,
    )


def study_cell(value: StudyValue, unit: Unit, notes: Footnotes, *, say_n: bool = False) -> Cell:
    """One typed value as a cell: a refusal is a dash with its reason among the notes, None is empty."""
    match value:
        case None:
            return Cell(text="")
        case Refusal(reason=reason):
            return Cell(text=DASH, detail=visible(reason), marks=(notes.mark(reason),))
        case TestResult():
            remark = ": ".join(part for part in (value.name, value.caveat) if part)
            cell = p_cell(value)
            return Cell(text=cell.text, marks=(notes.mark(remark),) if remark else (), value=cell.value)
        case Estimate():
            return _estimate_cell(value, unit, notes, say_n=say_n)
        case str():
            return Cell(text=_short(value))
        case _:
            return _number_cell(value, unit, notes)


def _estimate_cell(estimate: Estimate, unit: Unit, notes: Footnotes, *, say_n: bool) -> Cell:
    if not is_shown(estimate):
        return Cell(text=DASH, detail="not a finite number", marks=(notes.mark("not a finite number"),))
    unit = "number" if unit in ("text", "p") else unit
    interval = study_interval(estimate.interval, unit)
    flags = estimate.flags if interval or estimate.flags else ("no interval for this figure",)
    shown = estimate.interval if interval else None
    count = count_of(estimate)
    own = (count or f"n {integer(estimate.n)}") if say_n else ""
    return Cell(
        text=study_quantity(estimate.value, unit),
        interval=" ".join(part for part in (interval, own) if part),
        detail="" if own else count,
        marks=tuple(dict.fromkeys(notes.mark(flag) for flag in flags)),
        value=estimate.value,
        low=None if shown is None else shown.low,
        high=None if shown is None else shown.high,
    )


def _number_cell(value: object, unit: Unit, notes: Footnotes) -> Cell:
    """A plain number or truth value; numpy's are taken too."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return Cell(text="yes" if value else "no")
    number = float(value)
    if not math.isfinite(number):
        return Cell(text=DASH, detail="not a finite number", marks=(notes.mark("not a finite number"),))
    if unit == "p":
        return p_cell(p_number(number))
    if isinstance(value, Integral) and unit in ("number", "text"):
        return Cell(text=integer(number) if unit == "number" else str(int(value)), value=number)
    return Cell(text=study_quantity(number, unit), value=number)


def _name_text(value: StudyValue, unit: Unit) -> str:
    """What names a row: its text as it is, a number without digits that say nothing."""
    match value:
        case None:
            return ""
        case str():
            return _short(value)
        case float() if math.isfinite(value) and unit in ("text", "number"):
            return axis_text(value, "number")
        case _:
            return study_cell(value, unit, Footnotes()).text


def _short(text: str) -> str:
    """A text of bounded length that no surface cuts a second time."""
    shown = visible(text, limit=NAME_LIMIT)
    if len(text) <= NAME_LIMIT and len(shown) <= NAME_LIMIT:
        return shown
    return visible(text, limit=(NAME_LIMIT - _CUT) // (1 if text.isprintable() else 9))


def _headers(table: StudyTable) -> int:
    """How many columns name a row: those the table says, and the texts after them that it takes to tell rows apart.

    A narrow terminal sets a table's columns in parts, each beside the rows' names.
    """
    headers = table.headers
    while 0 < headers < len(table.columns) and len({row[:headers] for row in table.rows}) < len(table.rows):
        if not all(isinstance(row[headers], str) for row in table.rows):
            return table.headers
        headers += 1
    return headers if len({row[:headers] for row in table.rows}) == len(table.rows) else table.headers


def _is_numeric(table: StudyTable, index: int) -> bool:
    """Whether a column is set flush right: it has a unit, or holds figures all the same."""
    if table.columns[index].unit != "text":
        return True
    return index >= table.headers and any(isinstance(row[index], Estimate | TestResult) for row in table.rows)


def _estimates(table: StudyTable) -> Iterable[Estimate]:
    return [value for row in table.rows for value in row if isinstance(value, Estimate) and is_shown(value)]


def _row_sizes(row: Sequence[StudyValue]) -> set[int]:
    return {value.n for value in row if isinstance(value, Estimate)}


def _sizes(table: StudyTable) -> str:
    """Where the numbers of observations are said: ``column`` (the table has one), ``row``, ``cell``, or nowhere."""
    sizes = [_row_sizes(row) for row in table.rows]
    if not any(sizes):
        return ""
    counts = [index for index, column in enumerate(table.columns) if column.unit == "count"]
    for index in counts:
        if all(row[index] in of and len(of) == 1 for row, of in zip(table.rows, sizes, strict=True) if of):
            return "column"
    return "cell" if any(len(of) > 1 for of in sizes) else "row"


def _n_cell(row: Sequence[StudyValue]) -> Cell:
    sizes = _row_sizes(row) or {value.n for value in row if isinstance(value, Refusal) and value.n}
    if len(sizes) != 1:
        return Cell(text="")
    (n,) = sizes
    return Cell(text=integer(n), value=float(n))
