"""A triage's report: in the terminal, and as HTML, JSON, Markdown, tables and one figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from evenhand.errors import StoreError
from evenhand.probes.triage_report import TriageReport
from evenhand.report.figure_files import check_formats
from evenhand.report.study.markdown import study_markdown
from evenhand.report.table_files import write_tables
from evenhand.report.terminal import print_report
from evenhand.report.triage_figure import write_triage_figure
from evenhand.report.triage_html import render_triage_html
from evenhand.report.triage_json import triage_json, validate_triage_json
from evenhand.report.triage_tables import TABLES
from evenhand.report.triage_view import build_triage_view
from evenhand.report.write import json_text
from evenhand.store.atomic import write_text_atomically

__all__ = ["WrittenTriage", "print_triage", "triage_json", "write_triage"]

_BRIEF_TABLES = 1
_BRIEF_BUDGETS = (0.1, 0.3, 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTriage:
    """Where the files are; ``figure`` is that of the first format, None where there is no curve to draw."""

    html: Path
    json: Path
    markdown: Path
    tables: tuple[Path, ...]
    figure: Path | None


def print_triage(report: TriageReport, console: Console, *, brief: bool = False) -> None:
    """Print headline, tables and notes; ``brief`` the headline and the first table alone, with three budgets."""
    view = build_triage_view(report, budgets=_BRIEF_BUDGETS if brief else None)
    if brief:
        view = replace(view, tables=view.tables[:_BRIEF_TABLES], notes=())
    print_report(view, console)


def write_triage(
    directory: Path,
    report: TriageReport,
    *,
    command: str | None = None,
    created: str | None = None,
    figure_formats: Sequence[str] = ("svg",),
) -> WrittenTriage:
    """Write ``triage.html``, ``.json`` and ``.md``, each table as CSV and LaTeX, and ``triage.svg`` (or .pdf, .png).

    Every file is whole or not there. The JSON is checked against its schema before anything is written. Tables and
    figures of an earlier triage in the folder that this one doesn't have are removed.

    Raises
    ------
    ConfigError
        An unknown format of a figure.
    DataError
        The JSON is not valid.
    StoreError
        The directory can't be written.
    """
    check_formats(figure_formats)
    view = build_triage_view(report, command=command, created=created)
    document = triage_json(report, command=command, created=created)
    validate_triage_json(document)
    texts = {
        directory / "triage.html": render_triage_html(view, report),
        directory / "triage.json": json_text(document),
        directory / "triage.md": study_markdown(view),
    }
    try:
        (directory / "tables").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{directory}: can't be made ({error.strerror or error})") from error
    for path, text in texts.items():
        write_text_atomically(path, text)
    tables = write_tables(view.tables, directory / "tables", names=TABLES)
    figures = write_triage_figure(report, directory, formats=figure_formats)
    return WrittenTriage(
        html=directory / "triage.html",
        json=directory / "triage.json",
        markdown=directory / "triage.md",
        tables=tables,
        figure=next(iter(figures), None),
    )
