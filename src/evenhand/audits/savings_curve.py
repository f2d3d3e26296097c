"""What asking more where the judge is unsure would have come to, by the margin of its first token's log-odds."""

from __future__ import annotations

from typing import Final

import numpy as np

from evenhand.analysis.displays import CurvePoint, SavingsCurve, Spending
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Scope
from evenhand.records import Readout
from evenhand.stats import Refusal
from evenhand.stats.capture_curve import capture_curve

__all__ = ["FEWEST_FLIPS", "SHARES", "swap_curve", "text_curve"]

SHARES: Final = tuple(step / 20 for step in range(21))
"""Points of a curve: more would be a smear, and each costs a pass over the pairs."""
FEWEST_FLIPS: Final = 10
"""Fewer flips rank nothing: each would be a step of a tenth or more. Our choice."""

_SCORED: Final = (Readout.FIRST_TOKEN, Readout.PREFILLED)


def swap_curve(scored: Scope, judged: Scope, *, sampler: Sampler) -> SavingsCurve | None:
    """Which share of a readout's flips asking order BA of the least sure pairs would have found.

    Parameters
    ----------
    scored
        A readout with log-odds: pairs are ranked by their size in order AB, the order that would be asked first.
    judged
        The readout whose flips are looked for, of the same condition.

    Returns
    -------
    SavingsCurve or None
        On the pairs that ``judged`` decided in both orders, since no other can be a flip; None where there are none,
        or no log-odds in order AB.
    """
    if scored.readout not in _SCORED or not np.isfinite(scored.log_odds[:, 0]).any():
        return None
    pairs, i, j = np.intersect1d(scored.pairs, judged.pairs, assume_unique=True, return_indices=True)
    decided = judged.decided_both[j]
    if not decided.any():
        return None
    margin = np.abs(scored.log_odds[i, 0].astype(np.float64))
    ranked = decided & np.isfinite(margin)
    flips = judged.flips[j][ranked]
    points = (
        capture_curve(margin[ranked], flips, sampler.clusters[pairs[ranked]], shares=SHARES[1:-1], level=sampler.level)
        if int(flips.sum()) >= FEWEST_FLIPS
        else Refusal(reason=f"needs at least {FEWEST_FLIPS} flips of pairs with log-odds, has {int(flips.sum())}")
    )
    return SavingsCurve(
        spending=Spending.SWAP,
        condition=judged.condition,
        readout=judged.readout,
        # Whoever swaps every pair finds every flip: that end is known and no estimate.
        points=()
        if isinstance(points, Refusal)
        else tuple(CurvePoint(share=p.share, margin=p.threshold, figure=p.figure) for p in points if p.share < 1),
        units=int(np.count_nonzero(ranked)),
        events=int(np.count_nonzero(flips)),
        left_out=int(np.count_nonzero(decided & ~ranked)),
        refusal=points if isinstance(points, Refusal) else None,
    )


def text_curve(first: Scope, written: Scope, *, sampler: Sampler) -> SavingsCurve | None:
    """How many verdicts would agree with reading all texts, were text asked for the least sure presentations only.

    Parameters
    ----------
    first, written
        The first-token and the generated readout of one condition. Presentations with a verdict in both enter.
    """
    if not np.isfinite(first.log_odds).any():
        return None
    pairs, i, j = np.intersect1d(first.pairs, written.pairs, assume_unique=True, return_indices=True)
    both = first.verdict[i] & written.verdict[j]
    if not both.any():
        return None
    margin = np.abs(first.log_odds[i].astype(np.float64))
    ranked = both & np.isfinite(margin)
    differs = (first.outcome[i] != written.outcome[j])[ranked]
    clusters = np.broadcast_to(sampler.clusters[pairs][:, None], ranked.shape)[ranked]
    points = capture_curve(margin[ranked], differs, clusters, shares=SHARES[:-1], of="units", level=sampler.level)
    if isinstance(points, Refusal) and not differs.any():
        points = Refusal(reason="first token and text never differ: there is nothing to spend on", n=points.n)
    return SavingsCurve(
        spending=Spending.TEXT,
        condition=written.condition,
        readout=written.readout,
        points=()
        if isinstance(points, Refusal)
        else tuple(CurvePoint(share=p.share, margin=p.threshold, figure=p.figure) for p in points if p.share < 1),
        units=int(np.count_nonzero(ranked)),
        events=int(np.count_nonzero(differs)),
        left_out=int(np.count_nonzero(both & ~ranked)),
        refusal=points if isinstance(points, Refusal) else None,
    )
