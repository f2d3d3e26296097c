"""What the figures of a study share: colours and marks of series, room for text, and ticks of an axis."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.analysis.study import Unit
from evenhand.report.draw import MUTED, PALE, RULE
from evenhand.report.study.quantities import axis_text
from evenhand.report.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "ACCENT",
    "WIDTH",
    "Look",
    "axis_name",
    "bounds_of",
    "look_of",
    "plain_axes",
    "spread",
    "text_width",
    "ticks_of",
    "wrapped",
]

WIDTH = 5.6
"""Inches, as every figure of a report."""
ACCENT = "#0072b2"

# Okabe & Ito's palette as in every report (https://jfly.uni-koeln.de/color/), known to the style sheet in light and
# dark; marks and dashes differ too, so that nothing hangs on colour alone.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#8a6fae", "#6b4f00", "#b3589a", "#4547a3", "#3d434a")
_MARKS = ("s", "o", "^", "v", "<", "P", ">", "D")
_DASHES: tuple[Any, ...] = (
    "solid",
    (0, (5, 2)),
    (0, (1.5, 1.5)),
    (0, (4, 1.5, 1, 1.5)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (8, 2)),
    (0, (2, 3)),
)
_NARROW, _BROAD = frozenset("iljtfrI.,:;'|!()[]{}/\\ -"), frozenset("mwMW@%—…+−=<>~")
_RANGES = {"share": (0.0, 1.0), "difference": (-1.0, 1.0)}
_LEAST_SPAN = {"share": 0.05, "difference": 0.05}
_LONGEST, _SHORTEST = 240, 6  # characters of a label: before it is measured, and at the least
_MARGIN = 0.06  # of the span, at either end of an axis


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How one series is told from the others."""

    colour: str
    mark: str
    dash: Any


def look_of(index: int) -> Look:
    """The look of a figure's series; marks come back after 8 and dashes after 7, so that 56 looks differ."""
    return Look(
        colour=_COLOURS[index % len(_COLOURS)],
        mark=_MARKS[index % len(_MARKS)],
        dash=_DASHES[index % len(_DASHES)],
    )


def text_width(text: str, *, size: float) -> float:
    """Inches that a text takes in the figures' typeface, to about a tenth: enough to leave room for it."""
    return sum(map(_em, text)) * size / 72


def _em(character: str) -> float:
    if character in _NARROW:
        return 0.37
    if character in _BROAD or unicodedata.east_asian_width(character) in "WF":
        return 1.0
    return 0.69 if character.isupper() else 0.62


def wrapped(text: str, *, width: float, size: float, lines: int = 2) -> str:
    """A label in so many lines of so many inches; what doesn't fit is cut out of its middle, since its ends tell most.

    Examples
    --------
    >>> wrapped("no interval", width=1.0, size=9.0)
    'no interval'
    >>> print(wrapped("the verbose judge under a rubric with labels X/Y", width=1.2, size=9.0))
    the verbose
    ju…ith labels X/Y
    """
    kept = shortened(text, _LONGEST)
    made = _filled(kept, width=width, size=size)
    while len(made) > lines:
        kept = shortened(text, max(4, len(kept) - max(1, len(kept) // 12)))
        made = _filled(kept, width=width, size=size)
        if len(kept) <= _SHORTEST:
            made = made[:lines]
    return "\n".join(made)


def _filled(text: str, *, width: float, size: float) -> list[str]:
    """Lines filled word by word; a word that is longer than a line is broken."""
    lines = [""]
    for word in text.split(" "):  # a no-break space holds a number and its unit together
        rest = word
        while rest:
            joined = f"{lines[-1]} {rest}".strip()
            if text_width(joined, size=size) <= width:
                lines[-1], rest = joined, ""
            elif lines[-1]:
                lines.append("")
            else:
                fits = max(1, next(n for n in range(len(rest)) if text_width(rest[: n + 1], size=size) > width))
                lines[-1], rest = rest[:fits], rest[fits:]
                lines += [""] if rest else []
    return lines


def axis_name(label: str, unit: Unit) -> str:
    """The axis' name with its unit, unless the name says it."""
    shown = shortened(label, _LONGEST).strip()
    match unit:
        case "share" if "%" not in shown:
            return f"{shown}, %" if shown else "%"
        case "difference" if "point" not in shown and "pp" not in shown:
            return f"{shown}, percentage points" if shown else "percentage points"
        case "dollars" if "$" not in shown and "dollar" not in shown:
            return f"{shown}, $" if shown else "$"
        case _:
            return shown


def bounds_of(values: Iterable[float], unit: Unit) -> tuple[float, float]:
    """Ends of an axis that shows some values, within what the unit allows; never without width."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    least = _LEAST_SPAN.get(unit, 0.05 * max(abs(low), abs(high)) or 1.0)
    if high - low < least:
        middle = (low + high) / 2
        low, high = middle - least / 2, middle + least / 2
    margin = (high - low) * _MARGIN
    bottom, top = _RANGES.get(unit, (-math.inf, math.inf))
    if unit == "count":
        bottom = 0.0 if min(finite) >= 0.0 else bottom
    return max(low - margin, min(bottom, min(finite))), min(high + margin, max(top, max(finite)))


def ticks_of(low: float, high: float, unit: Unit, *, most: int = 5) -> tuple[list[float], list[str]]:
    """Places of an axis' ticks and what stands there."""
    from matplotlib.ticker import MaxNLocator

    locator = MaxNLocator(nbins=most, steps=[1, 2, 2.5, 5, 10], integer=unit == "count")
    slack = (high - low) * 1e-9
    places = [float(place) for place in locator.tick_values(low, high) if low - slack <= place <= high + slack]
    # 0.30000000000000004 is a place, not a name
    return places, [axis_text(float(f"{place:.10g}"), unit) for place in places]


def plain_axes(axes: Axes, *, left: bool = False, size: float = 8) -> None:
    """Thin, pale, without a box; ``left`` keeps the line of the y axis. ``size`` of the ticks' names, in points."""
    for side in ("right", "top", *(() if left else ("left",))):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=3, labelsize=size, color=RULE, labelcolor=MUTED)
    axes.grid(visible=True, axis="both" if left else "x", color=PALE, linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)


def spread(
    places: Sequence[float], *, least: float, floor: float = -math.inf, ceiling: float = math.inf
) -> list[float]:
    """Places moved apart to at least a distance, as little and as evenly as it takes, in the order of the values.

    Parameters
    ----------
    floor, ceiling
        Where the lowest and the highest may be at most, as long as there is room for all between the two.

    Examples
    --------
    >>> spread([0.5, 0.5], least=0.25), spread([1.0, 1.0], least=0.25, ceiling=1.0)
    ([0.375, 0.625], [0.75, 1.0])
    """
    blocks: list[list[int]] = []
    centres: list[float] = []
    for index in sorted(range(len(places)), key=places.__getitem__):
        blocks.append([index])
        centres.append(min(max(places[index], floor), ceiling))
        while len(blocks) > 1 and centres[-1] - centres[-2] < least * (len(blocks[-1]) + len(blocks[-2])) / 2 - 1e-12:
            joined = blocks.pop(-2) + blocks.pop()
            reach = (len(joined) - 1) / 2 * least
            centre = sum(places[i] for i in joined) / len(joined)
            centres[-2:] = [max(min(centre, ceiling - reach), floor + reach)]
            blocks.append(joined)
    moved = list(places)
    for block, centre in zip(blocks, centres, strict=True):
        for rank, index in enumerate(block):
            moved[index] = centre + (rank - (len(block) - 1) / 2) * least
    return moved
