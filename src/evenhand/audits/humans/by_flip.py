"""Whether a flip marks the pairs that people find hard: their agreement on pairs that flip, and on the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, Booleans
from evenhand.audits.humans.agreement import FEWEST_LABELS
from evenhand.audits.humans.among import raw_agreement, two_people
from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.records import Preference
from evenhand.stats import Estimate, Interval, Refusal

__all__ = ["FlipSplit", "agreement_by_flip"]

_TIE: Final = tuple(Preference).index(Preference.TIE)
_STEADY: Final = "steady"
_NEWCOMBE: Final = "Newcombe's hybrid of both rates' intervals"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipSplit:
    """Labelled pairs, by what the judge's two orders made of them.

    Attributes
    ----------
    flips, steady
        Labelled pairs decided in both orders: those that flip, and those with the same response both times.
    neither
        The other labelled pairs: a tie or no verdict in an order.
    people_on_flips, people_on_steady
        How often two people prefer the same (:func:`evenhand.audits.humans.among.raw_agreement`) on either kind.
    difference
        The first minus the second. Below 0: people find pairs that flip harder.
    judge_on_steady
        How often the response that both orders chose is what most people prefer. On a flip one order is right and the
        other wrong wherever people chose a response, so that there is no such figure.
    """

    flips: int
    steady: int
    neither: int
    people_on_flips: Estimate | Refusal
    people_on_steady: Estimate | Refusal
    difference: Estimate | Refusal
    judge_on_steady: Estimate | Refusal


def agreement_by_flip(pairs: LabelledPairs, sampler: Sampler) -> FlipSplit | None:
    """Split people's agreement by whether the judge's verdict flips.

    Parameters
    ----------
    sampler
        Its clusters are indexed by the rows of ``pairs``.

    Returns
    -------
    FlipSplit or None
        None where not every pair was asked in both orders: nobody knows there which pairs flip.

    References
    ----------
    Newcombe (1998), Statist. Med. 17, 873-890, method 10, for the interval of the difference.
    """
    if pairs.asked != "both":
        return None
    here = sampler.within("humans", "by flip", pairs.judge)
    consensus, twos = pairs.consensus, two_people(pairs.table.counts)
    labelled = consensus != ABSENT
    decided = (pairs.ab != ABSENT) & (pairs.ba != ABSENT) & (pairs.ab != _TIE) & (pairs.ba != _TIE)
    flips, steady = decided & (pairs.ab != pairs.ba), decided & (pairs.ab == pairs.ba)
    on_flips, on_steady = twos.among(flips), twos.among(steady)
    first = raw_agreement(on_flips, here.within(*here.scope, "flips"))
    second = raw_agreement(on_steady, here.within(*here.scope, _STEADY))
    difference: Estimate | Refusal
    if isinstance(first, Refusal) or isinstance(second, Refusal):
        difference = _no_difference(first, second, min(on_flips.pairs, on_steady.pairs))
    else:
        entering = (on_flips.all > 0) | (on_steady.all > 0)
        difference = _difference(
            first,
            second,
            pairs=on_flips.pairs + on_steady.pairs,
            clusters=np.unique(sampler.clusters[entering]).size,
            level=sampler.level,
        )
    return FlipSplit(
        flips=int(np.count_nonzero(flips & labelled)),
        steady=int(np.count_nonzero(steady & labelled)),
        neither=int(np.count_nonzero(labelled & ~decided)),
        people_on_flips=first,
        people_on_steady=second,
        difference=difference,
        judge_on_steady=_agreement(steady & labelled, pairs.ab == consensus, here.within(*here.scope, _STEADY)),
    )


def _no_difference(first: Estimate | Refusal, second: Estimate | Refusal, fewer: int) -> Refusal:
    """Too few pairs of either kind; or enough of both, in too few clusters."""
    if fewer < FEWEST_LABELS:
        reason = f"needs at least {FEWEST_LABELS} pairs of either kind with labels of two annotators, has {fewer}"
        return Refusal(reason=reason, n=fewer)
    named = (("that flip", first), ("decided alike", second))
    kind, refused = next((kind, found) for kind, found in named if isinstance(found, Refusal))
    return Refusal(reason=f"{refused.reason} of pairs {kind}", n=refused.n)


def _difference(first: Estimate, second: Estimate, *, pairs: int, clusters: int, level: float) -> Estimate:
    """First minus second of two rates over different pairs, by Newcombe's hybrid of their intervals.

    Pairs of one question may be among both. Where they are alike, that makes the interval too wide, not too narrow.
    """
    interval = None
    if first.interval is not None and second.interval is not None:
        below = math.hypot(first.value - first.interval.low, second.interval.high - second.value)
        above = math.hypot(first.interval.high - first.value, second.value - second.interval.low)
        middle = first.value - second.value
        interval = Interval(low=middle - below, high=middle + above, level=level, method=_NEWCOMBE)
    return Estimate(
        value=first.value - second.value,
        interval=interval,
        n=pairs,
        clusters=clusters,
        flags=tuple(dict.fromkeys((*first.flags, *second.flags))),
    )


def _agreement(enters: Booleans, same: Booleans, sampler: Sampler) -> Estimate | Refusal:
    count = int(np.count_nonzero(enters))
    if count < FEWEST_LABELS:
        reason = f"needs at least {FEWEST_LABELS} labelled pairs that do not flip, has {count}"
        return Refusal(reason=reason, n=count)
    rows = np.arange(enters.size)
    return sampler.rate("judge", enters & same, enters, pairs=rows, nothing="has no such pair").estimate
