"""The probe report as one HTML file: no script, nothing loaded, a strict content policy."""

from __future__ import annotations

from evenhand.report.page import PageFigure, page_head, page_template
from evenhand.report.probes.figures import figure_svg, figures_of
from evenhand.report.probes.model import ProbeView

__all__ = ["render_html"]

_MAIN = ("summary", "differences")  # tables that stand before the figures


def render_html(view: ProbeView) -> str:
    """Render the view as a whole document, as :func:`evenhand.report.html.render_html` does for an audit."""
    return page_template("probes").render(
        view=view,
        **page_head(
            (
                PageFigure(name=f.name, title=f.title, caption=f.caption, svg=figure_svg(f.name, view))
                for f in figures_of(view)
            ),
            view.numbers,
        ),
        main_tables=[table for name in _MAIN if (table := view.table(name)) is not None],
        other_tables=[table for table in view.tables if table.id not in _MAIN],
    )
