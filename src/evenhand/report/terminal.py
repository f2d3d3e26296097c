"""The report in a terminal: tables at 70 columns and up, stacked rows below."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable
from dataclasses import replace

from rich import box
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table as RichTable
from rich.text import Text

from evenhand.report.format import how_many
from evenhand.report.model import Claim, Headline, Shown, Table
from evenhand.report.numbering import named
from evenhand.report.stacked import STACKED_BELOW, stacked_lines
from evenhand.report.terminal_columns import ONE_LINE, NamedLines, columns_in_parts, occupied
from evenhand.report.text import keep_together

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
        tables, notes = len(view.tables) - len(shown), len(view.notes)
        verb = "is" if tables + notes == 1 else "are"
        left = f"{how_many(tables, 'more table')} and {how_many(notes, 'note')} {verb} in the report."
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
    table = occupied(table)
    fitted = _fitted(table, wide=width >= ONE_LINE)
    parts_of = [] if width < STACKED_BELOW else columns_in_parts(fitted, width=width)
    rows: list[Text | NamedLines] = [stacked_lines(table, width=width)]
    if parts_of:
        rows = [piece for part in parts_of for piece in (Text(""), part)][1:]
    caption = fitted.caption if parts_of else table.caption
    reading = min(width, _MEASURE)
    parts: list[Text | NamedLines | Padding] = [
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
