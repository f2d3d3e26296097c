"""Drawing: one function a figure, from the view's plain numbers to a matplotlib figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.report.format import integer, percent
from evenhand.report.model import Point, ReportView
from evenhand.report.text import figure_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "CLASSES",
    "INK",
    "MUTED",
    "PALE",
    "RULE",
    "STYLE",
    "canvas",
    "differences",
    "effects",
    "forest",
    "locks",
    "outcomes",
    "rates",
]

INK, MUTED, RULE, PALE = "#1f2328", "#5f6770", "#c9ced4", "#eceef0"

# Okabe & Ito's palette, distinct for people with any of the common colour-vision deficiencies
# (https://jfly.uni-koeln.de/color/); marks differ in shape as well, so that nothing hangs on colour alone.
SERIES = {
    "compliance": ("#3d434a", "D"),
    "first-token": ("#d55e00", "o"),
    "generated": ("#0072b2", "s"),
    "hybrid": ("#009e73", "^"),
    "prefilled": ("#6b4f00", "<"),
    "constrained": ("#4547a3", ">"),
    "repeat": ("#8a6fae", "v"),
    "logged": ("#b3589a", "P"),
    "all": ("#1f2328", "D"),
    "compliant": ("#0072b2", "s"),
    "non-compliant": ("#d55e00", "o"),
}
STATES = {
    "first": "#0072b3",
    "second": "#56b4e9",
    "tie": "#a9b1b9",
    "refused": "#cc79a7",
    "unparsed": "#e69f00",
    "truncated": "#8f6a00",
    "error": "#b3261e",
}
CLASSES = {
    INK: "ink",
    MUTED: "muted",
    RULE: "rule",
    PALE: "pale",
    "#3d434a": "compliance",
    "#d55e00": "first-token",
    "#0072b2": "generated",
    "#009e73": "hybrid",
    "#6b4f00": "prefilled",
    "#4547a3": "constrained",
    "#8a6fae": "repeat",
    "#b3589a": "logged",
    **{colour: f"state-{state}" for state, colour in STATES.items()},
}
"""Colour to class, for :func:`evenhand.report.svg.clean_svg`."""

STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": RULE,
    "axes.labelcolor": MUTED,
    "xtick.color": RULE,
    "xtick.labelcolor": MUTED,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.usetex": False,
    "text.parse_math": False,
    "axes.unicode_minus": True,
}
_WIDTH, _LEFT, _RIGHT = 5.6, 1.74, 1.78  # inches
_ROW, _TOP, _BOTTOM = 0.225, 0.1, 0.52


def canvas(rows: float, *, left: float = _LEFT, right: float = _RIGHT) -> tuple[Figure, Axes]:
    """A figure of so many rows, with one axes whose y counts rows downwards."""
    from matplotlib.figure import Figure

    height = rows * _ROW + _TOP + _BOTTOM
    figure = Figure(figsize=(_WIDTH, height))
    axes = figure.add_axes((left / _WIDTH, _BOTTOM / height, (_WIDTH - left - right) / _WIDTH, rows * _ROW / height))
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_yticks([])
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="x", length=3, labelsize=8)
    return figure, axes


def _label(axes: Axes, row: float, text: str, *, head: bool = False, limit: int = 34, left: float = _LEFT) -> None:
    """A row's name, in the left margin."""
    offset = -left * 72 + (2 if head else 10)
    axes.annotate(
        figure_text(text, limit=limit),
        xy=(0, row),
        xycoords=("axes fraction", "data"),
        xytext=(offset, 0),
        textcoords="offset points",
        va="center",
        ha="left",
        fontweight="bold" if head else "normal",
        annotation_clip=False,
    )


def _remark(axes: Axes, row: float, text: str, *, muted: bool = False) -> None:
    """A row's numbers, in the right margin."""
    axes.annotate(
        figure_text(text),
        xy=(1, row),
        xycoords=("axes fraction", "data"),
        xytext=(_RIGHT * 72 - 2, 0),
        textcoords="offset points",
        va="center",
        ha="right",
        fontsize=8,
        color=MUTED if muted else INK,
        annotation_clip=False,
    )


def forest(
    points: Sequence[Point],
    *,
    limits: tuple[float, float],
    zero: float | None,
    series: Mapping[str, tuple[str, str]] = SERIES,
    left: float = _LEFT,
) -> tuple[Figure, Axes]:
    """Dots with intervals, a heading for each group; ``series`` gives the colour and mark of each kind of dot.

    ``left`` is the room for names, in inches.
    """
    groups = list(dict.fromkeys(point.group for point in points))
    figure, axes = canvas(len(points) + len(groups) + 0.45 * (len(groups) - 1), left=left)
    axes.set_xlim(*limits)
    row = 0.0
    for index, group in enumerate(groups):
        row += 0.45 if index else 0.0
        _label(axes, row, group, head=True, limit=60, left=left)
        for point in (p for p in points if p.group == group):
            row += 1.0
            _label(axes, row, point.label, left=left)
            _dot(axes, row, point, limits=limits, look=series.get(point.series, (INK, "o")))
        row += 1.0
    axes.grid(axis="x", color=PALE, linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    if zero is not None:
        axes.axvline(zero, color=MUTED, linewidth=0.9, zorder=1)
    return figure, axes


def _dot(axes: Axes, row: float, point: Point, *, limits: tuple[float, float], look: tuple[str, str]) -> None:
    colour, mark = look
    _remark(axes, row, point.text, muted=point.value is None)
    if point.value is None:
        return
    if point.low is not None and point.high is not None:
        axes.plot(
            [max(point.low, limits[0]), min(point.high, limits[1])], [row, row], color=colour, linewidth=1.5, zorder=2
        )
    axes.plot([point.value], [row], mark, color=colour, markersize=5.2, markeredgewidth=0, zorder=3, clip_on=False)


def rates(view: ReportView) -> Figure:
    """Compliance and flip rate by condition and readout."""
    figure, axes = forest(view.rates, limits=(0.0, 1.0), zero=0.5 if view.single_order else None)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    axes.set_xlabel("share of presentations" if view.single_order else "share of pairs", fontsize=8)
    return figure


def differences(view: ReportView) -> Figure:
    """First-token minus generated flip rates, by condition and subset."""
    return _signed_forest(view.differences)


def effects(view: ReportView) -> Figure:
    """Each level of a design minus its axis' baseline: compliance, and flips by readout."""
    return _signed_forest(view.effects)


def _signed_forest(points: Sequence[Point]) -> Figure:
    """Differences around 0, in percentage points."""
    bounds = [b for p in points for b in (p.low, p.high, p.value) if b is not None]
    low = min(-0.25, *(bounds or [0.0])) - 0.03
    high = max(0.25, *(bounds or [0.0])) + 0.03
    figure, axes = forest(points, limits=(max(low, -1.0), min(high, 1.0)), zero=0.0)
    ticks = [t / 4 for t in range(-4, 5) if max(low, -1.0) <= t / 4 <= min(high, 1.0)]
    axes.set_xticks(ticks, [f"{'+' if t > 0 else '−' if t < 0 else ''}{abs(t) * 100:.0f}" for t in ticks])
    axes.set_xlabel("percentage points", fontsize=8)
    return figure


def locks(view: ReportView) -> Figure:
    """Shares of decided pairs locked to the second slot (left) and the first (right)."""
    groups = list(dict.fromkeys(bar.group for bar in view.locks))
    figure, axes = canvas(len(view.locks) + len(groups) + 0.45 * (len(groups) - 1) + 0.9)
    axes.set_xlim(-1.0, 1.0)
    row = 0.0
    for text, at, side in (("← second slot twice", -0.05, "right"), ("first slot twice →", 0.05, "left")):
        axes.text(at, row, text, ha=side, va="center", fontsize=8, color=MUTED)
    row = 0.9
    for index, group in enumerate(groups):
        row += 0.45 if index else 0.0
        _label(axes, row, group, head=True, limit=60)
        for bar in (b for b in view.locks if b.group == group):
            row += 1.0
            colour = SERIES.get(bar.readout, (INK, "o"))[0]
            _label(axes, row, f"{bar.readout}, sample" if bar.sampled else bar.readout)
            _remark(axes, row, f"{integer(bar.second)} : {integer(bar.first)} of {integer(bar.decided)}")
            if bar.decided:
                shares = [-bar.second / bar.decided, bar.first / bar.decided]
                axes.barh([row, row], shares, height=0.56, color=colour, zorder=2)
        row += 1.0
    axes.grid(axis="x", color=PALE, linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    axes.axvline(0.0, color=MUTED, linewidth=0.9, zorder=3)
    axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["100 %", "50", "0", "50", "100 %"])
    axes.set_xlabel("share of pairs decided in both orders", fontsize=8)
    return figure


def outcomes(view: ReportView) -> Figure:
    """Stacked bars of all states."""
    groups = list(dict.fromkeys(bar.group for bar in view.outcomes))
    rows = len(view.outcomes) + len(groups) + 0.45 * (len(groups) - 1)
    figure, axes = canvas(rows + 1.0, right=0.62)
    axes.set_xlim(0.0, 1.0)
    _legend(figure, axes)
    row = 1.0
    for index, group in enumerate(groups):
        row += 0.45 if index else 0.0
        _label(axes, row, group, head=True, limit=60)
        for bar in (b for b in view.outcomes if b.group == group):
            row += 1.0
            _label(axes, row, bar.readout)
            _stack(axes, row, bar.counts)
        row += 1.0
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    axes.set_xlabel("share of presentations", fontsize=8)
    return figure


def _stack(axes: Axes, row: float, counts: Sequence[tuple[str, int]]) -> None:
    total = sum(count for _, count in counts)
    left = 0.0
    for state, count in counts:
        if not count or not total:
            continue
        share = count / total
        axes.barh([row], [share], left=left, height=0.62, color=STATES[state], zorder=2)
        if share >= 0.07:
            dark = state in ("first", "truncated", "error")
            text = axes.text(left + share / 2, row, integer(count), ha="center", va="center", fontsize=7, zorder=3)
            text.set_color("#ffffff" if dark else "#101010")
        left += share
    axes.annotate(
        f"n = {integer(total)}" if total else percent(0.0),
        xy=(1, row),
        xycoords=("axes fraction", "data"),
        xytext=(42, 0),
        textcoords="offset points",
        va="center",
        ha="right",
        fontsize=8,
        annotation_clip=False,
    )


def _legend(figure: Figure, axes: Axes) -> None:
    from matplotlib.patches import Patch

    axes.legend(
        handles=[Patch(facecolor=colour, label=state) for state, colour in STATES.items()],
        loc="upper left",
        bbox_to_anchor=(0.004, 1.0),
        bbox_transform=figure.transFigure,
        ncols=len(STATES),
        frameon=False,
        fontsize=7,
        handlelength=0.8,
        handleheight=0.8,
        handletextpad=0.35,
        columnspacing=0.9,
        borderpad=0.2,
    )
