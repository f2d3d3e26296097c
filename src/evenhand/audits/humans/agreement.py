"""How far a judge agrees with people, and how far people agree with each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.wide import ABSENT, Booleans
from evenhand.audits.humans.labelled import Calls, LabelledPairs
from evenhand.records import Preference
from evenhand.stats import Estimate, Refusal, bootstrap_kappa, krippendorff_alpha

__all__ = ["FEWEST_LABELS", "Agreement", "HumanAgreement", "JudgeAgreement", "human_agreement", "judge_agreement"]

FEWEST_LABELS: Final = 10
"""Pairs labelled by both below which no agreement is given: one pair moves it by ten points."""

_CODES = (*range(len(Preference)),)
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
        Of order AB, of order BA and of both (a tie where they contradict each other).
    against_annotators
        Of both orders with each annotator, where there are several.
    gap
        The judge's agreement with the consensus minus that of one person with the consensus of the others, on the
        pairs that have both; a Refusal with fewer than two annotators of one pair.
    unlabelled, without_verdict
        Judged pairs without a label; labelled pairs to which the judge gave no verdict in one order or in both.
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
        Share of a person's labels that equal the consensus of the others, over all persons and pairs.
    between
        Every two annotators with enough pairs in common.
    """

    annotators: int
    alpha: Estimate | Refusal
    ceiling: Estimate | Refusal
    between: tuple[Agreement, ...]


def judge_agreement(pairs: LabelledPairs, sampler: Sampler) -> JudgeAgreement:
    """Compare a judge with the labels.

    Parameters
    ----------
    sampler
        Its clusters are indexed by the rows of ``pairs``.

    References
    ----------
    Cohen (1960), https://doi.org/10.1177/001316446002000104.
    """
    here = sampler.within("humans", pairs.judge)
    consensus, both = pairs.consensus, pairs.both
    labelled = consensus != ABSENT
    orders = (("order AB", pairs.ab), ("order BA", pairs.ba), ("both orders", both))
    several = len(pairs.annotators) > 1
    return JudgeAgreement(
        judge=pairs.judge,
        against_consensus=tuple(_agreement(name, calls, "consensus", consensus, here) for name, calls in orders),
        against_annotators=tuple(
            _agreement("both orders", both, _named(annotator), pairs.by(annotator), here)
            for annotator in pairs.annotators
        )
        if several
        else (),
        gap=_gap(pairs, both, here),
        unlabelled=int(np.count_nonzero(~labelled)),
        without_verdict=int(np.count_nonzero(labelled & (both == ABSENT))),
    )


def human_agreement(pairs: LabelledPairs, sampler: Sampler, *, resamples: int = 1000) -> HumanAgreement:
    """Compare the annotators with each other.

    References
    ----------
    Krippendorff (2011), https://repository.upenn.edu/asc_papers/43.
    """
    here = sampler.within("humans", "annotators")
    annotators = pairs.annotators
    calls = {annotator: pairs.by(annotator) for annotator in annotators}
    nobody = Refusal(reason=f"needs at least 2 annotators of the same pairs, has {len(annotators)}", n=0)
    alpha: Estimate | Refusal = nobody
    if len(annotators) > 1:
        ratings = [[None if call == ABSENT else int(call) for call in own] for own in calls.values()]
        alpha = krippendorff_alpha(
            ratings,
            clusters=sampler.clusters,
            rng=here.stream("alpha"),
            values=_CODES,
            resamples=resamples,
            level=sampler.level,
        )
    rated, agreed = _against_others(pairs)
    ceiling = here.rate("ceiling", agreed, rated, pairs=np.arange(len(pairs.ids)), nothing=nobody.reason).estimate
    return HumanAgreement(
        annotators=len(annotators),
        alpha=alpha,
        ceiling=ceiling if len(annotators) > 1 else nobody,
        between=tuple(_between(calls, here)),
    )


def _between(calls: dict[str | None, Calls], sampler: Sampler) -> Iterator[Agreement]:
    for first, second in combinations(calls, 2):
        shared = (calls[first] != ABSENT) & (calls[second] != ABSENT)
        if np.count_nonzero(shared) >= FEWEST_LABELS:
            yield _agreement(_named(first), calls[first], _named(second), calls[second], sampler)


def _named(annotator: str | None) -> str:
    return "an annotator without a name" if annotator is None else annotator


def _against_others(pairs: LabelledPairs) -> tuple[np.ndarray, np.ndarray]:
    """Per pair: labels that can be compared with the consensus of the others, and how many equal it."""
    rated, agreed = np.zeros(len(pairs.ids)), np.zeros(len(pairs.ids))
    for annotator in pairs.annotators:
        own, others = pairs.by(annotator), pairs.without(annotator)
        known = (own != ABSENT) & (others != ABSENT)
        rated += known
        agreed += known & (own == others)
    return rated, agreed


def _gap(pairs: LabelledPairs, both: Calls, sampler: Sampler) -> Estimate | Refusal:
    rated, agreed = _against_others(pairs)
    enters = (rated > 0) & (both != ABSENT)
    if np.count_nonzero(enters) < FEWEST_LABELS:
        return Refusal(
            reason=(
                f"needs at least {FEWEST_LABELS} pairs with a verdict and two annotators or more, has "
                f"{int(np.count_nonzero(enters))}"
            ),
            n=int(np.count_nonzero(enters)),
        )
    ones = enters.astype(np.float64)
    return sampler.difference(
        "gap",
        ((both == pairs.consensus) & enters, ones),
        (np.where(enters, agreed, 0.0), np.where(enters, rated, 0.0)),
        pairs=np.arange(len(pairs.ids)),
        nothing="needs a pair with two annotators, has none",
    ).estimate


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
        decided=_share(known & (own != _TIE) & (other != _TIE), own == other, here, "decided"),
        kappa=kappa,
        pairs=count,
    )


def _share(enters: Booleans, same: Booleans, sampler: Sampler, name: str) -> Estimate | Refusal:
    return sampler.rate(
        name,
        (enters & same).astype(np.float64),
        enters.astype(np.float64),
        pairs=np.arange(enters.size),
        nothing="needs a pair on which both chose a response, has none",
    ).estimate
