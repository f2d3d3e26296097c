"""Drawing lines over one axis, with bands of their intervals, gaps, and limits such as a control chart's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from evenhand.analysis.study import LineChart, Series
from evenhand.report.draw import INK, MUTED
from evenhand.report.study.looks import (
    WIDTH,
    Look,
    axis_name,
    bounds_of,
    look_of,
    plain_axes,
    spread,
    text_width,
    ticks_of,
    wrapped,
)
from evenhand.report.study.quantities import study_quantity
from evenhand.report.text import figure_text, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_lines", "runs_of"]

_HEIGHT, _TOP, _LEFT = 2.9, 0.14, 0.66  # inches of the plane, above it, beside it
_SMALL = 8.0  # points
_LINE = 0.18  # inches of a line of text
_BANDS = 3  # series above which bands would hide each other: their intervals are bars
_MARKED = 40  # points of a line above which marks would be a smear
_LIMIT_ROOM = 1.3  # inches at most for the names of limits
_NAME = 22  # characters of a point's name


def draw_lines(chart: LineChart) -> Figure:
    """The chart with its legend below; a point between two gaps is a mark, since a line would not show it."""
    from matplotlib.figure import Figure

    names = [wrapped(_limit_name(name, value, chart), width=_LIMIT_ROOM, size=_SMALL) for name, value in _limits(chart)]
    right = 0.2 + max((text_width(line, size=_SMALL) for name in names for line in name.split("\n")), default=0.0)
    points, turned = _point_names(chart, plane=WIDTH - _LEFT - right)
    # a turned name reaches as far to the left of its point as down
    reach = 0.72 * max((text_width(name, size=_SMALL) for _, name in points), default=0.0) if turned else 0.0
    left = max(_LEFT, reach)
    plane = WIDTH - left - right
    x_name = wrapped(axis_name(chart.x_label, "number"), width=plane, size=_SMALL)
    rows, columns = _legend_rows(chart.series)
    tick_room = 0.14 + reach if turned else 0.24
    bottom = tick_room + _LINE * (x_name.count("\n") + 1) + 0.06 + _LINE * rows
    height = _TOP + _HEIGHT + bottom
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.add_axes((left / WIDTH, bottom / height, plane / WIDTH, _HEIGHT / height))
    plain_axes(axes, left=True)
    _scales(axes, chart, points=points, turned=turned)
    figure.text(
        (left + plane / 2) / WIDTH, (_LINE * rows + 0.08) / height, x_name, fontsize=_SMALL, color=MUTED, ha="center"
    )
    axes.set_ylabel(wrapped(axis_name(chart.y_label, chart.unit), width=_HEIGHT, size=_SMALL), fontsize=_SMALL)
    for index, series in enumerate(chart.series):
        _series(axes, series, look_of(index), band=len(chart.series) <= _BANDS)
    _draw_limits(axes, chart, names)
    if rows:
        _legend(axes, columns)
    return figure


def runs_of(series: Series) -> Iterator[list[int]]:
    """Indices of the points between gaps: each run is drawn as one line."""
    finite = [math.isfinite(x) and math.isfinite(y) for x, y in zip(series.x, series.y, strict=False)]
    for drawn, indices in groupby(range(len(finite)), key=finite.__getitem__):
        if drawn:
            yield list(indices)


def _limits(chart: LineChart) -> list[tuple[str, float]]:
    return [(name, value) for name, value in chart.limits if math.isfinite(value)]


def _limit_name(name: str, value: float, chart: LineChart) -> str:
    figure = study_quantity(value, chart.unit).replace(" ", "\u00a0")
    return f"{visible(name)} {figure}"


def _point_names(chart: LineChart, *, plane: float) -> tuple[list[tuple[int, str]], bool]:
    """The names along the axis that there is room for, and whether they are turned."""
    names = [figure_text(name, limit=_NAME) for name in chart.x_ticks]
    if not names:
        return [], False
    widest = max(text_width(name, size=_SMALL) for name in names) + 0.1
    if widest * len(names) <= plane:
        return list(enumerate(names)), False
    step = max(1, math.ceil(len(names) * _LINE / plane))
    return [(index, names[index]) for index in range(0, len(names), step)], True


def _legend_rows(series: Sequence[Series]) -> tuple[int, int]:
    """Rows and columns of the legend; a single line without a name needs none."""
    if len(series) == 1 and not series[0].label:
        return 0, 1
    columns = 1 if any(text_width(each.label[:60], size=_SMALL) > WIDTH / 2 - 0.6 for each in series) else 2
    if all(text_width(each.label[:60], size=_SMALL) < WIDTH / 3 - 0.6 for each in series) and len(series) > 2:
        columns = 3
    return math.ceil(len(series) / columns), columns


def _scales(axes: Axes, chart: LineChart, *, points: Sequence[tuple[int, str]], turned: bool) -> None:
    drawn = [
        value
        for series in chart.series
        for run in runs_of(series)
        for index in run
        for value in (series.y[index], *(side[index] for side in (series.low, series.high) if index < len(side)))
    ]
    low, high = bounds_of([*drawn, *(value for _, value in _limits(chart))], chart.unit)
    axes.set_ylim(low, high)
    axes.set_yticks(*ticks_of(low, high, chart.unit))
    if points:
        axes.set_xlim(-0.4, len(chart.x_ticks) - 0.6)
        axes.set_xticks([index for index, _ in points], [name for _, name in points])
        if turned:
            for label in axes.get_xticklabels():
                label.set(rotation=45, ha="right", rotation_mode="anchor")
        return
    xs = [series.x[index] for series in chart.series for run in runs_of(series) for index in run]
    left, right = bounds_of(xs, "number")
    axes.set_xlim(left, right)
    axes.set_xticks(*ticks_of(left, right, "number", most=7))


def _series(axes: Axes, series: Series, look: Look, *, band: bool) -> None:
    total = len(series.x)
    labelled = False
    for run in runs_of(series):
        x, y = [series.x[i] for i in run], [series.y[i] for i in run]
        marked = total <= _MARKED or len(run) == 1
        axes.plot(
            x,
            y,
            color=look.colour,
            linewidth=1.5,
            linestyle=look.dash,
            marker=look.mark if marked else None,
            markersize=4.4,
            markeredgewidth=0,
            label="_" if labelled else figure_text(series.label or "values", limit=60),
            zorder=3,
            clip_on=False,
        )
        labelled = True
        _intervals(axes, series, run, look, band=band and len(run) > 1)


def _intervals(axes: Axes, series: Series, run: Sequence[int], look: Look, *, band: bool) -> None:
    """A band, or bars where bands would hide each other or a point stands alone; nothing where there is no interval."""
    ends = [
        (series.x[i], series.low[i], series.high[i])
        for i in run
        if i < min(len(series.low), len(series.high)) and math.isfinite(series.low[i]) and math.isfinite(series.high[i])
    ]
    if not ends:
        return
    if band and len(ends) == len(run):
        x, low, high = zip(*ends, strict=True)
        axes.fill_between(x, low, high, color=look.colour, alpha=0.16, linewidth=0, zorder=2)
        return
    for at, bottom, top in ends:
        axes.plot([at, at], [bottom, top], color=look.colour, linewidth=1.1, zorder=2)


def _draw_limits(axes: Axes, chart: LineChart, names: Sequence[str]) -> None:
    """Horizontal lines with their names at the right, moved apart where they would touch."""
    limits = [value for _, value in _limits(chart)]
    if not limits:
        return
    low, high = axes.get_ylim()
    for value in limits:
        axes.axhline(value, color=MUTED, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    lines = max(name.count("\n") + 1 for name in names)
    least = (high - low) * 0.15 * lines / _HEIGHT
    # a name at an end of the axis reaches beyond it by half its height, for which there is room but for a little
    inch = (high - low) / _HEIGHT
    ends = {"floor": low + 0.08 * (lines - 1) * inch, "ceiling": high - 0.06 * (lines - 1) * inch}
    for value, place, name in zip(limits, spread(limits, least=least, **ends), names, strict=True):
        axes.annotate(
            name,
            xy=(1.0, value),
            xycoords=("axes fraction", "data"),
            xytext=(1.02, place),
            textcoords=("axes fraction", "data"),
            fontsize=_SMALL,
            color=INK,
            va="center",
            ha="left",
            linespacing=1.05,
            annotation_clip=False,
        )


def _legend(axes: Axes, columns: int) -> None:
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 0.0),
        bbox_transform=axes.figure.transFigure,
        ncols=columns,
        frameon=False,
        fontsize=_SMALL,
        handlelength=2.6,
        labelspacing=0.35,
        borderpad=0.2,
        columnspacing=1.2,
    )
