"""Two runs compared, as a study: what differs between them, what changed, and which tolerances hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evenhand.analysis.study import (
    Claim,
    Forest,
    ForestRow,
    Study,
    StudyHeadline,
    StudyStatus,
)
from evenhand.audits.drift.bias_drift import BiasChange
from evenhand.audits.drift.comparison import Comparison, MeasureChange
from evenhand.audits.drift.identity import IdentityDifference
from evenhand.audits.drift.matching import PairMatch
from evenhand.audits.drift.measures import NET_SHIFT, drift_measure
from evenhand.audits.drift.tolerance import ToleranceDecision
from evenhand.records import RunManifest
from evenhand.report.cells import printed_unit
from evenhand.report.format import estimate_text, integer, p_text
from evenhand.report.numbering import claims
from evenhand.report.studies.comparison_tables import (
    WORDS,
    agreement_table,
    bias_tables,
    change_table,
    decided_on,
    identity_table,
    scope_name,
    source_tables,
    tolerance_table,
    verdict_tables,
)
from evenhand.stats import Estimate

__all__ = ["ComparisonFacts", "comparison_study"]

ALPHA = 0.05
"""The convention, of Holm-adjusted p-values."""

_MATCHED = ("reproduce",)
"""How many pairs both runs share stands among the facts."""


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
        *([tolerance_table(decisions)] if decisions else []),
        change_table(comparison),
        *bias_tables(comparison),
        agreement_table(comparison),
        *source_tables(comparison),
        identity_table(facts.differences),
        *verdict_tables(comparison),
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


def _headline(comparison: Comparison, decisions: Sequence[ToleranceDecision], facts: ComparisonFacts) -> StudyHeadline:
    if not facts.compared:
        return StudyHeadline(
            status="failed",
            verdict="Nothing to compare: no presentation has a verdict by both runs",
            lead=_matched(facts.match),
            rests_on=_MATCHED,
            more=claims(["This says nothing about the judge, good or bad."], "table-changes"),
            steps=claims(["Give two runs on the same pairs, and finish both."], *_MATCHED),
        )
    status, verdict = _verdict(decisions, comparison)
    return StudyHeadline(
        status=status,
        verdict=verdict,
        lead=f"{_matched(facts.match)} {_what_differs(facts.differences)}",
        more=tuple(_meaning(comparison)),
        steps=tuple(_next_steps(decisions)),
    )


def _verdict(decisions: Sequence[ToleranceDecision], comparison: Comparison) -> tuple[StudyStatus, str]:
    if not decisions:
        every: list[MeasureChange | BiasChange] = [c for scope in comparison.scopes for c in scope.measures]
        every.extend(comparison.biases)
        changed = sum(_is_change(c) for c in every)
        total = sum(isinstance(c.difference, Estimate) for c in every)
        return "described", f"{changed} of {total} measures changed beyond chance; no tolerance was declared"
    count = {name: sum(d.standing == name for d in decisions) for name in WORDS}
    told = ", ".join(f"{n} {name}" for name, n in count.items() if n)
    if count["broken"]:
        return "bad", f"A tolerance is broken ({told})"
    if count["not measured"]:
        return "failed", f"A tolerance could not be looked at ({told})"
    if count["undecided"]:
        return "undecided", f"The data don't decide every tolerance ({told})"
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


def _meaning(comparison: Comparison) -> tuple[Claim, ...]:
    found = (
        *claims(_scope_changes(comparison), "table-changes"),
        *claims(_bias_changes(comparison), "table-biases"),
    )
    none = (
        "No measure is shown to have changed. That is no proof that none did: the intervals say how large a change the "
        "data leave possible."
    )
    return found or claims([none], "table-changes")


def _scope_changes(comparison: Comparison) -> Iterator[str]:
    for scope in comparison.scopes:
        for change in scope.measures:
            if change.adjusted is not None and _is_change(change):
                info = drift_measure(change.name).info
                yield _changed_sentence(f"{scope_name(scope)}: {info.label}", change, printed_unit(info))


def _bias_changes(comparison: Comparison) -> Iterator[str]:
    for bias in comparison.biases:
        if bias.adjusted is not None and _is_change(bias):
            name = f"{bias.control}, {bias.readout}: net shift, {bias.subset}"
            yield _changed_sentence(name, bias, NET_SHIFT.info.unit)


def _changed_sentence(name: str, change: MeasureChange | BiasChange, unit: str) -> str:
    p = "" if change.adjusted is None else f", Holm-adjusted {p_text(change.adjusted)}"
    return (
        f"{name} {estimate_text(change.old, unit)} → {estimate_text(change.new, unit)}, difference "
        f"{estimate_text(change.difference, 'number' if unit == 'number' else 'difference')}{p}."
    )


def _next_steps(decisions: Sequence[ToleranceDecision]) -> Iterator[Claim]:
    for decision in decisions:
        if decision.standing == "undecided" and decision.pairs_needed is not None:
            needed = (
                f"{decision.tolerance.text} ({decided_on(decision)}): about {decision.pairs_needed:,} pairs would "
                f"decide with a chance of 80 %, if the difference stays where it is; {decision.pairs:,} entered."
            )
            yield from claims([needed], "table-tolerances")
    if any(decision.standing == "broken" for decision in decisions):
        yield from claims(
            ["Look at the changed verdicts, and at what differs between the runs."], "table-verdicts", "table-runs"
        )


def _forests(comparison: Comparison) -> Iterator[Forest]:
    rows = tuple(
        ForestRow(label=drift_measure(c.name).info.label, estimate=c.difference, group=scope_name(scope))
        for scope in comparison.scopes
        for c in scope.measures
        if isinstance(c.difference, Estimate)
    )
    if rows:
        yield Forest(id="differences", title="New minus old, on the same pairs", x_label="new − old", rows=rows)


def _notes(comparison: Comparison, facts: ComparisonFacts) -> Iterator[str]:
    yield from facts.notes
    for scope in comparison.scopes:
        yield from (f"{scope_name(scope)}: {note}" for note in scope.notes)
    yield (
        "Differences are paired: new minus old over exactly the presentations (or pairs) that both runs know the "
        "measure for. Pairs that share a question are resampled together."
    )
