"""How many events lie among the units of lowest score: a share of the events, or of the units that stay wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_labels, as_numbers, check_level, check_same_length
from evenhand.stats.clusters import ClusterCodes, cluster_codes, cluster_flags, refuse_few_clusters
from evenhand.stats.proportions import clopper_pearson, student_quantile, wilson_limits
from evenhand.stats.rates import shrunk_design_effect
from evenhand.stats.results import Estimate, Interval, Refusal

__all__ = ["CapturePoint", "capture_curve"]

_SLOPE: Final = 0.05
"""Share of the units on either side of a threshold whose events tell how dense events are there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturePoint:
    """The units whose score is at most ``threshold``: their share of all, and the figure."""

    share: float
    threshold: float
    figure: Estimate


def capture_curve(
    scores: ArrayLike,
    events: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    shares: Sequence[float],
    of: Literal["events", "units"] = "events",
    level: float = 0.95,
) -> tuple[CapturePoint, ...] | Refusal:
    r"""Take the units of lowest score first: what that comes to at some shares of the units.

    Parameters
    ----------
    scores, events
        Shape ``(n,)``: what units are ranked by, and whether each is an event.
    clusters
        Shape ``(n,)``; units of one cluster aren't independent.
    shares
        From 0 to 1, of units taken. Units of equal score are taken together, so a point's own share may be larger;
        equal points are given once.
    of
        ``events``: the share of all events that is among the units taken. ``units``: the share of all units that is
        either taken or no event.

    Returns
    -------
    tuple of CapturePoint or Refusal
        Refused without an event and below 5 clusters (of ``events``: clusters with an event).

    Notes
    -----
    The threshold is a quantile of the same scores, so it varies with the sample. For the share of events, unit i adds
    :math:`e_i (c_i - F) / P - \lambda (c_i - s)` to the estimate's error, where :math:`c_i` says whether it is taken,
    s which share is, F is the figure, P the share of events and :math:`\lambda` the slope of the curve; for the share
    of units, :math:`R - e_i (1 - c_i) - \mu (c_i - s)` with R the share of events that are not taken and :math:`\mu`
    the share of events near the threshold. Summed by cluster their squares give the variance (CR1), and Wilson's
    interval at as many observations as have that variance; at a figure of 0 or 1 Clopper-Pearson's with each cluster as
    one trial. Intervals are pointwise.

    References
    ----------
    Hsieh and Turnbull (1996), doi:10.1214/aos/1033066197, for the two terms, of an ROC curve at a given false-positive
    rate.

    Examples
    --------
    >>> points = capture_curve(range(40), [True] * 8 + [False, True] * 16, range(40), shares=(0.25, 0.5))
    >>> [(point.share, round(point.figure.value, 3)) for point in points]
    [(0.25, 0.375), (0.5, 0.583)]
    """
    check_level(level)
    score, event = as_numbers("scores", scores), as_labels("events", events)
    codes = cluster_codes(clusters)
    check_same_length(scores=score, events=event, clusters=codes.codes)
    if any(not 0.0 <= share <= 1.0 for share in shares):
        raise StatisticsError("shares must lie between 0 and 1")
    n, total = len(score), int(np.count_nonzero(event))
    if total == 0:
        return Refusal(reason="needs at least 1 event, has 0", n=n)
    with_events = codes.codes[event] if of == "events" else codes.codes
    count = int(np.count_nonzero(np.bincount(with_events)))
    refusal = refuse_few_clusters(count, n=n, what="with an event" if of == "events" else "")
    if refusal is not None:
        return refusal
    ranked = _Ranked.of(score, event, codes)
    made: list[CapturePoint] = []
    sums = _Sums.none(ranked)
    for threshold in sorted({ranked.threshold(share) for share in shares}):
        sums = sums.upto(ranked.below(threshold), ranked)
        figure = _figure(sums, ranked, clusters=count, of=of, level=level)
        made.append(CapturePoint(share=sums.taken / n, threshold=threshold, figure=figure))
    return tuple(made)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Ranked:
    """Units in the order of their scores, and totals of their clusters.

    Attributes
    ----------
    scores, events, clusters
        Shape (n,).
    found
        How many events lie at or before each unit, shape (n,).
    rows, total
        Units and events of each cluster, shape (clusters,).
    """

    scores: FloatArray
    events: NDArray[np.bool_]
    clusters: NDArray[np.intp]
    found: NDArray[np.int64]
    rows: NDArray[np.int64]
    total: NDArray[np.int64]

    @classmethod
    def of(cls, scores: FloatArray, events: NDArray[np.bool_], codes: ClusterCodes) -> _Ranked:
        order = np.argsort(scores, kind="stable")
        ordered, clusters = events[order], codes.codes[order]
        return cls(
            scores=scores[order],
            events=ordered,
            clusters=clusters,
            found=np.cumsum(ordered, dtype=np.int64),
            rows=np.bincount(clusters, minlength=codes.size),
            total=np.bincount(clusters[ordered], minlength=codes.size),
        )

    def threshold(self, share: float) -> float:
        """The least score at or below which at least that share of the units lies; below all of them at 0."""
        taken = int(np.ceil(share * len(self.scores) - 1e-9))
        return -np.inf if taken == 0 else float(self.scores[taken - 1])

    def below(self, threshold: float) -> int:
        """Units at or below a threshold."""
        return int(np.searchsorted(self.scores, threshold, side="right"))

    def density(self, share: float) -> float:
        """Share of events among units near the one at that share."""
        last = len(self.scores)
        low = min(self.below(self.threshold(max(0.0, share - _SLOPE))), last - 1)
        high = max(self.below(self.threshold(min(1.0, share + _SLOPE))), low + 1)
        before = int(self.found[low - 1]) if low else 0
        return (int(self.found[high - 1]) - before) / (high - low)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sums:
    """Of the units of lowest score: how many, and how many units and events of each cluster are among them."""

    taken: int
    rows: NDArray[np.int64]
    found: NDArray[np.int64]

    @classmethod
    def none(cls, ranked: _Ranked) -> _Sums:
        return cls(taken=0, rows=np.zeros_like(ranked.rows), found=np.zeros_like(ranked.total))

    def upto(self, taken: int, ranked: _Ranked) -> _Sums:
        """With the next units too: each unit is added once over a whole curve."""
        more, events = ranked.clusters[self.taken : taken], ranked.events[self.taken : taken]
        return _Sums(
            taken=taken,
            rows=self.rows + np.bincount(more, minlength=len(self.rows)),
            found=self.found + np.bincount(more[events], minlength=len(self.found)),
        )


def _figure(sums: _Sums, ranked: _Ranked, *, clusters: int, of: Literal["events", "units"], level: float) -> Estimate:
    n, total, found = len(ranked.scores), int(ranked.found[-1]), int(sums.found.sum())
    share = sums.taken / n
    density = ranked.density(share)
    beyond = sums.rows - share * ranked.rows
    if of == "events":
        count, base = found, total
        value = count / base
        influence = (n / total) * (sums.found - value * ranked.total - density * beyond)
    else:
        count, base = n - (total - found), n
        value = count / base
        influence = (1 - value) * ranked.rows - (ranked.total - sums.found) - density * beyond
    variance = clusters / (clusters - 1) * float(influence @ influence) / n**2
    interval = _interval(value, base=base, variance=variance, clusters=clusters, level=level)
    return Estimate(
        value=value, interval=interval, n=base, count=count, clusters=clusters, flags=cluster_flags(clusters)
    )


def _interval(value: float, *, base: int, variance: float, clusters: int, level: float) -> Interval:
    if value in (0.0, 1.0):
        exact = clopper_pearson(clusters if value == 1.0 else 0, clusters, level)
        text = f"Clopper–Pearson at {value:g}, each of {clusters} clusters as one trial"
        return Interval(low=exact.low, high=exact.high, level=level, method=text)
    deff = shrunk_design_effect(variance * base / (value * (1 - value)), clusters=clusters, level=level)
    effective = base / deff
    low, high = wilson_limits(value, effective, student_quantile(level, clusters - 1))
    text = f"Wilson score at {effective:.4g} effective observations, threshold estimated, pointwise"
    return Interval(low=low, high=high, level=level, method=text)
