"""A rate with clustered observations: the ratio of two sums, and an interval that knows its clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_numbers, check_level, check_resamples, check_same_length
from evenhand.stats.clusters import (
    ClusterTotals,
    cluster_codes,
    cluster_flags,
    refuse_few_clusters,
    total_by_cluster,
)
from evenhand.stats.proportions import clopper_pearson, normal_quantile, student_quantile, wilson_limits
from evenhand.stats.resampling import IntervalMethod, bca_limits, percentile_limits, resampled_sums
from evenhand.stats.results import Estimate, Interval, Refusal

__all__ = ["cluster_rate", "shrunk_design_effect"]

NUMERATOR, DENOMINATOR = 0, 1


def cluster_rate(
    numerator: ArrayLike,
    denominator: ArrayLike | None,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    method: IntervalMethod = "robust",
) -> Estimate | Refusal:
    """Ratio of the sums of numerator and denominator, with an interval over clusters.

    Parameters
    ----------
    numerator
        Shape ``(n,)``, one entry per observation, ``0 <= numerator <= denominator``.
    denominator
        Shape ``(n,)``; 0 takes an observation out. None is all ones.
    clusters
        Shape ``(n,)``, any hashable values: observations with one value are not independent.
    rng
        Source of the resamples; unused by ``method="robust"``.
    method
        ``robust`` is Wilson's interval at the effective number of observations; ``percentile`` and ``bca`` resample
        clusters. docs/decisions/0003-interval-methods.md has the measured coverage of each.

    Returns
    -------
    Estimate or Refusal
        ``n`` and ``count`` are the sums of denominator and numerator. A rate of 0 or 1 gets the
        Clopper–Pearson interval as if each cluster were one trial, which is never too narrow. Refused below 5 clusters.

    Raises
    ------
    StatisticsError
        For arrays that differ in length, aren't finite, or hold a numerator outside of 0 to denominator.

    Examples
    --------
    >>> flips = [1, 0, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> estimate = cluster_rate(flips, None, range(10), rng=np.random.default_rng(0))
    >>> estimate.value, estimate.flags
    (0.3, ('fewer than 30 clusters (10)',))
    >>> estimate.interval.method
    'Wilson score, 10 clusters of one observation'
    >>> cluster_rate(flips, None, [0] * 10, rng=np.random.default_rng(0)).reason
    'needs at least 5 clusters, has 1'
    """
    check_level(level)
    check_resamples(resamples)
    top = as_numbers("numerator", numerator)
    bottom = None if denominator is None else as_numbers("denominator", denominator)
    codes = cluster_codes(clusters)
    check_same_length(numerator=top, clusters=codes.codes, **({} if bottom is None else {"denominator": bottom}))
    if (top < 0).any() or (top > (1.0 if bottom is None else bottom)).any():
        msg = "a rate's numerator must lie between 0 and its denominator; use cluster_mean for other values"
        raise StatisticsError(msg)
    totals = total_by_cluster(codes, [top, bottom], contributes=[DENOMINATOR])
    count, n = (float(s) for s in totals.sums)
    if n == 0:
        return Refusal(reason="no observations", n=0)
    refusal = refuse_few_clusters(totals.clusters, n=round(n))
    if refusal is not None:
        return refusal
    unit = bottom is None or bool(np.isin(bottom, (0.0, 1.0)).all())
    binary = unit and bool(np.isin(top, (0.0, 1.0)).all())
    return Estimate(
        value=count / n,
        interval=_interval(totals, binary=binary, rng=rng, resamples=resamples, level=level, method=method),
        n=round(n),
        count=count,
        clusters=totals.clusters,
        flags=cluster_flags(totals.clusters),
    )


def _interval(
    totals: ClusterTotals,
    *,
    binary: bool,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    method: IntervalMethod,
) -> Interval:
    count, n = totals.sums
    rate = float(count / n)
    clusters = totals.clusters
    if rate in (0.0, 1.0):
        exact = clopper_pearson(clusters if rate == 1.0 else 0, clusters, level)
        text = f"Clopper–Pearson at a rate of {rate:g}, each of {clusters} clusters as one trial"
        return Interval(low=exact.low, high=exact.high, level=level, method=text)
    flat = len(totals.copies) == 1 or _residual_squares(totals) <= 1e-12 * n
    if method == "robust" or flat:
        return _effective_wilson(totals, binary=binary, level=level)
    sums = resampled_sums(totals, rng=rng, resamples=resamples)
    replicates = sums[:, NUMERATOR] / sums[:, DENOMINATOR]
    match method:
        case "percentile":
            low, high = percentile_limits(replicates, level=level)
            name = "percentile"
        case "bca":
            left_out = (count - totals.totals[:, NUMERATOR]) / (n - totals.totals[:, DENOMINATOR])
            low, high = bca_limits(replicates, value=rate, left_out=left_out, copies=totals.copies, level=level)
            name = "BCa"
        case _:
            assert_never(method)
    return Interval(
        low=low,
        high=high,
        level=level,
        method=f"{name} cluster bootstrap, {clusters} clusters, {resamples:,} resamples",
    )


def _residual_squares(totals: ClusterTotals) -> float:
    count, n = totals.sums
    residuals: FloatArray = totals.totals[:, NUMERATOR] - count / n * totals.totals[:, DENOMINATOR]
    return float(totals.copies @ residuals**2)


def _effective_wilson(totals: ClusterTotals, *, binary: bool, level: float) -> Interval:
    count, n = (float(s) for s in totals.sums)
    rate = count / n
    clusters = totals.clusters
    if binary and n == clusters:
        low, high = wilson_limits(rate, n, normal_quantile(level))
        text = f"Wilson score, {clusters} clusters of one observation"
        return Interval(low=low, high=high, level=level, method=text)
    # Linearised variance of a ratio (Taylor), with the K / (K - 1) of a sample variance.
    variance = clusters / (clusters - 1) * _residual_squares(totals) / n**2
    deff = shrunk_design_effect(variance * n / (rate * (1 - rate)), clusters=clusters, level=level)
    effective = n / deff
    low, high = wilson_limits(rate, effective, student_quantile(level, clusters - 1))
    text = f"Wilson score at {effective:.4g} effective observations, t with {clusters - 1} df"
    return Interval(low=low, high=high, level=level, method=text)


def shrunk_design_effect(deff: float, *, clusters: int, level: float) -> float:
    """A design effect below 1 pulled towards 1 as if by z² more clusters of independent observations.

    Observations that offset each other within clusters (such as the two orders of one pair) make clusters look more
    alike than independent ones, down to no variance at all when no cluster happens to differ. The z² pseudo-clusters
    (as many as Wilson's interval has pseudo-trials) keep such an interval from closing. Above 1 nothing changes.

    Examples
    --------
    >>> shrunk_design_effect(2.5, clusters=60, level=0.95)
    2.5
    >>> round(shrunk_design_effect(0.0, clusters=60, level=0.95), 3)
    0.06
    """
    if deff >= 1:
        return deff
    pseudo = normal_quantile(level) ** 2
    return (clusters * deff + pseudo) / (clusters + pseudo) if math.isfinite(deff) else 1.0
