"""Drawing the judge beside people: its agreement minus one more person's, by condition and readout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.audits.humans.beside import RunBesidePeople
from evenhand.report.draw import INK, forest
from evenhand.report.model import Point
from evenhand.report.points import point
from evenhand.report.trust import NEGLIGIBLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_humans", "human_points", "human_words"]


def human_points(made: RunBesidePeople, *, names: Mapping[str, str] | None = None) -> tuple[Point, ...]:
    """Judge minus person of every condition and readout.

    Parameters
    ----------
    names
        What conditions are called in the report, by id.
    """
    called = names or {}
    return tuple(
        point(
            called.get(scope.condition, scope.condition),
            scope.readout.value,
            scope.readout.value,
            scope.judge.gap,
            "difference",
        )
        for scope in made.scopes
    )


def human_words(row: Point) -> str:
    """A row in words."""
    return f"{row.group}, {row.label}: {row.text}"


def draw_humans(rows: Sequence[Point]) -> Figure:
    """Dots with intervals around 0; a dotted line where falling behind is more than negligible."""
    bounds = [b for row in rows for b in (row.low, row.high, row.value) if b is not None]
    low, high = max(-1.0, min([-0.25, *bounds]) - 0.03), min(1.0, max([0.25, *bounds]) + 0.03)
    figure, axes = forest(rows, limits=(low, high), zero=0.0)
    axes.axvline(-NEGLIGIBLE, color=INK, linewidth=1.0, linestyle=(0, (1.5, 2)), zorder=1)
    ticks = [t / 4 for t in range(-4, 5) if low <= t / 4 <= high]
    axes.set_xticks(ticks, [f"{'+' if t > 0 else '−' if t < 0 else ''}{abs(t) * 100:.0f}" for t in ticks])
    axes.set_xlabel("percentage points, judge − person", fontsize=8)
    return figure
