"""Two runs compared, as a study: what differs between them, what changed, and which tolerances hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evenhand.analysis.study import (
    Forest,
    ForestRow,
    Study,
    StudyColumn,
    StudyHeadline,
    StudyStatus,
    StudyTable,
    StudyValue,
)
from evenhand.audits.drift.bias_drift import BiasChange
from evenhand.audits.drift.by_source import SourceAccuracy
from evenhand.audits.drift.comparison import Comparison, MeasureChange, ScopeComparison
from evenhand.audits.drift.identity import IdentityDifference
from evenhand.audits.drift.matching import PairMatch
from evenhand.audits.drift.measures import NET_SHIFT, drift_measure
from evenhand.audits.drift.tolerance import ToleranceDecision
from evenhand.records import RunManifest
from evenhand.report.format import estimate_text, integer, p_text
from evenhand.stats import Estimate

__all__ = ["ComparisonFacts", "comparison_study"]

ALPHA = 0.05
"""The convention, of Holm-adjusted p-values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonFacts:
    """What is known of the two runs beside their verdicts.

    Attributes
    ----------
    compared
        Whether any presentation has a verdict by both runs.
    """

    old: RunManifest
    new: RunManifest
    old_place: str
    new_place: str
    match: PairMatch
    differences: tuple[IdentityDifference, ...]
    compared: bool
    notes: tuple[str, ...] = ()


def comparison_study(comparison: Comparison, decisions: Sequence[ToleranceDecision], facts: ComparisonFacts) -> Study:
    """Compose the study."""
    tables = [
        *([_tolerances(decisions)] if decisions else []),
        _changes(comparison),
        *_biases(comparison),
        _agreement(comparison),
        *_sources(comparison),
        _identity(facts),
        *_changed(comparison),
    ]
    return Study(
        kind="comparison",
        title="Two runs compared",
        subtitle=f"{facts.old.judge.spec} ({facts.old_place}) → {facts.new.judge.spec} ({facts.new_place})",
        headline=_headline(comparison, decisions, facts),
        tables=tuple(tables),
        figures=tuple(_forests(comparison)),
        notes=tuple(_notes(comparison, facts)),
        facts=(
            ("Old run", facts.old_place),
            ("New run", facts.new_place),
            ("Pairs compared", integer(len(facts.match.shared))),
            ("Resampled by", comparison.resampled_by),
            ("Confidence level", f"{comparison.level:g}"),
            ("Seed", str(comparison.seed)),
        ),
    )


_WORD = {"kept": "kept", "broken": "BROKEN", "undecided": "undecided", "not measured": "not measured"}


def _headline(comparison: Comparison, decisions: Sequence[ToleranceDecision], facts: ComparisonFacts) -> StudyHeadline:
    if not facts.compared:
        return StudyHeadline(
            status="failed",
            verdict="Nothing to compare: no presentation has a verdict by both runs",
            lead=_matched(facts.match),
            meaning=("This says nothing about the judge, good or bad.",),
            next_steps=("Give two runs on the same pairs, and finish both.",),
        )
    status, verdict = _verdict(decisions, comparison)
    return StudyHeadline(
        status=status,
        verdict=verdict,
        lead=f"{_matched(facts.match)} {_what_differs(facts.differences)}",
        meaning=tuple(_meaning(comparison)),
        next_steps=tuple(_next_steps(decisions)),
    )


def _verdict(decisions: Sequence[ToleranceDecision], comparison: Comparison) -> tuple[StudyStatus, str]:
    if not decisions:
        every: list[MeasureChange | BiasChange] = [c for scope in comparison.scopes for c in scope.measures]
        every.extend(comparison.biases)
        changed = sum(_is_change(c) for c in every)
        total = sum(isinstance(c.difference, Estimate) for c in every)
        return "described", f"{changed} of {total} measures changed beyond noise; no tolerance was declared"
    count = {name: sum(d.standing == name for d in decisions) for name in _WORD}
    told = ", ".join(f"{n} {name}" for name, n in count.items() if n)
    if count["broken"]:
        return "bad", f"A tolerance is broken ({told})"
    if count["not measured"]:
        return "failed", f"A tolerance could not be looked at ({told})"
    if count["undecided"]:
        return "undecided", f"The data don't decide ({told})"
    return "good", f"Every tolerance is kept ({told})"


def _is_change(change: MeasureChange | BiasChange) -> bool:
    return change.adjusted is not None and change.adjusted.p_value < ALPHA


def _matched(match: PairMatch) -> str:
    parts = [f"{len(match.shared):,} pairs are in both runs with the same content"]
    if match.changed:
        parts.append(f"{len(match.changed):,} have changed content")
    if match.only_old:
        parts.append(f"{match.only_old:,} are in the old run only")
    if match.only_new:
        parts.append(f"{match.only_new:,} in the new run only")
    return "; ".join(parts) + ("; only the first are compared." if match.left_out else ".")


def _what_differs(differences: Sequence[IdentityDifference]) -> str:
    parts = list(dict.fromkeys(difference.part for difference in differences))
    if not parts:
        return (
            "The manifests name the same judge, prompt, labels, data and decoding: what differs is noise, or something "
            "that they don't tell, such as a model that was changed under its name."
        )
    if len(parts) == 1:
        return f"By the manifests one thing differs: {parts[0]}."
    return f"By the manifests these differ: {', '.join(parts)}; a change can't be laid to one of them."


def _meaning(comparison: Comparison) -> Iterator[str]:
    found = [*_scope_changes(comparison), *_bias_changes(comparison)]
    yield from found
    if not found:
        yield (
            "No measure is shown to have changed. That is no proof that none did: the intervals say how large a change "
            "the data leave possible."
        )


def _scope_changes(comparison: Comparison) -> Iterator[str]:
    for scope in comparison.scopes:
        for change in scope.measures:
            if change.adjusted is not None and _is_change(change):
                info = drift_measure(change.name).info
                yield _changed_sentence(f"{_scope(scope)}: {info.label}", change, info.unit)


def _bias_changes(comparison: Comparison) -> Iterator[str]:
    for bias in comparison.biases:
        if bias.adjusted is not None and _is_change(bias):
            name = f"{bias.control}, {bias.readout}: net shift, {bias.subset}"
            yield _changed_sentence(name, bias, NET_SHIFT.info.unit)


def _changed_sentence(name: str, change: MeasureChange | BiasChange, unit: str) -> str:
    p = "" if change.adjusted is None else f", Holm-adjusted {p_text(change.adjusted)}"
    return (
        f"{name} {estimate_text(change.old, unit)} → {estimate_text(change.new, unit)}, difference "
        f"{estimate_text(change.difference, 'difference')}{p}."
    )


def _next_steps(decisions: Sequence[ToleranceDecision]) -> Iterator[str]:
    for decision in decisions:
        if decision.standing == "undecided" and decision.pairs_needed is not None:
            yield (
                f"{decision.tolerance.text} ({_decided_on(decision)}): about {decision.pairs_needed:,} pairs would "
                f"decide with a chance of 80 %, if the difference stays where it is; {decision.pairs:,} entered."
            )
    if any(decision.standing == "broken" for decision in decisions):
        yield "Look at the changed verdicts, and at what differs between the runs."


def _scope(scope: ScopeComparison) -> str:
    return f"{scope.conditions.name}, {scope.readout}"


def _decided_on(decision: ToleranceDecision) -> str:
    if decision.conditions is None or decision.readout is None:
        return "nothing compared"
    name = f"{decision.conditions.name}, {decision.readout}"
    return name if decision.subset is None else f"{name}, {decision.subset}"


def _tolerances(decisions: Sequence[ToleranceDecision]) -> StudyTable:
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
                _decided_on(decision),
                _WORD[decision.standing],
                decision.estimate,
                decision.pairs,
                decision.pairs_needed,
            )
            for decision in decisions
        ),
        headers=2,
    )


def _changes(comparison: Comparison) -> StudyTable:
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
        headers=2,
    )


def _change_row(scope: ScopeComparison, change: MeasureChange) -> tuple[StudyValue, ...]:
    return (
        _scope(scope),
        drift_measure(change.name).info.label,
        change.old,
        change.new,
        change.difference,
        change.adjusted,
        change.tests[1] if len(change.tests) > 1 else None,
        change.pairs,
        change.left_out,
    )


def _agreement(comparison: Comparison) -> StudyTable:
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
            definition="On repeated pairs: turned between the runs minus turned when one run was asked again.",
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
                _scope(scope),
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


def _biases(comparison: Comparison) -> Iterator[StudyTable]:
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


def _sources(comparison: Comparison) -> Iterator[StudyTable]:
    """Right verdicts by kind of pair; counts, since a kind has a handful of pairs."""
    rows = tuple(
        (_scope(scope), each.source or "(none)", each.presentations, each.old, each.new, _share_change(each))
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


def _identity(facts: ComparisonFacts) -> StudyTable:
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
        rows=tuple((d.part, d.what, d.old, d.new) for d in facts.differences),
        headers=2,
        notes=() if facts.differences else ("Nothing differs by the manifests.",),
    )


def _changed(comparison: Comparison) -> Iterator[StudyTable]:
    listed = [(scope, change) for scope in comparison.scopes for change in scope.changed]
    if not listed:
        return
    more = tuple(
        f"{_scope(scope)}: {len(scope.changed):,} of {scope.changes:,} listed."
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
                _scope(scope),
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


def _forests(comparison: Comparison) -> Iterator[Forest]:
    rows = tuple(
        ForestRow(label=drift_measure(c.name).info.label, estimate=c.difference, group=_scope(scope))
        for scope in comparison.scopes
        for c in scope.measures
        if isinstance(c.difference, Estimate)
    )
    if rows:
        yield Forest(id="differences", title="New minus old, on the same pairs", x_label="new − old", rows=rows)


def _notes(comparison: Comparison, facts: ComparisonFacts) -> Iterator[str]:
    yield from facts.notes
    for scope in comparison.scopes:
        yield from (f"{_scope(scope)}: {note}" for note in scope.notes)
    yield (
        "Differences are paired: new minus old over exactly the presentations (or pairs) that both runs know the "
        "measure for. Pairs that share a question are resampled together."
    )
