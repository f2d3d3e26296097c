"""The paired difference of two rates on the same clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
from evenhand.stats.proportions import normal_quantile, student_quantile
from evenhand.stats.rates import shrunk_design_effect
from evenhand.stats.resampling import IntervalMethod, bca_limits, percentile_limits, resampled_sums
from evenhand.stats.results import Estimate, Interval, Refusal

__all__ = ["adjusted_wald_limits", "cluster_difference"]


def cluster_difference(
    numerator_1: ArrayLike,
    denominator_1: ArrayLike | None,
    numerator_2: ArrayLike,
    denominator_2: ArrayLike | None,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    method: IntervalMethod = "robust",
) -> Estimate | Refusal:
    """Rate 1 minus rate 2, each a ratio of sums over the same rows, with an interval over clusters.

    Parameters
    ----------
    numerator_1, denominator_1, numerator_2, denominator_2
        Shape ``(n,)`` each, as in :func:`cluster_rate`; row i of both is one unit (such as a pair).
    clusters, rng, resamples, level
        As in :func:`cluster_rate`.
    method
        ``robust`` is the adjusted Wald interval of Bonett and Price at the effective number of rows, which has width
        even where all rows differ alike; ``percentile`` and ``bca`` recompute both rates in each resample of the
        clusters and fall back to ``robust`` (its name says so) where no cluster differs from another.

    Returns
    -------
    Estimate or Refusal
        ``n`` counts the rows that enter either rate.

    References
    ----------
    Bonett and Price (2012), doi:10.3102/1076998611411915.

    Examples
    --------
    >>> forced = [1, 1, 1, 1, 1, 0, 1, 1, 0, 1]
    >>> generated = [1, 0, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> estimate = cluster_difference(forced, None, generated, None, range(10), rng=np.random.default_rng(0))
    >>> round(estimate.value, 3), round(estimate.interval.low, 2), round(estimate.interval.high, 2)
    (0.5, 0.05, 0.78)
    """
    check_level(level)
    check_resamples(resamples)
    rows = _rows(numerator_1, denominator_1, numerator_2, denominator_2)
    codes = cluster_codes(clusters)
    check_same_length(numerator_1=rows[0], clusters=codes.codes)
    totals = total_by_cluster(codes, rows, contributes=[1, 3])
    entering = int(np.count_nonzero((rows[1] != 0) | (rows[3] != 0)))
    if entering == 0:
        return Refusal(reason="no observations", n=0)
    for which, column in (("first", 1), ("second", 3)):
        contributing = int(totals.copies[totals.totals[:, column] != 0].sum())
        refusal = refuse_few_clusters(contributing, n=entering, what=f"under the {which} rate" * (contributing > 0))
        if contributing == 0:
            return Refusal(reason=f"no observations under the {which} rate", n=entering)
        if refusal is not None:
            return refusal
    spread = _spread(totals, rows, entering)
    interval, flags = _interval(
        totals, spread, entering=entering, rng=rng, resamples=resamples, level=level, method=method
    )
    return Estimate(
        value=spread.value,
        interval=interval,
        n=entering,
        clusters=totals.clusters,
        flags=cluster_flags(totals.clusters) + flags,
    )


def _rows(
    numerator_1: ArrayLike, denominator_1: ArrayLike | None, numerator_2: ArrayLike, denominator_2: ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    top_1 = as_numbers("numerator_1", numerator_1)
    top_2 = as_numbers("numerator_2", numerator_2)
    bottom_1 = np.ones(len(top_1)) if denominator_1 is None else as_numbers("denominator_1", denominator_1)
    bottom_2 = np.ones(len(top_2)) if denominator_2 is None else as_numbers("denominator_2", denominator_2)
    check_same_length(numerator_1=top_1, denominator_1=bottom_1, numerator_2=top_2, denominator_2=bottom_2)
    for name, top, bottom in (("1", top_1, bottom_1), ("2", top_2, bottom_2)):
        if (top < 0).any() or (top > bottom).any():
            msg = f"numerator_{name} must lie between 0 and denominator_{name}"
            raise StatisticsError(msg)
    return top_1, bottom_1, top_2, bottom_2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spread:
    """The difference and its variance by rows and by clusters, both linearised."""

    value: float
    row_variance: float
    cluster_variance: float


def _ratio_difference(sums: FloatArray) -> FloatArray:
    """Difference of the two ratios for sums of shape ``(…, 4)``; NaN where a denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        difference: FloatArray = sums[..., 0] / sums[..., 1] - sums[..., 2] / sums[..., 3]
    return difference


def _influence(columns: Sequence[FloatArray], sums: FloatArray) -> FloatArray:
    top_1, bottom_1, top_2, bottom_2 = columns
    first = (top_1 - sums[0] / sums[1] * bottom_1) / sums[1]
    influence: FloatArray = first - (top_2 - sums[2] / sums[3] * bottom_2) / sums[3]
    return influence


def _spread(totals: ClusterTotals, rows: Sequence[FloatArray], entering: int) -> _Spread:
    sums = totals.sums
    by_row = _influence(rows, sums)
    by_cluster = _influence(list(totals.totals.T), sums)
    clusters = totals.clusters
    return _Spread(
        value=float(_ratio_difference(sums)),
        row_variance=float(by_row @ by_row) * entering / max(entering - 1, 1),
        cluster_variance=float(totals.copies @ by_cluster**2) * clusters / (clusters - 1),
    )


def _interval(
    totals: ClusterTotals,
    spread: _Spread,
    *,
    entering: int,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    method: IntervalMethod,
) -> tuple[Interval, tuple[str, ...]]:
    clusters = totals.clusters
    if method == "robust" or spread.cluster_variance <= 1e-24:
        return _adjusted_wald(spread, entering=entering, clusters=clusters, level=level), ()
    replicates = _ratio_difference(resampled_sums(totals, rng=rng, resamples=resamples))
    usable = replicates[~np.isnan(replicates)]
    lost = resamples - len(usable)
    flags = (f"{lost} of {resamples} resamples left a rate without observations",) if lost else ()
    match method:
        case "percentile":
            low, high = percentile_limits(usable, level=level)
            name = "paired percentile"
        case "bca":
            left_out = _ratio_difference(totals.sums - totals.totals)
            low, high = bca_limits(usable, value=spread.value, left_out=left_out, copies=totals.copies, level=level)
            name = "paired BCa"
        case _:
            assert_never(method)
    text = f"{name} cluster bootstrap, {clusters} clusters, {resamples:,} resamples"
    return Interval(low=low, high=high, level=level, method=text), flags


def _adjusted_wald(spread: _Spread, *, entering: int, clusters: int, level: float) -> Interval:
    """Bonett and Price's interval: one pseudo-pair for each direction of disagreement.

    With one 0/1 pair per cluster it is theirs exactly: ``(b + 1) / (n + 2)`` and ``(c + 1) / (n + 2)``.
    """
    singletons = entering == clusters
    if spread.row_variance <= 1e-24:
        deff = entering / clusters  # nothing varies, so nothing tells how clusters differ: each is one trial
    elif singletons:
        deff = 1.0
    else:
        deff = shrunk_design_effect(spread.cluster_variance / spread.row_variance, clusters=clusters, level=level)
    effective = entering / deff
    # Mean square of the difference per row: (b + c) / n for 0/1 pairs.
    square = spread.row_variance * (entering - 1) + spread.value**2
    quantile = normal_quantile(level) if singletons else student_quantile(level, clusters - 1)
    low, high = adjusted_wald_limits(spread.value, square, effective, quantile)
    text = f"Bonett–Price adjusted Wald at {effective:.4g} effective pairs"
    if not singletons:
        text += f", t with {clusters - 1} df"
    return Interval(low=low, high=high, level=level, method=text)


def adjusted_wald_limits(value: float, square: float, n: float, quantile: float) -> tuple[float, float]:
    """Bonett and Price's limits of a paired difference: ``n`` pairs, and one pseudo-pair for each direction.

    Parameters
    ----------
    value, square
        Mean and mean square of the pairs' differences, each of which lies between -1 and 1.
    n
        May be an effective, fractional number.
    """
    middle = value * n / (n + 2)
    error = math.sqrt(max((square * n + 2) / (n + 2) - middle**2, 0.0) / (n + 2))
    # The middle is drawn towards 0: at a low level, and far from 0, the limits would leave the value out.
    low, high = min(value, middle - quantile * error), max(value, middle + quantile * error)
    return max(-1.0, low), min(1.0, high)
