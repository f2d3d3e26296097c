"""The report as one HTML file: no script, nothing loaded, a strict content policy."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from evenhand.report.card_text import card_rows
from evenhand.report.figures import figure_svg, figures_of
from evenhand.report.groups import row_groups
from evenhand.report.model import ReportView
from evenhand.report.text import keep_together

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["render_html"]

_MAIN = ("summary", "design", "prediction-powered")  # tables that stand before the figures


def render_html(view: ReportView) -> str:
    """Render the view.

    Returns
    -------
    str
        A whole document. Every text of the view is escaped by the template (autoescape is on); only the style sheet of
        this package and the cleaned figures are inserted as markup. The content policy allows that one style sheet by
        its hash, and nothing else.
    """
    from markupsafe import Markup

    css = _style_sheet()
    return _template().render(
        view=view,
        css=Markup(css),  # noqa: S704 - a file of this package
        css_hash=base64.b64encode(hashlib.sha256(css.encode("utf-8")).digest()).decode("ascii"),
        figures=[
            # rebuilt from an allow-list of elements and attributes, texts escaped: see clean_svg
            {"title": f.title, "caption": f.caption, "svg": Markup(figure_svg(f.name, view))}  # noqa: S704
            for f in figures_of(view)
        ],
        main_tables=[table for table in view.tables if table.id in _MAIN and not table.folded],
        other_tables=[table for table in view.tables if table.id not in _MAIN or table.folded],
        card_rows=card_rows(view.card),
        row_groups=row_groups,
    )


def _unbroken(text: str) -> str:
    """A heading that does not break after a hyphen (``first-token``): a word joiner follows each."""
    return text.replace("-", "-\u2060")


_LONG_WORD = 26  # characters of a word that a narrow page has no room for


def _breaking(text: str) -> str:
    """Whether a name may break inside its words: only where one of them would not fit otherwise."""
    return "long" if any(len(word) > _LONG_WORD for word in text.split()) else ""


@cache
def _style_sheet() -> str:
    return files("evenhand.report").joinpath("templates/report.css").read_text(encoding="utf-8").strip()


@cache
def _template() -> Template:
    from jinja2 import DictLoader, Environment, StrictUndefined

    source = files("evenhand.report").joinpath("templates/report.html.j2").read_text(encoding="utf-8")
    environment = Environment(
        loader=DictLoader({"report": source}), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    filters: Mapping[str, object] = {"prose": keep_together, "heading": _unbroken, "breaking": _breaking}
    environment.filters.update(filters)
    return environment.get_template("report")
