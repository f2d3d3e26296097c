"""Drawing a quantity over two axes: cells whose colour darkens evenly, with the figures in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evenhand.analysis.study import HeatMap
from evenhand.report.draw import INK, MUTED, PALE
from evenhand.report.format import DASH
from evenhand.report.study.looks import WIDTH, axis_name, bounds_of, text_width, ticks_of, wrapped
from evenhand.report.study.quantities import axis_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_heat", "grid_of", "row_names"]

# Nuñez, Anderton & Renslow 2018, doi:10.1371/journal.pone.0199239: the same order of lightness for every kind of colour
# vision, and in grey.
_MAP = "cividis"
_SMALL, _IN_CELL = 8.0, 7.5  # points
_LINE = 0.18  # inches of a line of text
_NAME = 1.7  # inches that a row's name may take
_RIGHT, _BAR = 0.4, 0.13  # inches: the scale without the names of its ticks, its width
_TALL, _LOWEST, _HIGHEST = 0.3, 1.2, 4.2  # inches: a cell, the plane at least, at most
_DARK = 0.179  # relative luminance below which white letters have more contrast than black ones (WCAG 2.2)


def grid_of(heat: HeatMap) -> list[list[float]]:
    """The values by row and column; what is missing or not finite is a gap (NaN)."""
    return [
        [
            heat.z[j][i] if j < len(heat.z) and i < len(heat.z[j]) and math.isfinite(heat.z[j][i]) else math.nan
            for i in range(len(heat.x))
        ]
        for j in range(len(heat.y))
    ]


def row_names(heat: HeatMap) -> list[str]:
    """What the rows are called: their names, cut to fit beside the map, or the numbers of the axis."""
    if len(heat.y_names) != len(heat.y):
        return [axis_text(value, "number") for value in heat.y]
    return [wrapped(name, width=_NAME, size=_SMALL, lines=1) for name in heat.y_names]


def draw_heat(heat: HeatMap) -> Figure:
    """The map: the first row lies at the bottom; a gap is an empty cell with a dash."""
    from matplotlib.figure import Figure

    columns, rows = len(heat.x), len(heat.y)
    x_names = [axis_text(value, "number") for value in heat.x]
    y_names = row_names(heat)
    left = 0.42 + max(text_width(name, size=_SMALL) for name in y_names)
    values = grid_of(heat)
    low, high = _scale(heat, values)
    right = _RIGHT + max(text_width(name, size=_SMALL) for name in ticks_of(low, high, heat.unit)[1])
    plane = WIDTH - left - right
    depth = min(max(rows * _TALL, _LOWEST), _HIGHEST)
    top = wrapped(f"In the cells: {axis_name(heat.z_label, heat.unit)}", width=WIDTH - left - 0.1, size=_SMALL)
    x_label = wrapped(heat.x_label, width=plane, size=_SMALL)
    above = 0.1 + _LINE * (top.count("\n") + 1)
    below = 0.28 + _LINE * (x_label.count("\n") + 1)
    height = above + depth + below
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.add_axes((left / WIDTH, below / height, plane / WIDTH, depth / height))
    _cells(axes, heat, values, low=low, high=high, wide=plane / columns, tall=depth / rows)
    widest = max(text_width(name, size=_SMALL) for name in x_names) + 0.08
    _ticks(
        axes,
        x_names,
        y_names,
        x_step=max(1, math.ceil(widest * columns / plane)),
        y_step=max(1, math.ceil(rows * _LINE / depth)),
    )
    axes.set_ylabel(wrapped(heat.y_label, width=depth, size=_SMALL), fontsize=_SMALL)
    figure.text(
        (left + plane / 2) / WIDTH, 0.06 / height, x_label, fontsize=_SMALL, color=MUTED, ha="center", va="bottom"
    )
    figure.text(left / WIDTH, 1 - 0.06 / height, top, fontsize=_SMALL, color=MUTED, ha="left", va="top")
    _bar(
        figure.add_axes(((WIDTH - right + 0.14) / WIDTH, below / height, _BAR / WIDTH, depth / height)),
        heat,
        low,
        high,
    )
    return figure


def _scale(heat: HeatMap, values: list[list[float]]) -> tuple[float, float]:
    finite = [value for row in values for value in row if math.isfinite(value)]
    if min(finite) < max(finite):
        return min(finite), max(finite)
    return bounds_of(finite, heat.unit)


def _cells(
    axes: Axes, heat: HeatMap, values: list[list[float]], *, low: float, high: float, wide: float, tall: float
) -> None:
    """Every cell in its colour, with its figure: in each, or in every so many where they are small."""
    import matplotlib as mpl
    from matplotlib.patches import Rectangle

    colours = mpl.colormaps[_MAP]
    axes.set_xlim(0, len(heat.x))
    axes.set_ylim(0, len(heat.y))
    texts = _fitting_texts(heat, values, low=low, high=high, wide=wide)
    columns, rows = _told(_room(texts), cell=wide, count=len(heat.x)), _told(0.15, cell=tall, count=len(heat.y))
    for j, row in enumerate(values):
        for i, value in enumerate(row):
            gap = not math.isfinite(value)
            red, green, blue, _ = colours(0.0 if gap else (value - low) / (high - low))
            face = "none" if gap else (red, green, blue)
            place = 1 if gap else 2
            axes.add_patch(Rectangle((i, j), 1, 1, facecolor=face, edgecolor=PALE, linewidth=0.5, zorder=place))
            if i in columns and j in rows:
                ink = MUTED if gap else "#ffffff" if _luminance(red, green, blue) < _DARK else "#101010"
                text = axes.text(i + 0.5, j + 0.5, texts[j][i], fontsize=_IN_CELL, ha="center", va="center", zorder=3)
                text.set_color(ink)
    for side in ("right", "top", "left", "bottom"):
        axes.spines[side].set_visible(False)


def _room(texts: list[list[str]]) -> float:
    return max(text_width(text, size=_IN_CELL) for row in texts for text in row) + 0.06


def _told(room: float, *, cell: float, count: int) -> range:
    """Which of the cells in a line say their figure: as many as there is room for, none beyond the map's edge."""
    step = max(1, math.ceil(room / cell))
    if step == 1:
        return range(count)
    first = math.ceil(room / (2 * cell) - 0.5)  # whose text begins inside the map
    return range(first, max(first + 1, count - first), step)


def _luminance(red: float, green: float, blue: float) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _fitting_texts(
    heat: HeatMap, values: list[list[float]], *, low: float, high: float, wide: float
) -> list[list[str]]:
    """What stands in the cells: all with the same decimals, so many as the map's span calls for and cells hold.

    A gap is a dash.
    """
    percent = heat.unit in ("share", "difference")
    scale = 100 if percent else 1
    decimals = min(max(1 if percent else 0, 1 - math.floor(math.log10(scale * (high - low)))), 6)
    if heat.unit == "count":
        decimals = 0
    signed = heat.unit == "difference"
    texts = [[_cell_text(value * scale, decimals, signed=signed) for value in row] for row in values]
    if decimals == 1 and _room(texts) > wide:
        texts = [[_cell_text(value * scale, 0, signed=signed) for value in row] for row in values]
    return texts


def _cell_text(value: float, decimals: int, *, signed: bool) -> str:
    if not math.isfinite(value):
        return DASH
    text = f"{abs(value):,.{decimals}f}"
    sign = "" if float(text.replace(",", "")) == 0.0 else "−" if value < 0 else "+" if signed else ""
    return f"{sign}{text}"


def _ticks(axes: Axes, x_names: list[str], y_names: list[str], *, x_step: int, y_step: int) -> None:
    axes.set_xticks([i + 0.5 for i in range(0, len(x_names), x_step)], x_names[::x_step])
    axes.set_yticks([j + 0.5 for j in range(0, len(y_names), y_step)], y_names[::y_step])
    axes.tick_params(length=0, labelsize=_SMALL, labelcolor=MUTED)


def _bar(axes: Axes, heat: HeatMap, low: float, high: float) -> None:
    """The scale of colours, from small plain areas: a page's policy knows no gradients."""
    import matplotlib as mpl
    from matplotlib.patches import Rectangle

    steps = 40
    for step in range(steps):
        at = low + (high - low) * step / steps
        red, green, blue, _ = mpl.colormaps[_MAP]((step + 0.5) / steps)
        axes.add_patch(
            Rectangle(
                (0, at),
                1,
                (high - low) / steps,
                facecolor=(red, green, blue),
                edgecolor=(red, green, blue),
                linewidth=0.4,
            )
        )
    axes.set_xlim(0, 1)
    axes.set_ylim(low, high)
    axes.set_xticks([])
    axes.yaxis.tick_right()
    axes.set_yticks(*ticks_of(low, high, heat.unit))
    axes.tick_params(length=2, labelsize=_SMALL, labelcolor=MUTED, color=INK)
    for side in ("right", "top", "left", "bottom"):
        axes.spines[side].set_visible(False)
