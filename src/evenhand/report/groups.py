"""Rows under the name they share: one outline for the terminal and for HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from evenhand.report.model import Cell, Table

__all__ = ["NamedCell", "RowGroup", "TableRow", "row_groups"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCell:
    """A cell that names rows, and how many; 0 where the one above reaches down here."""

    cell: Cell
    span: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row without the name of its group."""

    names: tuple[NamedCell, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroup:
    """Rows that share their first name; ``head`` is None in a table whose rows have one name each."""

    head: Cell | None
    rows: tuple[TableRow, ...]


def row_groups(table: Table) -> tuple[RowGroup, ...]:
    """The table's rows, gathered while the first name stays the same."""
    if table.headers < 2:
        rows = tuple(
            TableRow(
                names=tuple(NamedCell(cell=cell, span=1) for cell in row[: table.headers]), cells=row[table.headers :]
            )
            for row in table.rows
        )
        return (RowGroup(head=None, rows=rows),)
    return tuple(
        RowGroup(head=rows[0][0], rows=_spanned(rows, table.headers))
        for rows in (tuple(group) for _, group in groupby(table.rows, key=lambda row: row[0].text))
    )


def _spanned(rows: Sequence[tuple[Cell, ...]], headers: int) -> tuple[TableRow, ...]:
    """The rows with their second name said once where the next rows repeat it; the last name is always said."""
    made = []
    for index, row in enumerate(rows):
        names = []
        for level in range(1, headers):
            last = level == headers - 1
            texts = [cell.text for cell in row[1 : level + 1]]
            repeats = index and [cell.text for cell in rows[index - 1][1 : level + 1]] == texts
            run = 1
            while index + run < len(rows) and [c.text for c in rows[index + run][1 : level + 1]] == texts:
                run += 1
            names.append(NamedCell(cell=row[level], span=1 if last else 0 if repeats else run))
        made.append(TableRow(names=tuple(names), cells=row[headers:]))
    return tuple(made)
