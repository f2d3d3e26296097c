"""The expected calibration error over given bins, and the mean gap, with intervals that hold where events are rare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_labels, as_numbers, check_level, check_same_length
from evenhand.stats.clusters import ClusterCodes, cluster_codes, cluster_flags, refuse_few_clusters
from evenhand.stats.proportions import clopper_pearson, student_quantile, wilson_limits
from evenhand.stats.rates import shrunk_design_effect
from evenhand.stats.results import Estimate, Interval, Refusal

__all__ = ["UPWARD", "binned_calibration_error", "calibration_gap"]

UPWARD: Final = "a calibration error is never negative and grows with noise: an unbiased judge's is above 0 too"
_PSEUDO: Final = 3.84
"""Observations that a bin's rate is shrunk by: z² at 95 %, as many as Wilson's interval has."""
_DRAWS: Final = 5_000
"""Draws for the quantile of the noise: its own error is then about 1 % of itself."""


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
        Flagged as growing with noise. Refused below 5 clusters.

    Notes
    -----
    With :math:`u_b` the sum of prediction minus event in bin b, over n, the error is :math:`\sum_b |u_b|`, a norm. By
    the triangle inequality the errors of the data and of the truth differ by at most :math:`\sum_b |\hat u_b - u_b|`.
    The interval is the error plus and minus the ``level`` quantile of that noise, drawn from Student's distribution
    with the gaps' cluster-robust covariance, cut at 0 and 1. It covers at least as often as it says, also where the
    truth is 0, where the percentiles of resampled errors miss it. It is wide: that is the price.

    References
    ----------
    Guo et al. (2017), arXiv:1706.04599, for the error; Kumar, Liang and Ma (2019), arXiv:1909.10155, for its bias.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> p, bins = np.tile([0.6, 0.9], 200), np.tile([0, 1], 200)
    >>> found = binned_calibration_error(p, rng.random(400) < p - 0.2, bins, np.arange(400), rng=rng)
    >>> found.interval.low < 0.2 < found.interval.high
    True
    """
    check_level(level)
    which = np.asarray(bins)
    data = _Data.read(probabilities, labels, clusters)
    check_same_length(probabilities=data.p, bins=which)
    n, count, codes, label = len(data.p), data.count, data.codes, data.label
    if n and (which.dtype.kind not in "iu" or which.min() < 0):
        raise StatisticsError("bins must be whole numbers from 0")
    refusal = refuse_few_clusters(count, n=n)
    if refusal is not None:
        return refusal
    size = int(which.max()) + 1
    gap = data.p - label
    mean = np.bincount(which, weights=gap, minlength=size) / n
    value = float(np.abs(mean).sum())
    covariance = _covariance(gap, label, which, codes.codes, size=size, total=codes.size)
    noise = _noise(covariance, clusters=count, rng=rng, level=level)
    flags = (*cluster_flags(count), UPWARD)
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


def calibration_gap(
    probabilities: ArrayLike, labels: ArrayLike, clusters: Sequence[Any] | NDArray[Any], *, level: float = 0.95
) -> Estimate | Refusal:
    """Mean prediction minus share of events: above 0 where predictions are too high.

    Parameters
    ----------
    probabilities, labels, clusters
        As for :func:`binned_calibration_error`.

    Returns
    -------
    Estimate or Refusal
        Refused below 5 clusters.

    Notes
    -----
    The mean prediction minus Wilson's interval of the share, at as many observations as have the gaps' own
    cluster-robust variance; at a share of 0 or 1 Clopper-Pearson's with each cluster as one trial. A plain interval of
    the mean gap says next to nothing where nearly all predictions are sure and nearly all events happen: the gaps
    hardly differ then, and their spread knows nothing of the events that a larger sample would miss.

    Examples
    --------
    >>> sure = calibration_gap([0.99] * 60, [True] * 60, range(60))
    >>> round(sure.value, 3), round(sure.interval.low, 3), round(sure.interval.high, 3)
    (-0.01, -0.01, 0.05)
    """
    check_level(level)
    data = _Data.read(probabilities, labels, clusters)
    n, count = len(data.p), data.count
    refusal = refuse_few_clusters(count, n=n)
    if refusal is not None:
        return refusal
    gap, predicted, share = data.p - data.label, float(data.p.mean()), float(data.label.mean())
    if share in (0.0, 1.0):
        exact = clopper_pearson(count if share == 1.0 else 0, count, level)
        low, high, method = exact.low, exact.high, f"Clopper–Pearson, each of {count:,} clusters as one trial"
    else:
        sums = np.bincount(data.codes.codes, weights=gap - gap.mean(), minlength=data.codes.size)
        variance = count / (count - 1) * float(sums @ sums) / n**2
        deff = shrunk_design_effect(variance * n / (share * (1 - share)), clusters=count, level=level)
        low, high = wilson_limits(share, n / deff, student_quantile(level, count - 1))
        method = f"Wilson score of the share at {n / deff:.4g} effective observations"
    interval = Interval(low=predicted - high, high=predicted - low, level=level, method=method)
    return Estimate(value=predicted - share, interval=interval, n=n, clusters=count, flags=cluster_flags(count))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Data:
    """Predictions, events and clusters, checked; ``count`` clusters have a row."""

    p: FloatArray
    label: NDArray[np.bool_]
    codes: ClusterCodes
    count: int

    @classmethod
    def read(cls, probabilities: ArrayLike, labels: ArrayLike, clusters: Sequence[Any] | NDArray[Any]) -> _Data:
        p, label = as_numbers("probabilities", probabilities), as_labels("labels", labels)
        codes = cluster_codes(clusters)
        check_same_length(probabilities=p, labels=label, clusters=codes.codes)
        if ((p < 0) | (p > 1)).any():
            raise StatisticsError("probabilities must lie between 0 and 1")
        present = np.bincount(codes.codes, minlength=codes.size) > 0
        return cls(p=p, label=label, codes=codes, count=int(np.count_nonzero(present)))


def _covariance(
    gap: FloatArray, label: NDArray[np.bool_], which: NDArray[Any], codes: NDArray[np.intp], *, size: int, total: int
) -> FloatArray:
    """Of the bins' mean gaps: sums over clusters of what each adds beyond its share of rows.

    A bin's gap is centred on the bin's own mean, so that clusters that differ in size alone add no noise. What that
    takes from the squares is given back bin by bin, K / (K - 1) with its own clusters. A bin of few events, or of
    almost none that isn't one, varies more than it shows: its binomial variance is that of a rate with z² more
    observations, half of them events, as in Wilson's interval.
    """
    from scipy.sparse import coo_array

    n = len(gap)
    rows = np.bincount(which, minlength=size)
    residual = gap - (np.bincount(which, weights=gap, minlength=size) / np.maximum(rows, 1))[which]
    # Sparse: a cluster has rows in few bins, and there may be millions of clusters. Cells that repeat are summed.
    totals = coo_array((residual, (codes, which)), shape=(total, size)).tocsr()  # one entry for each bin of a cluster
    own = np.bincount(totals.indices, minlength=size)
    factor = np.sqrt(own / np.maximum(own - 1, 0.5))
    covariance: FloatArray = (totals.T @ totals).toarray() * np.outer(factor, factor)
    events = np.bincount(which, weights=label, minlength=size)
    rate = events / np.maximum(rows, 1)
    shrunk = (events + _PSEUDO / 2) / (rows + _PSEUDO)
    missing = np.maximum(shrunk * (1 - shrunk) - rate * (1 - rate), 0.0)
    return (covariance + np.diag(rows * missing)) / n**2


def _noise(covariance: FloatArray, *, clusters: int, rng: np.random.Generator, level: float) -> float:
    """The ``level`` quantile of the summed absolute values of a vector with Student's t at clusters - 1."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws = np.abs(rng.standard_normal((_DRAWS, len(values))) @ root.T).sum(axis=1)
    scale = np.sqrt(rng.chisquare(clusters - 1, _DRAWS) / (clusters - 1))
    return float(np.quantile(draws / scale, level))
