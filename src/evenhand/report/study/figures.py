"""The figures of a study: which have something to draw, what each says in words, as SVG for the page and as files."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from evenhand.analysis.study import Forest, HeatMap, LineChart, Series, StudyFigure
from evenhand.report.figure_files import Drawing, drawing_svg, write_drawings
from evenhand.report.format import is_shown
from evenhand.report.study.draw_forest import draw_forest, row_text
from evenhand.report.study.draw_heat import draw_heat, grid_of
from evenhand.report.study.draw_lines import draw_lines, runs_of
from evenhand.report.study.model import NamedFigure, StudyView
from evenhand.report.study.quantities import axis_text, study_quantity
from evenhand.report.text import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figure_caption", "figure_words", "is_drawn", "study_figure_svg", "write_study_figures"]

_POINTS = 12  # points of a line that are read out
_CELLS = 30  # cells of a map that are read out


def is_drawn(figure: StudyFigure) -> bool:
    """Whether a figure has something to draw: an estimate, a point, or a cell that is no gap."""
    match figure:
        case Forest():
            return any(is_shown(row.estimate) for row in figure.rows)
        case LineChart():
            return any(True for series in figure.series for _ in runs_of(series))
        case HeatMap():
            return any(math.isfinite(value) for row in grid_of(figure) for value in row)
        case _:
            assert_never(figure)


def figure_caption(figure: StudyFigure) -> str:
    """How to read the figure, in a sentence or two."""
    match figure:
        case Forest():
            return _forest_caption(figure)
        case LineChart():
            return _lines_caption(figure)
        case HeatMap():
            gaps = any(not math.isfinite(value) for row in grid_of(figure) for value in row)
            return f"The lighter, the higher: {visible(figure.z_label)}.{' Empty cells: no figure.' if gaps else ''}"
        case _:
            assert_never(figure)


def _forest_caption(figure: Forest) -> str:
    parts = ["Dots are estimates, lines their intervals, not adjusted for the number of rows."]
    if figure.reference is not None:
        parts.append(f"The vertical line is at {axis_text(figure.reference, figure.unit).lstrip('+')}.")
    if any(not is_shown(row.estimate) for row in figure.rows):
        parts.append("A dash: no figure, with the reason in the tables.")
    return " ".join(parts)


def _lines_caption(figure: LineChart) -> str:
    parts = []
    if any(series.low and series.high for series in figure.series):
        parts.append("Shaded areas and bars are intervals.")
    if any(len(list(runs_of(series))) > 1 for series in figure.series):
        parts.append("A gap: no figure there.")
    if figure.limits:
        parts.append("Dashed horizontal lines are limits.")
    return " ".join(parts)


def figure_words(figure: StudyFigure) -> str:
    """The figure's content for readers who can't see it."""
    match figure:
        case Forest():
            rows = [
                f"{', '.join(part for part in (visible(row.group), visible(row.label)) if part)}: "
                f"{visible(row_text(row.estimate, figure.unit), limit=300)}"
                for row in figure.rows
            ]
            return f"{visible(figure.x_label)}. {'; '.join(rows)}."
        case LineChart():
            limits = [f"{visible(name)} at {study_quantity(value, figure.unit)}" for name, value in figure.limits]
            parts = [*(_line_words(figure, series) for series in figure.series), *limits]
            return f"{visible(figure.y_label)} by {visible(figure.x_label)}. {'. '.join(parts)}."
        case HeatMap():
            return _heat_words(figure)
        case _:
            assert_never(figure)


def _line_words(figure: LineChart, series: Series) -> str:
    drawn = [index for run in runs_of(series) for index in run]
    step = max(1, math.ceil(len(drawn) / _POINTS))
    said = [f"{_place(figure, series.x[i])}: {study_quantity(series.y[i], figure.unit)}" for i in drawn[::step]]
    return f"{visible(series.label) or 'values'}: {'; '.join(said) or 'no figure'}"


def _place(figure: LineChart, x: float) -> str:
    if figure.x_ticks and float(x).is_integer() and 0 <= x < len(figure.x_ticks):
        return visible(figure.x_ticks[int(x)])
    return axis_text(x, "number")


def _heat_words(figure: HeatMap) -> str:
    cells = [
        (value, axis_text(x, "number"), visible(y))
        for y, row in zip(_row_words(figure), grid_of(figure), strict=True)
        for x, value in zip(figure.x, row, strict=True)
        if math.isfinite(value)
    ]
    kept = cells if len(cells) <= _CELLS else [min(cells), max(cells)]
    said = [
        f"{visible(figure.x_label)} {x}, {visible(figure.y_label)} {y}: {study_quantity(value, figure.unit)}"
        for value, x, y in kept
    ]
    which = "" if kept is cells else "Lowest and highest: "
    axes = f"{visible(figure.x_label)} and {visible(figure.y_label)}"
    return f"{visible(figure.z_label)} by {axes}. {which}{'; '.join(said)}."


def _row_words(figure: HeatMap) -> Sequence[str]:
    named = len(figure.y_names) == len(figure.y)
    return figure.y_names if named else [axis_text(y, "number") for y in figure.y]


def study_figure_svg(name: str, view: StudyView) -> str:
    """One figure as an ``<svg>`` element for a page: no style attributes, ids of its own, colours by class.

    Raises
    ------
    ConfigError
        The study has no figure of that name.
    """
    return drawing_svg(name, [_drawing(view, named) for named in view.figures])


def write_study_figures(view: StudyView, directory: Path, *, formats: Sequence[str] = ("svg",)) -> tuple[Path, ...]:
    """Write every figure as ``KIND-NAME.FORMAT``; formats are of ``svg``, ``pdf`` and ``png``.

    Raises
    ------
    ConfigError
        An unknown format; nothing is written then.
    """
    drawings = [_drawing(view, named, file=True) for named in view.figures]
    if not drawings:
        return ()
    return write_drawings(drawings, directory, formats=formats)


def _drawing(view: StudyView, named: NamedFigure, *, file: bool = False) -> Drawing:
    return Drawing(
        name=f"{view.kind}-{named.name}" if file else named.name,
        title=visible(named.figure.title),
        description=f"{figure_caption(named.figure)} {figure_words(named.figure)}".strip(),
        salt=f"study-{view.kind}-{named.name}",
        draw=_draw(named.figure),
    )


def _draw(figure: StudyFigure) -> Callable[[], Figure]:
    match figure:
        case Forest():
            return partial(draw_forest, figure)
        case LineChart():
            return partial(draw_lines, figure)
        case HeatMap():
            return partial(draw_heat, figure)
        case _:
            assert_never(figure)
