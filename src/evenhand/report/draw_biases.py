"""Drawing all biases on one scale: position, then every controlled change, with what noise alone changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.report.draw import SERIES, forest
from evenhand.report.model import Point
from evenhand.report.study.looks import wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BIAS_SERIES", "bias_words", "draw_biases"]

_LEFT = 2.15  # inches: names of changes are long

BIAS_SERIES = {"shown": ("#d55e00", "o"), "open": ("#3d434a", "D"), "repeat": SERIES["repeat"]}
"""Colour and mark: an effect that its adjusted test shows, one that it doesn't, and noise."""


def bias_words(row: Point) -> str:
    """A row in words."""
    return f"{row.group}{f', {row.label}' if row.label else ''}: {row.text.replace(' *', ', shown after Holm')}"


def draw_biases(rows: Sequence[Point]) -> Figure:
    """Dots with intervals around 0; dotted lines where a repeat's changes, either way, would reach."""
    bounds = [b for row in rows for b in (row.low, row.high, row.value) if b is not None]
    low, high = max(-1.0, min([-0.25, *bounds]) - 0.03), min(1.0, max([0.25, *bounds]) + 0.03)
    short = [replace(row, label=wrapped(row.label, width=_LEFT - 0.2, size=9.0, lines=1)) for row in rows]
    figure, axes = forest(short, limits=(low, high), zero=0.0, series=BIAS_SERIES, left=_LEFT)
    noise = max((row.value for row in rows if row.series == "repeat" and row.value is not None), default=None)
    if noise:
        colour = BIAS_SERIES["repeat"][0]
        for place in (-noise, noise):
            axes.axvline(place, color=colour, linewidth=1.0, linestyle=(0, (1.5, 2)), zorder=1)
    ticks = [t / 4 for t in range(-4, 5) if low <= t / 4 <= high]
    axes.set_xticks(ticks, [f"{'+' if t > 0 else '−' if t < 0 else ''}{abs(t) * 100:.0f}" for t in ticks])
    axes.set_xlabel("percentage points, net", fontsize=8)
    return figure
