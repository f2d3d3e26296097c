"""The cluster bootstrap: replicates of sums, and the percentile and BCa intervals read from replicates."""

from __future__ import annotations

from typing import Literal

import numpy as np

from evenhand.stats.arrays import FloatArray, IntArray
from evenhand.stats.clusters import ClusterTotals

__all__ = ["IntervalMethod", "bca_limits", "percentile_limits", "resampled_sums"]

IntervalMethod = Literal["robust", "percentile", "bca"]
"""How an interval is made: from a cluster-robust variance, or from the quantiles of a cluster bootstrap."""

# Draws held at once: 2**21 of eight bytes are 16 MB, and a handful of such arrays live together.
BLOCK_DRAWS = 1 << 21
# One cell of a multinomial costs about as much as ten uniform draws with their look-up.
_CELL_COST = 10


def resampled_sums(clusters: ClusterTotals, *, rng: np.random.Generator, resamples: int) -> FloatArray:
    """Column sums of ``resamples`` draws of K out of K clusters with replacement, shape ``(resamples, columns)``.

    Exact in distribution either way: as multinomial counts over the distinct totals where these are few, else as drawn
    clusters, in blocks of bounded memory.
    """
    if len(clusters.copies) * _CELL_COST <= clusters.clusters or len(clusters.copies) == 1:
        return _sums_by_cells(clusters, rng=rng, resamples=resamples)
    return _sums_by_draws(clusters, rng=rng, resamples=resamples)


def _sums_by_cells(clusters: ClusterTotals, *, rng: np.random.Generator, resamples: int) -> FloatArray:
    count, cells = clusters.clusters, len(clusters.copies)
    sums = np.empty((resamples, clusters.totals.shape[1]))
    step = max(1, BLOCK_DRAWS // cells)
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        drawn = rng.multinomial(count, clusters.copies / count, size=stop - start)
        sums[start:stop] = drawn @ clusters.totals
    return sums


def _sums_by_draws(clusters: ClusterTotals, *, rng: np.random.Generator, resamples: int) -> FloatArray:
    count = clusters.clusters
    columns = [np.repeat(column, clusters.copies) for column in clusters.totals.T]
    sums = np.zeros((resamples, len(columns)))
    step = max(1, BLOCK_DRAWS // count)
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        for drawn_before in range(0, count, BLOCK_DRAWS):
            draws = min(BLOCK_DRAWS, count - drawn_before)
            drawn = rng.integers(0, count, size=(stop - start, draws))
            for index, column in enumerate(columns):
                sums[start:stop, index] += column[drawn].sum(axis=1)
    return sums


def percentile_limits(replicates: FloatArray, *, level: float) -> tuple[float, float]:
    """The ``(1 ± level) / 2`` quantiles of the replicates."""
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bca_limits(
    replicates: FloatArray, *, value: float, left_out: FloatArray, copies: IntArray, level: float
) -> tuple[float, float]:
    """Bias-corrected and accelerated quantiles of the replicates.

    Parameters
    ----------
    value
        The estimate on the data.
    left_out, copies
        The estimate without one cluster, per distinct total, and how many clusters share it.

    Notes
    -----
    Replicates equal to the estimate count half in the bias correction, as they must in discrete data.

    References
    ----------
    Efron (1987), doi:10.1080/01621459.1987.10478410.
    """
    from scipy.special import ndtr, ndtri

    below = float((replicates < value).mean() + (replicates == value).mean() / 2)
    # A share of 0 or 1 would send the correction to infinity: it is known only to within one resample.
    edge = 1 / (2 * len(replicates))
    bias = float(ndtri(min(max(below, edge), 1 - edge)))
    deviation = np.average(left_out, weights=copies) - left_out
    spread = float(copies @ deviation**2)
    acceleration = float(copies @ deviation**3) / (6 * spread**1.5) if spread > 0 else 0.0
    z = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    low, high = np.quantile(replicates, ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)
