"""An audit report's figures: which there are, and what each says in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.report import draw
from evenhand.report.draw_biases import bias_words, draw_biases
from evenhand.report.draw_flow import draw_flow, flow_words
from evenhand.report.draw_humans import draw_humans, human_words
from evenhand.report.draw_reliability import draw_reliability, reliability_words
from evenhand.report.draw_savings import draw_savings, savings_words
from evenhand.report.draw_slots import draw_slots, slot_words
from evenhand.report.figure_files import Drawing, drawing_svg, write_drawings
from evenhand.report.model import Point, ReportView
from evenhand.report.trust import NEGLIGIBLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "FigureInfo", "figure_svg", "figures_of", "write_figures"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureInfo:
    """A figure: its name (also its file's), title, caption, and what tells whether a view has data for it."""

    name: str
    title: str
    caption: str
    rows: Callable[[ReportView], Sequence[object]]
    draw: Callable[[ReportView], Figure]


def _drawn(points: Sequence[Point]) -> Sequence[Point]:
    """The points, if any of them can be drawn: a figure of refusals alone would be an empty one."""
    return points if any(point.value is not None for point in points) else ()


FIGURES: tuple[FigureInfo, ...] = (
    FigureInfo(
        name="rates",
        title="Compliance and flip rate",
        caption=(
            "Dots are estimates, lines their intervals. A flip rate means little without the compliance it was read at."
        ),
        rows=lambda view: _drawn(view.rates),
        draw=draw.rates,
    ),
    FigureInfo(
        name="design",
        title="What the prompt's design changes",
        caption=(
            "Each level minus the baseline of its axis. Where a line crosses 0 these data don't show the level to move "
            "anything; the table's p-values are adjusted for the number of tests, the lines are not."
        ),
        rows=lambda view: _drawn(view.effects),
        draw=draw.effects,
    ),
    FigureInfo(
        name="differences",
        title="First-token minus generated",
        caption=(
            "Difference of the flip rates on the same pairs. Right of 0 the first-token readout shows flips that the "
            "judge's own text does not."
        ),
        rows=lambda view: _drawn(view.differences),
        draw=draw.differences,
    ),
    FigureInfo(
        name="slots",
        title="What pairs chose in both orders",
        caption=(
            "Pairs decided in both orders, by the slot chosen in order AB (rows) and in order BA (columns). Blue: the "
            "same response both times. Orange and violet: the same slot both times, whichever response stood there, "
            "which is a flip. The stronger, the larger the share; ties and pairs without a verdict stand apart below."
        ),
        rows=lambda view: view.panels.tables,
        draw=lambda view: draw_slots(view.panels.tables),
    ),
    FigureInfo(
        name="locks",
        title="Slot locks",
        caption=(
            "Pairs that chose the same slot in both orders, as a share of pairs decided in both. A lean to one side "
            "is bias; two even sides are noise."
        ),
        rows=lambda view: view.locks,
        draw=draw.locks,
    ),
    FigureInfo(
        name="biases",
        title="All biases on one scale",
        caption=(
            "Right of 0 verdicts turn toward the first slot, or toward the response that a change favours; dots are "
            "estimates, lines their intervals, which are not adjusted. Round and orange, with a star: the test, "
            "Holm-adjusted over its family, shows the effect; diamonds: it does not. Dotted lines: the share of "
            "verdicts that changed, either way, when the same presentation was asked again. Noise moves both ways "
            "alike, so its net shift is 0."
        ),
        rows=lambda view: view.biases,
        draw=lambda view: draw_biases(view.biases),
    ),
    FigureInfo(
        name="humans",
        title="Judge and humans",
        caption=(
            "Agreement of the judge minus that of one person, each beside what most of the same other people prefer. "
            "At 0 the judge agrees as one more person does; left of it, less. Dots are estimates, lines their "
            f"intervals. Right of the dotted line it is less than {NEGLIGIBLE * 100:g} points below."
        ),
        rows=lambda view: _drawn(view.people),
        draw=lambda view: draw_humans(view.people),
    ),
    FigureInfo(
        name="flow",
        title="From the first token to the conclusion",
        caption=(
            "Presentations, both orders together, by the likeliest first token (left) and by what the text ended in "
            "(right). Orange bands led with one slot's label and concluded with the other's; blue bands kept to it; "
            "grey bands led with something else or ended without choosing a slot."
        ),
        rows=lambda view: view.panels.flows,
        draw=lambda view: draw_flow(view.panels.flows),
    ),
    FigureInfo(
        name="calibration",
        title="How sure, and how often right",
        caption=(
            "Pairs in bins of about equal size by the probability that the labels give to the preferred response. On "
            "the diagonal the judge is as often right as it is sure; below it, overconfident. Vertical lines are "
            "cluster intervals, faint horizontal ones the bin's width. Where compliance is low these are probabilities "
            "of tokens that the judge would not have written."
        ),
        rows=lambda view: view.panels.reliabilities,
        draw=lambda view: draw_reliability(view.panels.reliabilities),
    ),
    FigureInfo(
        name="savings",
        title="Spending judgments where the judge is unsure",
        caption=(
            "Sure is measured by the distance of the first token's log-odds from even. Left: the share of the flips "
            "that asking order BA of the least sure pairs alone would have found. Right: the share of verdicts that "
            "would agree with reading every text, were the others read from the first token. Straight lines: chosen at "
            "random. Bands are pointwise cluster intervals. In hindsight: thresholds are this run's own, and another "
            "run needs its own, or a promise from evenhand triage."
        ),
        rows=lambda view: view.panels.savings,
        draw=lambda view: draw_savings(view.panels.savings),
    ),
    FigureInfo(
        name="outcomes",
        title="How presentations ended",
        caption="Every state, both orders together. Only first, second and tie are verdicts.",
        rows=lambda view: view.outcomes,
        draw=draw.outcomes,
    ),
)


def figures_of(view: ReportView) -> tuple[FigureInfo, ...]:
    """The figures that this view has data for, in order."""
    return tuple(info for info in FIGURES if info.rows(view))


def figure_svg(name: str, view: ReportView) -> str:
    """One figure as an ``<svg>`` element for a page: no style attributes, ids of its own, colours by class.

    Raises
    ------
    ConfigError
        There is no figure of that name, or the view has no data for it.
    """
    return drawing_svg(name, _drawings(view))


def _drawings(view: ReportView) -> tuple[Drawing, ...]:
    return tuple(
        Drawing(
            name=info.name,
            title=f"{info.title}, first-slot rate" if info.name == "rates" and view.single_order else info.title,
            description=_description(info, view),
            salt=info.name,
            draw=partial(info.draw, view),
        )
        for info in figures_of(view)
    )


def _description(info: FigureInfo, view: ReportView) -> str:
    """The figure's content in words, for readers who can't see it."""
    match info.name:
        case "rates" | "differences" | "design":
            points = {"rates": view.rates, "design": view.effects}.get(info.name, view.differences)
            parts = [f"{p.group}, {p.label}: {p.text}" for p in points]
        case "locks":
            parts = [
                f"{b.group}, {b.readout}: {b.first} pairs on the first slot, {b.second} on the second, of {b.decided}"
                for b in view.locks
            ]
        case "slots":
            parts = [slot_words(table) for table in view.panels.tables]
        case "biases":
            parts = [bias_words(row) for row in view.biases]
        case "humans":
            parts = [human_words(row) for row in view.people]
        case "flow":
            parts = [flow_words(panel) for panel in view.panels.flows]
        case "calibration":
            parts = [reliability_words(found) for found in view.panels.reliabilities]
        case "savings":
            parts = [savings_words(panel) for panel in view.panels.savings]
        case _:
            parts = [f"{b.group}, {b.readout}: {', '.join(f'{n} {s}' for s, n in b.counts)}" for b in view.outcomes]
    return f"{info.caption} {'; '.join(parts)}."


def write_figures(view: ReportView, directory: Path, *, formats: Sequence[str] = ("svg",)) -> tuple[Path, ...]:
    """Write every figure as ``NAME.FORMAT``.

    Parameters
    ----------
    view
        The report.
    directory
        Made where it is missing.
    formats
        Of ``svg``, ``pdf`` and ``png``.

    Returns
    -------
    tuple of Path
        The files, in order.
    """
    return write_drawings(_drawings(view), directory, formats=formats, names=[info.name for info in FIGURES])
