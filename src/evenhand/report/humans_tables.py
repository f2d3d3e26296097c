"""The tables of a run beside people."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.analysis.study import StudyColumn, StudyTable, StudyValue
from evenhand.audits.humans.beside import JudgedScope, RunBesidePeople
from evenhand.report.humans_found import main_scope
from evenhand.report.studies.humans_tables import GAP, KAPPA, people_table

__all__ = ["beside_tables"]

_WHERE = (StudyColumn(name="condition", label="condition"), StudyColumn(name="readout", label="readout"))


def beside_tables(made: RunBesidePeople, *, names: Mapping[str, str] | None = None) -> tuple[StudyTable, ...]:
    """Agreement by condition and readout, people among themselves, and both by whether a pair flips.

    Parameters
    ----------
    names
        What conditions are called in the report, by id.
    """
    if not made.scopes:
        return ()
    called = names or {}
    people = main_scope(made).people
    split = _by_flip(made, called)
    tables = (
        _agreement(made, called),
        people_table(people.agreement, raw=people.raw),
        *(() if split is None else (split,)),
    )
    return tuple(table for table in tables if table.rows)


def _where(scope: JudgedScope, names: Mapping[str, str]) -> tuple[StudyValue, StudyValue]:
    return names.get(scope.condition, scope.condition), scope.readout.value


def _agreement(made: RunBesidePeople, names: Mapping[str, str]) -> StudyTable:
    return StudyTable(
        id="agreement",
        title="Judge and humans",
        caption=(
            "The pair's verdict beside the preference of most annotators; one person is the ceiling. Judge − person "
            "holds both against the same other people: 0 is a judge that agrees as one more person does."
        ),
        columns=(
            *_WHERE,
            StudyColumn(
                name="agreement",
                label="agreement",
                unit="share",
                definition=(
                    "Among pairs with a verdict and a label, share on which the judge prefers what most annotators do; "
                    "a tie is a preference."
                ),
            ),
            StudyColumn(
                name="person",
                label="one person",
                unit="share",
                definition="Share of people's labels that equal what most others prefer: the ceiling.",
            ),
            GAP,
            StudyColumn(name="pairs", label="pairs", unit="count", definition="Pairs with a verdict and a label."),
            StudyColumn(
                name="without_verdict",
                label="no verdict",
                unit="count",
                definition="Labelled pairs without a verdict in an order that was asked: no disagreement.",
            ),
            StudyColumn(
                name="unlabelled", label="no label", unit="count", definition="Judged pairs that nobody labelled."
            ),
            KAPPA,
        ),
        rows=tuple(
            (
                *_where(scope, names),
                scope.verdict.rate,
                scope.people.agreement.ceiling,
                scope.judge.gap,
                scope.verdict.pairs,
                scope.judge.without_verdict,
                scope.judge.unlabelled,
                scope.verdict.kappa,
            )
            for scope in made.scopes
        ),
        headers=2,
        notes=(f"The pair's verdict is that of {main_scope(made).verdict.first}{_contradiction(made)}.",),
    )


def _contradiction(made: RunBesidePeople) -> str:
    return ": a tie where they contradict each other" if made.asked == "both" else ""


def _by_flip(made: RunBesidePeople, names: Mapping[str, str]) -> StudyTable | None:
    """None where nobody knows which pairs flip."""
    rows: list[tuple[StudyValue, ...]] = [
        (
            *_where(scope, names),
            split.flips,
            split.steady,
            split.neither,
            split.people_on_flips,
            split.people_on_steady,
            split.difference,
            split.judge_on_steady,
        )
        for scope in made.scopes
        if (split := scope.by_flip) is not None
    ]
    if not rows:
        return None
    return StudyTable(
        id="by-flip",
        title="Pairs that flip, and people",
        caption=(
            "Does a flip mark the pairs that people find hard? Two people's agreement on pairs that flip and on those "
            "where both orders chose the same response."
        ),
        columns=(
            *_WHERE,
            StudyColumn(name="flips", label="flips", unit="count", definition="Labelled pairs that flip."),
            StudyColumn(
                name="steady", label="others", unit="count", definition="Labelled pairs decided alike in both orders."
            ),
            StudyColumn(
                name="neither",
                label="neither",
                unit="count",
                definition="Labelled pairs with a tie or without a verdict in an order: ties are never flips.",
            ),
            StudyColumn(
                name="people_on_flips",
                label="two people, on flips",
                unit="share",
                definition="Share of equal preferences among all twos of labels of one pair, on pairs that flip.",
            ),
            StudyColumn(
                name="people_on_steady",
                label="two people, on the others",
                unit="share",
                definition="The same on pairs whose two orders chose the same response.",
            ),
            StudyColumn(
                name="difference",
                label="flips − others",
                unit="difference",
                definition="Below 0: people agree less on pairs that flip.",
            ),
            StudyColumn(
                name="judge_on_steady",
                label="judge, on the others",
                unit="share",
                definition=(
                    "Share of labelled pairs without a flip on which the judge chose what most annotators prefer. On a "
                    "flip it is right in one order and wrong in the other wherever people chose a response."
                ),
            ),
        ),
        rows=tuple(rows),
        headers=2,
    )
