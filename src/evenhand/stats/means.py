"""Means of real values: plain with its standard error, and over clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.stats.arrays import as_numbers, check_level, check_resamples, check_same_length
from evenhand.stats.clusters import (
    ClusterTotals,
    cluster_codes,
    cluster_flags,
    refuse_few_clusters,
    total_by_cluster,
)
from evenhand.stats.proportions import student_quantile
from evenhand.stats.resampling import IntervalMethod, bca_limits, percentile_limits, resampled_sums
from evenhand.stats.results import Estimate, Interval, Refusal

__all__ = ["MeanEstimate", "cluster_mean", "mean_se"]

NO_VARIATION = "no variation in the data: no interval"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanEstimate(Estimate):
    """A mean and its standard error."""

    standard_error: float


def mean_se(values: ArrayLike, *, level: float = 0.95) -> MeanEstimate | Refusal:
    """Mean and its standard error, ``sd(ddof=1) / sqrt(n)``, of independent values of shape ``(n,)``.

    The interval is Student's. Refused below 2 values.

    Examples
    --------
    >>> estimate = mean_se([1.0, 2.0, 3.0, 4.0])
    >>> estimate.value, round(estimate.standard_error, 4)
    (2.5, 0.6455)
    """
    check_level(level)
    array = as_numbers("values", values)
    n = len(array)
    if n < 2:
        return Refusal(reason=f"needs at least 2 values, has {n}", n=n)
    value, error = float(array.mean()), float(array.std(ddof=1)) / math.sqrt(n)
    half = student_quantile(level, n - 1) * error
    interval = Interval(low=value - half, high=value + half, level=level, method=f"t with {n - 1} df")
    return MeanEstimate(
        value=value,
        interval=interval if error > 0 else None,
        n=n,
        flags=() if error > 0 else (NO_VARIATION,),
        standard_error=error,
    )


def cluster_mean(
    values: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    method: IntervalMethod = "robust",
) -> MeanEstimate | Refusal:
    """Mean over rows of real values, with an interval over clusters.

    Parameters
    ----------
    values, clusters
        Shape ``(n,)``.
    method
        ``robust`` is the cluster-robust standard error with Student's t at K - 1 degrees of freedom.

    Returns
    -------
    MeanEstimate or Refusal
        Refused below 5 clusters; without an interval, and flagged, where no cluster differs from another.

    Examples
    --------
    >>> values, clusters = [1.0, 2.0, 4.0, 3.0, 5.0, 3.0], [0, 0, 1, 2, 3, 4]
    >>> estimate = cluster_mean(values, clusters, rng=np.random.default_rng(0))
    >>> estimate.value, estimate.clusters
    (3.0, 5)
    """
    check_level(level)
    check_resamples(resamples)
    array = as_numbers("values", values)
    codes = cluster_codes(clusters)
    check_same_length(values=array, clusters=codes.codes)
    if len(array) == 0:
        return Refusal(reason="no observations", n=0)
    totals = total_by_cluster(codes, [array, None], contributes=[1])
    refusal = refuse_few_clusters(totals.clusters, n=len(array))
    if refusal is not None:
        return refusal
    value = float(totals.sums[0] / totals.sums[1])
    residuals = totals.totals[:, 0] - value * totals.totals[:, 1]
    count = totals.clusters
    error = math.sqrt(float(totals.copies @ residuals**2) * count / (count - 1)) / len(array)
    flat = error <= 1e-12 * max(abs(value), np.finfo(float).tiny)
    return MeanEstimate(
        value=value,
        interval=None
        if flat
        else _interval(totals, value, error, rng=rng, resamples=resamples, level=level, method=method),
        n=len(array),
        clusters=count,
        flags=cluster_flags(count) + ((NO_VARIATION,) if flat else ()),
        standard_error=error,
    )


def _interval(
    totals: ClusterTotals,
    value: float,
    error: float,
    *,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    method: IntervalMethod,
) -> Interval:
    count = totals.clusters
    match method:
        case "robust":
            half = student_quantile(level, count - 1) * error
            text = f"cluster-robust t with {count - 1} df"
            return Interval(low=value - half, high=value + half, level=level, method=text)
        case "percentile" | "bca":
            sums = resampled_sums(totals, rng=rng, resamples=resamples)
            replicates = sums[:, 0] / sums[:, 1]
        case _:
            assert_never(method)
    if method == "percentile":
        low, high = percentile_limits(replicates, level=level)
    else:
        left_out = (totals.sums[0] - totals.totals[:, 0]) / (totals.sums[1] - totals.totals[:, 1])
        low, high = bca_limits(replicates, value=value, left_out=left_out, copies=totals.copies, level=level)
    name = "percentile" if method == "percentile" else "BCa"
    text = f"{name} cluster bootstrap, {count} clusters, {resamples:,} resamples"
    return Interval(low=low, high=high, level=level, method=text)
