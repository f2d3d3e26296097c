"""A table's rows side by side in a terminal: in as many parts as fit, each name whole, and no text beyond the edge."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table as RichTable
from rich.text import Text

from evenhand.report.groups import row_groups
from evenhand.report.model import Cell, Column, Table

__all__ = ["ONE_LINE", "NamedLines", "columns_in_parts", "occupied"]

ONE_LINE = 110
"""Columns of a terminal from which a figure and its interval share a line."""

_WIDE_NAME, _NAME, _DENSE_NAME = 40, 20, 16
# columns of the longest word that a name may have beside its figures: in a wide terminal, a narrow one, beside many
# columns; a name with a longer one has a line of its own
_DENSE = 8  # columns from which a table is dense
_FIRST = 14  # columns of a row's name, and of a text, at least where they have so many
_WORD = 24  # columns of a word in a text that is kept whole
_HEADING = 15  # columns of a numeric column's heading before it wraps
_TEXT_HEADING = 24
_GAP = 2  # columns between two
_INDENT = 2  # of the names below a group's


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedLines:
    """Rows side by side, some of whose names run across all columns, on a line of their own.

    Attributes
    ----------
    table
        The rows; a row that only stands for such a name is marked with the name's place in ``across``.
    across
        Those names.
    """

    table: RichTable
    across: list[Text] = field(default_factory=list)

    def add_across(self, name: Text) -> None:
        """Put a name on the next line."""
        self.table.add_row(Text(" ", style=Style(meta={"across": len(self.across)})))
        self.across.append(name)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table's lines, with the names in the place of the rows that stand for them."""
        for line in console.render_lines(self.table, options, pad=False):
            index = next((found for segment in line if (found := _marked(segment)) is not None), None)
            if index is None:
                yield from line
                yield Segment.line()
            else:
                yield self.across[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """Columns of a terminal that one of the table's columns needs, and would take."""

    least: int
    wish: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Name:
    """What one line is called: a row of the table, or the group that its next rows share."""

    text: str
    marks: tuple[str, ...] = ()
    indent: int = 0
    of_group: bool = False

    @property
    def longest(self) -> int:
        """Columns of its longest word, with its indentation."""
        return self.indent + max(map(cell_len, self.text.split(" ")))

    @property
    def whole(self) -> int:
        """Columns of all of it."""
        return self.indent + cell_len(self.text)

    def shown(self) -> Text:
        """With its marks."""
        text = Text(self.text, style="italic" if self.of_group else "")
        if self.marks:
            text.append(f" {','.join(self.marks)}", style="cyan")
        return text

    def across(self, *, width: int) -> Text:
        """As lines of the terminal's own; only a word longer than a whole line is broken."""
        indent = " " * self.indent
        lines = _wrapped(self.text, max(width - self.indent, _FIRST)) or [""]
        text = replace(self, text=f"\n{indent}".join(lines)).shown()
        return Text(indent, overflow="fold").append_text(text)


def columns_in_parts(table: Table, *, width: int) -> list[NamedLines]:
    """The table, or its columns in as many parts as fit, each with the rows' names; empty where not even one fits."""
    parts: list[Table] = []
    start = table.headers
    while start < len(table.columns):
        end = len(table.columns)
        while end > start and _needed(_part(table, start, end), width=width) > width:
            end -= 1
        if end == start:
            return []
        parts.append(_part(table, start, end))
        start = end
    return [_columns(part, width=width) for part in parts]


def occupied(table: Table) -> Table:
    """The table without the columns that are empty in every row; those that name the rows stay.

    A file has every column, since who reads it goes by their names; a person reads what is there.
    """
    kept = [
        index
        for index in range(len(table.columns))
        if index < table.headers
        or any(row[index].text or row[index].interval or row[index].marks for row in table.rows)
    ]
    if len(kept) == len(table.columns) or len(kept) == table.headers:
        return table
    return _only(table, kept)


def _part(table: Table, start: int, end: int) -> Table:
    return _only(table, [*range(table.headers), *range(start, end)])


def _only(table: Table, kept: Sequence[int]) -> Table:
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in table.rows),
    )


def _columns(table: Table, *, width: int) -> NamedLines:
    """The rows side by side; where they have several names, the first column is an outline of them."""
    rich = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), collapse_padding=True, show_edge=False)
    most = _widened(table, width=width)
    first, *others = _shared_out(_rooms(table, most=most, wide=width >= ONE_LINE), width=width)
    numbered = table.headers == 1 and table.columns[0].numeric
    heading = "\n".join(_wrapped(_names_heading(table), first))
    rich.add_column(Text(heading, style="bold"), justify="right" if numbered else "left", overflow="fold", width=first)
    for column, room in zip(table.columns[table.headers :], others, strict=True):
        rich.add_column(
            Text("\n".join(_heading(column)), style="bold"),
            justify="right" if column.numeric else "left",
            overflow="fold",
            width=room,
        )
    lines = NamedLines(table=rich)
    for name, cells in _named_rows(table):
        shown = [_cell(cell, wide=width >= ONE_LINE) for cell in cells]
        if not name.of_group and name.longest <= most:
            rich.add_row(Padding(name.shown(), (0, 0, 0, name.indent)), *shown)
            continue
        lines.add_across(name.across(width=width))
        if any(text.plain for text in shown):
            rich.add_row("", *shown)
    return lines


def _named_rows(table: Table) -> Iterator[tuple[_Name, tuple[Cell, ...]]]:
    """Every line's name with its cells: a group's has none; below it, a row's several names share a line."""
    for group in row_groups(table):
        if group.head is not None:
            yield _Name(text=group.head.text, marks=group.head.marks, of_group=True), ()
        for row in group.rows:
            names = [name.cell for name in row.names]
            yield (
                _Name(
                    text=" ".join(cell.text for cell in names),
                    marks=tuple(mark for cell in names for mark in cell.marks),
                    indent=0 if group.head is None else _INDENT,
                ),
                row.cells,
            )


def _most(table: Table, *, width: int) -> int:
    """Columns of the longest word that a name may have in the first column."""
    indent = _INDENT if table.headers > 1 else 0
    if width >= ONE_LINE:
        return _WIDE_NAME + indent
    return (_DENSE_NAME if len(table.columns) > _DENSE else _NAME) + indent


def _needed(table: Table, *, width: int) -> int:
    """Columns of a terminal that the rows need side by side."""
    rooms = _rooms(table, most=_most(table, width=width), wide=width >= ONE_LINE)
    return sum(room.least for room in rooms) + _GAP * (len(rooms) - 1)


def _widened(table: Table, *, width: int) -> int:
    """Columns of the longest word that a name may have where the other columns leave room for more than :func:`_most`.

    Only what these would not take themselves: one line for a name is less than a second line for every row.
    """
    most, wide = _most(table, width=width), width >= ONE_LINE
    others = _rooms(table, most=most, wide=wide)[1:]
    left = width - sum(room.wish for room in others) - _GAP * len(others)
    return max([most, *(name.longest for name in _row_names(table) if name.longest <= left)])


def _row_names(table: Table) -> list[_Name]:
    return [name for name, _ in _named_rows(table) if not name.of_group]


def _rooms(table: Table, *, most: int, wide: bool) -> list[_Room]:
    """Of the names together, as far as they stay beside their cells, then of each other column."""
    names = [name for name in _row_names(table) if name.longest <= most]
    heading = _names_heading(table)
    least = max((*(name.longest for name in names), *map(cell_len, heading.split(" "))), default=0)
    wish = max((*(name.whole for name in names), cell_len(heading)), default=0)
    least = max(least, min(_FIRST, wish))
    rooms = [_Room(least=least, wish=wish)]
    for index, column in enumerate(table.columns[table.headers :], start=table.headers):
        lines = [line for row in table.rows for line in _cell(row[index], wide=wide).plain.splitlines()]
        whole = max(map(cell_len, (*lines, *_heading(column))), default=0)
        words = [min(cell_len(word), _WORD) for line in lines for word in line.split(" ")]
        floor = max((_FIRST, *words, *(cell_len(word) for word in column.label.split(" "))))
        rooms.append(_Room(least=whole if column.numeric else min(whole, floor), wish=whole))
    return rooms


def _shared_out(rooms: Sequence[_Room], *, width: int) -> list[int]:
    """What each column gets: its least, and of what is left its wish; those that lack little first, the names last."""
    given = [room.least for room in rooms]
    spare = width - sum(given) - _GAP * (len(rooms) - 1)
    for index in (*sorted(range(1, len(rooms)), key=lambda index: rooms[index].wish - rooms[index].least), 0):
        more = max(0, min(rooms[index].wish - rooms[index].least, spare))
        given[index] += more
        spare -= more
    return given


def _names_heading(table: Table) -> str:
    return ", ".join(column.label for column in table.columns[: table.headers])


def _heading(column: Column) -> list[str]:
    return _wrapped(column.label, _HEADING if column.numeric else _TEXT_HEADING, whole_words=True)


def _wrapped(text: str, width: int, *, whole_words: bool = False) -> list[str]:
    return textwrap.wrap(text, max(width, 1), break_long_words=not whole_words, break_on_hyphens=False)


def _cell(cell: Cell, *, wide: bool) -> Text:
    text = Text(cell.text)
    if cell.marks:
        text.append(f" {','.join(cell.marks)}", style="cyan")
    if cell.interval:
        text.append("  " if wide else "\n")
        text.append(cell.interval, style="dim")
    return text


def _marked(segment: Segment) -> int | None:
    """The place of the name that a segment stands for; None for any other."""
    if segment.style is None:
        return None
    found: int | None = segment.style.meta.get("across")
    return found
