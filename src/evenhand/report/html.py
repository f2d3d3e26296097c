"""The report as one HTML file: no script, nothing loaded, a strict content policy."""

from __future__ import annotations

from dataclasses import replace

from evenhand.analysis.study import Study
from evenhand.report.card_text import card_rows
from evenhand.report.figures import figure_svg, figures_of
from evenhand.report.model import ReportView
from evenhand.report.page import page_head, page_template
from evenhand.report.study.model import StudyView
from evenhand.report.study.view import build_study_view

__all__ = ["render_html"]

_MAIN = ("summary", "design", "prediction-powered")  # tables that stand before the figures


def render_html(view: ReportView, *, study: Study | None = None) -> str:
    """Render the view.

    Parameters
    ----------
    study
        What was found beside it, such as the run's bias audits: a section of its own; None where there is none.

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
        study=None if study is None else _section(study),
    )


def _section(study: Study) -> StudyView:
    """The study with ids of tables that this page has not got yet."""
    view = build_study_view(study)
    return replace(view, tables=tuple(replace(table, id=f"{view.kind}-{table.id}") for table in view.tables))
