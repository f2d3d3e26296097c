"""Drawing swap tables: what each pair chose in order AB against order BA, four cells each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.analysis.displays import SwapTable
from evenhand.report.draw import INK, MUTED
from evenhand.report.format import integer, percent
from evenhand.report.text import figure_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_slots", "slot_words"]

_WIDTH, _LEFT, _TOP, _TILE, _GAP, _FOOT = 5.6, 0.72, 0.46, 1.4, 0.2, 0.52  # inches
_ACROSS = 3
_SAME, _FIRST, _SECOND = "#0072b2", "#d55e00", "#8a6fae"
_PALEST, _STRONGEST = 0.06, 0.6  # so that letters stay legible, on light and on dark


def slot_words(table: SwapTable) -> str:
    """A table in words."""
    sample = ", in the sample" if table.sampled else ""
    return (
        f"{table.condition}, {table.readout.value}{sample}: response A in both orders {integer(table.both_a)}, "
        f"response B in both orders {integer(table.both_b)}, first slot twice {integer(table.first_twice)}, second "
        f"slot twice {integer(table.second_twice)}, of {integer(table.decided)} pairs decided in both orders; with a "
        f"tie {integer(table.with_tie)}, no verdict in one order or both {integer(table.undecided)}"
    )


def draw_slots(tables: Sequence[SwapTable]) -> Figure:
    """Tiles side by side, three in a row; a cell is as strong as its share of the pairs decided in both orders."""
    from matplotlib.figure import Figure

    rows = -(-len(tables) // _ACROSS)
    height = rows * (_TOP + _TILE + _FOOT)
    figure = Figure(figsize=(_WIDTH, height))
    for index, table in enumerate(tables):
        row, column = divmod(index, _ACROSS)
        left = _LEFT + column * (_TILE + _GAP)
        bottom = height - (row + 1) * (_TOP + _TILE) - row * _FOOT
        axes = figure.add_axes((left / _WIDTH, bottom / height, _TILE / _WIDTH, _TILE / height))
        _tile(axes, table, named=column == 0)
    return figure


def _tile(axes: Axes, table: SwapTable, *, named: bool) -> None:
    axes.set_xlim(0, 2)
    axes.set_ylim(2, 0)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    cells = (
        (0, 0, table.both_a, _SAME, "A twice"),
        (1, 0, table.first_twice, _FIRST, "1st slot twice"),
        (0, 1, table.second_twice, _SECOND, "2nd slot twice"),
        (1, 1, table.both_b, _SAME, "B twice"),
    )
    for x, y, count, colour, name in cells:
        share = count / table.decided
        strength = _PALEST + (_STRONGEST - _PALEST) * share
        axes.fill(
            [x + 0.02, x + 0.98, x + 0.98, x + 0.02],
            [y + 0.02, y + 0.02, y + 0.98, y + 0.98],
            color=colour,
            alpha=round(strength, 3),
            linewidth=0,
        )
        axes.text(x + 0.5, y + 0.36, integer(count), ha="center", va="center", fontsize=10, fontweight="bold")
        axes.text(x + 0.5, y + 0.6, percent(share), ha="center", va="center", fontsize=7.5)
        axes.text(x + 0.5, y + 0.81, name, ha="center", va="center", fontsize=6.5)
    title = f"{table.readout.value}{', sample' if table.sampled else ''}"
    axes.text(0, -0.42, figure_text(table.condition, limit=22), ha="left", va="center", fontsize=8, fontweight="bold")
    axes.text(0, -0.24, figure_text(title, limit=24), ha="left", va="center", fontsize=8, color=INK)
    for middle, name in ((0.5, "BA: 2nd"), (1.5, "BA: 1st")):
        axes.text(middle, -0.08, name, ha="center", va="center", fontsize=7, color=MUTED)
    if named:
        for middle, name in ((0.5, "AB: 1st"), (1.5, "AB: 2nd")):
            axes.text(-0.06, middle, name, ha="right", va="center", fontsize=7, color=MUTED)
    lines = (
        f"{integer(table.decided)} decided in both orders",
        *(
            f"{integer(count)} {name}"
            for count, name in ((table.with_tie, "with a tie"), (table.undecided, "without a verdict"))
            if count
        ),
    )
    for number, line in enumerate(lines):
        axes.text(0, 2.12 + 0.17 * number, line, ha="left", va="center", fontsize=7, color=MUTED)
