"""Drawing a probe report: one function a figure, from the view's plain numbers to a matplotlib figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.report.draw import INK, MUTED, PALE, RULE, forest
from evenhand.report.probes.model import Line, ProbeView
from evenhand.report.study.looks import plain_axes
from evenhand.report.text import figure_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["SERIES", "aurocs", "calibration", "gains", "learning"]

# Colours of the audit's figures, so that the style sheet knows them in light and dark.
SERIES = {
    "probe": ("#d55e00", "o"),
    "combined": ("#0072b2", "s"),
    "confidence": ("#009e73", "^"),
    "no-signal": ("#3d434a", "D"),
    "baseline": ("#0072b2", "s"),
    "beyond": ("#8a6fae", "v"),
    "control": ("#3d434a", "D"),
}
_DASHES = {"combined": (0, (5, 2)), "confidence": (0, (1.5, 1.5)), "beyond": (0, (4, 1.5, 1, 1.5))}
_WIDTH, _HEIGHT = 5.6, 3.3  # inches
_MARKED = 40  # points of a line above which marks would be a smear


def aurocs(view: ProbeView) -> Figure:
    """AUROC of every predictor with its interval; chance is marked."""
    bounds = [b for p in view.aurocs for b in (p.low, p.high, p.value) if b is not None]
    low = max(0.0, min([0.4, *bounds]) - 0.03)
    figure, axes = forest(view.aurocs, limits=(low, 1.0), zero=0.5, series=SERIES)
    ticks = [t / 10 for t in range(11) if low <= t / 10]
    axes.set_xticks(ticks, [f"{t:.1f}" for t in ticks])
    axes.set_xlabel("AUROC; 0.5 is chance", fontsize=8)
    return figure


def calibration(view: ProbeView) -> Figure:
    """Mean prediction against the observed flip rate."""
    figure, axes = _plane(view.calibration)
    axes.plot([0, 1], [0, 1], color=RULE, linewidth=1.0, zorder=1)
    if view.flip_share is not None:
        axes.axhline(view.flip_share, color=PALE, linewidth=1.2, zorder=1)
    _lines(axes, view.calibration)
    _unit(axes, "x")
    _unit(axes, "y")
    axes.set_xlabel("mean predicted probability of a flip", fontsize=8)
    axes.set_ylabel("share of pairs that flipped", fontsize=8)
    return figure


def learning(view: ProbeView) -> Figure:
    """AUROC by training pairs, with intervals."""
    figure, axes = _plane(view.learning)
    axes.axhline(0.5, color=MUTED, linewidth=0.9, zorder=1)
    _lines(axes, view.learning)
    bounds = [b for line in view.learning for b in (*line.low, *line.high, *line.y) if b is not None]
    axes.set_ylim(max(0.0, min([0.45, *bounds]) - 0.02), min(1.0, max([0.6, *bounds]) + 0.02))
    axes.set_xlim(left=0.0)
    axes.set_xlabel("training pairs (mean over folds)", fontsize=8)
    axes.set_ylabel("AUROC; 0.5 is chance", fontsize=8)
    return figure


def gains(view: ProbeView) -> Figure:
    """Share of flips found against share of pairs swapped."""
    figure, axes = _plane(view.gains, more=1)
    axes.plot([0, 1], [0, 1], color=RULE, linewidth=1.0, zorder=1, label="at random")
    if view.flip_share:
        axes.plot([0, view.flip_share, 1], [0, 1, 1], color=PALE, linewidth=1.2, zorder=1)
    _lines(axes, view.gains)
    _unit(axes, "x")
    _unit(axes, "y")
    axes.set_xlabel("share of pairs swapped, highest predicted risk first", fontsize=8)
    axes.set_ylabel("share of flips found", fontsize=8)
    return figure


def _plane(lines: Sequence[Line], *, more: int = 0) -> tuple[Figure, Axes]:
    """A figure with one plane and room below it for a legend of the lines and some more."""
    from matplotlib.figure import Figure

    rows = (len(lines) + more + 1) // 2
    height = _HEIGHT + 0.2 * rows
    figure = Figure(figsize=(_WIDTH, height))
    bottom = 0.55 + 0.2 * rows
    axes = figure.add_axes((0.62 / _WIDTH, bottom / height, (_WIDTH - 0.8) / _WIDTH, (height - bottom - 0.12) / height))
    plain_axes(axes, left=True)
    return figure, axes


def _lines(axes: Axes, lines: Sequence[Line]) -> None:
    for line in lines:
        colour, mark = SERIES.get(line.series, (INK, "o"))
        axes.plot(
            line.x,
            line.y,
            color=colour,
            linewidth=1.5,
            linestyle=_DASHES.get(line.series, "solid"),
            marker=mark if len(line.x) <= _MARKED else None,
            markersize=4.6,
            markeredgewidth=0,
            label=figure_text(line.label, limit=40),
            zorder=3,
            clip_on=False,
        )
        for x, low, high in zip(line.x, line.low, line.high, strict=False):
            if low is not None and high is not None:
                axes.plot([x, x], [low, high], color=colour, linewidth=1.1, zorder=2)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0.0, 0.0),
        bbox_transform=axes.figure.transFigure,
        ncols=2,
        frameon=False,
        fontsize=8,
        handlelength=2.4,
        borderpad=0.3,
    )


def _unit(axes: Axes, which: str) -> None:
    """An axis from 0 to 1 in percent."""
    ticks, names = [0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"]
    if which == "x":
        axes.set_xlim(0.0, 1.0)
        axes.set_xticks(ticks, names)
    else:
        axes.set_ylim(0.0, 1.0)
        axes.set_yticks(ticks, names)
