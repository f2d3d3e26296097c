"""The report in a terminal: tables at 70 columns and up, stacked rows below."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable
from dataclasses import replace

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table as RichTable
from rich.text import Text

from evenhand.report.groups import TableRow, row_groups
from evenhand.report.model import Cell, Claim, Column, Headline, Shown, Table
from evenhand.report.numbering import named
from evenhand.report.stacked import STACKED_BELOW, stacked_lines
from evenhand.report.text import keep_together, shortened

__all__ = ["print_report", "print_table"]

_STYLES = {
    "failed": "bold red",
    "incomplete": "bold yellow",
    "sensitive": "bold yellow",
    "undecided": "bold cyan",
    "steady": "bold green",
    "described": "bold cyan",
}
_MEASURE = 100  # columns of prose at most: longer lines are hard to read
_ONE_LINE = 110  # columns from which a figure and its interval share a line
_WIDE_NAME, _NAME, _DENSE_NAME = 40, 20, 16
# columns of one word of a row's name before it is cut: in a wide terminal, a narrow one, beside many columns
_DENSE = 8  # columns from which a table is dense
_WHOLE_NAME = 160  # as many characters as a name may have in a report
_FIRST, _FIRST_MOST = 14, 24  # columns of a row's name at least, and at least for its longest word: longer are folded
_HEAD_MOST = 17  # columns that a word of a group's heading is kept whole in: "self-preference", "single-character,"
_HEADING = 15  # columns of a numeric column's heading before it wraps
_BRIEF = frozenset({"summary", "design", "outcomes"})
_WIDE_ONLY = frozenset(
    {"counts", "flipped, readout", "flipped, generated"}
)  # columns that a narrow terminal leaves to the HTML report


def print_report(view: Shown, console: Console, *, brief: bool = False) -> None:
    """Print the headline, then the tables, then the notes; ``brief`` stops after how the presentations ended.

    The view's strings hold no terminal escapes (they were cleaned when it was built) and are printed as plain
    text, never as Rich markup.
    """
    width = console.width
    console.print()
    console.print(_headline(view, min(width, _MEASURE), brief=brief))
    shown = [table for table in view.tables if not table.folded and (not brief or table.id in _BRIEF)]
    for table in shown:
        console.print()
        console.print(_table(_numbered(table, view), width=width))
    folded = [table for table in view.tables if table.folded]
    if folded and not brief:
        named = list(dict.fromkeys(table.title.partition(":")[0] for table in folded))
        left = f"With many rows, so in the HTML report only: {', '.join(named)}."
        console.print()
        console.print(_prose(left, width=min(width, _MEASURE), style="dim"))
    if brief:
        left = f"{len(view.tables) - len(shown)} more tables and {len(view.notes)} notes are in the report."
        console.print()
        console.print(_prose(left, width=min(width, _MEASURE), style="dim"))
    elif view.notes:
        console.print()
        console.print(Text("Notes", style="bold"))
        console.print(_list(view.notes, width=min(width, _MEASURE)))
    console.print()


def _numbered(table: Table, view: Shown) -> Table:
    """The table with its number in its title, as its page has it."""
    basis = view.numbers.get(f"table-{table.id}")
    return table if basis is None else replace(table, title=f"{basis.name}. {table.title}")


def print_table(table: Table, console: Console) -> None:
    """Print one table with what is said above and below it, as :func:`print_report` does."""
    console.print(_table(table, width=console.width))


def _prose(text: str, *, width: int, style: str = "") -> Text:
    """Wrapped by hand, since Rich breaks lines at no-break spaces too."""
    lines = textwrap.wrap(keep_together(text), width=max(width, 20), break_on_hyphens=False)
    return Text("\n".join(lines).replace("\u00a0", " "), style=style, overflow="fold")


def _lists(head: Headline, *, brief: bool) -> list[tuple[str, tuple[Claim, ...]]]:
    """The headline's lists that have sentences, in the order of the page; ``brief`` leaves further findings out."""
    lists = [
        ("What you can trust", head.trust),
        ("What you can't", head.doubt),
        *([] if head.sorted else [("", head.more)]),
        ("What to do next", head.steps),
        *([("More findings", head.more)] if head.sorted and not brief else []),
    ]
    return [(title, claims) for title, claims in lists if claims]


def _headline(view: Shown, width: int, *, brief: bool) -> Panel:
    head, inner = view.headline, width - 6
    blank = Text("")
    parts: list[Text | Padding] = [
        _prose(head.verdict, width=inner, style=_STYLES[head.status]),
        blank,
        _prose(named(Claim(text=head.lead, basis=head.basis)), width=inner),
    ]
    for heading, claims in _lists(head, brief=brief):
        parts += [blank, *([Text(heading, style="bold")] if heading else []), _list(map(named, claims), width=inner)]
    parts += [blank, _prose(view.subtitle, width=inner, style="dim")]
    title = Text(f" {view.title} ", style="bold", overflow="ellipsis")
    return Panel(Group(*parts), title=title, title_align="left", box=box.ROUNDED, padding=(0, 2), width=width)


def _list(items: Iterable[str], *, width: int, marks: Iterable[str] | None = None, style: str = "") -> Padding:
    grid = RichTable.grid(padding=(0, 1, 0, 0))
    grid.add_column()
    grid.add_column(overflow="fold")
    for mark, item in zip(marks or itertools.repeat("•"), items, strict=False):
        grid.add_row(Text(mark, style="dim"), _prose(item, width=width - 3, style=style))
    return Padding(grid, (0, 0, 0, 1))


def _fitted(table: Table, *, wide: bool) -> Table:
    """The table without the columns that only a wide terminal has room for; the caption says so."""
    kept = [index for index, column in enumerate(table.columns) if wide or column.label not in _WIDE_ONLY]
    if len(kept) == len(table.columns):
        return table
    return replace(
        table,
        caption=f"{table.caption} Counts are in the HTML report.",
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in table.rows),
    )


def _table(table: Table, *, width: int) -> Group:
    """One table with what is said above and below it."""
    parts_of = _side_by_side(_fitted(table, wide=width >= _ONE_LINE), width=width)
    stacked = width < STACKED_BELOW or not parts_of
    rows = (
        [stacked_lines(table, width=width)]
        if stacked
        else [
            piece
            for index, part in enumerate(parts_of)
            for piece in ([Text("")] if index else []) + [_columns(part, width=width)]
        ]
    )
    caption = table.caption if stacked else _fitted(table, wide=width >= _ONE_LINE).caption
    reading = min(width, _MEASURE)
    parts: list[Text | RichTable | Padding] = [
        Text(table.title, style="bold"),
        _prose(caption, width=reading, style="dim"),
        *rows,
    ]
    if table.intervals:
        parts.append(_prose(table.intervals, width=reading, style="dim"))
    if table.notes:
        marks, texts = [n[0] for n in table.notes], [n[1] for n in table.notes]
        parts.append(_list(texts, width=reading, marks=marks, style="dim"))
    return Group(*parts)


def _side_by_side(table: Table, *, width: int) -> list[Table]:
    """The table, or its columns in as many parts as fit, each with the rows' names; empty where not even one fits."""
    parts: list[Table] = []
    start = table.headers
    while start < len(table.columns):
        end = len(table.columns)
        while end > start and _narrowest(_part(table, start, end), width=width) > width:
            end -= 1
        if end == start:
            return []
        parts.append(_part(table, start, end))
        start = end
    return parts


def _part(table: Table, start: int, end: int) -> Table:
    kept = [*range(table.headers), *range(start, end)]
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in table.rows),
    )


def _narrowest(table: Table, *, width: int) -> int:
    """Columns of a terminal that the rows need side by side; Rich would leave out what it has no room for."""
    wide = width >= _ONE_LINE
    first = table.headers if table.headers > 1 else 0
    needed = _outlined(table) if first else 0
    for index, column in enumerate(table.columns[first:], start=first):
        if not column.numeric:
            needed += 0 if first and index < table.headers else _FIRST
            continue
        cells = [_cell(row[index], wide=wide).plain for row in table.rows]
        needed += max(cell_len(line) for text in (*_heading(column), *cells) for line in text.splitlines() or [""])
    return needed + 2 * (len(table.columns) - max(first, 1))


def _outlined(table: Table) -> int:
    """Columns of an outline's names at least: what the longest word takes, within bounds; names are indented."""
    heads = (cell_len(word) for row in table.rows for cell in row[:1] for word in cell.text.split(" "))
    words = (
        cell_len(word) + 2 for row in table.rows for cell in row[1 : table.headers] for word in cell.text.split(" ")
    )
    return min(max((_FIRST, *(min(head, _HEAD_MOST) for head in heads), *words)), _FIRST_MOST)


def _heading(column: Column) -> list[str]:
    limit = _HEADING if column.numeric else 24
    return textwrap.wrap(column.label, limit, break_long_words=False, break_on_hyphens=False)


def _columns(table: Table, *, width: int) -> RichTable:
    """The rows side by side; where they have several names, the first column is an outline of them."""
    wide = width >= _ONE_LINE
    table = _fitted(table, wide=wide)
    outline = table.headers > 1
    rich = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), collapse_padding=True, show_edge=False)
    if outline:
        names = ", ".join(column.label for column in table.columns[: table.headers])
        rich.add_column(
            Text(names, style="bold"), overflow="fold", min_width=_outlined(table), max_width=None if wide else 26
        )
    for index, column in enumerate(table.columns[table.headers if outline else 0 :]):
        rich.add_column(
            Text("\n".join(_heading(column)), style="bold"),
            justify="right" if column.numeric else "left",
            no_wrap=column.numeric,
            overflow="ellipsis" if column.numeric else "fold",
            min_width=None if column.numeric or index else _FIRST,
        )
    limit = _WIDE_NAME if wide else _DENSE_NAME if len(table.columns) > _DENSE else _NAME
    for group in row_groups(table):
        if group.head is not None:
            head = _name(group.head, max(limit, _HEAD_MOST))
            head.stylize("italic")
            rich.add_row(head, *[""] * (len(table.columns) - table.headers))
        for row in group.rows:
            rich.add_row(*_row(row, outline=outline, wide=wide, limit=limit))
    return rich


def _row(row: TableRow, *, outline: bool, wide: bool, limit: int) -> list[Text | Padding]:
    """The row's texts; in an outline the names below the first share one column."""
    cells = [_cell(cell, wide=wide) for cell in row.cells]
    if not outline:
        return [*(_name(name.cell, limit) for name in row.names), *cells]
    names = " ".join(_short(name.cell.text, limit) for name in row.names)
    return [Padding(Text(names), (0, 0, 0, 2)), *cells]


def _short(text: str, limit: int) -> str:
    """A name that fits the first column: words wrap, and what has none is cut in its middle."""
    return " ".join(shortened(word, limit) for word in shortened(text, _WHOLE_NAME).split(" "))


def _name(cell: Cell, limit: int) -> Text:
    text = Text(_short(cell.text, limit))
    if cell.marks:
        text.append(f" {','.join(cell.marks)}", style="cyan")
    return text


def _cell(cell: Cell, *, wide: bool) -> Text:
    text = Text(cell.text)
    if cell.marks:
        text.append(f" {','.join(cell.marks)}", style="cyan")
    if cell.interval:
        text.append("  " if wide else "\n")
        text.append(cell.interval, style="dim")
    return text
