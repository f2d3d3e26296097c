"""Two runs on the same pairs: what changed between them, and whether declared tolerances hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from evenhand.analysis.unit import ClusterBy
from evenhand.audits.drift.bias_drift import BiasChange, compare_biases
from evenhand.audits.drift.comparison import Comparison, ConditionPair, compare_tables
from evenhand.audits.drift.identity import IdentityDifference, identity_differences
from evenhand.audits.drift.matching import PairMatch, match_pairs
from evenhand.audits.drift.measures import MeasuredOrders
from evenhand.audits.drift.requirements import readout_named
from evenhand.audits.drift.tolerance import Tolerance, ToleranceDecision, decide_tolerances, tolerances_of
from evenhand.errors import ConfigError
from evenhand.records import Readout, RunManifest
from evenhand.store import PlanCounts
from evenhand.workflow.result import AuditRun
from evenhand.workflow.run_verdicts import RunVerdicts, count_sentences, read_run

if TYPE_CHECKING:
    from evenhand.analysis.study import Study

__all__ = ["RunComparison", "compare_runs"]

Outcome = Literal["nothing", "broken", "not measured", "undecided", "kept", "described"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """What two runs show against each other.

    Attributes
    ----------
    old, new
        Manifests.
    old_directory, new_directory, old_counts, new_counts
        Where the runs are, and how far.
    match
        Which pairs are compared.
    differences
        By which the runs differ, as their manifests tell.
    comparison
        Every measure of every condition and readout.
    decisions
        One a tolerance, condition and readout.
    notes
        What was left out and why.
    """

    old: RunManifest
    new: RunManifest
    old_directory: Path
    new_directory: Path
    old_counts: PlanCounts
    new_counts: PlanCounts
    match: PairMatch
    differences: tuple[IdentityDifference, ...]
    comparison: Comparison
    decisions: tuple[ToleranceDecision, ...]
    notes: tuple[str, ...] = ()

    @property
    def compared(self) -> bool:
        """Whether there is a verdict by both runs on any presentation."""
        return any(scope.agreement.agreement.n > 0 for scope in self.comparison.scopes)

    @property
    def outcome(self) -> Outcome:
        """The worst that became of a tolerance; ``described`` without any, ``nothing`` where nothing is comparable."""
        if not self.compared:
            return "nothing"
        if not self.decisions:
            return "described"
        found = {decision.standing for decision in self.decisions}
        ranked: tuple[Outcome, ...] = ("broken", "not measured", "undecided")
        return next((each for each in ranked if each in found), "kept")

    def passed(self, *, strict: bool = False) -> bool:
        """Whether a gate lets the new run through: nothing broken, everything measured; ``strict``: all decided."""
        return self.outcome in (("kept", "described") if strict else ("kept", "described", "undecided"))

    def study(self) -> Study:
        """The comparison as a report has it."""
        from evenhand.report.studies.comparison import ComparisonFacts, comparison_study

        facts = ComparisonFacts(
            old=self.old,
            new=self.new,
            old_place=str(self.old_directory),
            new_place=str(self.new_directory),
            match=self.match,
            differences=self.differences,
            compared=self.compared,
            notes=self.notes,
        )
        return comparison_study(self.comparison, self.decisions, facts)


def compare_runs(
    old: str | Path | AuditRun,
    new: str | Path | AuditRun,
    *,
    condition: str | None = None,
    new_condition: str | None = None,
    readout: str | Readout | None = None,
    tolerances: Mapping[str, float] | Iterable[str | Tolerance] = (),
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
    most_changed: int = 20,
) -> RunComparison:
    """Compare two runs on the pairs that they share.

    Parameters
    ----------
    old, new
        Run directories, or runs that are open.
    condition, new_condition
        The condition to compare, and what the new run calls it where that is another name (such as after a change of
        the prompt). None: every condition that both runs have; where each has one, those two.
    readout
        None: every readout that both runs have, but for a hybrid one beside the two that it is made of.
    tolerances
        The largest changes for the worse, such as ``{"flip_rate": .05}`` or ``["flip_rate=.05"]``.
    seed, resamples, level, cluster
        As in :func:`evenhand.audit`.
    most_changed
        How many changed verdicts to list for each condition and readout.

    Raises
    ------
    ConfigError
        A condition, readout or measure that there isn't, or runs without a condition in common.
    StoreError
        A directory that is no run.

    Examples
    --------
    >>> comparison = compare_runs("runs/before", "runs/after", tolerances={"flip_rate": 0.05})  # doctest: +SKIP
    >>> comparison.outcome  # doctest: +SKIP
    'kept'
    """
    limits = tolerances_of(tolerances)
    wanted = None if readout is None else readout_named(str(readout))
    first, second = read_run(old), read_run(new)
    conditions = _conditions(first, second, condition=condition, new_condition=new_condition)
    readouts, left_out = _readouts(first, second, wanted)
    match = match_pairs(first.pairs, second.pairs)
    biases = _biases(
        first,
        second,
        match,
        conditions,
        readouts,
        tolerated=len(limits),
        seed=seed,
        resamples=resamples,
        level=level,
        cluster=cluster,
    )
    comparison = compare_tables(
        first.table,
        second.table,
        pairs=match.shared,
        conditions=conditions,
        readouts=readouts,
        orders=_orders(first, second),
        decisions=len(limits) * len(conditions) * len(readouts),
        seed=seed,
        resamples=resamples,
        level=level,
        cluster=cluster,
        most_changed=most_changed,
        biases=biases,
    )
    return RunComparison(
        old=first.manifest,
        new=second.manifest,
        old_directory=first.directory,
        new_directory=second.directory,
        old_counts=first.counts,
        new_counts=second.counts,
        match=match,
        differences=_differences(first, second, conditions),
        comparison=comparison,
        decisions=decide_tolerances(comparison, limits),
        notes=(
            *count_sentences(first.counts, which="old run"),
            *count_sentences(second.counts, which="new run"),
            *left_out,
            *_single_note(first, second),
        ),
    )


def _conditions(
    old: RunVerdicts, new: RunVerdicts, *, condition: str | None, new_condition: str | None
) -> tuple[ConditionPair, ...]:
    if condition is not None or new_condition is not None:
        before, after = condition or new_condition or "", new_condition or condition or ""
        # What was named is looked for in the run that it was named for first: that one is to blame where it is missing.
        if condition is None:
            _check_condition(new, after, which="new")
        _check_condition(old, before, which="old", instead=None if condition else "--condition")
        _check_condition(new, after, which="new", instead=None if new_condition else "--new-condition")
        return (ConditionPair(old=before, new=after),)
    there = {each.id for each in new.controls}
    shared = tuple(ConditionPair(old=each.id, new=each.id) for each in old.controls if each.id in there)
    if shared:
        return shared
    if len(old.controls) == len(new.controls) == 1:
        return (ConditionPair(old=old.controls[0].id, new=new.controls[0].id),)
    raise ConfigError(
        "the runs have no condition in common: name one of each with --condition and --new-condition; the old run has "
        + ", ".join(repr(each.id) for each in old.controls)
        + ", the new one "
        + ", ".join(repr(each.id) for each in new.controls)
    )


def _check_condition(run: RunVerdicts, name: str, *, which: str, instead: str | None = None) -> None:
    """``instead`` is the option that names this run's condition, where the name was given for the other run."""
    if run.condition(name) is None:
        have = ", ".join(repr(each.id) for each in run.manifest.conditions)
        how = "" if instead is None else f"; name its own with {instead}"
        raise ConfigError(f"the {which} run has no condition {name!r}: it has {have}{how}")


def _readouts(old: RunVerdicts, new: RunVerdicts, wanted: Readout | None) -> tuple[tuple[Readout, ...], list[str]]:
    """Readouts to compare, and what is said of those that aren't."""
    shared = tuple(readout for readout in old.readouts if readout in new.readouts)
    sampled = [name for name, run in (("old", old), ("new", new)) if run.manifest.generated_fraction is not None]
    notes = [
        f"The {name} run asked for text of a random sample of its pairs: the generated readout is not compared."
        for name in sampled
    ]
    if wanted is not None and wanted not in shared:
        raise ConfigError(f"readout {wanted}: not in both runs for all pairs; they share {', '.join(shared) or 'none'}")
    if not shared:
        raise ConfigError(
            f"the runs share no readout: the old one has {', '.join(old.readouts) or 'none'}, the new one "
            f"{', '.join(new.readouts) or 'none'}"
        )
    return (_own(shared) if wanted is None else (wanted,)), notes


def _own(readouts: tuple[Readout, ...]) -> tuple[Readout, ...]:
    """Without the hybrid one where the two that it is made of are there: it would say the same twice."""
    made_of = {Readout.FIRST_TOKEN, Readout.GENERATED}
    return tuple(r for r in readouts if r is not Readout.HYBRID or not made_of <= set(readouts))


def _biases(
    old: RunVerdicts,
    new: RunVerdicts,
    match: PairMatch,
    conditions: tuple[ConditionPair, ...],
    readouts: tuple[Readout, ...],
    *,
    tolerated: int,
    seed: int,
    resamples: int,
    level: float,
    cluster: ClusterBy,
) -> tuple[BiasChange, ...]:
    """Changes that both runs made to a control that is compared under one name; none where a run has none."""
    own = tuple(
        tuple(c for c in run.manifest.conditions if (c.control or c.id) in {pair.old for pair in conditions})
        for run in (old, new)
    )
    if not all(any(condition.changes for condition in each) for each in own):
        return ()
    changes = sum(len(condition.changes) == 1 for condition in own[0])
    return compare_biases(
        old.table,
        new.table,
        pairs=match.shared,
        conditions=(own[0], own[1]),
        readouts=readouts,
        decisions=tolerated * max(1, changes) * len(readouts),
        seed=seed,
        resamples=resamples,
        level=level,
        cluster=cluster,
    )


def _orders(old: RunVerdicts, new: RunVerdicts) -> MeasuredOrders:
    found = {old.measured, new.measured}
    if "none" in found:
        return "none"
    return "AB" if "AB" in found else "single" if "single" in found else "both"


def _single_note(old: RunVerdicts, new: RunVerdicts) -> list[str]:
    return [
        f"The {name} run asked order BA where a flip was likely: order AB alone is compared."
        for name, run in (("old", old), ("new", new))
        if run.manifest.swap is not None
    ]


def _differences(
    old: RunVerdicts, new: RunVerdicts, conditions: tuple[ConditionPair, ...]
) -> tuple[IdentityDifference, ...]:
    found: dict[IdentityDifference, None] = {}
    for pair in conditions:
        both = (old.condition(pair.old), new.condition(pair.new))
        found.update(dict.fromkeys(identity_differences(old.manifest, new.manifest, conditions=both)))
    served = [", ".join(text for text, _ in run.answers.served) or "not told" for run in (old, new)]
    if served[0] != served[1]:
        found[IdentityDifference(part="judge", what="served as", old=served[0], new=served[1])] = None
    return tuple(found)
