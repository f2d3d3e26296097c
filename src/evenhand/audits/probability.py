"""Probability-weighted preference: what the labels' probabilities say, and what averaging the two orders gains.

p(first) is the probability of the first slot's label variants over that of both slots' (a tie label's share is left
out), so it is the logistic function of the log-odds. It is mapped to identity, p(A), in each order, and averaged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Finding, FindingKind, Measure
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, TIE, Booleans, PairFacts, Scope, WideTable
from evenhand.analysis.sentences import excluded_states, of
from evenhand.records import Preference, Readout

__all__ = ["DECISIVE", "Preferences", "preferences_of", "probability_findings"]

DECISIVE = 0.1
"""Distance of an averaged p(A) from even that counts as decisive (p of .6 or more for one response): our choice. Where
both orders choose the same slot it is always below .25: each order's is below .5, and the two lie on either side."""
_LOW_MASS = 0.5
_SCORED = (Readout.FIRST_TOKEN, Readout.PREFILLED)
"""A hybrid verdict has log-odds on compliant presentations only: no two orders to average."""
_GOLD_A, _GOLD_B = Preference.A, Preference.B
_PREFERENCES = tuple(Preference)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Preferences:
    """Pairs with log-odds in both orders.

    Attributes
    ----------
    rows, pairs
        Their rows in the scope, and their indices in the whole table; shape (n,).
    log_odds
        Of response A over B in order AB (column 0) and BA (column 1); shape (n, 2).
    """

    rows: NDArray[np.intp]
    pairs: NDArray[np.int64]
    log_odds: NDArray[np.float64]

    @property
    def single(self) -> NDArray[np.float64]:
        """p(A) in each order, shape (n, 2)."""
        return np.exp(-np.logaddexp(0.0, -self.log_odds))

    @property
    def averaged(self) -> NDArray[np.float64]:
        """p(A) averaged over the two orders."""
        mean: NDArray[np.float64] = self.single.mean(axis=1)
        return mean

    @property
    def shift(self) -> NDArray[np.float64]:
        """p(A) in order AB minus p(A) in order BA."""
        p = self.single
        shift: NDArray[np.float64] = p[:, 0] - p[:, 1]
        return shift

    @property
    def side(self) -> NDArray[np.int8]:
        """Which response the average prefers: 1 A, -1 B, 0 neither.

        Told from the sum of the log-odds, which has the sign of the averaged distance from even and no rounding at 1.
        """
        side: NDArray[np.int8] = np.sign(self.log_odds.sum(axis=1)).astype(np.int8)
        return side


def preferences_of(scope: Scope) -> Preferences:
    """Map a scope's log-odds of the slots to identity.

    Examples
    --------
    >>> from evenhand.analysis.wide import widen
    >>> from evenhand.records import Order, Outcome, Readout, Verdict, verdict_table
    >>> row = dict(pair_id="p", group="g", source="s", gold=None, condition="c", readout=Readout.FIRST_TOKEN, repeat=0)
    >>> rows = [Verdict(**row, order=order, outcome=Outcome.FIRST, log_odds=1.0) for order in Order]
    >>> made = preferences_of(widen(verdict_table(rows)).scopes[0])
    >>> made.single.round(3).tolist(), made.averaged.tolist(), made.shift.round(3).tolist()
    ([[0.731, 0.269]], [0.5], [0.462])
    """
    rows = np.flatnonzero(np.isfinite(scope.log_odds).all(axis=1))
    signs = np.array([1.0, -1.0])  # the first slot holds A in order AB and B in order BA
    return Preferences(rows=rows, pairs=scope.pairs[rows], log_odds=scope.log_odds[rows].astype(np.float64) * signs)


def probability_findings(wide: WideTable, *, sampler: Sampler) -> Iterator[Finding]:
    """A finding for each scope of a first-token or prefilled readout that has log-odds and pairs in both orders."""
    for scope in wide.scopes:
        if scope.readout in _SCORED and not scope.single_order and np.isfinite(scope.log_odds).any():
            yield _finding(scope, wide.facts, sampler=sampler)


def _finding(scope: Scope, facts: PairFacts, *, sampler: Sampler) -> Finding:
    here = sampler.within(FindingKind.PROBABILITY, scope.condition, scope.readout)
    resampled = sampler.within(FindingKind.PROBABILITY, scope.condition, scope.readout, bootstrap=True)
    made = preferences_of(scope)
    gold = facts.gold[made.pairs]
    decisive = np.abs(made.averaged - 0.5) >= DECISIVE
    flips = scope.flips[made.rows]
    cells = {
        "pairs with log-odds in both orders": np.ones(made.rows.size, dtype=np.bool_),
        "averaged preference A": made.side > 0,
        "averaged preference B": made.side < 0,
        "averaged preference even": made.side == 0,
        "flips": flips,
        "decisive flips": flips & decisive,
    }
    return Finding(
        kind=FindingKind.PROBABILITY,
        condition=scope.condition,
        readout=scope.readout,
        pairs=int(made.rows.size),
        presentations=int(np.count_nonzero(np.isfinite(scope.log_odds))),
        measures=(
            *_mass(scope, here),
            *_shifts(made, here),
            *_accuracies(made, gold, here),
            *_scores(made, gold, here, resampled),
            *_decisive(made, gold, flips, decisive, here),
        ),
        table=tuple((name, int(np.count_nonzero(cell))) for name, cell in cells.items()),
        notes=tuple(_notes(scope, made, gold)),
    )


def _mass(scope: Scope, sampler: Sampler) -> Iterator[Measure]:
    known = np.isfinite(scope.mass)
    has = known.any(axis=1)
    nothing = "needs a presentation with the labels' probabilities, has none"
    # Rounding can leave a sum of probabilities a hair above 1.
    total = np.where(known, np.clip(scope.mass, 0.0, 1.0), 0.0).sum(axis=1, dtype=np.float64)[has]
    yield sampler.mean(
        "label_mass", total / known[has].sum(axis=1), pairs=scope.pairs[has], nothing=nothing, limits=(0.0, 1.0)
    )
    low = known & (scope.mass < _LOW_MASS)
    yield sampler.rate("low_mass_rate", low.sum(axis=1), known.sum(axis=1), pairs=scope.pairs, nothing=nothing)


_NO_PAIR = "needs a pair with log-odds in both orders, has none"


def _shifts(made: Preferences, sampler: Sampler) -> Iterator[Measure]:
    shift = made.shift
    yield sampler.mean("probability_shift", shift, pairs=made.pairs, nothing=_NO_PAIR, limits=(-1.0, 1.0))
    yield sampler.mean(
        "probability_shift_absolute", np.abs(shift), pairs=made.pairs, nothing=_NO_PAIR, limits=(0.0, 1.0)
    )


def _sided(gold: NDArray[np.int8]) -> NDArray[np.int8]:
    """1 where gold is A, -1 where it is B, 0 for a tie or none."""
    a, b = _PREFERENCES.index(_GOLD_A), _PREFERENCES.index(_GOLD_B)
    return np.where(gold == a, 1, np.where(gold == b, -1, 0)).astype(np.int8)


def _accuracies(made: Preferences, gold: NDArray[np.int8], sampler: Sampler) -> Iterator[Measure]:
    side = _sided(gold)
    enters = (side != 0) & (made.side != 0) & (made.log_odds != 0).all(axis=1)
    right = enters & (made.side == side)
    by_order = enters[:, None] & (np.sign(made.log_odds) == side[:, None])
    agreeing = enters & (np.sign(made.log_odds[:, 0]) == np.sign(made.log_odds[:, 1]))
    nothing = "needs a pair with a gold side and uneven log-odds in both orders, has none"
    rates: Sequence[tuple[str, Booleans, Booleans]] = (
        ("averaged_accuracy", right, enters),
        ("single_accuracy_ab", by_order[:, 0], enters),
        ("single_accuracy_ba", by_order[:, 1], enters),
        ("agreeing_accuracy", agreeing & right, agreeing),
    )
    for name, numerator, denominator in rates:
        yield sampler.rate(name, numerator, denominator, pairs=made.pairs, nothing=nothing)
    twice = 2 * enters.astype(np.int64)
    yield sampler.difference(
        "averaged_accuracy_gain",
        (2 * right.astype(np.int64), twice),
        (by_order.sum(axis=1), twice),
        pairs=made.pairs,
        nothing=nothing,
    )


def _scores(made: Preferences, gold: NDArray[np.int8], sampler: Sampler, resampled: Sampler) -> Iterator[Measure]:
    """Brier score, log loss and AUROC against gold; the gains by paired bootstrap."""
    side = _sided(gold)
    has = side != 0
    pairs = made.pairs[has]
    # Log-odds of the gold response: the loss is then the same formula whichever it is.
    log_odds = made.log_odds[has] * side[has, None]
    log_p = -np.logaddexp(0.0, -log_odds)
    p = np.exp(log_p)
    by_score = {
        "brier": ((1 - p) ** 2, (1 - p.mean(axis=1)) ** 2),
        "log_loss": (-log_p, np.log(2) - np.logaddexp(log_p[:, 0], log_p[:, 1])),
    }
    nothing = "needs a pair with a gold side and log-odds in both orders, has none"
    top = {"brier": 1.0, "log_loss": np.inf}
    for score, (single, averaged) in by_score.items():
        values = {
            f"averaged_{score}": averaged,
            f"single_{score}_ab": single[:, 0],
            f"single_{score}_ba": single[:, 1],
        }
        for name, value in values.items():
            yield sampler.mean(name, value, pairs=pairs, nothing=nothing, limits=(0.0, top[score]))
        gain = np.minimum(averaged - single.mean(axis=1), 0.0)  # above 0 only by rounding
        yield resampled.mean(f"averaged_{score}_gain", gain, pairs=pairs, nothing=nothing)
    yield sampler.auroc("averaged_auroc", made.averaged[has], side[has] > 0, pairs=pairs, nothing=nothing)


def _decisive(
    made: Preferences, gold: NDArray[np.int8], flips: Booleans, decisive: Booleans, sampler: Sampler
) -> Iterator[Measure]:
    side = _sided(gold)
    yield sampler.rate(
        "decisive_flip_rate",
        flips & decisive,
        flips,
        pairs=made.pairs,
        nothing="needs a flip with log-odds in both orders, has none",
    )
    among = flips & decisive & (side != 0)
    yield sampler.rate(
        "decisive_flip_accuracy",
        among & (made.side == side),
        among,
        pairs=made.pairs,
        nothing="needs a decisive flip of a pair with a gold side, has none",
    )


def _notes(scope: Scope, made: Preferences, gold: NDArray[np.int8]) -> Iterator[str]:
    total = int(scope.pairs.size)
    scored = np.isfinite(scope.log_odds)
    out = ~scored.all(axis=1)
    excluded = int(np.count_nonzero(out))
    if excluded:
        states = excluded_states(scope.outcome[out], decided=scored[out])
        yield (
            f"Not in the averages: {of(excluded, total, 'pairs')} without log-odds in one order or both, because a "
            f"label is outside the returned tokens or nothing was returned (presentations by outcome: {states}). "
            "A label is outside where the judge gave it little: such pairs are its surest, and no random part."
        )
    known = np.isfinite(scope.mass)
    low = int(np.count_nonzero(known & (scope.mass < _LOW_MASS)))
    if low:
        yield (
            f"{of(low, int(np.count_nonzero(known)), 'presentations')} have less than half of the probability on the "
            "labels: their preference is what remains after leaving out most of what the judge would have said."
        )
    ties = int(np.count_nonzero(scope.outcome == TIE))
    if ties:
        asked = int(np.count_nonzero(scope.asked))
        yield (
            f"On {of(ties, asked, 'presentations')} the tie label is the likeliest: p(A) leaves it out and weighs the "
            "two responses only."
        )
    even = int(np.count_nonzero((made.side == 0) | (made.log_odds == 0).any(axis=1)))
    if even:
        share = of(even, int(made.rows.size), "pairs")
        yield (
            f"{share} are exactly even in one order or on average: undecided there, neither right nor wrong, and in "
            "none of the accuracies of the averages and single orders."
        )
    if (_sided(gold) != 0).any():
        yield (
            "An average of two probabilities never has a larger Brier score or log loss than the two have on average: "
            "the size of that gain tells something, its sign does not."
        )
    ungraded = int(np.count_nonzero((gold != ABSENT) & (_sided(gold) == 0)))
    if ungraded:
        yield f"{of(ungraded, int(made.rows.size), 'pairs')} have a gold tie and enter no accuracy or score here."
