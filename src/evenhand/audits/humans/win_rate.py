"""Win rates that people would give on all pairs, from their labels of some and the judge's verdicts on all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.stats import Estimate, Refusal, cluster_difference, cluster_rate, ppi_ratio

__all__ = ["FEWEST_LABELLED", "RESPONSE_A", "WinRate", "win_rates"]

FEWEST_LABELLED: Final = 25
"""A convention: with fewer labelled pairs a single label moves the win rate by more than four points."""
RESPONSE_A: Final = "response A"
"""Who wins where the pairs don't name their authors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRate:
    """One player's mean points over its pairs: a win 1, a tie half, a loss 0.

    Attributes
    ----------
    powered
        What people would give on all pairs: from the labels, with the judge's verdicts on every pair.
    labels_alone
        The same from the labels alone.
    judge_alone
        What the judge gives on all pairs: it has the judge's bias in it.
    judge_minus_people
        On the labelled pairs.
    effective_labels
        How many labels alone would tell as much; None where refused.
    pairs, labelled
        That were judged; of them with a label.
    """

    player: str
    powered: Estimate | Refusal
    labels_alone: Estimate | Refusal
    judge_alone: Estimate | Refusal
    judge_minus_people: Estimate | Refusal
    effective_labels: float | None
    pairs: int
    labelled: int


def win_rates(
    pairs: LabelledPairs,
    *,
    clusters: NDArray[np.int64],
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> tuple[WinRate, ...]:
    """Every author's win rate against the others; response A's where no two authors are known.

    The labelled pairs must be a random sample of all pairs: then the prediction-powered estimate is unbiased however
    biased the judge is. A judge that agrees with people narrows the interval, one that doesn't leaves it as wide as the
    labels alone.

    Parameters
    ----------
    clusters
        Shape (pairs,): what is resampled.

    References
    ----------
    Angelopoulos et al. (2023), https://doi.org/10.1126/science.adi6000; Angelopoulos, Duchi & Zrnic (2023),
    arXiv:2311.01453 (the weight of the judge is chosen from the data).
    """
    human, judge = pairs.human_points, pairs.judge_points
    return tuple(
        _win_rate(player, sign, enters & np.isfinite(judge), human, judge, clusters, rng, resamples, level)
        for player, sign, enters in _players(pairs)
    )


def _players(pairs: LabelledPairs) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.bool_]]]:
    """(name, +1 where it wrote A and -1 where it wrote B, its pairs against others)."""
    n = len(pairs.ids)
    names = sorted({name for a, b in pairs.authors if a is not None and b is not None and a != b for name in (a, b)})
    if len(names) < 2:
        yield RESPONSE_A, np.ones(n), np.ones(n, dtype=bool)
        return
    for name in names:
        wrote_a = np.array([a == name and b not in (None, name) for a, b in pairs.authors], dtype=bool)
        wrote_b = np.array([b == name and a not in (None, name) for a, b in pairs.authors], dtype=bool)
        yield name, np.where(wrote_a, 1.0, -1.0), wrote_a | wrote_b


def _win_rate(
    player: str,
    sign: NDArray[np.float64],
    enters: NDArray[np.bool_],
    human: NDArray[np.float64],
    judge: NDArray[np.float64],
    clusters: NDArray[np.int64],
    rng: np.random.Generator,
    resamples: int,
    level: float,
) -> WinRate:
    own_human = np.where(sign > 0, human, 1 - human)[enters]
    own_judge = np.where(sign > 0, judge, 1 - judge)[enters]
    cluster, labelled = clusters[enters], np.isfinite(own_human)
    count, total = int(labelled.sum()), int(enters.sum())
    few = Refusal(reason=f"needs at least {FEWEST_LABELLED} labelled pairs, has {count}", n=count)
    powered: Estimate | Refusal = few
    alone: Estimate | Refusal = few
    gap: Estimate | Refusal = few
    effective = None
    if count >= FEWEST_LABELLED:
        found = ppi_ratio(
            own_human[labelled], None, labelled=labelled, covariates=own_judge, clusters=cluster, level=level
        )
        if isinstance(found, Refusal):
            powered = alone = found
        else:
            powered, alone = found.estimate, _said(found.classical)
            effective = found.effective_labels
        both = own_judge[labelled], None, own_human[labelled], None
        gap = cluster_difference(*both, cluster[labelled], rng=rng, resamples=resamples, level=level)
    judged: Estimate | Refusal = Refusal(reason="has no judged pair", n=0)
    if total:
        judged = cluster_rate(own_judge, None, cluster, rng=rng, resamples=resamples, level=level)
    return WinRate(
        player=player,
        powered=powered,
        labels_alone=alone,
        judge_alone=judged,
        judge_minus_people=gap,
        effective_labels=effective,
        pairs=total,
        labelled=count,
    )


def _said(estimate: Estimate) -> Estimate:
    """There are no strata here, which the method's own words speak of."""
    interval = estimate.interval
    if interval is None:
        return estimate
    return replace(estimate, interval=replace(interval, method=interval.method.removeprefix("stratified, ")))
