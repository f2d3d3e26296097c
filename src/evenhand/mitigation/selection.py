"""The selection effect: pairs on which both orders agree are the easy ones, and keeping only them looks like a gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.judged import TIE, JudgedPairs
from evenhand.stats import Estimate, Refusal

__all__ = ["SelectionEffect", "selection_effect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionEffect:
    """Accuracies by what the two orders did, over pairs that both orders and the label decide.

    The two orders of a flipped pair contradict each other, so exactly one is right: the mean of ``flipped_ab`` and
    ``flipped_ba`` is one half, and one order's accuracy is ``share * consistent + (1 - share) / 2``.

    Attributes
    ----------
    pairs, consistent_pairs, flipped_pairs
        How many.
    share_consistent
        Of the pairs.
    one_order
        Accuracy of one order drawn at random, on all of them.
    consistent
        Accuracy where both orders agree: of tie on conflict among its decisions, and of *either single order* on these
        same pairs, which is why nothing was gained on them.
    flipped_ab, flipped_ba
        Accuracy of each order on the flipped pairs.
    apparent_gain
        ``consistent - one_order``: all of it comes from leaving pairs out.
    easier
        ``consistent`` minus one half, which is what one order gets on the flipped pairs.
    """

    judge: str
    pairs: int
    consistent_pairs: int
    flipped_pairs: int
    share_consistent: Estimate | Refusal
    one_order: Estimate | Refusal
    consistent: Estimate | Refusal
    flipped_ab: Estimate | Refusal
    flipped_ba: Estimate | Refusal
    apparent_gain: Estimate | Refusal


def selection_effect(pairs: JudgedPairs, *, sampler: Sampler) -> SelectionEffect | Refusal:
    """Measure it on a judge's pairs.

    Examples
    --------
    The accuracy of one order is a mixture of that on consistent pairs and one half.

    >>> from evenhand.analysis.sampler import Sampler
    >>> from evenhand.mitigation.examples import judged
    >>> pairs = judged(["AA"] * 6 + ["AB"] * 4, gold="A" * 9 + "B")
    >>> sampler = Sampler(clusters=pairs.clusters, seed=0, resamples=200, level=0.95)
    >>> found = selection_effect(pairs, sampler=sampler)
    >>> found.consistent.value, found.one_order.value, round(found.apparent_gain.value, 2)
    (1.0, 0.8, 0.2)
    """
    decided = (pairs.preference >= 0) & (pairs.preference != TIE)
    rows = np.flatnonzero(decided.all(axis=1) & pairs.labelled & (pairs.gold != TIE))
    if not rows.size:
        return Refusal(reason="no pair is decided in both orders and by a label", n=0)
    own = sampler.within(*sampler.scope, "selection")
    right = (pairs.preference[rows] == pairs.gold[rows][:, None]).astype(np.float64)
    flipped = pairs.flips[rows].astype(np.float64)
    same, ones = 1 - flipped, np.ones(len(rows))

    def rate(name: str, top: object, bottom: object, nothing: str) -> Estimate | Refusal:
        return own.rate(name, np.asarray(top), np.asarray(bottom), pairs=rows, nothing=nothing).estimate

    none_same, none_flipped = "no pair has the same preference in both orders", "no pair flips"
    return SelectionEffect(
        judge=pairs.judge,
        pairs=len(rows),
        consistent_pairs=int(same.sum()),
        flipped_pairs=int(flipped.sum()),
        share_consistent=rate("share consistent", same, ones, "no pair"),
        one_order=rate("one order", right.mean(axis=1), ones, "no pair"),
        consistent=rate("consistent", right[:, 0] * same, same, none_same),
        flipped_ab=rate("flipped AB", right[:, 0] * flipped, flipped, none_flipped),
        flipped_ba=rate("flipped BA", right[:, 1] * flipped, flipped, none_flipped),
        apparent_gain=own.difference(
            "apparent gain", (right[:, 0] * same, same), (right.mean(axis=1), ones), pairs=rows, nothing=none_same
        ).estimate,
    )
