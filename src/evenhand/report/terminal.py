"""The report in a terminal, at 80 columns and up."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table as RichTable
from rich.text import Text

from evenhand.report.model import Cell, Headline, ReportView, Table

__all__ = ["print_report"]

_STYLES = {
    "failed": "bold red",
    "incomplete": "bold yellow",
    "sensitive": "bold yellow",
    "undecided": "bold cyan",
    "steady": "bold green",
    "described": "bold cyan",
}
_ONE_LINE = 110  # columns from which a figure and its interval share a line
_ALSO_SHORT = frozenset({"examples"})  # shown in the HTML report only


def print_report(view: ReportView, console: Console) -> None:
    """Print the headline, then the tables, then the notes.

    The view's strings hold no terminal escapes (they were cleaned when it was built) and are printed as plain
    text, never as Rich markup.
    """
    console.print()
    console.print(_headline(view, console.width))
    for table in view.tables:
        if table.id not in _ALSO_SHORT:
            console.print()
            console.print(_table(table, wide=console.width >= _ONE_LINE, width=console.width))
    if view.notes:
        console.print()
        console.print(Text("Notes", style="bold"))
        console.print(_list(view.notes))
    console.print()


def _headline(view: ReportView, width: int) -> Panel:
    head: Headline = view.headline
    parts: list[Text | Padding] = [Text(head.verdict, style=_STYLES[head.status]), Text(head.lead)]
    if head.meaning:
        parts.append(_list(head.meaning))
    if head.next_steps:
        parts.append(Text("What to do", style="bold"))
        parts.append(_list(head.next_steps))
    spaced: list[Text | Padding] = []
    for part in parts:
        spaced += [part, Text("")] if isinstance(part, Text) and part.plain == head.lead else [part]
    return Panel(
        Group(*spaced),
        title=Text(f" {view.title} ", style="bold"),
        subtitle=Text(f" {view.subtitle} ", style="dim"),
        box=box.ROUNDED,
        padding=(1, 2),
        width=min(width, 100),
    )


def _list(items: Iterable[str]) -> Padding:
    grid = RichTable.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    for item in items:
        grid.add_row(Text("•", style="dim"), Text(item))
    return Padding(grid, (0, 0, 0, 1))


def _table(table: Table, *, wide: bool, width: int) -> Group:
    rich = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), collapse_padding=True, show_edge=False)
    for index, column in enumerate(table.columns):
        rich.add_column(
            Text(column.label, style="bold"),
            justify="right" if column.numeric else "left",
            no_wrap=column.numeric and wide,
            overflow="fold",
            vertical="top",
            min_width=None if column.numeric or index else 8,
        )
    previous: tuple[str, ...] = ()
    for row in table.rows:
        names = tuple(cell.text for cell in row[: table.headers])
        rich.add_row(*(_cell(cell, wide=wide) for cell in _blank_repeats(row, previous)))
        previous = names
    parts: list[Text | RichTable | Padding] = [Text(table.title, style="bold"), Text(table.caption, style="dim"), rich]
    if table.notes:
        notes = RichTable.grid(padding=(0, 1, 0, 0))
        notes.add_column()
        notes.add_column(overflow="fold")
        for letter, text in table.notes:
            notes.add_row(Text(letter, style="dim"), Text(text, style="dim"))
        parts.append(Padding(notes, (0, 0, 0, 1)))
    return Group(*parts)


def _blank_repeats(row: tuple[Cell, ...], previous: tuple[str, ...]) -> tuple[Cell, ...]:
    """Leave out a leading name that the row above has too, as printed tables do."""
    shown = list(row)
    for index, name in enumerate(previous[:-1]):
        if row[index].text != name:
            break
        shown[index] = Cell(text="")
    return tuple(shown)


def _cell(cell: Cell, *, wide: bool) -> Text:
    text = Text(cell.text)
    if cell.interval:
        text.append(" " if wide else "\n")
        text.append(cell.interval, style="dim")
    if cell.marks:
        text.append(f" {','.join(cell.marks)}", style="cyan")
    return text
