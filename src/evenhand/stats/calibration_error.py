"""The expected calibration error over given bins, with an interval that noise does not push away from the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_labels, as_numbers, check_level, check_same_length
from evenhand.stats.clusters import cluster_codes, cluster_flags, refuse_few_clusters
from evenhand.stats.results import Estimate, Interval, Refusal

__all__ = ["UPWARD", "binned_calibration_error"]

UPWARD: Final = "a calibration error is never negative and grows with noise: an unbiased judge's is above 0 too"
_DRAWS: Final = 20_000
"""Normal draws for the quantile of the noise: its own error is then about 1 % of itself."""


def binned_calibration_error(
    probabilities: ArrayLike,
    labels: ArrayLike,
    bins: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    rng: np.random.Generator,
    level: float = 0.95,
) -> Estimate | Refusal:
    r"""Mean absolute gap between predicted and observed, over bins weighted by their size.

    Parameters
    ----------
    probabilities, labels
        Shape ``(n,)``: predictions from 0 to 1, and whether the event happened.
    bins
        Shape ``(n,)``: the bin of each, whole numbers from 0. They are taken as given: the interval is for the
        calibration error of these bins, not of all probabilities one by one.
    clusters
        Shape ``(n,)``; observations of one cluster aren't independent.

    Returns
    -------
    Estimate or Refusal
        Flagged as growing with noise. Refused below 5 clusters. Without an interval where no gap varies.

    Notes
    -----
    With :math:`u_b` the sum of prediction minus event in bin b, over n, the error is :math:`\sum_b |u_b|`, a norm. By
    the triangle inequality the errors of the data and of the truth differ by at most :math:`\sum_b |\hat u_b - u_b|`.
    The interval is the error plus and minus the ``level`` quantile of that noise, drawn from a normal distribution with
    the gaps' cluster-robust covariance (CR1), cut at 0 and 1. It covers at least as often as it says, also where the
    truth is 0, where the percentiles of resampled errors miss it. It is wide: that is the price.

    References
    ----------
    Guo et al. (2017), arXiv:1706.04599, for the error; Kumar, Liang and Ma (2019), arXiv:1909.10155, for its bias.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p, bins = np.tile([0.6, 0.9], 200), np.tile([0, 1], 200)
    >>> found = binned_calibration_error(p, rng.random(400) < p - 0.2, bins, np.arange(400), rng=rng)
    >>> found.interval.low < 0.2 < found.interval.high
    True
    """
    check_level(level)
    p, label = as_numbers("probabilities", probabilities), as_labels("labels", labels)
    codes, which = cluster_codes(clusters), np.asarray(bins)
    check_same_length(probabilities=p, labels=label, bins=which, clusters=codes.codes)
    n = len(p)
    if n and (which.dtype.kind not in "iu" or which.min() < 0):
        raise StatisticsError("bins must be whole numbers from 0")
    if ((p < 0) | (p > 1)).any():
        raise StatisticsError("probabilities must lie between 0 and 1")
    present = np.bincount(codes.codes, minlength=codes.size) > 0
    count = int(np.count_nonzero(present))
    refusal = refuse_few_clusters(count, n=n)
    if refusal is not None:
        return refusal
    size = int(which.max()) + 1
    gap = p - label
    mean = np.bincount(which, weights=gap, minlength=size) / n
    value = float(np.abs(mean).sum())
    covariance = _covariance(gap, which, codes.codes, size=size, clusters=count, total=codes.size)
    noise = _noise(covariance, rng=rng, level=level)
    flags = (*cluster_flags(count), UPWARD)
    if noise <= np.finfo(np.float64).eps:
        return Estimate(value=value, interval=None, n=n, clusters=count, flags=(*flags, "no gap varies: no interval"))
    return Estimate(
        value=value,
        interval=Interval(
            low=max(0.0, value - noise),
            high=min(1.0, value + noise),
            level=level,
            method=f"triangle inequality over {size} bins, cluster-robust, {count:,} clusters",
        ),
        n=n,
        clusters=count,
        flags=flags,
    )


def _covariance(
    gap: FloatArray, which: NDArray[Any], codes: NDArray[np.intp], *, size: int, clusters: int, total: int
) -> FloatArray:
    """Of the bins' mean gaps: sums over clusters of what each adds beyond its share of rows, CR1.

    A bin's gap is centred on the bin's own mean, so that clusters that differ in size alone add no noise.
    """
    n = len(gap)
    rows = np.bincount(which, minlength=size)
    mean = np.bincount(which, weights=gap, minlength=size) / np.maximum(rows, 1)
    residual = gap - mean[which]
    if clusters == n:  # one row a cluster: different bins share nothing
        squares = np.bincount(which, weights=residual**2, minlength=size)
        return np.diag(squares) * (clusters / (clusters - 1)) / n**2
    covariance = np.zeros((size, size))
    totals = [np.bincount(codes[which == b], weights=residual[which == b], minlength=total) for b in range(size)]
    for i in range(size):
        for j in range(i, size):
            covariance[i, j] = covariance[j, i] = float(totals[i] @ totals[j])
    return covariance * (clusters / (clusters - 1)) / n**2


def _noise(covariance: FloatArray, *, rng: np.random.Generator, level: float) -> float:
    """The ``level`` quantile of the summed absolute values of a normal vector."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws = np.abs(rng.standard_normal((_DRAWS, len(values))) @ root.T).sum(axis=1)
    return float(np.quantile(draws, level))
