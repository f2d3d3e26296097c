"""One condition under one readout: outcomes, compliance, position figures, accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evenhand.analysis.finding import Finding, FindingKind, Measure, OutcomeCount
from evenhand.analysis.lead import CONCLUDING, conclusions
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, FIRST, OUTCOMES, SECOND, TIE, PairFacts, Scope
from evenhand.analysis.sentences import (
    ASKED_AGAIN,
    NO_SLOTS,
    NOISE_NOT_MEASURED,
    SINGLE_ORDER,
    excluded_states,
    of,
    unknown_compliance,
)
from evenhand.errors import StatisticsError
from evenhand.records import Order, Preference, Readout
from evenhand.stats import Refusal, TestResult, binomial_test

__all__ = ["NO_ARGMAX", "SLOT_LOCK_TEST", "outcome_counts", "readout_finding", "verify_slot_lock_identity"]

SLOT_LOCK_TEST = "exact binomial, first-slot against second-slot locks"
NO_ARGMAX = (
    "compliance is unknown: it needs the most probable first token over the whole vocabulary, "
    "which no presentation here has"
)
_GOLD_TIE = tuple(Preference).index(Preference.TIE)
_NO_GOLD = "needs a gold preference, no pair has one"
_NO_DECIDED_PAIR = "needs a pair decided in both orders, has none"


def readout_finding(
    scope: Scope, *, facts: PairFacts, sampler: Sampler, single: bool, slots_seen: bool = True
) -> Finding:
    """All figures of a scope.

    Parameters
    ----------
    single
        Whether the presentations come in one order each; no position figure is made then.
    slots_seen
        Whether a response stood first at all. Where each was judged by itself, what speaks of slots or of one order is
        refused, and accuracy is of all pairs.

    Raises
    ------
    StatisticsError
        Where flips by preference and slot locks by outcome aren't the same pairs.
    """
    verify_slot_lock_identity(scope)
    here = sampler.within(FindingKind.READOUT, scope.condition, scope.readout)
    measures = [*_presentation_measures(scope, here, slots_seen=slots_seen)]
    tests: tuple[TestResult, ...] = ()
    table: tuple[tuple[str, int], ...] = ()
    if not single:
        measures += _pair_measures(scope, here)
        tests = _slot_lock_test(scope)
        table = _pair_table(scope)
    if scope.readout is CONCLUDING:
        measures.append(_divergence(scope, here))
    if slots_seen:
        measures += _accuracies(scope, facts, here, single=single)
    else:
        measures.append(_accuracy_alone(scope, facts, here))
    return Finding(
        kind=FindingKind.READOUT,
        condition=scope.condition,
        readout=scope.readout,
        pairs=int(scope.pairs.size),
        presentations=int(np.count_nonzero(scope.asked)),
        outcomes=outcome_counts(scope),
        measures=tuple(measures),
        tests=tests,
        table=table,
        notes=tuple(_notes(scope, facts, single=single, slots_seen=slots_seen)),
    )


def verify_slot_lock_identity(scope: Scope) -> None:
    """Check, on the data at hand, that a flip is the same slot chosen twice.

    Preferences and outcomes are separate columns of the verdict table; if a reader or a log mapped one of them
    wrongly, the figures would contradict each other.

    Raises
    ------
    StatisticsError
        Naming how many pairs, or presentations, disagree.
    """
    locks = scope.decided_both & (scope.outcome[:, 0] == scope.outcome[:, 1])
    wrong = int(np.count_nonzero(locks != scope.flips))
    what = "pairs whose flip isn't a slot lock"
    if not wrong:
        # Preference A is code 0 and B code 1, first is 0 and second 1: equal in order AB, opposite in BA.
        expected = np.where(scope.decided, np.stack([scope.outcome[:, 0], 1 - scope.outcome[:, 1]], axis=1), -2)
        wrong = int(np.count_nonzero(scope.decided & (expected != scope.preference)))
        what = "presentations whose preference doesn't follow from slot and order"
    if wrong:
        raise StatisticsError(
            f"{scope.condition}, {scope.readout}: {wrong} {what}; the table's preference and outcome columns disagree"
        )


def _presentation_measures(scope: Scope, sampler: Sampler, *, slots_seen: bool) -> Iterator[Measure]:
    yield sampler.rate(
        "verdict_rate",
        scope.verdict.sum(axis=1),
        scope.asked.sum(axis=1),
        pairs=scope.pairs,
        nothing="needs a presentation, has none",
    )
    yield sampler.rate(
        "compliance_presentations",
        (scope.compliant == 1).sum(axis=1),
        (scope.compliant != ABSENT).sum(axis=1),
        pairs=scope.pairs,
        nothing=NO_ARGMAX,
    )
    if not slots_seen:
        yield Measure(name="first_slot_rate", estimate=Refusal(reason=NO_SLOTS))
        return
    yield sampler.rate(
        "first_slot_rate",
        (scope.outcome == FIRST).sum(axis=1),
        scope.decided.sum(axis=1),
        pairs=scope.pairs,
        nothing="needs a presentation that chose a slot, has none",
    )


def _pair_measures(scope: Scope, sampler: Sampler) -> Iterator[Measure]:
    pairs, decided, flips = scope.pairs, scope.decided_both, scope.flips
    verdicts = scope.verdict_both
    ties = (scope.outcome == TIE).sum(axis=1)
    same = scope.same_verdict
    first, second = flips & (scope.outcome[:, 0] == FIRST), flips & (scope.outcome[:, 0] == SECOND)
    no_verdicts = "needs a pair with a verdict in both orders, has none"
    known = scope.compliance_known()
    reason = NO_ARGMAX if (scope.compliant == ABSENT).all() else "needs a pair with known compliance in both orders"
    yield sampler.rate("compliance_pairs", scope.compliant_pairs(), known, pairs=pairs, nothing=reason)
    yield sampler.rate("flip_rate", flips, decided, pairs=pairs, nothing=_NO_DECIDED_PAIR)
    yield sampler.rate("inconsistency_rate", verdicts & (ties == 1), verdicts, pairs=pairs, nothing=no_verdicts)
    yield sampler.rate("swap_consistency", same, verdicts, pairs=pairs, nothing=no_verdicts)
    yield sampler.rate("first_position_bias_rate", first, flips, pairs=pairs, nothing="needs a flip, has none")
    # The same figure under its other name: the same stream gives it the same interval.
    yield sampler.rate("slot_lock_rate", flips, decided, pairs=pairs, nothing=_NO_DECIDED_PAIR, stream="flip_rate")
    yield sampler.difference(
        "position_bias_strength", (first, decided), (second, decided), pairs=pairs, nothing=_NO_DECIDED_PAIR
    )


def _divergence(scope: Scope, sampler: Sampler) -> Measure:
    found = conclusions(scope.outcome, scope.lead, scope.compliant)
    known = (scope.compliant != ABSENT).any()
    return sampler.rate(
        "lead_conclusion_divergence",
        found.turned.sum(axis=1),
        found.slots.sum(axis=1),
        pairs=scope.pairs,
        nothing="needs a compliant presentation whose generated readout chose a slot, has none" if known else NO_ARGMAX,
    )


def _accuracies(scope: Scope, facts: PairFacts, sampler: Sampler, *, single: bool) -> Iterator[Measure]:
    gold = facts.gold[scope.pairs]
    has_gold = gold != ABSENT
    for column, order in enumerate(Order):
        if single and not scope.asked[:, column].any():
            continue
        verdict = scope.verdict[:, column] & has_gold
        yield sampler.rate(
            f"accuracy_{order.lower()}",
            verdict & (scope.preference[:, column] == gold),
            verdict,
            pairs=scope.pairs,
            nothing=f"needs a verdict in order {order} on a pair with gold, has none" if has_gold.any() else _NO_GOLD,
        )
    if single:
        return
    same = scope.same_verdict & has_gold
    yield sampler.rate(
        "accuracy_consistent",
        same & (scope.preference[:, 0] == gold),
        same,
        pairs=scope.pairs,
        nothing="needs a pair with gold and the same verdict in both orders, has none" if has_gold.any() else _NO_GOLD,
    )


def _accuracy_alone(scope: Scope, facts: PairFacts, sampler: Sampler) -> Measure:
    """Accuracy of all pairs, whichever order is written."""
    gold = facts.gold[scope.pairs][:, None]
    verdict = scope.verdict & (gold != ABSENT)
    nothing = "needs a verdict on a pair with gold, has none" if (gold != ABSENT).any() else _NO_GOLD
    right = (verdict & (scope.preference == gold)).sum(axis=1)
    return sampler.rate("accuracy_alone", right, verdict.sum(axis=1), pairs=scope.pairs, nothing=nothing)


def _slot_lock_test(scope: Scope) -> tuple[TestResult, ...]:
    locks = int(np.count_nonzero(scope.flips))
    if not locks:
        return ()
    first = int(np.count_nonzero(scope.flips & (scope.outcome[:, 0] == FIRST)))
    return (replace(binomial_test(first, locks), name=SLOT_LOCK_TEST),)


def _pair_table(scope: Scope) -> tuple[tuple[str, int], ...]:
    flips, decided = scope.flips, scope.decided_both
    first = scope.outcome[:, 0] == FIRST
    ties = (scope.outcome == TIE).sum(axis=1)
    verdicts = scope.verdict_both
    cells = {
        "same preference, decided": decided & ~flips,
        "first slot twice": flips & first,
        "second slot twice": flips & ~first,
        "tie twice": verdicts & (ties == 2),
        "tie in one order": verdicts & (ties == 1),
        "no verdict in one order or both": ~verdicts,
    }
    return tuple((name, int(np.count_nonzero(cell))) for name, cell in cells.items())


def outcome_counts(scope: Scope) -> tuple[OutcomeCount, ...]:
    """How many presentations of each order ended in each outcome."""
    return tuple(
        OutcomeCount(order=order, outcome=outcome, count=int(np.count_nonzero(scope.outcome[:, column] == code)))
        for column, order in enumerate(Order)
        for code, outcome in enumerate(OUTCOMES)
    )


def _notes(scope: Scope, facts: PairFacts, *, single: bool, slots_seen: bool) -> Iterator[str]:
    if not slots_seen:
        yield f"No figure on slots: {NO_SLOTS}."
    elif single:
        yield SINGLE_ORDER
        yield "The first-slot rate mixes position with which response happened to stand first: .5 is no reference."
    else:
        yield from _position_notes(scope)
    yield from unknown_compliance(scope)
    if scope.readout is Readout.PREFILLED:
        yield "Compliance here is of the first token after the prefill, not of the judge's own first token."
    gold_ties = int(np.count_nonzero(facts.gold[scope.pairs] == _GOLD_TIE))
    if gold_ties:
        yield f"{of(gold_ties, scope.pairs.size, 'pairs')} have a gold tie: there only a tie verdict counts as right."


def _position_notes(scope: Scope) -> Iterator[str]:
    total = int(scope.pairs.size)
    out = ~scope.decided_both
    excluded = int(np.count_nonzero(out))
    if excluded:
        states = excluded_states(scope.outcome[out], decided=scope.decided[out])
        yield (
            f"Not in the flip rate: {of(excluded, total, 'pairs')} that lack a decided verdict in one order or both "
            f"(presentations: {states}). Such a pair counts neither as a flip nor as kept."
        )
    one_sided = int(np.count_nonzero(scope.decided.sum(axis=1) == 1))
    if one_sided:
        yield (
            f"The first-slot rate counts {one_sided:,} pairs that chose a slot in one order only; for them .5 is not "
            "the even rate."
        )
    asked, compared = int(scope.repeat_asked.sum()), int(scope.repeat_compared.sum())
    if not asked:
        yield NOISE_NOT_MEASURED
    else:
        changed = int(scope.repeat_changed.sum())
        yield f"{ASKED_AGAIN}{of(changed, compared, 'preferences')} changed: see the repeat control."
