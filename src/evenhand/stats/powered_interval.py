"""Intervals of a prediction-powered ratio: Wilson's for a rate, Bonett and Price's for a difference, or Student's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

import numpy as np

from evenhand.stats.arrays import FloatArray
from evenhand.stats.clusters import cluster_flags
from evenhand.stats.differences import adjusted_wald_limits
from evenhand.stats.proportions import clopper_pearson, student_quantile, wilson_limits
from evenhand.stats.rectifier import Rectified, Stratum
from evenhand.stats.results import Estimate, Interval

__all__ = ["BOUNDS", "IntervalKind", "LabelCounts", "estimate_with_interval", "even_labels"]

IntervalKind: TypeAlias = Literal["wilson", "difference", "student"]

BOUNDS: dict[IntervalKind, tuple[float, float] | None] = {
    "wilson": (0.0, 1.0),
    "difference": (-1.0, 1.0),
    "student": None,
}
"""What the ratio can't leave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCounts:
    """Of the labels: denominator, clusters, and how many equally weighted ones they are worth (Kish)."""

    observations: int
    clusters: int
    even: float


def even_labels(strata: Sequence[Stratum], denominator: FloatArray) -> float:
    """Kish's number of equally weighted labels that the stratified ones are worth."""
    weights = np.concatenate(
        [np.full(len(s.rows), len(s.units) / len(s.rows)) * (denominator[s.rows] != 0) for s in strata]
    )
    return float(weights.sum() ** 2 / (weights**2).sum())


def estimate_with_interval(
    fit: Rectified, counts: LabelCounts, kind: IntervalKind, *, name: str, level: float
) -> Estimate:
    """The corrected ratio with its interval, which says how it was made; ``name`` begins that text."""
    limits: Interval | None = None
    t, by = student_quantile(level, fit.df), f"t with {fit.df:.3g} df"
    # All labels alike: no variance to estimate. Each cluster, or equally weighted label, is one trial.
    trials = min(float(counts.clusters), counts.even)
    match kind:
        case "wilson" if not fit.varies:
            exact = clopper_pearson(trials if fit.value == 1 else 0, trials, level)
            text = f"{name}, Clopper–Pearson at a rate of {fit.value:g}, {trials:.4g} trials"
            limits = Interval(low=exact.low, high=exact.high, level=level, method=text)
        case "wilson":
            # A corrected rate may end up at 0 or 1, where p (1 - p) can't be compared with a variance.
            edge = 1 / (2 * counts.even)
            inner = min(1 - edge, max(edge, fit.value))
            effective = inner * (1 - inner) / fit.variance
            low, high = wilson_limits(fit.value, effective, t)
            text = f"{name}, Wilson score at {effective:.4g} effective observations, {by}"
            limits = Interval(low=low, high=high, level=level, method=text)
        case "difference":
            effective = fit.spread / fit.variance if fit.varies else trials
            low, high = adjusted_wald_limits(fit.value, fit.spread + fit.value**2, effective, t)
            text = f"{name}, Bonett–Price adjusted Wald at {effective:.4g} effective pairs, {by}"
            limits = Interval(low=low, high=high, level=level, method=text)
        case "student":
            half = t * math.sqrt(fit.variance)
            if fit.varies:
                limits = Interval(low=fit.value - half, high=fit.value + half, level=level, method=f"{name}, {by}")
        case _:
            assert_never(kind)
    flags = cluster_flags(counts.clusters)
    if fit.clipped and (bounds := BOUNDS[kind]) is not None:
        flags = (*flags, f"corrected beyond {bounds[0]:g} or {bounds[1]:g} and set to it")
    if limits is None:
        flags = (*flags, "all labels are alike: no interval")
    return Estimate(value=fit.value, interval=limits, n=counts.observations, clusters=counts.clusters, flags=flags)
