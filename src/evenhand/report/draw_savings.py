"""Drawing savings curves: what asking more of the least sure presentations alone comes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.analysis.displays import CurvePoint, SavingsCurve
from evenhand.report.draw import INK, MUTED, SERIES
from evenhand.report.format import estimate_text, integer, percent
from evenhand.report.panel_model import HybridPoint, SavingsPanel
from evenhand.report.study.looks import plain_axes
from evenhand.report.text import figure_text
from evenhand.stats import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_savings", "savings_words"]

_WIDTH, _PLOT_WIDE, _PLOT_TALL = 5.6, 2.05, 1.65  # inches
_LEFT, _STEP, _HEAD, _FOOT = 0.5, 2.7, 0.42, 0.8
_DASHES = {"first-token": (0, (5, 2)), "generated": "solid", "prefilled": (0, (1.5, 1.5))}
_SAID = 5  # points of a curve that are read out


def savings_words(panel: SavingsPanel) -> str:
    """A condition's curves in words."""
    parts = [
        f"flips of the {curve.readout.value} readout found by asking order BA of the least sure pairs: "
        f"{_said(curve)} ({integer(curve.events)} flips of {integer(curve.units)} pairs)"
        for curve in panel.swaps
    ]
    if panel.text is not None:
        parts.append(f"agreement with reading every text, by share of texts asked for: {_said(panel.text)}")
    if panel.hybrid is not None:
        parts.append(
            f"the hybrid readout generated {estimate_text(panel.hybrid.generated)} and agreed in "
            f"{estimate_text(panel.hybrid.fidelity)}"
        )
    return f"{panel.condition}: {'; '.join(parts)}"


def _said(curve: SavingsCurve) -> str:
    drawn = [point for point in curve.points if isinstance(point.figure, Estimate)]
    step = max(1, len(drawn) // _SAID)
    return ", ".join(f"{percent(p.share)}: {estimate_text(p.figure)}" for p in drawn[::step])


def draw_savings(panels: Sequence[SavingsPanel]) -> Figure:
    """A row for each condition: swaps on the left, texts on the right."""
    from matplotlib.figure import Figure

    each = _HEAD + _PLOT_TALL + _FOOT
    height = each * len(panels)
    figure = Figure(figsize=(_WIDTH, height))
    for row, panel in enumerate(panels):
        top = height - row * each
        bottom = top - _HEAD - _PLOT_TALL
        figure.text(0.02, (top - 0.12) / height, figure_text(panel.condition, limit=60), fontsize=8, fontweight="bold",
                    va="center")  # fmt: skip
        places = [make for make, there in ((_swaps, bool(panel.swaps)), (_texts, panel.text is not None)) if there]
        for column, make in enumerate(places):
            left = _LEFT + column * _STEP
            axes = figure.add_axes((left / _WIDTH, bottom / height, _PLOT_WIDE / _WIDTH, _PLOT_TALL / height))
            make(axes, panel)
    return figure


def _axes(axes: Axes, *, title: str, x: str, low: float) -> None:
    plain_axes(axes, left=True, size=7.5)
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(low, 1.0)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    ticks = [low + (1.0 - low) * step / 4 for step in range(5)]
    axes.set_yticks(ticks, [f"{tick * 100:g}{' %' if tick == 1 else ''}" for tick in ticks])
    axes.set_title(title, fontsize=7.5, color=INK, loc="left", pad=4)
    axes.set_xlabel(x, fontsize=7.5)


def _swaps(axes: Axes, panel: SavingsPanel) -> None:
    _axes(axes, title="flips found", x="pairs asked in order BA, least sure first", low=0.0)
    for curve in panel.swaps:
        _curve(axes, curve, ends=((0.0, 0.0), (1.0, 1.0)))
    axes.plot([0, 1], [0, 1], color=MUTED, linewidth=1.0, zorder=1, label="at random")
    _legend(axes)


def _texts(axes: Axes, panel: SavingsPanel) -> None:
    curve = panel.text
    if curve is None:
        return
    first = curve.points[0].figure if curve.points else None
    start = first.value if isinstance(first, Estimate) else 1.0
    bounds = [p.figure.interval.low for p in curve.points if isinstance(p.figure, Estimate) and p.figure.interval]
    low = max(0.0, min(0.1 * int(10 * min([start, *bounds, 0.9])), 0.8))
    _axes(axes, title="agree with reading every text", x="texts asked for", low=round(low, 1))
    _curve(axes, curve, ends=((1.0, 1.0),), name="least sure first")
    if isinstance(first, Estimate):
        axes.plot([0, 1], [start, 1], color=MUTED, linewidth=1.0, zorder=1, label="at random")
    if panel.hybrid is not None:
        _hybrid(axes, panel.hybrid, low=low)
    _legend(axes)


def _curve(axes: Axes, curve: SavingsCurve, *, ends: Sequence[tuple[float, float]], name: str = "") -> None:
    colour, _ = SERIES.get(curve.readout.value, (INK, "o"))
    points = [point for point in curve.points if isinstance(point.figure, Estimate)]
    known = sorted([*((p.share, _value(p)) for p in points), *ends])
    axes.plot(
        [x for x, _ in known], [y for _, y in known], color=colour, linewidth=1.5, zorder=3,
        linestyle=_DASHES.get(curve.readout.value, "solid"), label=name or curve.readout.value, clip_on=False,
    )  # fmt: skip
    band = [(p.share, p.figure.interval) for p in points if isinstance(p.figure, Estimate)]
    drawn = [(share, interval) for share, interval in band if interval is not None]
    axes.fill_between(
        [share for share, _ in drawn],
        [interval.low for _, interval in drawn],
        [interval.high for _, interval in drawn],
        color=colour,
        alpha=0.15,
        linewidth=0,
        zorder=2,
    )


def _value(point: CurvePoint) -> float:
    return point.figure.value if isinstance(point.figure, Estimate) else float("nan")


def _hybrid(axes: Axes, hybrid: HybridPoint, *, low: float) -> None:
    colour, mark = SERIES["hybrid"]
    x, y = hybrid.generated, hybrid.fidelity
    if x.interval is not None:
        axes.plot([x.interval.low, x.interval.high], [y.value] * 2, color=colour, linewidth=1.2, zorder=4)
    if y.interval is not None:
        axes.plot([x.value] * 2, [max(low, y.interval.low), y.interval.high], color=colour, linewidth=1.2, zorder=4)
    axes.plot(
        [x.value], [y.value], mark, color=colour, markersize=6, markeredgewidth=0, zorder=5, label="hybrid readout",
        clip_on=False,
    )  # fmt: skip


def _legend(axes: Axes) -> None:
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(-0.04, -0.26),
        ncols=2,
        frameon=False,
        fontsize=7,
        handlelength=2.2,
        borderpad=0.0,
        columnspacing=1.2,
    )
