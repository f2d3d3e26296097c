"""A net rate: how many more of the observations moved one way than the other way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import as_numbers
from evenhand.stats.clusters import cluster_codes, total_by_cluster
from evenhand.stats.differences import adjusted_wald_limits, cluster_difference
from evenhand.stats.proportions import normal_quantile, student_quantile
from evenhand.stats.rates import shrunk_design_effect
from evenhand.stats.resampling import IntervalMethod
from evenhand.stats.results import Estimate, Interval, Refusal

__all__ = ["cluster_net_rate"]

_ROUNDING = 1e-9


def cluster_net_rate(
    toward: ArrayLike,
    away: ArrayLike,
    observations: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    method: IntervalMethod = "robust",
) -> Estimate | Refusal:
    """``(toward - away) / observations``, where no observation counts on both sides, with an interval over clusters.

    Parameters
    ----------
    toward, away, observations
        Shape ``(n,)`` each: counts per row (such as a pair), the first two together at most the third. They may be
        fractions: an observation that moves half of the way counts one half.
    clusters, rng, resamples, level
        As in :func:`evenhand.stats.cluster_difference`.
    method
        ``robust`` is Bonett and Price's adjusted Wald interval at the effective number of *observations*: one
        pseudo-observation for each direction. :func:`evenhand.stats.cluster_difference`, which can't know how many of a
        row's observations moved, has one pseudo-row for each; where a row has several observations, that weighs as much
        as several of them, and the interval is too wide. With one observation a row, and one row a cluster, both are
        the same. Degrees of freedom are one less than the number of clusters of one size that would weigh the same,
        ``N² / Σ N_k²`` (Kish 1965). ``percentile`` and ``bca`` are as there.

    Returns
    -------
    Estimate or Refusal
        ``n`` counts the rows with an observation. Refused below 5 clusters.

    Raises
    ------
    StatisticsError
        For arrays that differ in length, aren't finite, or hold a row with more moves than observations.

    References
    ----------
    Bonett and Price (2012), doi:10.3102/1076998611411915. Kish (1965), "Survey Sampling", for the number of clusters.

    Examples
    --------
    >>> toward, away = [2, 0, 1, 0, 0, 1, 0, 0, 0, 2], [0, 0, 1, 0, 0, 0, 0, 1, 0, 0]
    >>> estimate = cluster_net_rate(toward, away, [4] * 10, range(10), rng=np.random.default_rng(0))
    >>> round(estimate.value, 3), round(estimate.interval.low, 3), round(estimate.interval.high, 3)
    (0.1, -0.093, 0.282)
    """
    up, down, n = (
        as_numbers(name, values)
        for name, values in (("toward", toward), ("away", away), ("observations", observations))
    )
    estimate = cluster_difference(up, n, down, n, clusters, rng=rng, resamples=resamples, level=level, method=method)
    if (up + down > n + _ROUNDING).any():
        raise StatisticsError("toward and away together exceed observations: an observation counts on one side only")
    if isinstance(estimate, Refusal):
        return replace(estimate, reason=estimate.reason.replace(" under the first rate", ""))
    if method != "robust":
        return estimate
    return replace(estimate, interval=_interval(estimate.value, up, down, n, clusters, level=level))


def _interval(
    value: float,
    up: NDArray[np.float64],
    down: NDArray[np.float64],
    n: NDArray[np.float64],
    clusters: Sequence[Any] | NDArray[Any],
    *,
    level: float,
) -> Interval:
    totals = total_by_cluster(cluster_codes(clusters), [up - down, n], contributes=[1])
    count, total = totals.clusters, float(n.sum())
    square = float((up + down).sum()) / total
    residuals = totals.totals[:, 0] - value * totals.totals[:, 1]
    # As many clusters of one size as weigh the same: where a few hold most of the data, K - 1 degrees are too many.
    alike = total**2 / float(totals.copies @ totals.totals[:, 1] ** 2)
    df = max(alike - 1, 1.0)
    variance = float(totals.copies @ residuals**2) / total**2 * (df + 1) / df
    independent = (square - value**2) / total  # of as many observations, each of a cluster of its own
    single = total == count and bool(np.isin([up, down, n], (0.0, 1.0)).all())
    if independent <= 1e-24:
        deff = total / count  # nothing varies, so nothing tells how clusters differ: each is one trial
    elif single:
        deff = 1.0
    else:
        deff = shrunk_design_effect(variance / independent, clusters=count, level=level)
    effective = total / deff
    quantile = normal_quantile(level) if single else student_quantile(level, df)
    low, high = adjusted_wald_limits(value, square, effective, quantile)
    text = f"Bonett–Price for a net rate, at {effective:.4g} effective observations"
    if not single:
        text += f", t with {df:.4g} df"
    return Interval(low=low, high=high, level=level, method=text)
