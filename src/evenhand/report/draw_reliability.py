"""Drawing reliability: how often a judge is right, in bins of how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.analysis.displays import Reliability
from evenhand.report.draw import MUTED, SERIES
from evenhand.report.format import estimate_text, integer, is_shown, percent
from evenhand.report.study.looks import plain_axes, wrapped
from evenhand.report.text import figure_text
from evenhand.stats import Estimate, Refusal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_reliability", "reliability_words"]

_WIDTH, _PLOT_WIDE, _PLOT_TALL = 5.6, 2.6, 1.9  # inches
_LEFT, _BESIDE, _HEAD, _FOOT, _REFUSED, _LINE = 0.66, 3.45, 0.36, 0.55, 0.32, 0.19


def reliability_words(found: Reliability) -> str:
    """A diagram in words."""
    name = f"{found.condition}, {found.readout.value}"
    if isinstance(found.error, Refusal):
        return f"{name}: no diagram, {found.error.reason}"
    bins = [
        f"sure at {percent(b.low)} to {percent(b.high)}, {percent(b.confidence)} on average: right in "
        f"{estimate_text(b.right) if is_shown(b.right) else 'no figure'} of {integer(b.right.n)} pairs"
        for b in found.bins
    ]
    return f"{name}: {'; '.join(bins)}; {'; '.join(_remarks(found))}"


def _remarks(found: Reliability) -> list[str]:
    """Calibration error, overconfidence, compliance and what is left out, each a line."""
    compliance = (
        f"compliance {percent(found.compliance.value)}"
        if isinstance(found.compliance, Estimate)
        else "compliance unknown"
    )
    out = [
        f"{integer(count)} {name}"
        for count, name in (
            (found.without_log_odds, "without log-odds"),
            (found.gold_tie, "gold ties"),
            (found.even, "exactly even"),
        )
        if count
    ]
    sizes = [b.right.n for b in found.bins]
    each = f" in {integer(len(sizes))} bins of {_span(sizes)}" if sizes else ""
    return [
        f"{integer(found.pairs)} pairs{each}",
        compliance,
        f"calibration error {estimate_text(found.error)}",
        f"sure minus right {estimate_text(found.overconfidence, 'difference')}",
        *([f"left out: {', '.join(out)}"] if out else []),
    ]


def _span(sizes: Sequence[int]) -> str:
    low, high = min(sizes), max(sizes)
    return integer(low) if low == high else f"{integer(low)} to {integer(high)}"


def draw_reliability(found: Sequence[Reliability]) -> Figure:
    """A diagram under the other, each with its figures beside it; the reason in the place of one that is refused."""
    from matplotlib.figure import Figure

    heights = [_HEAD + (_REFUSED if isinstance(one.error, Refusal) else _PLOT_TALL + _FOOT) for one in found]
    height = sum(heights)
    figure = Figure(figsize=(_WIDTH, height))
    top = height
    for one, own in zip(found, heights, strict=True):
        order = "both orders averaged" if one.averaged else "one order"
        title = f"{figure_text(one.condition, limit=40)}, {one.readout.value}, {order}"
        figure.text(0.02, (top - 0.16) / height, title, fontsize=8, fontweight="bold", va="center")
        if isinstance(one.error, Refusal):
            reason = wrapped(f"refused: {one.error.reason}", width=_WIDTH - 0.4, size=8.0, lines=3)
            figure.text(0.02, (top - _HEAD) / height, reason, fontsize=8, color=MUTED, va="top")
        else:
            bottom = top - _HEAD - _PLOT_TALL
            plot = (_LEFT / _WIDTH, bottom / height, _PLOT_WIDE / _WIDTH, _PLOT_TALL / height)
            _diagram(figure.add_axes(plot), one)
            at = top - _HEAD - 0.05
            for line in _remarks(one):
                text = wrapped(line, width=_WIDTH - _BESIDE, size=7.0, lines=3)
                figure.text(_BESIDE / _WIDTH, at / height, text, fontsize=7, va="top", linespacing=1.15)
                at -= _LINE + 0.115 * text.count("\n")
        top -= own
    return figure


def _diagram(axes: Axes, found: Reliability) -> None:
    _axes(axes)
    axes.plot([0.5, 1], [0.5, 1], color=MUTED, linewidth=0.9, zorder=1)
    colour, mark = SERIES.get(found.readout.value, SERIES["first-token"])
    largest = max(b.right.n for b in found.bins)
    for b in found.bins:
        if not isinstance(b.right, Estimate) or not is_shown(b.right):
            continue
        # The faint line is the bin: from its least sure pair to its surest.
        axes.plot([b.low, b.high], [b.right.value] * 2, color=colour, alpha=0.35, linewidth=2.5, zorder=2)
        if b.right.interval is not None:
            ends = [b.right.interval.low, b.right.interval.high]
            axes.plot([b.confidence] * 2, ends, color=colour, linewidth=1.3, zorder=3)
        size = 3.2 + 3.0 * (b.right.n / largest) ** 0.5
        axes.plot(
            [b.confidence], [b.right.value], mark, color=colour, markersize=size, markeredgewidth=0, zorder=4,
            clip_on=False,
        )  # fmt: skip


def _axes(axes: Axes) -> None:
    plain_axes(axes, left=True, size=7.5)
    axes.set_xlim(0.5, 1.0)
    axes.set_ylim(0.0, 1.0)
    axes.set_xticks([0.5, 0.6, 0.7, 0.8, 0.9, 1.0], ["50", "60", "70", "80", "90", "100 %"])
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    axes.set_xlabel("how sure: probability of the preferred response", fontsize=7.5)
    axes.set_ylabel("preferred the gold response", fontsize=7.5)
