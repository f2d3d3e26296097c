"""From a study to what is shown: the one place that decides it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Final, assert_never

from evenhand.analysis.study import Basis, Claim, Study, StudyStatus
from evenhand.report.format import date_text
from evenhand.report.model import Headline, Status, Table
from evenhand.report.numbering import number_report, with_bases
from evenhand.report.study.cells import study_table
from evenhand.report.study.figures import is_drawn
from evenhand.report.study.methods import clusters_of, study_methods
from evenhand.report.study.model import NamedFigure, StudyView
from evenhand.report.study.names import distinct_names, safe_name
from evenhand.report.text import visible

__all__ = ["build_study_view", "evenhand_version", "study_headline", "study_numbers", "study_tables"]

_SENTENCE_LIMIT, _NOTE_LIMIT, _FACT_LIMIT, _COMMAND_LIMIT = 1200, 1000, 600, 1000
_SIGNS: Final[dict[StudyStatus, str]] = {"good": "✓", "bad": "!", "undecided": "?", "described": "·", "failed": "×"}


def build_study_view(study: Study, *, command: str | None = None, created: str | None = None) -> StudyView:
    """Decide everything that a study's report shows.

    Parameters
    ----------
    command, created
        How and when (ISO 8601) the study was made; neither is invented here.
    """
    when = date_text(visible(created)) if created else ""
    tables = study_tables(study)
    figures = tuple(
        NamedFigure(name=name, figure=figure)
        for name, figure in zip(_figure_names(study), study.figures, strict=True)
        if is_drawn(figure)
    )
    numbers = study_numbers(study)
    return StudyView(
        kind=safe_name(study.kind),
        title=visible(study.title),
        subtitle=" · ".join(part for part in (visible(study.subtitle, limit=_NOTE_LIMIT), when) if part),
        status=study.headline.status,
        sign=_SIGNS[study.headline.status],
        headline=study_headline(study, numbers),
        tables=tables,
        figures=figures,
        notes=tuple(dict.fromkeys(visible(note, limit=_NOTE_LIMIT) for note in study.notes)),
        methods=study_methods(study),
        facts=_facts(study, when),
        glossary=_glossary(study),
        command=visible(command or "", limit=_COMMAND_LIMIT),
        version=evenhand_version(),
        numbers=numbers,
    )


def evenhand_version() -> str:
    """The installed version, or that there is none. Kept here so that a study's report loads no other report."""
    try:
        return version("evenhand")
    except PackageNotFoundError:
        return "not installed as a package"


def study_tables(study: Study) -> tuple[Table, ...]:
    """The study's tables as any report can show them, such as an audit's page in a section of its own."""
    clusters = clusters_of(study)
    return tuple(
        study_table(table, name=name, clusters=clusters)
        for name, table in zip(_table_names(study), study.tables, strict=True)
    )


def study_numbers(study: Study) -> dict[str, Basis]:
    """What the study's figures, tables and sections are called, by the anchors of its page."""
    figures = zip(_figure_names(study), study.figures, strict=True)
    tables = zip(_table_names(study), study.tables, strict=True)
    return number_report(
        (name for name, figure in figures if is_drawn(figure)),
        [replace(table, id=name) for name, table in tables],
        sections=(
            *(["methods"] if study_methods(study) else []),
            *(["notes"] if study.notes else []),
            "reproduce",
        ),
    )


def study_headline(study: Study, numbers: Mapping[str, Basis]) -> Headline:
    """The headline, its sentences tied to what they rest on.

    The lead rests on the first table where it doesn't say else: every study makes that the one of all findings.

    Parameters
    ----------
    numbers
        From :func:`study_numbers`.
    """
    head = study.headline
    first = tuple(f"table-{table.id}" for table in study.tables[:1])

    def said(text: str) -> str:
        return visible(text, limit=_SENTENCE_LIMIT)

    anchors = _anchors(study, numbers)

    def found(rests_on: Iterable[str]) -> tuple[str, ...]:
        return tuple(anchors[anchor] for anchor in rests_on if anchor in anchors)

    def cleaned(claims: Iterable[Claim]) -> tuple[Claim, ...]:
        return tuple(Claim(text=said(c.text), rests_on=found(c.rests_on)) for c in claims if c.text)

    untied = Headline(
        status=_look(head.status),
        verdict=said(head.verdict),
        lead=said(head.lead),
        rests_on=found(head.rests_on or first),
        more=cleaned(head.more),
        steps=cleaned(head.steps),
    )
    return with_bases(untied, numbers)


def _anchors(study: Study, numbers: Mapping[str, Basis]) -> dict[str, str]:
    """Anchors that there are, also by the ids that the study gives its figures and tables: a page may lack those."""
    tables = zip(study.tables, _table_names(study), strict=True)
    figures = zip(study.figures, _figure_names(study), strict=True)
    pairs = [(f"table-{table.id}", f"table-{name}") for table, name in tables]
    pairs += [(f"figure-{figure.id}", f"figure-{name}") for figure, name in figures]
    own_ids = {own: anchor for own, anchor in reversed(pairs) if anchor in numbers}
    return {**own_ids, **{anchor: anchor for anchor in numbers}}


def _table_names(study: Study) -> tuple[str, ...]:
    return distinct_names(table.id for table in study.tables)


def _figure_names(study: Study) -> tuple[str, ...]:
    return distinct_names(figure.id for figure in study.figures)


def _look(status: StudyStatus) -> Status:
    """The colour of a status, under the name that it has in every report."""
    match status:
        case "good":
            return "steady"
        case "bad":
            return "sensitive"
        case "undecided" | "described" | "failed":
            return status
        case _:
            assert_never(status)


def _facts(study: Study, when: str) -> tuple[tuple[str, str], ...]:
    given = ((visible(name), visible(text, limit=_FACT_LIMIT)) for name, text in study.facts)
    return (*given, *([("created", when)] if when else []), ("Evenhand", evenhand_version()))


def _glossary(study: Study) -> tuple[tuple[str, str], ...]:
    """What the tables' columns mean, each label and definition once."""
    columns = (column for table in study.tables for column in table.columns if column.definition)
    return tuple(dict.fromkeys((visible(c.label or c.name), visible(c.definition, limit=_NOTE_LIMIT)) for c in columns))
