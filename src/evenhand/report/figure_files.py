"""Figures of every report, as SVG for a page and as files: the same input gives the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import ConfigError
from evenhand.report.draw import CLASSES, STYLE
from evenhand.report.svg import clean_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Drawing", "check_formats", "drawing_svg", "figure_bytes", "write_drawings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A figure of one report, ready to be drawn.

    Attributes
    ----------
    name
        Also its file's.
    title, description
        For readers who can't see it.
    salt
        What its ids are made from.
    """

    name: str
    title: str
    description: str
    salt: str
    draw: Callable[[], Figure]

    def as_bytes(self, form: str) -> bytes:
        """The figure as a file of a format."""
        return figure_bytes(self.draw, name=self.salt, form=form)


def drawing_svg(name: str, drawings: Sequence[Drawing]) -> str:
    """One of a report's figures as an ``<svg>`` element for a page: no style attributes, ids of its own.

    Raises
    ------
    ConfigError
        The report has no figure of that name.
    """
    drawing = next((drawing for drawing in drawings if drawing.name == name), None)
    if drawing is None:
        known = ", ".join(drawing.name for drawing in drawings) or "none"
        raise ConfigError(f"no figure {name!r} in this report (it has: {known})")
    return clean_svg(
        drawing.as_bytes("svg").decode("utf-8"),
        prefix=f"fig-{name}",
        title=drawing.title,
        description=drawing.description,
        classes=CLASSES,
    )


def write_drawings(drawings: Sequence[Drawing], directory: Path, *, formats: Sequence[str]) -> tuple[Path, ...]:
    """Write every figure as ``NAME.FORMAT``; the directory is made where it is missing.

    Raises
    ------
    ConfigError
        An unknown format; nothing is written then.
    """
    from evenhand.store.atomic import write_bytes_atomically

    check_formats(formats)
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for drawing in drawings:
        for form in formats:
            path = directory / f"{drawing.name}.{form}"
            write_bytes_atomically(path, drawing.as_bytes(form))
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


def figure_bytes(make: Callable[[], Figure], *, name: str, form: str) -> bytes:
    """A figure as a file of a format, drawn in the look of every report; the same figure gives the same bytes."""
    from evenhand.report.plotting import load_matplotlib

    mpl = load_matplotlib()
    # No date, and ids salted with a constant: the same view gives the same bytes.
    no_date: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    style: Any = {**STYLE, "svg.hashsalt": f"evenhand-{name}"}
    with mpl.rc_context(style), io.BytesIO() as buffer:
        make().savefig(buffer, format=form, metadata=no_date[form], dpi=200)
        return buffer.getvalue()
