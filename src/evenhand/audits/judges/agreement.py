"""How far two judges agree: on the same presentations, and on what both orders of a pair amount to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, Codes, Scope
from evenhand.audits.judges.differences import FEWEST_SHARED
from evenhand.audits.judges.lined_up import LinedUp
from evenhand.records import Preference
from evenhand.stats import Estimate, Refusal, bootstrap_kappa

__all__ = ["JudgesAgree", "agreements_of", "pair_verdicts"]

_TIE = tuple(Preference).index(Preference.TIE)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesAgree:
    """Two judges beside each other.

    Attributes
    ----------
    first, second
        Places of the judges in the list of all.
    presentations
        Among presentations with a verdict by both, share with the same preference. Two judges that take the same slot
        whatever stands in it agree here.
    verdicts
        Among pairs with a verdict of each judge (:func:`pair_verdicts`), share with the same one.
    kappa
        Cohen's kappa of these: agreement beyond what their shares of A, B and ties give by chance.
    pairs
        Pairs with a verdict of both.
    """

    first: int
    second: int
    presentations: Estimate | Refusal
    verdicts: Estimate | Refusal
    kappa: Estimate | Refusal
    pairs: int


def pair_verdicts(scope: Scope, *, single: bool) -> Codes:
    """The judge's verdict on each pair; ABSENT where it has none.

    What both orders prefer, a tie where they contradict each other, and ABSENT where one has no verdict. Where one
    order alone was asked, it is that order's, with whatever the order did to it.

    Returns
    -------
    ndarray
        Indices into :class:`~evenhand.records.Preference`, shape (pairs,).
    """
    preference = np.where(scope.verdict, scope.preference, ABSENT)
    one, two = preference[:, 0], preference[:, 1]
    if single:
        return np.where(one != ABSENT, one, two).astype(np.int8)
    known = (one != ABSENT) & (two != ABSENT)
    return np.where(known, np.where(one == two, one, _TIE), ABSENT).astype(np.int8)


def agreements_of(lined: LinedUp, sampler: Sampler) -> tuple[JudgesAgree, ...]:
    """Every two judges, by their places.

    References
    ----------
    Cohen (1960), https://doi.org/10.1177/001316446002000104.
    """
    count = len(lined.names)
    return tuple(
        _agreement(lined, sampler, first=first, second=second)
        for first in range(count)
        for second in range(first + 1, count)
    )


def _agreement(lined: LinedUp, sampler: Sampler, *, first: int, second: int) -> JudgesAgree:
    one, two = lined.scopes[first], lined.scopes[second]
    if one is None or two is None:
        who = lined.names[first if one is None else second]
        nothing = Refusal(reason=f"{who} has no verdict to compare", n=0)
        return JudgesAgree(first=first, second=second, presentations=nothing, verdicts=nothing, kappa=nothing, pairs=0)
    pairs, i, j = np.intersect1d(one.pairs, two.pairs, assume_unique=True, return_indices=True)
    both = one.verdict[i] & two.verdict[j]
    same = both & (one.preference[i] == two.preference[j])
    mine, other = (
        pair_verdicts(scope, single=lined.orders[place] != "both" or scope.single_order)[rows]
        for scope, place, rows in ((one, first, i), (two, second, j))
    )
    known = (mine != ABSENT) & (other != ABSENT)
    here = sampler.within("judges agree", lined.names[first], lined.names[second])
    count, shown = int(np.count_nonzero(known)), int(np.count_nonzero(both.any(axis=1)))
    return JudgesAgree(
        first=first,
        second=second,
        presentations=_few(shown, "pairs with a verdict by both in the same order")
        or here.rate(
            "agreement, presentations",
            same.sum(axis=1),
            both.sum(axis=1),
            pairs=pairs,
            nothing="needs a verdict by both",
        ).estimate,
        verdicts=_few(count, "pairs with a verdict of both")
        or here.rate(
            "agreement, verdicts", known & (mine == other), known, pairs=pairs, nothing="needs a verdict by both"
        ).estimate,
        kappa=_few(count, "pairs with a verdict of both")
        or bootstrap_kappa(
            mine[known].tolist(),
            other[known].tolist(),
            here.clusters[pairs[known]],
            rng=here.stream("kappa"),
            resamples=here.resamples,
            level=here.level,
        ),
        pairs=count,
    )


def _few(count: int, what: str) -> Refusal | None:
    if count >= FEWEST_SHARED:
        return None
    return Refusal(reason=f"needs at least {FEWEST_SHARED} {what}, has {count}", n=count)
