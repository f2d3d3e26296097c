"""A table for a terminal too narrow for columns: one row under the other, each figure whole on a line of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from evenhand.report.groups import row_groups
from evenhand.report.model import Cell, Column, Table
from evenhand.report.text import keep_together, shortened

__all__ = ["STACKED_BELOW", "stacked_lines"]

STACKED_BELOW = 70
"""Columns of a terminal below which tables are stacked: a name and three intervals side by side need about as many."""

_NAME_LIMIT = 160
_STEP = 2  # columns of one indentation
_NO_BREAK = "\u00a0"


def stacked_lines(table: Table, *, width: int) -> Text:
    """The table's rows as lines of at most ``width`` columns: names, then ``measure: value [interval]``.

    A row that has only counts, such as that of outcomes, is one paragraph of them.
    """
    text = Text(overflow="fold")
    lines: list[tuple[str, str]] = []
    columns = table.columns[table.headers :]
    counts = len(columns) > 1 and all(
        column.numeric and not any(row[table.headers + index].interval for row in table.rows)
        for index, column in enumerate(columns)
    )
    for group in row_groups(table):
        depth = 0
        if group.head is not None:
            lines += [(line, "italic") for line in _wrapped(_named(group.head), width=width, depth=0)]
            depth = 1
        for row in group.rows:
            name = " ".join(_named(name.cell) for name in row.names)
            lines += [(line, "bold") for line in _wrapped(name, width=width, depth=depth)]
            figures = list(_figures(columns, row.cells))
            for figure in [", ".join(figures)] if counts and figures else figures:
                lines += [(line, "") for line in _wrapped(figure, width=width, depth=depth + 1)]
    for index, (line, style) in enumerate(lines):
        text.append("\n" * (index > 0) + line, style=style)
    return text


def _named(cell: Cell) -> str:
    return f"{shortened(cell.text, _NAME_LIMIT)}{_marks(cell)}"


def _marks(cell: Cell) -> str:
    return f" ({','.join(cell.marks)})" if cell.marks else ""


def _figures(columns: Sequence[Column], cells: Sequence[Cell]) -> Iterator[str]:
    """Each cell that isn't empty under its column's name; what belongs to one figure holds together."""
    for column, cell in zip(columns, cells, strict=True):
        if not (cell.text or cell.interval or cell.marks):
            continue
        figure = f"{cell.text}{f' {cell.interval}' if cell.interval else ''}{_marks(cell)}"
        yield f"{column.label}: {figure.replace(' ', _NO_BREAK) if column.numeric else keep_together(figure)}"


def _wrapped(text: str, *, width: int, depth: int) -> list[str]:
    """Lines with a hanging indentation; only a word longer than a whole line is broken."""
    indent = " " * (_STEP * depth)
    lines = textwrap.wrap(
        text, width=max(width, 20), initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
    )
    return [line.replace(_NO_BREAK, " ") for line in lines]
