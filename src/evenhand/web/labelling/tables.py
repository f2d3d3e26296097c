"""Agreement as tables that a page prints."""

from __future__ import annotations

from evenhand.analysis.study import Study
from evenhand.report.model import Table
from evenhand.report.study.cells import study_table
from evenhand.workflow.labelling_agreement import LabelAgreement
from evenhand.workflow.labelling_study import labelling_tables

__all__ = ["agreement_tables", "judge_tables"]


def agreement_tables(made: LabelAgreement) -> tuple[Table, ...]:
    """People among themselves, and each of them alone; the notes say why a figure is missing."""
    clusters = f"{made.resampled_by}s"
    return tuple(study_table(table, name=table.id, clusters=clusters) for table in labelling_tables(made))


def judge_tables(study: Study) -> tuple[Table, ...]:
    """The tables of judges beside people (:func:`evenhand.report.studies.humans.humans_study`)."""
    return tuple(study_table(table, name=table.id) for table in study.tables)
