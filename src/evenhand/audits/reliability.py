"""Is a judge as often right as it is sure? Its labels' probabilities against gold, in bins of equal size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.displays import Reliability, ReliabilityPoint
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, PairFacts, Scope
from evenhand.records import Preference, Readout
from evenhand.stats import Estimate, Refusal
from evenhand.stats.calibration_error import binned_calibration_error, calibration_gap

__all__ = ["BIN_PAIRS", "FEWEST_PAIRS", "MOST_BINS", "equal_bins", "reliability_of"]

MOST_BINS: Final = 10
"""As in Guo et al. (2017), arXiv:1706.04599, who take 15 for more data."""
BIN_PAIRS: Final = 20
"""Pairs that a bin should hold: the share right is then known to about ±.2. Our choice."""
FEWEST_PAIRS: Final = 2 * BIN_PAIRS
"""A diagram of one bin shows no relation."""

_SCORED: Final = (Readout.FIRST_TOKEN, Readout.PREFILLED)
_PREFERENCES: Final = tuple(Preference)
_A, _B, _TIE = (_PREFERENCES.index(p) for p in (Preference.A, Preference.B, Preference.TIE))


def equal_bins(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Bins of about equal size, numbered from 0 without gaps; equal values are never parted, so some may be larger.

    Examples
    --------
    >>> equal_bins(np.array([0.1, 0.2, 0.3, 0.4]), 2).tolist(), equal_bins(np.full(4, 0.5), 2).tolist()
    ([0, 0, 1, 1], [0, 0, 0, 0])
    """
    edges = np.unique(np.quantile(values, np.linspace(0, 1, count + 1)[1:-1], method="lower"))
    which = np.searchsorted(edges, values)
    filled = np.bincount(which) > 0
    return (np.cumsum(filled) - 1)[which].astype(np.int64)


def reliability_of(scope: Scope, facts: PairFacts, *, sampler: Sampler) -> Reliability | None:
    """The reliability of a readout with log-odds, on the pairs with gold; None where there are no log-odds or no gold.

    A pair's confidence is the probability of the response that it prefers, averaged over the two orders where the
    scope has both, so it lies between .5 and 1 and doesn't depend on which response is called A. Log-odds that an
    engine cut off are unknown: such pairs are left out and counted, never taken as sure.
    """
    if scope.readout not in _SCORED or not np.isfinite(scope.log_odds).any():
        return None
    gold = facts.gold[scope.pairs]
    if not (gold != ABSENT).any():
        return None
    here = sampler.within("reliability", scope.condition, scope.readout)
    signs = np.array([1.0, -1.0])
    known = np.isfinite(scope.log_odds)
    averaged = not scope.single_order
    enough = known.all(axis=1) if averaged else known.any(axis=1)
    graded = (gold == _A) | (gold == _B)
    of_a = np.where(known, scope.log_odds.astype(np.float64) * signs, 0.0)
    p = np.exp(-np.logaddexp(0.0, -of_a))
    side = np.sign(of_a.sum(axis=1))
    total = np.where(known, p, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    enters = enough & graded & (side != 0)
    confidence = np.where(side > 0, total, 1.0 - total)[enters]
    # The average of two probabilities has the sign of the summed log-odds, but for rounding.
    confidence = np.clip(confidence, 0.5, 1.0)
    right = (side == np.where(gold == _A, 1, -1))[enters]
    pairs = scope.pairs[enters]
    compliant = scope.compliant[enters]
    binned = _binned(confidence, right, pairs, here)
    return Reliability(
        condition=scope.condition,
        readout=scope.readout,
        averaged=averaged,
        pairs=int(pairs.size),
        bins=binned.bins,
        error=binned.error,
        overconfidence=calibration_gap(confidence, right, here.clusters[pairs], level=here.level)
        if pairs.size
        else Refusal(reason=_NOTHING, n=0),
        compliance=here.rate(
            "compliance",
            (compliant == 1).sum(axis=1),
            (compliant != ABSENT).sum(axis=1),
            pairs=pairs,
            nothing="needs a presentation whose first token is known, has none",
        ).estimate,
        without_log_odds=int(np.count_nonzero(graded & ~enough)),
        gold_tie=int(np.count_nonzero(gold == _TIE)),
        even=int(np.count_nonzero(graded & enough & (side == 0))),
    )


_NOTHING: Final = "needs a pair with log-odds, a preferred response and gold for one response, has none"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Binned:
    bins: tuple[ReliabilityPoint, ...] = ()
    error: Estimate | Refusal


def _binned(
    confidence: NDArray[np.float64], right: NDArray[np.bool_], pairs: NDArray[np.int64], sampler: Sampler
) -> _Binned:
    """The bins and their calibration error, or why there are none."""
    if pairs.size < FEWEST_PAIRS:
        reason = f"needs at least {FEWEST_PAIRS} pairs with gold for one response and log-odds, has {pairs.size}"
        return _Binned(error=Refusal(reason=reason, n=int(pairs.size)))
    which = equal_bins(confidence, min(MOST_BINS, int(pairs.size) // BIN_PAIRS))
    error = binned_calibration_error(
        confidence,
        right,
        which,
        sampler.clusters[pairs],
        rng=sampler.stream("calibration error"),
        level=sampler.level,
    )
    if isinstance(error, Refusal):
        return _Binned(error=error)
    bins = []
    for number in range(int(which.max()) + 1):
        own = which == number
        share = sampler.rate(
            f"bin {number}", right[own].astype(np.int64), np.ones(int(own.sum())), pairs=pairs[own], nothing=_NOTHING
        ).estimate
        bins.append(
            ReliabilityPoint(
                low=float(confidence[own].min()),
                high=float(confidence[own].max()),
                confidence=float(confidence[own].mean()),
                right=share,
            )
        )
    return _Binned(bins=tuple(bins), error=error)
