"""Krippendorff's alpha: agreement of any number of raters beyond chance, with labels missing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, check_level, check_resamples
from evenhand.stats.clusters import cluster_codes, cluster_flags, refuse_few_clusters
from evenhand.stats.resampling import percentile_limits
from evenhand.stats.results import Estimate, Interval, Refusal

__all__ = ["AlphaLevel", "alpha_of_counts", "krippendorff_alpha"]

AlphaLevel = Literal["nominal", "ordinal"]

_MOST_UNDEFINED = 0.05


def krippendorff_alpha(
    ratings: Sequence[Sequence[Hashable | None]],
    *,
    clusters: Sequence[Any] | NDArray[Any] | None = None,
    rng: np.random.Generator,
    measurement: AlphaLevel = "nominal",
    values: Sequence[Hashable] | None = None,
    resamples: int = 1000,
    level: float = 0.95,
) -> Estimate | Refusal:
    """Agreement beyond chance of raters who each labelled some of the items.

    Parameters
    ----------
    ratings
        One sequence a rater, each with one entry an item; None where the rater gave no label. A missing label is no
        label of its own: an item with fewer than two labels does not enter.
    clusters
        Shape (items,): items of one value are not independent of each other; None takes each item for itself.
    measurement
        ``nominal`` counts any disagreement alike; ``ordinal`` by how many labels lie between the two.
    values
        All labels in their order: needed for ``ordinal``.
    resamples
        Of whole clusters of items, for the percentile interval; alpha is computed anew in each.

    Returns
    -------
    Estimate or Refusal
        ``n`` is the number of items with two labels or more. Refused without such an item, below 5 clusters of them,
        and where all labels are one and the same, for which alpha is undefined. Without interval, and flagged, where
        all agree: no resample differs.

    Raises
    ------
    StatisticsError
        Raters with another number of items; a label that ``values`` does not list.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, https://repository.upenn.edu/asc_papers/43;
    computed by the library ``krippendorff`` (Castro 2017).

    Examples
    --------
    >>> ratings = [["A", "A", "B", "B", None, "A"] * 5, ["A", "B", "B", "B", "A", "A"] * 5]
    >>> estimate = krippendorff_alpha(ratings, rng=np.random.default_rng(0))
    >>> round(estimate.value, 3), estimate.n
    (0.608, 25)
    """
    labels = _labels(ratings, values, measurement)
    return alpha_of_counts(
        _counts(ratings, labels),
        clusters=clusters,
        rng=rng,
        measurement=measurement,
        resamples=resamples,
        level=level,
    )


def alpha_of_counts(
    counts: NDArray[np.int64],
    *,
    clusters: Sequence[Any] | NDArray[Any] | None = None,
    rng: np.random.Generator,
    measurement: AlphaLevel = "nominal",
    resamples: int = 1000,
    level: float = 0.95,
) -> Estimate | Refusal:
    """The same, from how many raters gave each label to each item.

    Alpha compares labels within an item and never asks whose they are, so that the counts hold all it needs: thousands
    of raters with a few labels each take no matrix of raters and items.

    Parameters
    ----------
    counts
        Shape (items, labels); for ``ordinal`` the labels are in their order.

    Raises
    ------
    StatisticsError
        ``clusters`` of another length.

    Examples
    --------
    >>> counts = np.array([[2, 0], [1, 1], [0, 2], [0, 2], [1, 0], [2, 0]] * 5)
    >>> estimate = alpha_of_counts(counts, rng=np.random.default_rng(0))
    >>> round(estimate.value, 3), estimate.n
    (0.608, 25)
    """
    check_level(level)
    check_resamples(resamples)
    items = counts.shape[0]
    given = np.arange(items) if clusters is None else clusters
    if len(given) != items:
        msg = f"clusters must have one entry for each of the {items} items, have {len(given)}"
        raise StatisticsError(msg)
    enters = counts.sum(axis=1) >= 2
    counts = counts[enters]
    if not counts.size:
        return Refusal(reason="no item has two labels", n=0)
    n = len(counts)
    codes = np.unique(cluster_codes(given).codes[enters], return_inverse=True)[1]
    size = int(codes.max()) + 1
    refusal = refuse_few_clusters(size, n=n)
    if refusal is not None:
        return refusal
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        return Refusal(reason="alpha is undefined: all labels are one and the same", n=n)
    value = _alpha(counts, measurement)
    replicates = _replicates(counts, codes, size, measurement=measurement, rng=rng, resamples=resamples)
    usable = replicates[np.isfinite(replicates)]
    lost = 1 - len(usable) / resamples
    if lost > _MOST_UNDEFINED:
        return Refusal(reason=f"undefined in {lost * 100:.0f} % of the resamples", n=n)
    flags = cluster_flags(size)
    if lost:
        flags += (f"undefined in {lost * 100:.1f} % of the resamples, which are left out",)
    low, high = percentile_limits(usable, level=level)
    interval: Interval | None = None
    if low < high:
        text = f"percentile cluster bootstrap, {size} clusters, {resamples:,} resamples"
        interval = Interval(low=low, high=high, level=level, method=text)
    else:
        flags += ("no resample differs: no interval",)
    return Estimate(value=value, interval=interval, n=n, clusters=size, flags=flags)


def _labels(
    ratings: Sequence[Sequence[Hashable | None]], values: Sequence[Hashable] | None, measurement: AlphaLevel
) -> dict[Hashable, int]:
    if len({len(rater) for rater in ratings}) != 1:
        msg = f"raters need one entry for each item: they have {[len(rater) for rater in ratings]}"
        raise StatisticsError(msg)
    if values is None:
        if measurement == "ordinal":
            msg = "an ordinal alpha needs all labels in their order: give values"
            raise StatisticsError(msg)
        found = {label for rater in ratings for label in rater if label is not None}
        values = sorted(found, key=repr)
    labels = {label: place for place, label in enumerate(values)}
    for rater in ratings:
        for label in rater:
            if label is not None and label not in labels:
                msg = f"label {label!r} is none of {list(labels)}"
                raise StatisticsError(msg)
    return labels


def _counts(ratings: Sequence[Sequence[Hashable | None]], labels: dict[Hashable, int]) -> NDArray[np.int64]:
    """How many raters gave each label to each item, shape (items, labels)."""
    counts = np.zeros((len(ratings[0]), max(len(labels), 1)), dtype=np.int64)
    for rater in ratings:
        for item, label in enumerate(rater):
            if label is not None:
                counts[item, labels[label]] += 1
    return counts


def _alpha(counts: NDArray[np.int64], measurement: AlphaLevel) -> float:
    import krippendorff

    domain = list(range(counts.shape[1]))
    return float(krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=measurement))


def _replicates(
    counts: NDArray[np.int64],
    codes: NDArray[np.intp],
    size: int,
    *,
    measurement: AlphaLevel,
    rng: np.random.Generator,
    resamples: int,
) -> FloatArray:
    """Alpha of each resample; NaN where its labels are one and the same.

    The coincidences of labels are sums over items, so each resample is a weighted sum over clusters.
    """
    labels = counts.shape[1]
    own = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(labels)
    own = own / (counts.sum(axis=1) - 1)[:, None, None]
    sums = np.zeros((size, labels * labels))
    np.add.at(sums, codes, own.reshape(len(counts), -1))
    replicates = np.full(resamples, np.nan)
    for index in range(resamples):
        times = np.bincount(rng.integers(0, size, size), minlength=size).astype(np.float64)
        coincidences = (times @ sums).reshape(labels, labels)
        replicates[index] = _of_coincidences(coincidences, measurement)
    return replicates


def _of_coincidences(coincidences: FloatArray, measurement: AlphaLevel) -> float:
    """1 - observed / expected disagreement, as the library has it; NaN where the labels are one and the same."""
    totals = coincidences.sum(axis=0)
    if np.count_nonzero(totals > 0.5) < 2:  # totals count labels: whole numbers but for rounding
        return float("nan")
    place = np.arange(len(totals))
    if measurement == "nominal":
        distances = (place[:, None] != place).astype(np.float64)
    else:
        upto = np.concatenate([[0.0], np.cumsum(totals)])
        first, last = np.minimum(place[:, None], place), np.maximum(place[:, None], place)
        distances = (upto[last + 1] - upto[first] - (totals[:, None] + totals) / 2) ** 2
    expected = (np.outer(totals, totals) - np.diag(totals)) / (totals.sum() - 1)
    return float(1 - (coincidences * distances).sum() / (expected * distances).sum())
