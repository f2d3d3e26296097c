"""The report as one HTML file: no script, nothing loaded, a strict content policy."""

from __future__ import annotations

from evenhand.report.card_text import card_rows
from evenhand.report.figures import figure_svg, figures_of
from evenhand.report.model import ReportView
from evenhand.report.numbering import PAIRS
from evenhand.report.page import PageFigure, page_head, page_template
from evenhand.report.sections import PAIRS_CAPTION

__all__ = ["render_html"]

_WITH_COUNTS = frozenset({"summary", "design", "prediction-powered"})
"""Tables whose rates stand with their counts, as those of all measures do."""


def render_html(view: ReportView) -> str:
    """Render the view.

    Returns
    -------
    str
        A whole document. Every text of the view is escaped by the template (autoescape is on); only the style sheet of
        this package and the cleaned figures are inserted as markup. The content policy allows that one style sheet by
        its hash, and nothing else.
    """
    figures = [
        PageFigure(name=info.name, title=info.title, caption=info.caption, svg=figure_svg(info.name, view))
        for info in figures_of(view)
    ]
    return page_template("report").render(
        view=view,
        **page_head(figures, view.numbers),
        tables=[table for table in view.tables if table.id != PAIRS],
        with_counts=_WITH_COUNTS,
        pairs_caption=PAIRS_CAPTION,
        card_rows=card_rows(view.card),
    )
