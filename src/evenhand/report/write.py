"""Writing a report's files: each whole or not there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.analysis import AuditResult
from evenhand.analysis.study import Study
from evenhand.audits.humans.beside import RunBesidePeople
from evenhand.errors import StoreError
from evenhand.records import RunManifest
from evenhand.report.card import card_markdown, validate_card
from evenhand.report.figures import write_figures
from evenhand.report.html import render_html
from evenhand.report.json_report import audit_json
from evenhand.report.model import Answers, ReportView
from evenhand.report.pair_example import PairExample
from evenhand.report.tables import table_csv, table_latex, table_markdown
from evenhand.report.view import build_view
from evenhand.store import PlanCounts
from evenhand.store.atomic import write_text_atomically

__all__ = ["WrittenReport", "write_report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenReport:
    """Where a report's files are, and the view they were made from.

    The main table (``csv``, ``latex``, ``markdown``) isn't written while nothing is answered: it would have no row.
    """

    html: Path
    json: Path
    card_json: Path
    card_markdown: Path
    figures: Path
    csv: Path
    latex: Path
    markdown: Path
    view: ReportView


def write_report(
    directory: Path,
    manifest: RunManifest,
    audit: AuditResult,
    *,
    counts: PlanCounts,
    execution: Sequence[tuple[str, str]] = (),
    pairs_examples: Sequence[PairExample] = (),
    figure_formats: Sequence[str] = ("svg",),
    answers: Answers | None = None,
    biases: AuditResult | None = None,
    study: Study | None = None,
    humans: RunBesidePeople | None = None,
) -> WrittenReport:
    """Write ``report.html``, ``audit.json``, ``card.json``, ``card.md``, ``figures/`` and the main table.

    Every file is written beside its place and renamed onto it, so that a killed process leaves no half file. The card
    is validated before anything is written. Figures of an earlier report that this one doesn't have, or not in these
    formats, are removed.

    Parameters
    ----------
    biases, study
        What bias audits found, and the same as a study, whose headline and tables are a section of the page; None where
        the run has none. The study's own files are written apart.
    humans
        What people make of the run, likewise; None where it has no labels.

    Raises
    ------
    DataError
        The card lacks a field.
    StoreError
        The directory can't be written.
    """
    view = build_view(
        manifest,
        audit,
        counts=counts,
        execution=execution,
        pairs_examples=pairs_examples,
        answers=answers,
        biases=biases,
        study=study,
        humans=humans,
    )
    validate_card(view.card)
    written = WrittenReport(
        html=directory / "report.html",
        json=directory / "audit.json",
        card_json=directory / "card.json",
        card_markdown=directory / "card.md",
        figures=directory / "figures",
        csv=directory / "main.csv",
        latex=directory / "main.tex",
        markdown=directory / "main.md",
        view=view,
    )
    main = view.table("summary")
    texts = {
        written.html: render_html(view),
        written.json: json_text(
            audit_json(
                manifest,
                audit,
                counts=counts,
                answers=answers,
                biases=biases,
                headline=view.headline,
                pairs=view.pairs,
                humans=humans,
            )
        ),
        written.card_json: json_text(view.card),
        written.card_markdown: card_markdown(view.card),
    }
    if main is not None:
        texts |= {
            written.csv: table_csv(main),
            written.latex: table_latex(main),
            written.markdown: table_markdown(main),
        }
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            write_text_atomically(path, text)
        write_figures(view, written.figures, formats=figure_formats)
    except OSError as error:
        raise StoreError(f"can't write the report to {directory}: {error.strerror or error}") from error
    return written


def json_text(tree: Mapping[str, object]) -> str:
    """Indented JSON that holds no NaN and ends in a line break; the same tree gives the same text."""
    return json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
