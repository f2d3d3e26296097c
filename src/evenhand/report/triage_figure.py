"""The figure of a triage: flips missed against judgments asked, every score a line, promises marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.probes.triage_guarantee import Guarantee
from evenhand.probes.triage_report import TriageReport
from evenhand.probes.triage_scores import CONFIDENCE, MARGIN, RANDOM
from evenhand.report.draw import INK
from evenhand.report.figure_files import Drawing, drawing_svg, write_drawings
from evenhand.report.format import percent
from evenhand.report.study.looks import plain_axes
from evenhand.report.text import figure_text, visible
from evenhand.stats import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FIGURE", "TITLE", "caption", "has_figure", "triage_svg", "write_triage_figure"]

FIGURE = "budgets"
"""Its name on the page; its file is ``triage.svg``, or another format's."""
_FILE = "triage"
TITLE = "Flips missed against judgments asked"

# Okabe & Ito's palette as in every report; lines differ in dashes and marks too.
_LOOKS = (("#d55e00", "o", "solid"), ("#0072b2", "s", (0, (5, 2))), ("#8a6fae", "v", (0, (4, 1.5, 1, 1.5))))
_FIXED = {
    CONFIDENCE: ("#009e73", "^", (0, (1.5, 1.5))),
    MARGIN: ("#6b4f00", "<", (0, (3, 1, 1, 1))),
    RANDOM: ("#3d434a", "", "solid"),
}
_WIDTH, _HEIGHT = 5.6, 3.9  # inches


def has_figure(report: TriageReport) -> bool:
    """Whether there is a curve to draw: several budgets, and a flip."""
    return len(report.question.budgets) > 1 and report.flips > 0


def write_triage_figure(
    report: TriageReport, directory: Path, *, formats: Sequence[str] = ("svg",)
) -> tuple[Path, ...]:
    """Write it as ``triage.FORMAT``, where there is a curve to draw; the same report gives the same bytes.

    Raises
    ------
    ConfigError
        An unknown format; nothing is written then.
    """
    drawings = [replace(_drawing(report), name=_FILE)] if has_figure(report) else []
    return write_drawings(drawings, directory, formats=formats, names=(_FILE,))


def triage_svg(report: TriageReport) -> str:
    """The figure as an ``<svg>`` element for a page: no style attributes, ids of its own, colours by class."""
    return drawing_svg(FIGURE, [_drawing(report)])


def caption(report: TriageReport) -> str:
    """How to read it, in a few sentences."""
    parts = [
        "Each line is a score: the pairs that it ranks riskiest are swapped first. At the left nothing is swapped and "
        "every flip missed, at the right every pair is. The lower a line, the better the score; one that runs along "
        "random finds flips no better than chance.",
        f"Bars are intervals, of {visible(report.question.score)} alone.",
    ]
    if _kept(report, report.question.score):
        parts.append("Open diamonds: what it swapped and missed under a promise, means over splits.")
    return " ".join(parts)


def _drawing(report: TriageReport) -> Drawing:
    return Drawing(
        name=FIGURE,
        title=TITLE,
        description=f"{caption(report)} {_words(report)}",
        salt="triage",
        draw=lambda: _draw(report),
    )


def _words(report: TriageReport) -> str:
    """The lines for readers who can't see them: flips missed at each budget."""
    lines = []
    for name in (score.name for score in report.scores if score.refusal is None):
        points = [
            f"{percent(point.budget)} swapped, {percent(point.missed.value)} missed"
            for point in report.budgets
            if point.score == name and isinstance(point.missed, Estimate)
        ]
        lines.append(f"{visible(name)}: {'; '.join(points)}.")
    return " ".join(lines)


def _draw(report: TriageReport) -> Figure:
    from matplotlib.figure import Figure

    names = [s.name for s in report.scores if s.refusal is None]
    rows = (len(names) + 2) // 2
    height = _HEIGHT + 0.2 * rows
    figure = Figure(figsize=(_WIDTH, height))
    bottom = 0.55 + 0.2 * rows
    axes = figure.add_axes((0.62 / _WIDTH, bottom / height, (_WIDTH - 0.9) / _WIDTH, (height - bottom - 0.15) / height))
    _axes(axes)
    looks = dict(zip([n for n in names if n not in _FIXED], _cycle(len(names)), strict=False)) | _FIXED
    for name in names:
        _line(axes, report, name, looks[name])
    _promises(axes, report, report.question.score)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 0.0),
        bbox_transform=figure.transFigure,
        ncols=2,
        frameon=False,
        fontsize=8,
        handlelength=2.4,
        borderpad=0.3,
    )
    return figure


def _cycle(count: int) -> list[tuple[str, str, object]]:
    return [_LOOKS[i % len(_LOOKS)] for i in range(count)]


def _axes(axes: Axes) -> None:
    plain_axes(axes, left=True)
    axes.set_xlim(0.5, 1.0)
    axes.set_ylim(0.0, 1.0)
    axes.set_xticks([0.5, 0.6, 0.7, 0.8, 0.9, 1.0], ["50", "60", "70", "80", "90", "100 %"])
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    axes.set_xlabel("judgments asked, of both orders of every pair", fontsize=8)
    axes.set_ylabel("flips missed", fontsize=8)


def _line(axes: Axes, report: TriageReport, name: str, look: tuple[str, str, object]) -> None:
    colour, mark, dashes = look
    points = [p for p in report.budgets if p.score == name and isinstance(p.missed, Estimate)]
    # Both ends are known: nothing swapped misses all, everything swapped none.
    x = [0.5, *(1 - p.saved for p in points), 1.0]
    y = [1.0, *(p.missed.value for p in points if isinstance(p.missed, Estimate)), 0.0]
    axes.plot(
        x,
        y,
        color=colour,
        linewidth=1.5,
        linestyle=dashes,
        marker=mark or None,
        markersize=4.2,
        markeredgewidth=0,
        label=figure_text(name, limit=40),
        zorder=3,
        clip_on=False,
    )
    if name == report.question.score:
        for p in points:
            if isinstance(p.missed, Estimate) and p.missed.interval is not None:
                at = 1 - p.saved
                axes.plot([at, at], [p.missed.interval.low, p.missed.interval.high], color=colour, linewidth=1.1)


def _promises(axes: Axes, report: TriageReport, name: str) -> None:
    kept = _kept(report, name)
    if kept:
        axes.scatter(
            [0.5 + each.mean_swapped / 2 for each in kept],
            [each.mean_missed for each in kept if each.mean_missed is not None],
            marker="D",
            s=46,
            facecolors="none",
            edgecolors=INK,
            linewidths=1.3,
            label=figure_text(f"{name} with a promise: {', '.join(f'{g.alpha * 100:g} %' for g in kept)}", limit=40),
            zorder=4,
            clip_on=False,
        )


def _kept(report: TriageReport, name: str) -> list[Guarantee]:
    """A score's promises whose missed share could be measured."""
    found = dict(report.guarantees).get(name)
    return [each for each in found if each.mean_missed is not None] if isinstance(found, tuple) else []
