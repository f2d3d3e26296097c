"""What a budget buys: of the flips, how many the riskiest pairs hold, against chance and against stated confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.probes.data import ProbeData
from evenhand.probes.policy import budget_size, riskiest_first
from evenhand.probes.triage_scores import CONFIDENCE, IN_SAMPLE, RANDOM, RiskScore, ScoreKind
from evenhand.stats import Estimate, Refusal, cluster_difference, cluster_rate

__all__ = ["BudgetPoint", "budget_points", "judgments_saved"]

_EXPECTED = "expected of a random choice, exactly: no interval"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPoint:
    """A score under a budget, on pairs whose flips are known.

    Attributes
    ----------
    budget
        Share of the pairs that is judged in order BA too.
    swapped, pairs
        Counts.
    saved
        Share of all judgments (two a pair) that isn't asked.
    missed
        Share of the flips among the pairs that aren't swapped; the interval is over question groups, given which pairs
        are swapped. For ``random`` its expectation.
    against_random, against_confidence
        Missed share less that of a random choice (its expectation), and of the least confident pairs; negative is
        better. None where it would compare a score with itself.
    """

    score: str
    budget: float
    swapped: int
    pairs: int
    saved: float
    missed: Estimate | Refusal
    against_random: Estimate | Refusal | None
    against_confidence: Estimate | Refusal | None


def judgments_saved(pairs: int, swapped: int) -> float:
    """Share of the 2n judgments that isn't asked when ``swapped`` of n pairs are asked in both orders.

    Examples
    --------
    >>> judgments_saved(100, 30)
    0.35
    """
    return (pairs - swapped) / (2 * pairs) if pairs else 0.0


def budget_points(
    data: ProbeData,
    scores: Mapping[str, RiskScore | Refusal],
    *,
    budgets: Sequence[float],
    seed: int,
    level: float = 0.95,
    resamples: int = 2000,
) -> tuple[BudgetPoint, ...]:
    """Every score under every budget; a score that was refused has its refusal under each."""
    orders = {
        name: riskiest_first(score.values, data.pair_ids, seed=seed)
        for name, score in scores.items()
        if isinstance(score, RiskScore) and name != RANDOM
    }
    found = []
    for budget in budgets:
        swapped = budget_size(len(data), budget)
        flips = _Flips(data, swapped=swapped, orders=orders, level=level, resamples=resamples, seed=seed)
        for name, score in scores.items():
            refused = _refused(score)
            found.append(
                BudgetPoint(
                    score=name,
                    budget=budget,
                    swapped=swapped,
                    pairs=len(data),
                    saved=judgments_saved(len(data), swapped),
                    missed=refused or flips.missed(name),
                    against_random=None if name == RANDOM else refused or flips.difference(name, RANDOM),
                    against_confidence=(
                        None
                        if name == CONFIDENCE or CONFIDENCE not in scores
                        else refused or flips.difference(name, CONFIDENCE)
                    ),
                )
            )
    return tuple(found)


def _refused(score: RiskScore | Refusal) -> Refusal | None:
    if isinstance(score, Refusal):
        return score
    return Refusal(reason=IN_SAMPLE, n=len(score.values)) if score.kind is ScoreKind.OVERLAPPING else None


class _Flips:
    """The flips that each score leaves among the pairs it doesn't swap, as numbers a pair."""

    def __init__(
        self,
        data: ProbeData,
        *,
        swapped: int,
        orders: Mapping[str, NDArray[np.intp]],
        level: float,
        resamples: int,
        seed: int,
    ) -> None:
        self._flips = data.flips.astype(np.float64)
        self._groups = data.groups
        self._level, self._resamples, self._rng = level, resamples, np.random.default_rng(seed)
        share = 1 - swapped / len(data) if len(data) else 0.0
        self._left = {RANDOM: self._flips * share}
        for name, order in orders.items():
            left = self._flips.copy()
            left[order[:swapped]] = 0.0
            self._left[name] = left

    def missed(self, name: str) -> Estimate | Refusal:
        flips = int(self._flips.sum())
        if flips and name == RANDOM:
            count = float(self._left[name].sum())
            return Estimate(value=count / flips, interval=None, n=flips, count=count, flags=(_EXPECTED,))
        return _named(
            cluster_rate(
                self._left[name],
                self._flips,
                self._groups,
                rng=self._rng,
                level=self._level,
                resamples=self._resamples,
            )
        )

    def difference(self, first: str, second: str) -> Estimate | Refusal:
        if second not in self._left:
            return Refusal(reason=f"there is no {second} to compare with", n=0)
        return _named(
            cluster_difference(
                self._left[first],
                self._flips,
                self._left[second],
                self._flips,
                self._groups,
                rng=self._rng,
                level=self._level,
                resamples=self._resamples,
            )
        )


def _named(found: Estimate | Refusal) -> Estimate | Refusal:
    """A refusal that says what is lacking: its observations are flips, its clusters questions with one."""
    if isinstance(found, Refusal):
        reason = "no pair flips" if found.reason == "no observations" else f"{found.reason} with a flip"
        return Refusal(reason=reason, n=found.n)
    return found
