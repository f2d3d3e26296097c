"""What every HTML page of a report shares: the style sheet, its hash for the content policy, and the templates."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from evenhand.report.groups import row_groups
from evenhand.report.model import Basis
from evenhand.report.text import keep_together

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["PageFigure", "page_head", "page_template", "style_hash", "style_sheet"]

_LONG_WORD = 26  # characters of a word that a narrow page has no room for


@cache
def style_sheet() -> str:
    """The one style sheet of every report."""
    return files("evenhand.report").joinpath("templates/report.css").read_text(encoding="utf-8").strip()


def style_hash() -> str:
    """SHA-256 of the style sheet in Base64, as a content policy names it."""
    return base64.b64encode(hashlib.sha256(style_sheet().encode("utf-8")).digest()).decode("ascii")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFigure:
    """A figure of a page.

    Attributes
    ----------
    svg
        As :func:`evenhand.report.svg.clean_svg` returns it: rebuilt from an allow-list of elements and attributes,
        texts escaped.
    """

    name: str
    title: str
    caption: str
    svg: str


def page_head(figures: Iterable[PageFigure], numbers: Mapping[str, Basis]) -> dict[str, object]:
    """What every page's template gets: the style sheet, its hash, the figures, and what they and the tables are called.

    Parameters
    ----------
    numbers
        By anchor, as :func:`evenhand.report.numbering.number_report` gives them.
    """
    from markupsafe import Markup

    return {
        "css": Markup(style_sheet()),  # noqa: S704 - a file of this package
        "css_hash": style_hash(),
        "figures": [
            {
                "anchor": f"figure-{figure.name}",
                "title": figure.title,
                "caption": figure.caption,
                "svg": Markup(figure.svg),  # noqa: S704 - cleaned
            }
            for figure in figures
        ],
        "numbers": {anchor: basis.name for anchor, basis in numbers.items()},
    }


@cache
def page_template(name: str) -> Template:
    """A page's template, ``templates/NAME.html.j2``; it escapes every text and refuses an undefined name."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_source), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    filters: Mapping[str, object] = {
        "prose": keep_together,
        "heading": _unbroken,
        "unbroken": _one_word,
        "breaking": _breaking,
    }
    environment.filters.update(filters)
    environment.globals["row_groups"] = row_groups
    return environment.get_template(name)


def _source(name: str) -> str:
    return files("evenhand.report").joinpath(f"templates/{name}.html.j2").read_text(encoding="utf-8")


def _unbroken(text: str) -> str:
    """A heading that does not break after a hyphen (``first-token``): a word joiner follows each."""
    return text.replace("-", "-\u2060")


def _one_word(text: str) -> str:
    """``Figure 1`` with no line break before its number."""
    return text.replace(" ", "\u00a0")


def _breaking(text: str) -> str:
    """Whether a name may break inside its words: only where one of them would not fit otherwise."""
    return "long" if any(len(word) > _LONG_WORD for word in text.split()) else ""
