"""Clusters by the two labels that a ranking compares, and the intervals where a ranking leaves nothing to resample."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.stats.clusters import SAFE_CLUSTERS, ClusterCodes, refuse_few_clusters
from evenhand.stats.proportions import clopper_pearson, normal_quantile
from evenhand.stats.ranking import Ranking
from evenhand.stats.results import Interval, Refusal

__all__ = ["Sides", "no_discordance_interval", "perfect_ranking_interval", "sides"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Clusters at all, and with a compared positive and negative."""

    size: int
    positive: int
    negative: int

    @property
    def smaller(self) -> int:
        """Clusters with the rarer label."""
        return min(self.positive, self.negative)

    @property
    def flags(self) -> tuple[str, ...]:
        """The warning below :data:`SAFE_CLUSTERS` clusters with the rarer label."""
        if self.smaller >= SAFE_CLUSTERS:
            return ()
        return (f"fewer than {SAFE_CLUSTERS} clusters with the rarer label ({self.smaller})",)

    def refusal(self, n: int) -> Refusal | None:
        """The refusal below 5 clusters of either label."""
        for count, what in ((self.positive, "with a positive"), (self.negative, "with a negative")):
            refusal = refuse_few_clusters(count, n=n, what=what)
            if refusal is not None:
                return refusal
        return None


def sides(ranking: Ranking, codes: ClusterCodes) -> Sides:
    """Count the clusters of a ranking's compared rows, by label."""

    def count(rows: list[NDArray[np.intp]]) -> int:
        seen = np.zeros(codes.size, dtype=bool)
        for row in rows:
            seen[codes.codes[row]] = True
        return int(seen.sum())

    every = np.zeros(codes.size, dtype=bool)
    every[codes.codes] = True
    return Sides(
        size=int(every.sum()),
        positive=count([s.positives for s in ranking.strata]),
        negative=count([s.negatives for s in ranking.strata]),
    )


def perfect_ranking_interval(value: float, clusters: int, level: float) -> Interval:
    """Clopper–Pearson's interval at an AUROC of 0 or 1, each cluster of the rarer label a trial.

    Examples
    --------
    >>> round(perfect_ranking_interval(1.0, 10, 0.95).low, 4)
    0.6915
    """
    exact = clopper_pearson(clusters if value == 1.0 else 0, clusters, level)
    text = f"Clopper–Pearson at an AUROC of {value:g}, each of {clusters} clusters of the rarer label a trial"
    return Interval(low=exact.low, high=exact.high, level=level, method=text)


def no_discordance_interval(value: float, clusters: int, level: float) -> Interval:
    """Bonett and Price's interval for two rankings that never differ, each cluster of the rarer label a pair.

    References
    ----------
    Bonett and Price (2012), doi:10.3102/1076998611411915.
    """
    centre = value * clusters / (clusters + 2)
    half = normal_quantile(level) * math.sqrt(2) / (clusters + 2)
    return Interval(
        low=max(-1.0, centre - half),
        high=min(1.0, centre + half),
        level=level,
        method=f"Bonett–Price adjusted Wald without discordance, {clusters} clusters of the rarer label as pairs",
    )
