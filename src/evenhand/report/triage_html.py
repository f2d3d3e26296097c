"""A triage as one HTML file: no script, nothing loaded, a strict content policy."""

from __future__ import annotations

from evenhand.probes.triage_report import TriageReport
from evenhand.report.page import PageFigure, page_head, page_template
from evenhand.report.triage_figure import FIGURE, TITLE, caption, has_figure, triage_svg
from evenhand.report.triage_view import TriageView

__all__ = ["render_triage_html"]


def render_triage_html(view: TriageView, report: TriageReport) -> str:
    """Render the view as a whole document, by the page of the studies.

    Parameters
    ----------
    report
        What the view was made from, for its figure.
    """
    figures = (
        [PageFigure(name=FIGURE, title=TITLE, caption=caption(report), svg=triage_svg(report))]
        if has_figure(report)
        else []
    )
    return page_template("study").render(
        view=view,
        headline=view.headline,
        **page_head(figures, view.numbers),
        # The first table is long where there is a curve, which says the same at a glance.
        main_tables=view.tables[: 0 if figures else 1],
        other_tables=view.tables[0 if figures else 1 :],
    )
