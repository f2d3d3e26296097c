"""The figures of a probe report: which there are, as SVG for the page and as files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.report.figure_files import Drawing, drawing_svg, write_drawings
from evenhand.report.probes import draw
from evenhand.report.probes.model import Line, ProbeView

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "ProbeFigure", "figure_svg", "figures_of", "write_figures"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFigure:
    """A figure: its name (also its file's), title, caption, what it says in words, and how it is drawn.

    ``described`` gives a part for each thing drawn; empty where the view has nothing to draw.
    """

    name: str
    title: str
    caption: str
    described: Callable[[ProbeView], Sequence[str]]
    draw: Callable[[ProbeView], Figure]


def _aurocs(view: ProbeView) -> list[str]:
    """Every predictor's AUROC in words; nothing where all of them are refused."""
    if all(point.value is None for point in view.aurocs):
        return []
    return [f"{point.label}: {point.text}" for point in view.aurocs]


def _described(lines: Sequence[Line]) -> list[str]:
    return [f"{line.label}: {'; '.join(f'{x:.2f}, {y:.2f}' for x, y in _few(line))}" for line in lines]


def _few(line: Line) -> list[tuple[float, float]]:
    step = max(1, len(line.x) // 10)
    return list(zip(line.x[::step], line.y[::step], strict=True))


FIGURES: tuple[ProbeFigure, ...] = (
    ProbeFigure(
        name="auroc",
        title="How well flips are ranked",
        caption=(
            "AUROC of every predictor, dots with intervals. Where a line crosses 0.5 these data don’t show the "
            "predictor to be better than chance. Overlapping lines don’t compare two predictors: the paired "
            "differences do."
        ),
        described=_aurocs,
        draw=draw.aurocs,
    ),
    ProbeFigure(
        name="calibration",
        title="Predicted and observed",
        caption=(
            "Mean prediction in bins against how often those pairs flipped. On the diagonal the predictions are "
            "right on average. A description: the points have no intervals."
        ),
        described=lambda view: _described(view.calibration),
        draw=draw.calibration,
    ),
    ProbeFigure(
        name="learning",
        title="Learning curve",
        caption="AUROC on the same held-out pairs when fitted on fewer; bars are intervals over question groups.",
        described=lambda view: _described(view.learning),
        draw=draw.learning,
    ),
    ProbeFigure(
        name="gain",
        title="Flips found by swapping some of the pairs",
        caption=(
            "Pairs swapped in the order of their predicted risk. The diagonal is swapping at random; the pale line "
            "would find every flip first. A description without intervals: to choose a threshold with a guarantee, "
            "use evenhand triage."
        ),
        described=lambda view: _described(view.gains),
        draw=draw.gains,
    ),
)


def figures_of(view: ProbeView) -> tuple[ProbeFigure, ...]:
    """The figures that this view has data for, in order."""
    return tuple(info for info in FIGURES if info.described(view))


def figure_svg(name: str, view: ProbeView) -> str:
    """One figure as an ``<svg>`` element for a page: no style attributes, ids of its own, colours by class.

    Raises
    ------
    ConfigError
        There is no figure of that name, or the view has no data for it.
    """
    return drawing_svg(name, _drawings(view))


def _drawings(view: ProbeView) -> tuple[Drawing, ...]:
    return tuple(
        Drawing(
            name=info.name,
            title=info.title,
            description=f"{info.caption} {'. '.join(info.described(view))}.",
            salt=f"probes-{info.name}",
            draw=partial(info.draw, view),
        )
        for info in figures_of(view)
    )


def write_figures(view: ProbeView, directory: Path, *, formats: Sequence[str] = ("svg",)) -> tuple[Path, ...]:
    """Write every figure as ``NAME.FORMAT``; formats are of ``svg``, ``pdf`` and ``png``.

    Raises
    ------
    ConfigError
        An unknown format; nothing is written then.
    """
    return write_drawings(_drawings(view), directory, formats=formats, names=[info.name for info in FIGURES])
