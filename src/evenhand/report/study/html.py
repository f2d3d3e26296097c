"""A study as one HTML file: no script, nothing loaded, a strict content policy."""

from __future__ import annotations

from dataclasses import replace

from evenhand.report.page import PageFigure, page_head, page_template
from evenhand.report.study.figures import figure_caption, study_figure_svg
from evenhand.report.study.model import StudyView
from evenhand.report.text import visible

__all__ = ["render_study_html"]


def render_study_html(view: StudyView) -> str:
    """Render the view as a whole document, as :func:`evenhand.report.html.render_html` does for an audit."""
    return page_template("study").render(
        view=view,
        headline=replace(view.headline, verdict=f"{view.sign} {view.headline.verdict}"),
        **page_head(
            (
                PageFigure(
                    name=named.name,
                    title=visible(named.figure.title),
                    caption=figure_caption(named.figure),
                    svg=study_figure_svg(named.name, view),
                )
                for named in view.figures
            ),
            view.numbers,
        ),
        main_tables=view.tables[:1],
        other_tables=view.tables[1:],
    )
