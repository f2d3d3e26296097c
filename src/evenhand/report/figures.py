"""The report's figures, drawn with matplotlib: the same input gives the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import ConfigError
from evenhand.report import draw
from evenhand.report.model import Point, ReportView
from evenhand.report.svg import clean_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "FigureInfo", "check_formats", "figure_bytes", "figure_svg", "figures_of", "write_figures"]


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
    info = next((info for info in figures_of(view) if info.name == name), None)
    if info is None:
        known = ", ".join(info.name for info in figures_of(view)) or "none"
        raise ConfigError(f"no figure {name!r} in this report (it has: {known})")
    title = f"{info.title}, first-slot rate" if name == "rates" and view.single_order else info.title
    return clean_svg(
        _render(info, view, "svg").decode("utf-8"),
        prefix=f"fig-{name}",
        title=title,
        description=_description(info, view),
        classes=draw.CLASSES,
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
    from evenhand.store.atomic import write_bytes_atomically

    check_formats(formats)
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for info in figures_of(view):
        for form in formats:
            path = directory / f"{info.name}.{form}"
            write_bytes_atomically(path, _render(info, view, form))
            written.append(path)
    return tuple(written)


def check_formats(formats: Sequence[str]) -> None:
    """Refuse what is no format of a figure.

    Raises
    ------
    ConfigError
        With the first unknown format.
    """
    unknown = [form for form in formats if form not in ("svg", "pdf", "png")]
    if unknown:
        raise ConfigError(f"figure format {unknown[0]!r}: expected svg, pdf or png")


def _render(info: FigureInfo, view: ReportView, form: str) -> bytes:
    return figure_bytes(lambda: info.draw(view), name=info.name, form=form)


def figure_bytes(make: Callable[[], Figure], *, name: str, form: str) -> bytes:
    """A figure as a file of a format, drawn in the look of every report; the same figure gives the same bytes."""
    from evenhand.report.plotting import load_matplotlib

    mpl = load_matplotlib()
    # No date, and ids salted with a constant: the same view gives the same bytes.
    no_date: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    style: Any = {**draw.STYLE, "svg.hashsalt": f"evenhand-{name}"}
    with mpl.rc_context(style), io.BytesIO() as buffer:
        make().savefig(buffer, format=form, metadata=no_date[form], dpi=200)
        return buffer.getvalue()
