"""How far a judge agrees with people, and how far people agree with each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, Booleans
from evenhand.audits.humans.labelled import Calls, LabelledPairs, consensus_of
from evenhand.records import Preference
from evenhand.stats import Estimate, Refusal, alpha_of_counts, bootstrap_kappa

__all__ = [
    "FEWEST_LABELS",
    "MOST_LISTED",
    "Agreement",
    "HumanAgreement",
    "JudgeAgreement",
    "human_agreement",
    "judge_agreement",
]

FEWEST_LABELS: Final = 10
"""Pairs labelled by both below which no agreement is given: one pair moves it by ten points."""

MOST_LISTED: Final = 12
"""Annotators who are listed by name and beside each other, those with most labels: a convention, 66 comparisons of two.
"""

_TIE = tuple(Preference).index(Preference.TIE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Two raters on the pairs that both rated.

    Attributes
    ----------
    rate
        Share with the same preference, a tie being one.
    decided
        The same among pairs on which both chose a response.
    kappa
        Cohen's kappa: agreement beyond what their shares of A, B and ties give by chance.
    pairs
        Rated by both.
    """

    first: str
    second: str
    rate: Estimate | Refusal
    decided: Estimate | Refusal
    kappa: Estimate | Refusal
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """One judge beside people.

    Attributes
    ----------
    against_consensus
        Of order AB, of order BA and last of the pair's verdict (see :attr:`LabelledPairs.verdict`); of order AB alone
        where order BA was asked of chosen pairs, of the verdict alone where no response stood first.
    against_annotators
        Of the pair's verdict with each annotator, where there are several; of MOST_LISTED at most.
    gap
        The judge's agreement minus one person's, both with the consensus of the same other persons: each person is left
        out in turn, and judge and person are compared with what is left. A person in the judge's place has 0. A Refusal
        with too few pairs that two annotators or more labelled.
    unlabelled, without_verdict
        Judged pairs without a label; labelled pairs without a verdict, for want of one in an order that was asked.
    """

    judge: str
    against_consensus: tuple[Agreement, ...]
    against_annotators: tuple[Agreement, ...]
    gap: Estimate | Refusal
    unlabelled: int
    without_verdict: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanAgreement:
    """People among themselves: the ceiling that a judge can be held to.

    Attributes
    ----------
    alpha
        Krippendorff's, nominal, over all annotators.
    ceiling
        Share of a person's labels that equal the consensus of the others, over all persons and pairs. Where the others'
        preferences are a draw, there is no consensus: the label doesn't enter.
    between
        Every two of ``listed`` with enough pairs in common.
    listed
        Names of those with most labels, MOST_LISTED at most, who are compared one by one.
    """

    annotators: int
    alpha: Estimate | Refusal
    ceiling: Estimate | Refusal
    between: tuple[Agreement, ...]
    listed: tuple[str, ...] = ()


def judge_agreement(pairs: LabelledPairs, sampler: Sampler) -> JudgeAgreement:
    """Compare a judge with the labels.

    Parameters
    ----------
    sampler
        Its clusters are indexed by the rows of ``pairs``.

    References
    ----------
    Cohen (1960), https://doi.org/10.1177/001316446002000104; Calderon, Reichart and Dror (2025), arXiv:2501.10970, for
    a judge and a person beside the same other persons.
    """
    here = sampler.within("humans", pairs.judge)
    consensus, verdict = pairs.consensus, pairs.verdict
    labelled = consensus != ABSENT
    orders = [("order AB", pairs.ab), ("order BA", pairs.ba)] if pairs.asked in ("both", "single") else []
    orders.append((pairs.verdict_name, verdict))
    several = len(pairs.annotators) > 1
    return JudgeAgreement(
        judge=pairs.judge,
        against_consensus=tuple(_agreement(name, calls, "consensus", consensus, here) for name, calls in orders),
        against_annotators=tuple(
            _agreement(pairs.verdict_name, verdict, _named(annotator), pairs.by(annotator), here)
            for annotator in pairs.annotators[:MOST_LISTED]
        )
        if several
        else (),
        gap=_gap(pairs, verdict, here),
        unlabelled=int(np.count_nonzero(~labelled)),
        without_verdict=int(np.count_nonzero(labelled & (verdict == ABSENT))),
    )


def human_agreement(pairs: LabelledPairs, sampler: Sampler, *, resamples: int = 1000) -> HumanAgreement:
    """Compare the annotators with each other.

    References
    ----------
    Krippendorff (2011), https://repository.upenn.edu/asc_papers/43.
    """
    here = sampler.within("humans", "annotators")
    annotators = pairs.annotators
    listed = annotators[:MOST_LISTED]
    nobody = Refusal(reason=f"needs at least 2 annotators of the same pairs, has {len(annotators)}", n=0)
    alpha: Estimate | Refusal = nobody
    if len(annotators) > 1:
        alpha = alpha_of_counts(
            pairs.table.counts,
            clusters=sampler.clusters,
            rng=here.stream("alpha"),
            resamples=resamples,
            level=sampler.level,
        )
    return HumanAgreement(
        annotators=len(annotators),
        alpha=alpha,
        ceiling=_ceiling(pairs, here) if len(annotators) > 1 else nobody,
        between=tuple(_between({annotator: pairs.by(annotator) for annotator in listed}, here)),
        listed=tuple(_named(annotator) for annotator in listed),
    )


def _between(calls: dict[str | None, Calls], sampler: Sampler) -> Iterator[Agreement]:
    for first, second in combinations(calls, 2):
        shared = (calls[first] != ABSENT) & (calls[second] != ABSENT)
        if np.count_nonzero(shared) >= FEWEST_LABELS:
            yield _agreement(_named(first), calls[first], _named(second), calls[second], sampler)


def _named(annotator: str | None) -> str:
    return "an annotator without a name" if annotator is None else annotator


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _BesideOthers:
    """Per pair: persons whom the others' consensus can be compared with, and how often it is matched.

    Attributes
    ----------
    compared
        Persons with a label of the pair, whose others have a consensus.
    person, judge
        Of them, how often the person, and the judge, prefer what the others do.
    """

    compared: NDArray[np.int64]
    person: NDArray[np.int64]
    judge: NDArray[np.int64]


def _beside_others(pairs: LabelledPairs, verdict: Calls) -> _BesideOthers:
    table = pairs.table
    last = table.last
    row, own = table.pair[last], table.preference[last]
    rest = table.counts[row]
    rest[np.arange(len(row)), own] -= 1
    others = consensus_of(rest, draw=ABSENT)
    known = others != ABSENT

    def count(enters: Booleans) -> NDArray[np.int64]:
        return np.bincount(row[enters], minlength=len(pairs.ids)).astype(np.int64)

    return _BesideOthers(
        compared=count(known), person=count(known & (own == others)), judge=count(known & (verdict[row] == others))
    )


def _too_few(enters: Booleans, what: str) -> Refusal | None:
    count = int(np.count_nonzero(enters))
    if count >= FEWEST_LABELS:
        return None
    return Refusal(reason=f"needs at least {FEWEST_LABELS} pairs with {what}, has {count}", n=count)


def _ceiling(pairs: LabelledPairs, sampler: Sampler) -> Estimate | Refusal:
    beside = _beside_others(pairs, pairs.verdict)
    what = "two annotators or more, of whom the others agree"
    return (
        _too_few(beside.compared > 0, what)
        or sampler.rate(
            "ceiling", beside.person, beside.compared, pairs=np.arange(len(pairs.ids)), nothing=f"needs {what}"
        ).estimate
    )


def _gap(pairs: LabelledPairs, verdict: Calls, sampler: Sampler) -> Estimate | Refusal:
    beside = _beside_others(pairs, verdict)
    enters = (beside.compared > 0) & (verdict != ABSENT)
    what = "a verdict and two annotators or more, of whom the others agree"
    compared = np.where(enters, beside.compared, 0)
    return (
        _too_few(enters, what)
        or sampler.difference(
            "gap",
            (np.where(enters, beside.judge, 0), compared),
            (np.where(enters, beside.person, 0), compared),
            pairs=np.arange(len(pairs.ids)),
            nothing=f"needs {what}",
        ).estimate
    )


def _agreement(first: str, own: Calls, second: str, other: Calls, sampler: Sampler) -> Agreement:
    known = (own != ABSENT) & (other != ABSENT)
    here = sampler.within(*sampler.scope, first, second)
    rows, count = np.flatnonzero(known), int(np.count_nonzero(known))
    few = Refusal(reason=f"needs at least {FEWEST_LABELS} pairs rated by both, has {count}", n=count)
    enough = count >= FEWEST_LABELS
    kappa: Estimate | Refusal = few
    if enough:
        kappa = bootstrap_kappa(
            own[known].tolist(),
            other[known].tolist(),
            sampler.clusters[rows],
            rng=here.stream("kappa"),
            resamples=sampler.resamples,
            level=sampler.level,
        )
    return Agreement(
        first=first,
        second=second,
        rate=_share(known, own == other, here, "agreement") if enough else few,
        decided=_decided(known & (own != _TIE) & (other != _TIE), own == other, here),
        kappa=kappa,
        pairs=count,
    )


def _decided(enters: Booleans, same: Booleans, sampler: Sampler) -> Estimate | Refusal:
    return _too_few(enters, "a response chosen by both") or _share(enters, same, sampler, "decided")


def _share(enters: Booleans, same: Booleans, sampler: Sampler, name: str) -> Estimate | Refusal:
    return sampler.rate(
        name,
        (enters & same).astype(np.float64),
        enters.astype(np.float64),
        pairs=np.arange(enters.size),
        nothing="needs a pair on which both chose a response, has none",
    ).estimate
