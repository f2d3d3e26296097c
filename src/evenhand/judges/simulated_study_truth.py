"""Exact values of what a simulated bias audit must recover: normal integrals, the length ratio on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError
from evenhand.judges.simulated_study import StudyParameters, identity_pull
from evenhand.records import Change, Order

__all__ = ["StudyTruth", "both_positive", "study_truth"]

Numbers = NDArray[np.float64]
_REACH, _NODES = 8.0, 801
"""The grid of the length ratio: this many standard deviations to either side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTruth:
    """What holds of all pairs that could be drawn, under one condition. Shares of decided presentations or pairs.

    Attributes
    ----------
    prefers_a
        Mean over both orders; the difference between two conditions is the *net shift* toward A.
    first_slot_rate, flip_rate
        As the position audit has them.
    accuracy
        Share right of the presentations of both orders.
    accuracy_consistent
        Share right of the pairs that don't flip; NaN where all do.
    longer_wins
        Share of presentations of both orders that choose the longer response (as it is before any change).
    repeat_flip_rate
        Share of pairs whose verdict differs when order AB is asked again.
    """

    prefers_a: float
    first_slot_rate: float
    flip_rate: float
    accuracy: float
    accuracy_consistent: float
    longer_wins: float
    repeat_flip_rate: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Grid:
    """Kinds of pairs with their weights: length ratio, authorship, mean and variance of quality given both."""

    weight: Numbers
    log_length: Numbers
    own: Numbers
    quality: Numbers
    variance: float


def study_truth(parameters: StudyParameters, changes: Sequence[Change] = ()) -> StudyTruth:
    """Exact values under the condition that makes these changes.

    Raises
    ------
    ConfigError
        The position bias varies between questions and compounds with others: that has no closed form here.

    Examples
    --------
    >>> fair = study_truth(StudyParameters())
    >>> round(fair.prefers_a, 6), round(fair.longer_wins, 6)
    (0.5, 0.5)
    """
    from scipy.special import ndtr

    p = parameters
    if p.group_position_sd and p.biases.compound:
        raise ConfigError("no exact values where group_position_sd and compound are both set: leave one at 0")
    grid = _grid(p)
    pulls = [
        identity_pull(p, log_length=grid.log_length, own=grid.own, position=p.position, order=order, changes=changes)
        for order in (Order.AB, Order.BA)
    ]
    total = grid.variance + p.group_position_sd**2 + p.noise**2
    ab, ba = ((grid.quality + pull) / np.sqrt(total) for pull in pulls)
    both = both_positive(ab, ba, (grid.variance - p.group_position_sd**2) / total)
    again = both_positive(ab, ab, (total - p.noise**2) / total)
    sure = grid.variance == 0
    better = grid.quality / np.sqrt(1.0 if sure else grid.variance)
    if sure:
        gold_a = np.where(better > 0, 1.0, 0.0)  # as the pairs are drawn: of equal responses B is gold
        with_gold = [ndtr(x) * gold_a for x in (ab, ba)]
    else:
        gold_a = ndtr(better)
        with_gold = [both_positive(x, better, np.sqrt(grid.variance / total)) for x in (ab, ba)]

    def mean(values: Numbers) -> float:
        return float(values @ grid.weight)

    p_ab, p_ba = ndtr(ab), ndtr(ba)
    flips = mean(p_ab + p_ba - 2 * both)
    right = [1 - mean(x) - mean(gold_a) + 2 * mean(w) for x, w in zip((p_ab, p_ba), with_gold, strict=True)]
    longer = np.where(grid.log_length > 0, p_ab + p_ba, np.where(grid.log_length < 0, 2 - p_ab - p_ba, 1.0)) / 2
    return StudyTruth(
        prefers_a=mean(p_ab + p_ba) / 2,
        first_slot_rate=mean(p_ab + 1 - p_ba) / 2,
        flip_rate=flips,
        accuracy=sum(right) / 2,
        # Of a flipped pair one of the two verdicts is right, of any other both or none.
        accuracy_consistent=(sum(right) - flips) / 2 / (1 - flips) if flips < 1 - 1e-12 else float("nan"),
        longer_wins=mean(longer),
        repeat_flip_rate=mean(2 * (p_ab - again)),
    )


def _grid(p: StudyParameters) -> _Grid:
    z = np.linspace(-_REACH, _REACH, _NODES) if p.length_sd else np.zeros(1)
    density = np.exp(-(z**2) / 2)
    density /= density.sum()
    kinds = [(0.0, 1 - p.own_share), (1.0, p.own_share / 2), (-1.0, p.own_share / 2)]
    kept = [(own, share) for own, share in kinds if share]
    correlation = p.length_quality if p.length_sd else 0.0
    return _Grid(
        weight=np.concatenate([share * density for _, share in kept]),
        own=np.concatenate([np.full(z.shape, own) for own, _ in kept]),
        log_length=np.concatenate([p.length_slot + p.length_author * own + p.length_sd * z for own, _ in kept]),
        quality=np.concatenate([p.quality_author * own + correlation * p.drawn_quality_sd * z for own, _ in kept]),
        variance=max(0.0, p.drawn_quality_sd**2 * (1 - correlation**2)),
    )


def both_positive(first: Numbers, second: Numbers, correlation: float) -> Numbers:
    """P(X > 0 and Y > 0) for normal X, Y with unit variances and these means; shape (n,).

    By Owen's T function (Owen 1956, doi:10.1214/aoms/1177728074).

    Examples
    --------
    >>> both_positive(np.zeros(1), np.zeros(1), 0.5).round(6).tolist()
    [0.333333]
    """
    from scipy.special import ndtr, owens_t

    if correlation > 1 - 1e-12:
        return np.asarray(ndtr(np.minimum(first, second)), dtype=np.float64)
    if correlation < -1 + 1e-12:
        return np.asarray(np.maximum(0.0, ndtr(first) + ndtr(second) - 1), dtype=np.float64)
    # A mean of exactly 0 is a limit of the formula's, not a value.
    h = np.where(np.abs(first) < 1e-12, 1e-12, first)
    k = np.where(np.abs(second) < 1e-12, 1e-12, second)
    root = np.sqrt(1 - correlation**2)
    half = np.where(h * k > 0, 0.0, 0.5)
    value = (
        (ndtr(h) + ndtr(k)) / 2
        - owens_t(h, (k / h - correlation) / root)
        - owens_t(k, (h / k - correlation) / root)
        - half
    )
    return np.asarray(np.clip(value, 0.0, 1.0), dtype=np.float64)
