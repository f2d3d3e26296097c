"""A study in a terminal."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from evenhand.analysis.study import Study
from evenhand.report.study.view import build_study_view
from evenhand.report.terminal import print_report

__all__ = ["print_study"]

_BRIEF_TABLES = 1


def print_study(study: Study, console: Console, *, brief: bool = False) -> None:
    """Print headline, tables and notes; ``brief`` the headline and the first table alone.

    The strings hold no terminal escapes and are printed as plain text, never as Rich markup.
    """
    view = build_study_view(study)
    tables = view.tables[:_BRIEF_TABLES] if brief else view.tables
    headline = replace(view.headline, verdict=f"{view.sign} {view.headline.verdict}")
    shown = replace(view, headline=headline, tables=tables, notes=() if brief else view.notes)
    print_report(shown, console)
