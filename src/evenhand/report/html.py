"""The report as one HTML file: no script, nothing loaded, a strict content policy."""

from __future__ import annotations

from evenhand.report.card_text import card_rows
from evenhand.report.figures import figure_svg, figures_of
from evenhand.report.model import ReportView
from evenhand.report.page import page_head, page_template

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
    return page_template("report").render(
        view=view,
        **page_head((f.title, f.caption, figure_svg(f.name, view)) for f in figures_of(view)),
        main_tables=[table for table in view.tables if table.id in _MAIN and not table.folded],
        other_tables=[table for table in view.tables if table.id not in _MAIN or table.folded],
        card_rows=card_rows(view.card),
    )
