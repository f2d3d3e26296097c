"""The probe report as one HTML file: no script, nothing loaded, a strict content policy."""

from __future__ import annotations

from evenhand.report.page import page_template, style_hash, style_sheet
from evenhand.report.probes.figures import figure_svg, figures_of
from evenhand.report.probes.model import ProbeView

__all__ = ["render_html"]

_MAIN = ("summary", "differences", "retention")  # tables that stand before the figures


def render_html(view: ProbeView) -> str:
    """Render the view as a whole document, as :func:`evenhand.report.html.render_html` does for an audit."""
    from markupsafe import Markup

    return page_template("probes").render(
        view=view,
        css=Markup(style_sheet()),  # noqa: S704 - a file of this package
        css_hash=style_hash(),
        figures=[
            # rebuilt from an allow-list of elements and attributes, texts escaped: see clean_svg
            {"title": f.title, "caption": f.caption, "svg": Markup(figure_svg(f.name, view))}  # noqa: S704
            for f in figures_of(view)
        ],
        main_tables=[table for name in _MAIN if (table := view.table(name)) is not None],
        other_tables=[table for table in view.tables if table.id not in _MAIN],
    )
