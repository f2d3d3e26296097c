"""Agreement of two raters beyond chance."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.stats.arrays import FloatArray, check_same_length
from evenhand.stats.results import Estimate, Refusal
from evenhand.stats.sum_bootstrap import bootstrap_of_sums

__all__ = ["bootstrap_kappa", "cohen_kappa"]


def cohen_kappa(a: Sequence[Hashable], b: Sequence[Hashable]) -> Estimate | Refusal:
    """Cohen's unweighted kappa of two raters' labels, one entry per item.

    Refused where both raters gave one and the same label to everything: chance agreement is 1 and kappa undefined.

    References
    ----------
    Cohen (1960), doi:10.1177/001316446002000104.

    Examples
    --------
    >>> cohen_kappa(["A", "A", "B", "B"], ["A", "B", "B", "B"]).value
    0.5
    """
    first, second, categories = _coded(a, b)
    n = len(first)
    if n == 0:
        return Refusal(reason="no items", n=0)
    table = np.zeros((categories, categories))
    np.add.at(table, (first, second), 1)
    observed = float(np.trace(table)) / n
    expected = float(table.sum(axis=0) @ table.sum(axis=1)) / n**2
    if expected == 1.0:
        return Refusal(reason="kappa is undefined: both raters gave one label to all items", n=n)
    return Estimate(
        value=(observed - expected) / (1 - expected), interval=None, n=n, flags=("no interval: point estimate only",)
    )


def bootstrap_kappa(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    clusters: Sequence[Any] | NDArray[Any],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> Estimate | Refusal:
    """The same, with a percentile interval over resampled clusters.

    Kappa is a function of how often the raters agree and of the two marginal counts of each label, which are sums over
    items. Refused below 5 clusters and where :func:`cohen_kappa` is; see
    :func:`evenhand.stats.sum_bootstrap.bootstrap_of_sums`.

    Examples
    --------
    >>> a, b = ["A", "A", "B", "B"] * 10, ["A", "B", "B", "B"] * 10
    >>> estimate = bootstrap_kappa(a, b, range(40), rng=np.random.default_rng(0))
    >>> estimate.value, round(estimate.interval.low, 2), round(estimate.interval.high, 2)
    (0.5, 0.27, 0.74)
    """
    point = cohen_kappa(a, b)
    if isinstance(point, Refusal):
        return point
    first, second, categories = _coded(a, b)
    agree = (first == second).astype(np.float64)
    marginals = [(codes == label).astype(np.float64) for label in range(categories) for codes in (first, second)]

    def kappa(sums: FloatArray) -> FloatArray:
        counts = sums[:, 1:]
        n = counts[:, ::2].sum(axis=1)  # every item has one label of the first rater
        expected = (counts[:, ::2] * counts[:, 1::2]).sum(axis=1) / n**2
        observed = sums[:, 0] / n
        figure = np.full(len(sums), np.nan)
        np.divide(observed - expected, 1 - expected, out=figure, where=expected < 1)
        return figure

    return bootstrap_of_sums([agree, *marginals], clusters, kappa, rng=rng, resamples=resamples, level=level)


def _coded(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
    a, b = list(a), list(b)
    check_same_length(a=a, b=b)
    codes: dict[Hashable, int] = {}
    first = np.array([codes.setdefault(label, len(codes)) for label in a], dtype=np.intp)
    second = np.array([codes.setdefault(label, len(codes)) for label in b], dtype=np.intp)
    return first, second, len(codes)
