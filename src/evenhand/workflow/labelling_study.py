"""Labels at a glance: who labelled how much, how far they agree, and whether the place of a response sways them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from evenhand.analysis.study import Study, StudyColumn, StudyHeadline, StudyTable, StudyValue
from evenhand.errors import ConfigError
from evenhand.report.format import estimate_text, how_many, integer
from evenhand.report.numbering import claims
from evenhand.stats import Estimate, Refusal
from evenhand.store.label_store import LabelStore
from evenhand.store.label_store_pairs import LabelPairs
from evenhand.workflow.labelling_agreement import AnnotatorFigures, LabelAgreement, label_agreement
from evenhand.workflow.labelling_export import store_path

__all__ = ["labelling_notes", "labelling_study", "labelling_tables", "labels_status"]

_HALF, _TWO = 0.5, 2
_AMONG, _EACH = "table-among", "table-annotators"
_BRINGS_IN = (
    "evenhand report RUN holds the judge beside the labels in RUN; --labels names those that lie elsewhere.",
    "evenhand humans RUN --labels FILE holds it beside exported ones over time and each annotator, with win rates.",
)


def labels_status(
    source: str | Path, *, runs: Sequence[str | Path] = (), seed: int = 0, resamples: int = 2000, level: float = 0.95
) -> LabelAgreement:
    """Measure the labels of a run's directory, or of a label store.

    Parameters
    ----------
    runs
        With the labelled pairs; a run given as ``source`` is one of them.

    Raises
    ------
    ConfigError
        A label store without a run: intervals resample questions, which the runs know.
    StoreError
        Labels or a run can't be read.
    """
    directories = [Path(run) for run in ((source, *runs) if Path(source).is_dir() else runs)]
    if not directories:
        raise ConfigError(
            f"{source}: name a run with these pairs (--run): pairs of one question are resampled together"
        )
    store = LabelStore(store_path(source), create=False)
    return label_agreement(store, LabelPairs(directories), seed=seed, resamples=resamples, level=level)


def labelling_study(made: LabelAgreement) -> Study:
    """The figures as a report has them."""
    return Study(
        kind="labels",
        title="Labels of people",
        subtitle=how_many(made.labelled, "labelled pair"),
        headline=_headline(made),
        tables=labelling_tables(made),
        notes=tuple(labelling_notes(made)),
        facts=(
            ("Resampled by", made.resampled_by),
            ("Resamples", integer(made.resamples)),
            ("Confidence level", f"{made.level:g}"),
        ),
    )


def labelling_tables(made: LabelAgreement) -> tuple[StudyTable, ...]:
    """People among themselves, each of them alone, and every two."""
    return (_among(made), _each(made), *([_twos(made)] if made.people.between else []))


def labelling_notes(made: LabelAgreement) -> Iterator[str]:
    """What doesn't enter, and what isn't blind."""
    if made.changed:
        yield f"Labels of pairs that have other texts by now: {made.changed:,}. They are kept, and count nowhere."
    if made.elsewhere:
        yield f"Labels of pairs that these runs haven’t: {made.elsewhere:,}. They don’t enter."
    if made.without_text:
        yield f"Pairs that can’t be labelled, since their log kept no texts: {made.without_text:,}."
    if made.conflicting:
        yield f"Pairs that can’t be labelled, since two runs have them with other texts: {made.conflicting:,}."
    if made.everybody.after_results:
        yield f"Labels given after a look at results, which are not blind: {made.everybody.after_results:,}."


def _headline(made: LabelAgreement) -> StudyHeadline:
    people = len(made.annotators)
    lead = (
        f"{how_many(made.labelled, 'pair has', 'pairs have')} a label that counts, by {how_many(people, 'annotator')}; "
        f"{how_many(made.several, 'has', 'have')} labels of two or more."
    )
    if isinstance(made.raw, Refusal):
        return StudyHeadline(
            status="failed",
            verdict="Nothing tells yet how far people agree",
            lead=lead,
            more=(*claims([f"Agreement {made.raw.reason}."], _AMONG), *claims(_swayed(made), _EACH)),
            steps=claims(
                [
                    "Let a second person label: pairs that everybody gets come first among theirs."
                    if people < _TWO
                    else "Let people label more of the same pairs, of other questions too.",
                    *_BRINGS_IN[:1],
                ],
                _AMONG,
            ),
        )
    alpha = made.people.alpha
    beyond = f"; beyond chance, alpha {estimate_text(alpha, 'number')}" if isinstance(alpha, Estimate) else ""
    return StudyHeadline(
        status="described",
        verdict=f"Two people agree on {estimate_text(made.raw, 'share')}",
        lead=lead,
        more=(
            *claims([f"Raw agreement is {estimate_text(made.raw, 'share')}{beyond}."], _AMONG),
            *claims(_swayed(made), _EACH),
        ),
        steps=claims(_BRINGS_IN, _AMONG),
    )


def _swayed(made: LabelAgreement) -> Iterator[str]:
    found = made.everybody.first_chosen
    if isinstance(found, Estimate) and found.interval is not None:
        low, high = found.interval.low, found.interval.high
        way = "" if low <= _HALF <= high else ": the place of a response sways them"
        yield f"People chose the response shown first in {estimate_text(found, 'share')} of their decided labels{way}."


def _among(made: LabelAgreement) -> StudyTable:
    rows: tuple[tuple[StudyValue, ...], ...] = (
        ("Raw agreement", made.raw, None),
        ("Krippendorff’s alpha", None, made.people.alpha),
        ("One person beside the others", made.people.ceiling, None),
    )
    return StudyTable(
        id="among",
        title="People among themselves",
        caption=f"Of {how_many(made.labelled, 'labelled pair')} {how_many(made.several, 'has', 'have')} labels of two "
        "annotators or more.",
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
