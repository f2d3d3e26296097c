"""The percentile bootstrap over clusters of any figure that is a function of sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.stats.arrays import FloatArray, as_numbers, check_level, check_resamples, check_same_length
from evenhand.stats.clusters import cluster_codes, cluster_flags, refuse_few_clusters, total_by_cluster
from evenhand.stats.resampling import percentile_limits, resampled_sums
from evenhand.stats.results import Estimate, Interval, Refusal

__all__ = ["bootstrap_of_sums"]

_MOST_UNDEFINED = 0.05


def bootstrap_of_sums(
    columns: Sequence[ArrayLike],
    clusters: Sequence[Any] | NDArray[Any],
    statistic: Callable[[FloatArray], FloatArray],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> Estimate | Refusal:
    """A function of column sums, with a percentile interval over resampled clusters.

    Parameters
    ----------
    columns
        Finite arrays of shape ``(n,)``, at least one.
    clusters
        Shape ``(n,)``; a cluster whose columns are all 0 throughout still is one.
    statistic
        From sums of shape ``(m, columns)`` to figures of shape ``(m,)``; NaN where undefined.

    Returns
    -------
    Estimate or Refusal
        Refused below 5 clusters, where the figure itself is undefined, and where it is in more than 5 % of the
        resamples; a smaller share is left out and flagged. Without an interval, and flagged, where all resamples agree.

    References
    ----------
    Field and Welsh (2007), bootstrapping clustered data, doi:10.1111/j.1467-9868.2007.00593.x.

    Examples
    --------
    >>> estimate = bootstrap_of_sums(
    ...     [[1, 0, 2, 1, 1, 3], [2, 2, 4, 1, 2, 3]], [0, 1, 2, 3, 4, 4], lambda s: s[:, 0] / s[:, 1],
    ...     rng=np.random.default_rng(0))
    >>> round(estimate.value, 3), estimate.clusters
    (0.571, 5)
    """
    check_level(level)
    check_resamples(resamples)
    numbers = [as_numbers(f"columns[{index}]", column) for index, column in enumerate(columns)]
    codes = cluster_codes(clusters)
    check_same_length(clusters=codes.codes, **{f"columns[{index}]": column for index, column in enumerate(numbers)})
    n = len(codes.codes)
    # The column of ones keeps clusters whose sums are all 0.
    totals = total_by_cluster(codes, [*numbers, None], contributes=[len(numbers)])
    refusal = refuse_few_clusters(totals.clusters, n=n)
    if refusal is not None:
        return refusal
    value = float(statistic(totals.sums[None, :-1])[0])
    if not np.isfinite(value):
        return Refusal(reason="undefined for these data", n=n)
    replicates = statistic(resampled_sums(totals, rng=rng, resamples=resamples)[:, :-1])
    finite = replicates[np.isfinite(replicates)]
    undefined = 1 - len(finite) / resamples
    if undefined > _MOST_UNDEFINED:
        return Refusal(reason=f"undefined in {undefined * 100:.0f} % of the resamples", n=n)
    flags = cluster_flags(totals.clusters)
    if undefined:
        flags += (f"undefined in {undefined * 100:.1f} % of the resamples, which are left out",)
    low, high = percentile_limits(finite, level=level)
    if low == high:
        return Estimate(
            value=value,
            interval=None,
            n=n,
            clusters=totals.clusters,
            flags=(*flags, "no resample differs: no interval"),
        )
    text = f"percentile cluster bootstrap, {totals.clusters} clusters, {resamples:,} resamples"
    interval = Interval(low=low, high=high, level=level, method=text)
    return Estimate(value=value, interval=interval, n=n, clusters=totals.clusters, flags=flags)
