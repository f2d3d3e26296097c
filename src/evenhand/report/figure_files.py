"""Figures of every report, as SVG for a page and as files: the same input gives the same bytes."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import ConfigError
from evenhand.report.draw import CLASSES, STYLE
from evenhand.report.fonts import BASE, fallback_for, quiet_fonts, show_codes, text_of
from evenhand.report.svg import clean_svg
from evenhand.store.remove import remove_files

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "Drawing", "check_formats", "drawing_svg", "figure_bytes", "formats_of", "write_drawings"]

FORMATS = ("svg", "pdf", "png")
"""Of a figure's file."""

_DPI = 200
"""Dots an inch of a PNG."""


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


def write_drawings(
    drawings: Sequence[Drawing], directory: Path, *, formats: Sequence[str], names: Collection[str] = ()
) -> tuple[Path, ...]:
    """Write every figure as ``NAME.FORMAT``; the directory is made where it is missing.

    Parameters
    ----------
    names
        Of every figure that a report of this kind may have: files of theirs that are not written now, of any format,
        are an earlier report's and are removed.

    Raises
    ------
    ConfigError
        An unknown format; nothing is written then.
    StoreError
        A file can't be written or removed.
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
    remove_files({directory / f"{name}.{form}" for name in names for form in FORMATS}.difference(written))
    return tuple(written)


def check_formats(formats: Sequence[str]) -> None:
    """Refuse what is no format of a figure.

    Raises
    ------
    ConfigError
        With the first unknown format.
    """
    unknown = [form for form in formats if form not in FORMATS]
    if unknown:
        raise ConfigError(f"figure format {unknown[0]!r}: expected svg, pdf or png")


def formats_of(text: str) -> tuple[str, ...]:
    """Formats of figures from a list with commas, each once.

    Raises
    ------
    ConfigError
        With the first unknown format.

    Examples
    --------
    >>> formats_of("svg, PDF,svg")
    ('svg', 'pdf')
    """
    formats = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",")))
    check_formats(formats)
    return formats


def figure_bytes(make: Callable[[], Figure], *, name: str, form: str) -> bytes:
    """A figure as a file of a format, drawn in the look of every report; the same figure gives the same bytes.

    SVG keeps its text as text. PDF embeds its fonts as TrueType, PNG has 200 dots an inch and a white ground. In these
    two a script that the figures' typeface lacks is set in a font of this machine, or shown by its characters' codes
    where there is none (:mod:`evenhand.report.fonts`).
    """
    from evenhand.report.plotting import load_matplotlib

    mpl = load_matplotlib()
    # No date, and ids salted with a constant: the same view gives the same bytes.
    no_date: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    style: Any = {**STYLE, "svg.hashsalt": f"evenhand-{name}"}
    with mpl.rc_context(style), _other_scripts(), io.BytesIO() as buffer:
        figure = make()
        more: Any = {} if form == "svg" else _set_in_fonts(figure)
        ground = "white" if form == "png" else "none"
        with mpl.rc_context(more):
            figure.savefig(buffer, format=form, metadata=no_date[form], dpi=_DPI, facecolor=ground)
        return buffer.getvalue()


def _set_in_fonts(figure: Figure) -> dict[str, Any]:
    """Give a figure's text the fonts that it needs; what must be set while it is written."""
    from matplotlib.text import Text

    found = fallback_for(text_of(figure))
    show_codes(figure, found.missing)
    if not found.families:
        return {}
    for text in figure.findobj(Text):
        text.set_fontfamily([BASE, *found.families])
    # A font with CFF outlines embedded as TrueType is one that a strict reader refuses: its glyphs are drawn instead.
    return {} if found.truetype else {"pdf.fonttype": 3}


@contextmanager
def _other_scripts() -> Iterator[None]:
    """An SVG in a script that the figures' typeface lacks: its reader has it, whatever matplotlib remarks here."""
    with warnings.catch_warnings(), quiet_fonts():
        warnings.filterwarnings("ignore", message=r"Glyph [0-9]+ .* missing from", category=UserWarning)
        yield
