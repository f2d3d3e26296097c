"""Drawing a forest plot: a row for each estimate, its interval a line, its figures beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING

from evenhand.analysis.study import Forest, ForestRow, Unit
from evenhand.report.draw import INK, MUTED
from evenhand.report.format import DASH, is_shown
from evenhand.report.study.looks import (
    ACCENT,
    WIDTH,
    axis_name,
    bounds_of,
    plain_axes,
    text_width,
    ticks_of,
    wrapped,
)
from evenhand.report.study.quantities import study_interval, study_quantity
from evenhand.report.text import figure_text
from evenhand.stats import Estimate, Interval, Refusal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_forest", "row_text"]

_LABEL, _REMARK = 9.0, 8.0  # points
_LINE = 0.19  # inches of a line of text
_GAP = 0.055  # inches between rows
_LABEL_ROOM, _REMARK_ROOM, _PLOT_ROOM = 2.3, 2.05, 1.9  # inches: at most, at most, at least
_TOP, _BOTTOM = 0.1, 0.34
_BOLD = 1.12  # as wide as plain letters are bold ones
_WIDE = 6.0  # intervals that are so many times as wide as the middle one are cut at the axis' end


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of the plot: a heading or an estimate, with the place of its middle in inches from the top."""

    at: float
    text: str
    row: ForestRow | None = None


def row_text(estimate: Estimate | Refusal, unit: Unit) -> str:
    """An estimate with its interval, or the dash and the reason of a refusal."""
    match estimate:
        case Refusal(reason=reason):
            return f"{DASH} {reason}"
        case Estimate() if not is_shown(estimate):
            return f"{DASH} not a finite number"
        case Estimate():
            text = f"{study_quantity(estimate.value, unit)} {study_interval(estimate.interval, unit)}"
            return text if estimate.interval and text.endswith("]") else f"{text}(no interval)"


def draw_forest(forest: Forest) -> Figure:
    """The plot; long labels take two lines, an interval that dwarfs the others ends in an arrow."""
    from matplotlib.figure import Figure

    grouped = any(row.group for row in forest.rows)
    indent = 0.12 if grouped else 0.0
    labels = [text_width(figure_text(row.label, limit=60), size=_LABEL) + indent for row in forest.rows]
    heads = [text_width(figure_text(row.group, limit=60), size=_LABEL) * _BOLD for row in forest.rows]
    room = min(_LABEL_ROOM, max(*labels, *heads)) + 0.06
    lines, depth = _lines(forest, room=room, indent=indent)
    remarks = [figure_text(row_text(row.estimate, forest.unit), limit=38) for row in forest.rows]
    right = min(_REMARK_ROOM, max(text_width(remark, size=_REMARK) for remark in remarks)) + 0.12
    left = room + 0.1
    width = max(WIDTH, left + right + _PLOT_ROOM)
    name = wrapped(axis_name(forest.x_label, forest.unit), width=width - 0.4, size=_REMARK)
    bottom = _BOTTOM + _LINE * (name.count("\n") + 1)
    height = _TOP + depth + bottom
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((left / width, bottom / height, (width - left - right) / width, depth / height))
    axes.set_ylim(depth, 0.0)
    axes.set_yticks([])
    low, high = _limits(forest)
    axes.set_xlim(low, high)
    plain_axes(axes)
    axes.set_xticks(*ticks_of(low, high, forest.unit, most=max(3, int((width - left - right) / 0.42))))
    # in the middle of the figure rather than of the axis, which may be narrower than its name
    figure.text(0.5, 0.05 / height, name, fontsize=_REMARK, color=MUTED, ha="center", va="bottom", linespacing=1.2)
    if forest.reference is not None:
        axes.axvline(forest.reference, color=MUTED, linewidth=0.9, zorder=1)
    remark_of = iter(remarks)
    for line in lines:
        _margin(axes, line, left=left, indent=0.0 if line.row is None else indent)
        if line.row is not None:
            muted = not is_shown(line.row.estimate)
            _remark(axes, line.at, next(remark_of), right=right, muted=muted)
            _dot(axes, line.at, line.row.estimate, limits=(low, high))
    return figure


def _lines(forest: Forest, *, room: float, indent: float) -> tuple[list[_Line], float]:
    """Headings and rows from top to bottom, and the inches they take together."""
    made: list[_Line] = []
    depth = 0.0
    for group, rows in groupby(forest.rows, key=lambda row: row.group):
        if group:
            depth += 0.09 if made else 0.0
            text = wrapped(group, width=room / _BOLD, size=_LABEL)
            tall = _tall(text)
            made.append(_Line(at=depth + tall / 2, text=text))
            depth += tall + _GAP
        for row in rows:
            text = wrapped(row.label, width=room - indent, size=_LABEL)
            tall = _tall(text)
            made.append(_Line(at=depth + tall / 2, text=text, row=row))
            depth += tall + _GAP
    return made, depth


def _tall(text: str) -> float:
    return _LINE * 0.86 * (text.count("\n") + 1) + 0.03


def _limits(forest: Forest) -> tuple[float, float]:
    """Ends of the axis: every estimate and the reference, and every interval but those that would dwarf the rest."""
    shown = [row.estimate for row in forest.rows if isinstance(row.estimate, Estimate) and is_shown(row.estimate)]
    intervals = [e.interval for e in shown if e.interval is not None and study_interval(e.interval, forest.unit)]
    usual = median(interval.high - interval.low for interval in intervals) if intervals else 0.0
    kept = [interval for interval in intervals if interval.high - interval.low <= _WIDE * usual]
    reference = [] if forest.reference is None else [forest.reference]
    values = [e.value for e in shown]
    return bounds_of([*values, *reference, *(b for i in kept for b in (i.low, i.high))], forest.unit)


def _margin(axes: Axes, line: _Line, *, left: float, indent: float) -> None:
    axes.annotate(
        line.text,
        xy=(0, line.at),
        xycoords=("axes fraction", "data"),
        xytext=((indent - left) * 72 + 2, 0),
        textcoords="offset points",
        va="center",
        ha="left",
        fontsize=_LABEL,
        fontweight="bold" if line.row is None else "normal",
        linespacing=1.05,
        annotation_clip=False,
    )


def _remark(axes: Axes, at: float, text: str, *, right: float, muted: bool) -> None:
    axes.annotate(
        text,
        xy=(1, at),
        xycoords=("axes fraction", "data"),
        xytext=(right * 72 - 2, 0),
        textcoords="offset points",
        va="center",
        ha="right",
        fontsize=_REMARK,
        color=MUTED if muted else INK,
        annotation_clip=False,
    )


def _dot(axes: Axes, at: float, estimate: Estimate | Refusal, *, limits: tuple[float, float]) -> None:
    if not isinstance(estimate, Estimate) or not is_shown(estimate):
        return
    low, high = limits
    if estimate.interval is not None and study_interval(estimate.interval, "number"):
        _interval(axes, at, estimate.interval, ends=(low, high))
    axes.plot([estimate.value], [at], "o", color=ACCENT, markersize=5.2, markeredgewidth=0, zorder=3, clip_on=False)


def _interval(axes: Axes, at: float, interval: Interval, *, ends: Sequence[float]) -> None:
    """The interval's line; an arrow where it goes on beyond the axis."""
    left, right = max(interval.low, ends[0]), min(interval.high, ends[1])
    if left <= right:
        axes.plot([left, right], [at, at], color=ACCENT, linewidth=1.5, zorder=2, solid_capstyle="butt")
    for beyond, place, mark in ((interval.low < ends[0], ends[0], "<"), (interval.high > ends[1], ends[1], ">")):
        if beyond:
            axes.plot([place], [at], mark, color=ACCENT, markersize=4.6, markeredgewidth=0, zorder=3, clip_on=False)
