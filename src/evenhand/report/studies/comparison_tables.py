"""The tables of a comparison of two runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.analysis.study import StudyColumn, StudyTable, StudyValue
from evenhand.audits.drift.by_source import SourceAccuracy
from evenhand.audits.drift.comparison import Comparison, MeasureChange, ScopeComparison
from evenhand.audits.drift.identity import IdentityDifference
from evenhand.audits.drift.measures import NET_SHIFT, drift_measure
from evenhand.audits.drift.tolerance import ToleranceDecision
from evenhand.report.cells import row_unit

__all__ = [
    "WORDS",
    "agreement_table",
    "bias_tables",
    "change_table",
    "decided_on",
    "identity_table",
    "scope_name",
    "source_tables",
    "tolerance_table",
    "verdict_tables",
]

WORDS = {"kept": "kept", "broken": "BROKEN", "undecided": "undecided", "not measured": "not measured"}
"""How a standing is called in a comparison."""


def scope_name(scope: ScopeComparison) -> str:
    """Condition and readout."""
    return f"{scope.conditions.name}, {scope.readout}"


def decided_on(decision: ToleranceDecision) -> str:
    """Where a tolerance was decided."""
    if decision.conditions is None or decision.readout is None:
        return "nothing compared"
    name = f"{decision.conditions.name}, {decision.readout}"
    return name if decision.subset is None else f"{name}, {decision.subset}"


def tolerance_table(decisions: Sequence[ToleranceDecision]) -> StudyTable:
    """Each tolerance with its decision."""
    columns = (
        StudyColumn(name="tolerance", label="tolerance"),
        StudyColumn(name="scope", label="condition, readout"),
        StudyColumn(
            name="decision",
            label="decision",
            definition=(
                "kept: the whole interval is within the tolerance; broken: all of the interval that is adjusted for "
                "the number of tolerances is beyond it; undecided: neither; not measured: no figure."
            ),
        ),
        StudyColumn(name="difference", label="new − old", unit="difference"),
        StudyColumn(name="pairs", label="pairs", unit="count"),
        StudyColumn(
            name="pairs_needed",
            label="pairs to decide",
            unit="count",
            definition="About how many pairs decide with a chance of 80 %, if the difference stays where it is.",
        ),
    )
    return StudyTable(
        id="tolerances",
        title="Tolerances",
        caption="Changes for the worse, each decided on its interval.",
        columns=columns,
        rows=tuple(
            (
                decision.tolerance.text,
                decided_on(decision),
                WORDS[decision.standing],
                decision.estimate,
                decision.pairs,
                decision.pairs_needed,
            )
            for decision in decisions
        ),
        row_units=tuple(row_unit(drift_measure(decision.tolerance.measure).info) for decision in decisions),
        headers=2,
    )


def change_table(comparison: Comparison) -> StudyTable:
    """Every measure, old against new."""
    columns = (
        StudyColumn(name="scope", label="condition, readout"),
        StudyColumn(name="measure", label="measure"),
        StudyColumn(name="old", label="old", unit="share", definition="The figure in the old run."),
        StudyColumn(name="new", label="new", unit="share", definition="The figure in the new run."),
        StudyColumn(
            name="difference",
            label="new − old",
            unit="difference",
            definition="New minus old over exactly the pairs that both runs know the measure for.",
        ),
        StudyColumn(
            name="p",
            label="p",
            unit="p",
            definition="Sign-flip test over clusters, Holm-adjusted over every row; — where no pair changed.",
        ),
        StudyColumn(
            name="mcnemar",
            label="McNemar p",
            unit="p",
            definition="Exact McNemar test, which takes pairs for independent; not adjusted.",
        ),
        StudyColumn(name="pairs", label="pairs", unit="count", definition="Pairs that enter."),
        StudyColumn(
            name="left_out",
            label="left out",
            unit="count",
            definition="Presentations, or pairs, that one of the two runs alone knows the measure for.",
        ),
    )
    return StudyTable(
        id="changes",
        title="What changed",
        caption="Old against new on the same pairs, each measure over what both runs know.",
        columns=columns,
        rows=tuple(_change_row(scope, change) for scope in comparison.scopes for change in scope.measures),
        row_units=tuple(
            row_unit(drift_measure(change.name).info) for scope in comparison.scopes for change in scope.measures
        ),
        headers=2,
    )


def _change_row(scope: ScopeComparison, change: MeasureChange) -> tuple[StudyValue, ...]:
    return (
        scope_name(scope),
        drift_measure(change.name).info.label,
        change.old,
        change.new,
        change.difference,
        change.adjusted,
        change.tests[1] if len(change.tests) > 1 else None,
        change.pairs,
        change.left_out,
    )


def agreement_table(comparison: Comparison) -> StudyTable:
    """Old and new verdicts in the same order."""
    columns = (
        StudyColumn(name="scope", label="condition, readout"),
        StudyColumn(
            name="agreement",
            label="agreement",
            unit="share",
            definition="Among presentations with a verdict in both runs, share with the same verdict.",
        ),
        StudyColumn(
            name="turned",
            label="turned",
            unit="share",
            definition="Among presentations decided in both runs, share with the other preference.",
        ),
        StudyColumn(
            name="repeat_old", label="repeat, old", unit="share", definition="Repeat flip rate of the old run."
        ),
        StudyColumn(
            name="repeat_new", label="repeat, new", unit="share", definition="Repeat flip rate of the new run."
        ),
        StudyColumn(
            name="beyond",
            label="turned − repeat",
            unit="difference",
            definition=(
                "On pairs that both runs repeated: turned between the runs minus the mean of the shares that turned "
                "when each run was asked again."
            ),
        ),
        StudyColumn(name="changes", label="changed", unit="count", definition="Presentations with another outcome."),
    )
    return StudyTable(
        id="agreement",
        title="Old and new verdicts in the same order",
        caption="How many verdicts are the same, beside what asking the same judge again changes.",
        columns=columns,
        rows=tuple(
            (
                scope_name(scope),
                scope.agreement.agreement,
                scope.agreement.turned,
                scope.agreement.repeat_old,
                scope.agreement.repeat_new,
                scope.agreement.turned_beyond_repeat,
                scope.changes,
            )
            for scope in comparison.scopes
        ),
    )


def bias_tables(comparison: Comparison) -> Iterator[StudyTable]:
    """Net shifts of every change that both runs made, where there is one."""
    if comparison.biases:
        yield StudyTable(
            id="biases",
            title="Biases",
            caption="Net shift toward a changed response, old against new, for every change that both runs made.",
            columns=(
                StudyColumn(name="scope", label="condition, readout"),
                StudyColumn(name="change", label="change"),
                StudyColumn(name="old", label="old", unit="difference", definition=NET_SHIFT.info.definition),
                StudyColumn(name="new", label="new", unit="difference"),
                StudyColumn(
                    name="difference",
                    label="new − old",
                    unit="difference",
                    definition="Over presentations with a verdict without and with the change in both runs.",
                ),
                StudyColumn(name="p", label="p", unit="p"),
                StudyColumn(name="pairs", label="pairs", unit="count"),
            ),
            rows=tuple(
                (f"{b.control}, {b.readout}", b.subset, b.old, b.new, b.difference, b.adjusted, b.pairs)
                for b in comparison.biases
            ),
            headers=2,
        )


def source_tables(comparison: Comparison) -> Iterator[StudyTable]:
    """Right verdicts by kind of pair; counts, since a kind has a handful of pairs."""
    rows = tuple(
        (scope_name(scope), each.source or "(none)", each.presentations, each.old, each.new, _share_change(each))
        for scope in comparison.scopes
        for each in scope.by_source
    )
    if rows:
        yield StudyTable(
            id="sources",
            title="Right verdicts by source",
            caption="Counted on the presentations that have a verdict by both runs and a gold preference; not tested.",
            columns=(
                StudyColumn(name="scope", label="condition, readout"),
                StudyColumn(name="source", label="source"),
                StudyColumn(name="presentations", label="presentations", unit="count"),
                StudyColumn(name="old", label="right, old", unit="count"),
                StudyColumn(name="new", label="right, new", unit="count"),
                StudyColumn(name="change", label="new − old", unit="difference"),
            ),
            rows=rows,
            headers=2,
        )


def _share_change(each: SourceAccuracy) -> float:
    return (each.new - each.old) / each.presentations


def identity_table(differences: Sequence[IdentityDifference]) -> StudyTable:
    """What the manifests differ in."""
    return StudyTable(
        id="runs",
        title="What differs between the runs",
        caption="By their manifests; what is not listed is the same.",
        columns=(
            StudyColumn(name="part", label="part"),
            StudyColumn(name="what", label="what"),
            StudyColumn(name="old", label="old"),
            StudyColumn(name="new", label="new"),
        ),
        rows=tuple((d.part, d.what, d.old, d.new) for d in differences),
        headers=2,
        notes=() if differences else ("Nothing differs by the manifests.",),
    )


def verdict_tables(comparison: Comparison) -> Iterator[StudyTable]:
    """The changed verdicts that are listed, where there is one."""
    listed = [(scope, change) for scope in comparison.scopes for change in scope.changed]
    if not listed:
        return
    more = tuple(
        f"{scope_name(scope)}: {len(scope.changed):,} of {scope.changes:,} listed."
        for scope in comparison.scopes
        if scope.changes > len(scope.changed)
    )
    yield StudyTable(
        id="verdicts",
        title="Changed verdicts",
        caption="The gravest changes first: the other response, a verdict lost, gained, a tie.",
        columns=(
            StudyColumn(name="scope", label="condition, readout"),
            StudyColumn(name="pair", label="pair"),
            StudyColumn(name="order", label="order"),
            StudyColumn(name="kind", label="change"),
            StudyColumn(name="old", label="old"),
            StudyColumn(name="new", label="new"),
        ),
        rows=tuple(
            (
                scope_name(scope),
                change.pair_id,
                str(change.order),
                str(change.kind),
                change.old,
                change.new,
            )
            for scope, change in listed
        ),
        headers=3,
        notes=more,
    )
