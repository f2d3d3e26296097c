"""The tables of a probe report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from evenhand.probes import Difference, Metric, PredictorKind, PredictorResult, ProbeReport, Retention
from evenhand.records import Readout
from evenhand.report.cells import Footnotes, count_cell, figure_cell, name_cell
from evenhand.report.format import DASH, integer, percent
from evenhand.report.model import Cell, Column, Table
from evenhand.report.probes.lines import KIND_NAMES
from evenhand.report.probes.roles import COMBINED, NO_SIGNAL, PAPER, drawn, label, main, own_notes, written
from evenhand.report.text import visible
from evenhand.stats import ReliabilityCurve

__all__ = ["METRIC_NAMES", "TABLES", "build_tables", "retention_table", "usable_text"]

TABLES = (
    "summary",
    "differences",
    "no-signal",
    "selected",
    "selections",
    "learning",
    "calibration",
    "retention",
)
"""Ids of every table that a probe report may have, in the order of reading."""

METRIC_NAMES = {
    Metric.AUROC: "AUROC",
    Metric.CHOICE_MATCHED: "choice-matched AUROC",
    Metric.AUPRC: "AUPRC",
    Metric.BRIER: "Brier score",
}
_MANY = 20  # rows from which nobody reads a table of selections through


def build_tables(report: ProbeReport) -> tuple[Table, ...]:
    """Every table that the report has rows for, in the order of reading."""
    made = (
        _summary(report),
        _differences(report),
        _no_signal(report),
        _selected(report),
        _selections(report),
        _learning(report),
        _calibration(report),
        retention_table(report.retention, readout=report.subject.readout),
    )
    return tuple(table for table in made if table.rows)


def _notes(report: ProbeReport) -> Footnotes:
    return Footnotes(level=report.level, clusters="question group")


def _metrics(of: Sequence[Sequence[Metric]]) -> list[Metric]:
    """The metrics that occur, in the order of the tables."""
    found = {metric for each in of for metric in each}
    return [metric for metric in METRIC_NAMES if metric in found]


def _summary(report: ProbeReport) -> Table:
    metrics = _metrics([[m for m, _ in p.metrics] for p in report.predictors])
    notes = _notes(report)
    rows = tuple(
        (
            name_cell(KIND_NAMES[kind]),
            name_cell(label(p.name)),
            *_figures(p, metrics, notes),
        )
        for kind in PredictorKind
        for p in report.predictors
        if p.kind is kind
    )
    how = "frozen predictors" if report.task == "transfer" else "one held-out prediction a pair"
    return Table(
        id="summary",
        title="How well flips are predicted",
        caption=(
            f"{integer(report.pairs)} usable pairs of {integer(report.retention.planned)} planned, "
            f"{integer(report.groups)} question groups; {how}. AUROC and choice-matched AUROC: 0.5 is chance. AUPRC: "
            f"the flip rate is chance. Brier score: lower is better; compare with {label(NO_SIGNAL)}."
            + (f" “The paper” is {PAPER}." if any(p.kind is PredictorKind.BEYOND for p in report.predictors) else "")
        ),
        columns=(
            Column(label="kind", numeric=False),
            Column(label="predictor", numeric=False),
            *(Column(label=METRIC_NAMES[metric]) for metric in metrics),
        ),
        rows=rows,
        headers=2,
        notes=notes.notes,
        intervals=notes.intervals,
    )


def _figures(predictor: PredictorResult, metrics: Sequence[Metric], notes: Footnotes) -> tuple[Cell, ...]:
    """One cell for each metric; the predictor's notes are marked at the first, since an outline's names have none."""
    cells = [figure_cell(dict(predictor.metrics).get(metric), "score", notes) for metric in metrics]
    own = tuple(dict.fromkeys(notes.mark(note) for note in own_notes(predictor)))
    return (replace(cells[0], marks=(*cells[0].marks, *own)), *cells[1:]) if cells else ()


def _differences(report: ProbeReport) -> Table:
    return _compared(
        report,
        [d for d in report.differences if d.reference != NO_SIGNAL],
        table_id="differences",
        title="Paired differences",
        caption=(
            "The first predictor minus the second, on the same pairs and the same resamples. Where an interval holds 0 "
            "these data don’t show one to be better; the intervals are not adjusted for the number of comparisons. For "
            "the Brier score a negative difference is the better one."
        ),
    )


def _no_signal(report: ProbeReport) -> Table:
    return _compared(
        report,
        [d for d in report.differences if d.reference == NO_SIGNAL],
        table_id="no-signal",
        title="Against the flip rate alone",
        caption=(
            "Each predictor minus no-signal, which predicts the training folds’ flip rate for every pair. A negative "
            "difference of Brier scores is the better one; where an interval holds 0 the predictor is not shown to be "
            "worth more than a constant."
        ),
    )


def _compared(report: ProbeReport, made: Sequence[Difference], *, table_id: str, title: str, caption: str) -> Table:
    metrics = _metrics([[d.metric] for d in made])
    notes = _notes(report)
    figures = {(d.predictor, d.reference, d.metric): d.estimate for d in made}
    pairs = dict.fromkeys((d.predictor, d.reference) for d in made)
    order = list(dict.fromkeys(predictor for predictor, _ in pairs))
    alone = len({reference for _, reference in pairs}) == 1
    rows = tuple(
        (
            name_cell(label(predictor)),
            *(() if alone else (name_cell(label(reference)),)),
            *(figure_cell(figures.get((predictor, reference, m)), "score difference", notes) for m in metrics),
        )
        for predictor, reference in sorted(pairs, key=lambda pair: order.index(pair[0]))
    )
    return Table(
        id=table_id,
        title=title,
        caption=caption,
        columns=(
            Column(label="predictor", numeric=False),
            *(() if alone else (Column(label="minus", numeric=False),)),
            *(Column(label=f"Δ {METRIC_NAMES[metric]}") for metric in metrics),
        ),
        rows=rows,
        headers=1 if alone else 2,
        notes=notes.notes,
        intervals=notes.intervals,
    )


def _selection_columns(report: ProbeReport) -> tuple[Column, ...]:
    fold = () if report.task == "transfer" else (Column(label="fold"),)
    return (
        Column(label="predictor", numeric=False),
        *fold,
        Column(label="chosen", numeric=False),
        Column(label="λ"),
        Column(label="validation Brier"),
    )


def _selection_rows(report: ProbeReport, predictor: PredictorResult) -> list[tuple[Cell, ...]]:
    """A row for each outer fold; a transfer chose once, on all of the first set."""
    return [
        (
            name_cell(label(predictor.name)),
            *(() if report.task == "transfer" else (count_cell(chosen.fold + 1),)),
            name_cell(chosen.candidate),
            _number_cell(chosen.l2, f"{chosen.l2:g}"),
            _number_cell(chosen.validation_brier, f"{chosen.validation_brier:.3f}"),
        )
        for chosen in predictor.selections
    ]


def _number_cell(value: float, text: str) -> Cell:
    return Cell(text=text, value=value) if math.isfinite(value) else Cell(text=DASH)


def _selected(report: ProbeReport) -> Table:
    first = main(report)
    where = (
        "On the set that it was fitted on, by the Brier score of grouped validation folds"
        if report.task == "transfer"
        else f"Inside the training folds, by the Brier score of {integer(report.inner_folds)} grouped validation folds"
    )
    return Table(
        id="selected",
        title="What was selected for the main predictor",
        caption=(
            f"{where}; the evaluated pairs had no part in it. λ is the penalty of mean log loss + λ/2 · |weights|²."
        ),
        columns=_selection_columns(report),
        rows=tuple(_selection_rows(report, first)) if first is not None else (),
    )


def _selections(report: ProbeReport) -> Table:
    first = main(report)
    rows = tuple(row for p in report.predictors if p is not first for row in _selection_rows(report, p))
    return Table(
        id="selections",
        title="What was selected for the others",
        caption="By the same folds and the same rule.",
        columns=_selection_columns(report),
        rows=rows,
        folded=len(rows) > _MANY,
    )


def _learning(report: ProbeReport) -> Table:
    metrics = _metrics([[m for m, _ in p.metrics] for p in report.learning_curve])
    notes = _notes(report)
    names = list(dict.fromkeys(p.predictor for p in report.learning_curve))
    points = sorted(report.learning_curve, key=lambda p: (names.index(p.predictor), p.pairs))
    rows = tuple(
        (
            name_cell(label(p.predictor)),
            Cell(text=integer(round(p.pairs)), value=p.pairs),
            *(figure_cell(dict(p.metrics).get(metric), "score", notes) for metric in metrics),
        )
        for p in points
    )
    return Table(
        id="learning",
        title="Learning curve",
        caption=(
            "Fitted on fewer pairs (mean over the outer folds), whole question groups left out; evaluated on the same "
            "held-out pairs. It tells whether more labelled pairs may help, not how many are enough for a purpose."
        ),
        columns=(
            Column(label="predictor", numeric=False),
            Column(label="training pairs"),
            *(Column(label=METRIC_NAMES[metric]) for metric in metrics),
        ),
        rows=rows,
        notes=notes.notes,
        intervals=notes.intervals,
    )


def _calibration(report: ProbeReport) -> Table:
    curves = [
        (p, p.calibration) for p in drawn(report, (COMBINED, NO_SIGNAL)) if isinstance(p.calibration, ReliabilityCurve)
    ]
    rows = tuple(
        (
            name_cell(label(p.name)),
            Cell(text=f"{b.low:.2f} to {b.high:.2f}"),
            Cell(text=f"{b.mean_probability:.3f}", value=b.mean_probability),
            Cell(text=f"{b.rate:.3f}", value=b.rate),
            count_cell(b.n),
        )
        for p, curve in curves
        for b in curve.bins
    )
    errors = ", ".join(f"{label(p.name)} {c.expected_calibration_error:.3f}" for p, c in curves)
    return Table(
        id="calibration",
        title="Calibration",
        caption=(
            "Predictions in bins: their mean beside how often the pairs flipped. No intervals: a description. "
            f"Mean gap between the two, weighted by pairs: {errors or DASH}."
        ),
        columns=(
            Column(label="predictor", numeric=False),
            Column(label="bin", numeric=False),
            Column(label="mean prediction"),
            Column(label="flipped"),
            Column(label="n pairs"),
        ),
        rows=rows,
        folded=len(rows) > _MANY,
    )


def usable_text(readout: Readout | None) -> str:
    """What makes a pair usable: little is asked where the verdict is the first token, whatever the judge wrote."""
    if written(readout):
        return "both orders kept the format with a decided verdict whose token was found"
    return (
        "both orders were answered and one label's first token was likelier than the other's: no format was checked, "
        "and the judge's own first token may be another one"
    )


def retention_table(retention: Retention, *, readout: Readout | None = None) -> Table:
    """How many pairs can be used, and what became of the others; the readout says what usable means."""

    def row(what: str, count: int) -> tuple[Cell, ...]:
        share = count / retention.planned if retention.planned else None
        cell = Cell(text=DASH) if share is None else Cell(text=percent(share), value=share)
        return (name_cell(what), count_cell(count), cell)

    return Table(
        id="retention",
        title="Retention",
        caption=(
            f"A pair is usable when {usable_text(readout)}."
            + (" A lost pair stands under its first reason, AB before BA." if retention.lost else "")
            + (" Pairs that keep the format may be easier ones." if retention.lost and written(readout) else "")
        ),
        columns=(Column(label="pairs", numeric=False), Column(label="count"), Column(label="share of planned")),
        rows=(
            row("planned", retention.planned),
            row("usable", retention.usable),
            *(row(f"lost: {visible(why, limit=150)}", count) for why, count in retention.lost),
        ),
    )
