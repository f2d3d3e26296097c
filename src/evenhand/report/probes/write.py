"""Writing a probe report's files: each whole or not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import StoreError
from evenhand.probes import ProbeReport
from evenhand.report.figure_files import check_formats
from evenhand.report.probes.disclosure import disclosure_markdown
from evenhand.report.probes.figures import write_figures
from evenhand.report.probes.html import render_html
from evenhand.report.probes.json_report import probe_json, validate_probe_json
from evenhand.report.probes.model import ProbeView
from evenhand.report.probes.tables import TABLES
from evenhand.report.probes.view import build_probe_view
from evenhand.report.table_files import write_tables
from evenhand.report.write import json_text
from evenhand.store.atomic import write_atomically, write_text_atomically

if TYPE_CHECKING:
    import polars as pl

__all__ = ["WrittenProbeReport", "write_probe_report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenProbeReport:
    """Where a probe report's files are, and the view they were made from.

    ``tables`` and ``figures`` are folders; a table is there as ``ID.csv`` and ``ID.tex``, a figure as ``NAME.svg``.
    """

    html: Path
    json: Path
    markdown: Path
    predictions: Path
    tables: Path
    figures: Path
    view: ProbeView


def write_probe_report(
    directory: Path,
    report: ProbeReport,
    predictions: pl.DataFrame,
    *,
    command: str | None = None,
    created: str | None = None,
    figure_formats: Sequence[str] = ("svg",),
) -> WrittenProbeReport:
    """Write ``report.html``, ``probes.json``, ``probes.md``, ``predictions.parquet``, ``tables/`` and ``figures/``.

    Every file is written beside its place and renamed onto it, so that a killed process leaves no half file. The JSON
    is checked against its schema before anything is written. Tables and figures of an earlier report in the folder that
    this one doesn't have are removed.

    Parameters
    ----------
    directory
        Made where it is missing.
    predictions
        One row for each pair, with at least ``flip`` and a column of probabilities for each predictor that ranks,
        such as ``p_combined``; written as it is.
    command, created
        How and when (ISO 8601) the report was made; neither is invented here.
    figure_formats
        Of ``svg``, ``pdf`` and ``png``.

    Raises
    ------
    DataError
        The predictions lack a column, or the JSON is not valid.
    ConfigError
        An unknown figure format.
    StoreError
        The directory can't be written.
    """
    check_formats(figure_formats)
    view = build_probe_view(report, predictions, command=command, created=created)
    document = probe_json(report, command=command, created=created)
    validate_probe_json(document)
    written = WrittenProbeReport(
        html=directory / "report.html",
        json=directory / "probes.json",
        markdown=directory / "probes.md",
        predictions=directory / "predictions.parquet",
        tables=directory / "tables",
        figures=directory / "figures",
        view=view,
    )
    texts = {
        written.html: render_html(view),
        written.json: json_text(document),
        written.markdown: disclosure_markdown(view),
    }
    try:
        written.tables.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            write_text_atomically(path, text)
        write_tables(view.tables, written.tables, names=TABLES)
        write_atomically(written.predictions, predictions.write_parquet)
        write_figures(view, written.figures, formats=figure_formats)
    except OSError as error:
        raise StoreError(f"can't write the report to {directory}: {error.strerror or error}") from error
    return written
