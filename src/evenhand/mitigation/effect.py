"""What a mitigation buys and costs, measured against labels on the user's own verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.family import holm_adjusted
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Booleans, Codes
from evenhand.mitigation.judged import NONE, TIE, Floats, JudgedPairs, credit
from evenhand.mitigation.order import Mitigated
from evenhand.stats import Estimate, Refusal, TestResult, sign_flip_test

__all__ = ["Bought", "Effect", "adjusted", "measure"]

Bought: TypeAlias = Literal["helps", "harms", "not shown", "no change"]
"""``no change``: not one pair's agreement differs, so that nothing is left to chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One way of judging against the labels, and what it changes.

    Attributes
    ----------
    judge, mitigation, against
        Who judged, how, and which other way the gain is measured against (None: it is the "before" itself).
    pairs
        Labelled pairs that were asked.
    decided, ties, missing
        Of them, verdicts for a response, ties, and pairs without a verdict. Where chance decides (one order of two)
        they are expectations, and may be halves.
    accuracy
        Right, of the pairs that are decided by judge and label both.
    share_decided
        Of the labelled pairs.
    agreement
        Mean credit of the pairs with a verdict, a tie against a decision counting half.
    on_flips
        Of its decisions, the share that stand on pairs whose two orders prefer different responses: for a single order
        these are the verdicts that the other order would have turned. None where no order says.
    presentations, tokens
        Per pair, as a multiple of one order's.
    gain
        Agreement minus that of ``against``, on the pairs where both have a verdict.
    accuracy_gain
        The same for ``accuracy``: each of its own decided pairs. Not tested, for the pairs are others (see
        :mod:`evenhand.mitigation.selection`).
    test
        Of the gain, over clusters; adjusted over its family where :func:`adjusted` did so. None where no pair differs.
    """

    judge: str
    mitigation: str
    against: str | None
    how: str
    pairs: int
    decided: float
    ties: float
    missing: float
    accuracy: Estimate | Refusal
    share_decided: Estimate | Refusal
    agreement: Estimate | Refusal
    on_flips: Estimate | Refusal | None
    presentations: float
    tokens: float | None
    gain: Estimate | Refusal | None = None
    accuracy_gain: Estimate | Refusal | None = None
    test: TestResult | None = None
    notes: tuple[str, ...] = ()

    def bought(self, *, level: float = 0.95) -> Bought | None:
        """Whether the labels show that it helps or harms; None where nothing is compared."""
        if not isinstance(self.gain, Estimate):
            return None
        if self.test is None:
            return "no change"
        if self.test.p_value >= 1 - level or self.gain.value == 0:
            return "not shown"
        return "helps" if self.gain.value > 0 else "harms"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Counted:
    """Per pair, the means over equally likely verdicts: decided, right among them, tie, credit."""

    decided: Floats
    comparable: Floats
    right: Floats
    ties: Floats
    missing: Floats
    credit: Floats

    @classmethod
    def of(cls, preference: Codes, gold: Codes) -> _Counted:
        decided = (preference != NONE) & (preference != TIE)
        comparable = decided & (gold != TIE)[:, None] & (gold != NONE)[:, None]
        return cls(
            decided=decided.mean(axis=1),
            comparable=comparable.mean(axis=1),
            right=(comparable & (preference == gold[:, None])).mean(axis=1),
            ties=(preference == TIE).mean(axis=1),
            missing=(preference == NONE).mean(axis=1),
            credit=credit(preference, gold).mean(axis=1),
        )


def measure(
    way: Mitigated,
    pairs: JudgedPairs,
    *,
    sampler: Sampler,
    before: Mitigated | None = None,
    one: Mitigated | None = None,
) -> Effect:
    """Measure one way of judging.

    Parameters
    ----------
    sampler
        Its clusters are those of ``pairs``.
    before
        What it is compared with, on the pairs where both have a verdict.
    one
        One order, whose cost is the unit; None: ``way`` itself.

    Examples
    --------
    See :func:`evenhand.mitigation.order_effects.order_effects`.
    """
    rows = np.flatnonzero(pairs.labelled & pairs.asked.any(axis=1))
    own = sampler.within(*sampler.scope, way.name)
    counted, gold = _Counted.of(way.preference[rows], pairs.gold[rows]), pairs.gold[rows]
    has_verdict = np.isfinite(counted.credit)
    unit = one or way
    effect = Effect(
        judge=pairs.judge,
        mitigation=way.name,
        against=None if before is None else before.name,
        how=way.how,
        pairs=len(rows),
        decided=float(counted.decided.sum()),
        ties=float(counted.ties.sum()),
        missing=float(counted.missing.sum()),
        accuracy=own.rate(
            "accuracy",
            counted.right,
            counted.comparable,
            pairs=rows,
            nothing=_nothing(gold, "no pair is decided by judge and label both"),
        ).estimate,
        share_decided=own.rate(
            "share decided", counted.decided, np.ones(len(rows)), pairs=rows, nothing=_nothing(gold, "no pair")
        ).estimate,
        agreement=own.rate(
            "agreement",
            np.where(has_verdict, counted.credit, 0.0),
            has_verdict.astype(np.float64),
            pairs=rows,
            nothing=_nothing(gold, "no labelled pair has a verdict"),
        ).estimate,
        on_flips=_on_flips(way, pairs, counted.decided, rows, own),
        presentations=_ratio(way.presentations, unit.presentations, rows) or 1.0,
        tokens=_ratio(way.tokens, unit.tokens, rows),
    )
    return effect if before is None else _compared(effect, counted, before, pairs, rows, own)


def _nothing(gold: Codes, otherwise: str) -> str:
    return otherwise if gold.size else "no pair has a gold or human label"


def _on_flips(
    way: Mitigated, pairs: JudgedPairs, decided: Floats, rows: NDArray[np.int64], sampler: Sampler
) -> Estimate | Refusal | None:
    if not pairs.asked.all(axis=1).any() or not way.by_order:
        return None
    known = pairs.verdict_both[rows]
    return sampler.rate(
        "on flips",
        np.where(pairs.flips[rows], decided, 0.0),
        np.where(known, decided, 0.0),
        pairs=rows,
        nothing="no decision on a pair with a verdict in both orders",
    ).estimate


def _ratio(of: Floats, unit: Floats, rows: NDArray[np.int64]) -> float | None:
    known = np.isfinite(of[rows]) & np.isfinite(unit[rows])
    total = float(unit[rows][known].sum())
    return float(of[rows][known].sum()) / total if total > 0 else None


def _compared(
    effect: Effect, after: _Counted, before: Mitigated, pairs: JudgedPairs, rows: NDArray[np.int64], sampler: Sampler
) -> Effect:
    other = _Counted.of(before.preference[rows], pairs.gold[rows])
    both = np.isfinite(after.credit) & np.isfinite(other.credit)
    weight = both.astype(np.float64)
    nothing = "no labelled pair has a verdict under both"
    more = np.where(both, after.credit, 0.0) - np.where(both, other.credit, 0.0)
    gain = sampler.net(
        "gain", np.maximum(more, 0.0), np.maximum(-more, 0.0), weight, pairs=rows, nothing=nothing
    ).estimate
    accuracy_gain = sampler.difference(
        "accuracy gain",
        (after.right * weight, after.comparable * weight),
        (other.right * weight, other.comparable * weight),
        pairs=rows,
        nothing=nothing,
    ).estimate
    apart = both & (after.credit != other.credit)
    left_out = int(len(rows) - both.sum())
    notes = [f"{left_out:,} of {len(rows):,} labelled pairs have no verdict under both."] if left_out else []
    if both.any() and not apart.any():
        notes.append("No pair's agreement differs: nothing to test.")
    return replace(
        effect,
        gain=gain,
        accuracy_gain=accuracy_gain,
        test=_test(after.credit - other.credit, apart, pairs=rows, sampler=sampler)
        if isinstance(gain, Estimate) and apart.any()
        else None,
        notes=tuple(notes),
    )


def _test(difference: Floats, apart: Booleans, *, pairs: NDArray[np.int64], sampler: Sampler) -> TestResult:
    """Sign-flip test over clusters; differences of credits are whole multiples of a small fraction, so it is exact."""
    values = difference[apart]
    scaled = values * _SCALE
    whole = np.rint(scaled)
    exact = bool(np.allclose(scaled, whole, rtol=0, atol=1e-6))
    test = sign_flip_test(whole if exact else values, sampler.clusters[pairs[apart]], rng=sampler.stream("gain, signs"))
    return replace(test, statistic=float(values.sum()), name=f"{test.name}, agreement with the labels")


_SCALE = math.lcm(4, 6, 10, 14)
"""Of means over up to 7 judges of credits in halves, and over two orders: 420."""


def adjusted(effects: Sequence[Effect], *, family: str = "mitigations") -> tuple[Effect, ...]:
    """The same effects with their tests Holm-adjusted over all of them."""
    tests = iter(holm_adjusted([effect.test for effect in effects if effect.test is not None], family=family))
    return tuple(effect if effect.test is None else replace(effect, test=next(tests)) for effect in effects)
