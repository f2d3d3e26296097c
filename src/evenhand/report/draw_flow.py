"""Drawing a lead–conclusion flow: bands from the first token's verdict to the one that the text ends in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from evenhand.analysis.displays import Flow, Lead
from evenhand.records import Outcome
from evenhand.report.draw import INK, MUTED, STATES
from evenhand.report.format import estimate_text, integer, percent
from evenhand.report.panel_model import FlowPanel
from evenhand.report.text import figure_text
from evenhand.stats import Refusal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_flow", "flow_words"]

_Name = TypeVar("_Name", Lead, Outcome)

_WIDTH, _PLOT, _HEAD, _FOOT, _SIDE = 5.6, 1.95, 0.62, 0.2, 1.45  # inches
_NODE = 0.02  # of the plot's width
_SPACE, _LEAST = 0.03, 0.06  # of the plot's height: between nodes, and a node's room for its name
_DIVERGED, _KEPT, _OTHER = "#d55e00", "#0072b2", "#5f6770"
_LEADS: Final = {
    Lead.FIRST: "first label",
    Lead.SECOND: "second label",
    Lead.TIE: "tie label",
    Lead.OTHER: "no verdict token",
    Lead.UNKNOWN: "not told",
}
_LEAD_COLOURS: Final = {
    Lead.FIRST: STATES["first"],
    Lead.SECOND: STATES["second"],
    Lead.TIE: STATES["tie"],
    Lead.OTHER: "#3d434a",
    Lead.UNKNOWN: "#5f6770",
}
_STEPS = 24  # points of a band's edge


def flow_words(panel: FlowPanel) -> str:
    """A flow in words: every band by order, and the divergence."""
    flow = panel.flow
    bands = [
        f"order {cell.order.value}, led with {_LEADS[cell.lead]}, ended {cell.conclusion.value}: {integer(cell.count)}"
        for cell in flow.cells
    ]
    return f"{flow.condition}, {flow.readout.value}: {'; '.join(bands)}; {_divergence(panel)}"


def _divergence(panel: FlowPanel) -> str:
    flow, estimate = panel.flow, panel.divergence
    counted = (
        f"{integer(flow.diverged)} of {integer(flow.led)} that led with a label and chose a slot ended on the other"
    )
    if estimate is None:
        return counted
    if isinstance(estimate, Refusal):
        return f"{counted} (no rate: {estimate.reason})"
    return f"{counted}: {estimate_text(estimate)}"


def draw_flow(panels: Sequence[FlowPanel]) -> Figure:
    """A panel under the other, a condition each; both orders together."""
    from matplotlib.figure import Figure

    each = _HEAD + _PLOT + _FOOT
    height = each * len(panels)
    figure = Figure(figsize=(_WIDTH, height))
    for index, panel in enumerate(panels):
        bottom = height - (index + 1) * each + _FOOT
        axes = figure.add_axes((_SIDE / _WIDTH, bottom / height, (_WIDTH - 2 * _SIDE) / _WIDTH, _PLOT / height))
        _panel(axes, panel)
    return figure


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """Where a column's node stands, from the top, in shares of the plot's height."""

    top: float
    size: float
    count: int


def _panel(axes: Axes, panel: FlowPanel) -> None:
    axes.set_xlim(0, 1)
    axes.set_ylim(1, 0)
    axes.axis("off")
    counts = _counts(panel.flow)
    led = {lead: sum(n for (a, _), n in counts.items() if a is lead) for lead in Lead}
    ended = {end: sum(n for (_, b), n in counts.items() if b is end) for end in Outcome}
    unit = _unit([[n for n in led.values() if n], [n for n in ended.values() if n]])
    leads, ends = _column(led, unit), _column(ended, unit)
    _bands(axes, counts, leads, ends, unit)
    total = panel.flow.presentations
    for lead, node in leads.items():
        _node(axes, node, x=0.0, unit=unit, colour=_LEAD_COLOURS[lead])
        _name(axes, node, text=_LEADS[lead], total=total, left=True)
    for end, node in ends.items():
        _node(axes, node, x=1 - _NODE, unit=unit, colour=STATES[end.value])
        _name(axes, node, text=end.value, total=total, left=False)
    flow = panel.flow
    name = f"{flow.condition}, {flow.readout.value}{', sample' if flow.sampled else ''}"
    place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "annotation_clip": False}
    lines = (
        (40, 9, INK, "bold", figure_text(name, limit=60)),
        (27, 8, INK, "normal", _remark(panel)),
    )
    for up, size, colour, weight, text in lines:
        axes.annotate(
            text, xy=(0, 1), xytext=(2 - _SIDE * 72, up - 4), va="center", ha="left", fontsize=size, color=colour,
            fontweight=weight, **place,
        )  # fmt: skip
    for at, text, side in ((0.0, "led with", "left"), (1.0, "concluded", "right")):
        axes.annotate(
            text, xy=(at, 1), xytext=(0, 8), va="center", ha=side, fontsize=7.5, color=MUTED, **place,
        )  # fmt: skip


def _remark(panel: FlowPanel) -> str:
    flow = panel.flow
    if not flow.led:
        return "none led with a label and chose a slot"
    text = f"ended on the other label: {integer(flow.diverged)} of {integer(flow.led)}"
    estimate = panel.divergence
    if estimate is None or isinstance(estimate, Refusal):
        return text
    return f"{text}, {estimate_text(estimate)}"


def _counts(flow: Flow) -> dict[tuple[Lead, Outcome], int]:
    counts: dict[tuple[Lead, Outcome], int] = {}
    for cell in flow.cells:
        key = cell.lead, cell.conclusion
        counts[key] = counts.get(key, 0) + cell.count
    return counts


def _unit(columns: Sequence[Sequence[int]]) -> float:
    """Height of one presentation, the largest at which every column fits, with room for each node's name."""
    low, high = 0.0, 1.0 / max(1, max(sum(column) for column in columns))
    for _ in range(60):
        middle = (low + high) / 2
        fits = all(
            sum(max(count * middle, _LEAST) for count in column) + _SPACE * (len(column) - 1) <= 1 for column in columns
        )
        low, high = (middle, high) if fits else (low, middle)
    return low


def _column(counts: Mapping[_Name, int], unit: float) -> dict[_Name, _Node]:
    """A column's nodes from top to bottom, spread over the plot's height; nothing for what never happened."""
    sizes = {name: max(count * unit, _LEAST) for name, count in counts.items() if count}
    free = 1.0 - sum(sizes.values())
    gap = free / (len(sizes) - 1) if len(sizes) > 1 else 0.0
    top = 0.0 if len(sizes) > 1 else free / 2
    nodes = {}
    for name, size in sizes.items():
        nodes[name] = _Node(top=top, size=size, count=counts[name])
        top += size + gap
    return nodes


def _bands(
    axes: Axes,
    counts: Mapping[tuple[Lead, Outcome], int],
    leads: Mapping[Lead, _Node],
    ends: Mapping[Outcome, _Node],
    unit: float,
) -> None:
    """One band for each pair of a lead and an end, ordered so that none crosses at its own node."""
    start = {lead: node.top + (node.size - node.count * unit) / 2 for lead, node in leads.items()}
    stop = {end: node.top + (node.size - node.count * unit) / 2 for end, node in ends.items()}
    for lead in leads:
        for end in ends:
            count = counts.get((lead, end), 0)
            if not count:
                continue
            wide = count * unit
            diverged = (
                lead in (Lead.FIRST, Lead.SECOND) and end.value in ("first", "second") and lead.value != end.value
            )
            colour = _DIVERGED if diverged else _KEPT if lead.value == end.value else _OTHER
            _band(axes, start[lead], stop[end], wide, colour=colour, strength=0.8 if diverged else 0.3)
            start[lead] += wide
            stop[end] += wide


def _band(axes: Axes, start: float, stop: float, wide: float, *, colour: str, strength: float) -> None:
    t = np.linspace(0, 1, _STEPS)
    x = _NODE + (1 - 2 * _NODE) * t
    y = start + (stop - start) * (3 * t**2 - 2 * t**3)
    axes.fill_between(x, y, y + wide, color=colour, alpha=strength, linewidth=0, zorder=2 if strength > 0.5 else 1)


def _node(axes: Axes, node: _Node, *, x: float, unit: float, colour: str) -> None:
    top = node.top + (node.size - node.count * unit) / 2
    bottom = top + node.count * unit
    axes.fill([x, x + _NODE, x + _NODE, x], [top, top, bottom, bottom], color=colour, linewidth=0, zorder=3)


def _name(axes: Axes, node: _Node, *, text: str, total: int, left: bool) -> None:
    axes.annotate(
        f"{text} {integer(node.count)}" if left else f"{text} {integer(node.count)}, {percent(node.count / total)}",
        xy=(0 if left else 1, node.top + node.size / 2),
        xycoords="data",
        xytext=(-4 if left else 4, 0),
        textcoords="offset points",
        va="center",
        ha="right" if left else "left",
        fontsize=7.5,
        annotation_clip=False,
    )
