"""Agreement as tables."""

from __future__ import annotations

from evenhand.analysis.study import Study, StudyColumn, StudyTable, StudyValue
from evenhand.report.model import Table
from evenhand.report.study.cells import study_table
from evenhand.workflow.labelling_agreement import AnnotatorFigures, LabelAgreement

__all__ = ["agreement_tables", "judge_tables"]


def agreement_tables(made: LabelAgreement) -> tuple[Table, ...]:
    """People among themselves, and each of them alone; the notes say why a figure is missing."""
    tables = [_among(made), _each(made)]
    if made.people.between:
        tables.append(_twos(made))
    return tuple(study_table(table, name=table.id, clusters=f"{made.resampled_by}s") for table in tables)


def judge_tables(study: Study) -> tuple[Table, ...]:
    """The tables of judges beside people (:func:`evenhand.report.studies.humans.humans_study`)."""
    return tuple(study_table(table, name=table.id) for table in study.tables)


def _among(made: LabelAgreement) -> StudyTable:
    rows: tuple[tuple[StudyValue, ...], ...] = (
        ("Raw agreement", made.raw, None),
        ("Krippendorff’s alpha", None, made.people.alpha),
        ("One person beside the others", made.people.ceiling, None),
    )
    return StudyTable(
        id="among",
        title="People among themselves",
        caption=f"{made.several:,} of {made.labelled:,} labelled pairs have labels of two annotators or more.",
        columns=(
            StudyColumn(name="figure", label="figure"),
            StudyColumn(name="share", label="share", unit="share"),
            StudyColumn(name="coefficient", label="coefficient", unit="number"),
        ),
        rows=rows,
        notes=(
            "Raw agreement: share of equal preferences among all twos of labels of one pair, a tie being one.",
            "Alpha: agreement beyond chance; 1 is full agreement, 0 what chance gives.",
            "One person beside the others: share of labels that equal what most others prefer.",
        ),
    )


def _each(made: LabelAgreement) -> StudyTable:
    rows = [_row(figures) for figures in made.annotators]
    if len(rows) > 1:
        rows.append(_row(made.everybody))
    return StudyTable(
        id="annotators",
        title="Each annotator",
        caption="People have a position bias too. The order was drawn at random, so that 50 % is no bias.",
        columns=(
            StudyColumn(name="annotator", label="annotator"),
            StudyColumn(name="labels", label="labels", unit="count"),
            StudyColumn(name="ties", label="ties", unit="count"),
            StudyColumn(name="skipped", label="can’t tell", unit="count"),
            StudyColumn(name="revised", label="changed", unit="count"),
            StudyColumn(name="after", label="after a look at results", unit="count"),
            StudyColumn(name="seconds", label="median seconds", unit="count"),
            StudyColumn(name="first", label="chose the one shown first", unit="share"),
            StudyColumn(name="consistency", label="same label again", unit="share"),
        ),
        rows=tuple(rows),
        notes=(
            "Same label again: of pairs that came a second time, in the other order, with a preference both times.",
            "What the order does to a person is part of it. Can’t tell is no tie, and enters no figure.",
        ),
    )


def _row(figures: AnnotatorFigures) -> tuple[StudyValue, ...]:
    return (
        figures.name,
        figures.labels,
        figures.ties,
        figures.skipped,
        figures.revised,
        figures.after_results,
        None if figures.seconds is None else round(figures.seconds),
        figures.first_chosen,
        figures.consistency,
    )


def _twos(made: LabelAgreement) -> StudyTable:
    return StudyTable(
        id="twos",
        title="Every two annotators",
        caption="Pairs that both labelled.",
        columns=(
            StudyColumn(name="first", label="annotator"),
            StudyColumn(name="second", label="beside"),
            StudyColumn(name="agreement", label="agreement", unit="share"),
            StudyColumn(name="decided", label="agreement, decided", unit="share"),
            StudyColumn(name="kappa", label="kappa", unit="number"),
            StudyColumn(name="pairs", label="pairs", unit="count"),
        ),
        rows=tuple(
            (each.first, each.second, each.rate, each.decided, each.kappa, each.pairs) for each in made.people.between
        ),
        headers=2,
        notes=("Agreement, decided: among pairs on which both chose a response. Kappa: agreement beyond chance.",),
    )
