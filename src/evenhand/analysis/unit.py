"""The resampling unit of an audit: sources where there are enough of them, else question groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import PairFacts
from evenhand.errors import ConfigError

__all__ = ["ENOUGH_SOURCES", "ClusterBy", "ResamplingUnit", "resampling_unit"]

ClusterBy: TypeAlias = Literal["auto", "group", "source"]

ENOUGH_SOURCES = 30
"""From so many sources on they are the resampling unit: with fewer than about 30 clusters, cluster-robust intervals are
too narrow (Cameron, Gelbach & Miller 2008, https://doi.org/10.1162/rest.90.3.414)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResamplingUnit:
    """What one cluster is: its name in words, the code of each pair, and how many there are."""

    name: str
    clusters: NDArray[np.int64]
    count: int

    def sentence(self, facts: PairFacts) -> str:
        """What the intervals describe, for a note of the audit."""
        sources = (
            "1 source (or name none): the intervals describe it and no other."
            if facts.n_sources == 1
            else f"{facts.n_sources:,} sources: the intervals describe those and no others."
        )
        return f"Intervals resample by {self.name} ({self.count:,} of them). The pairs come from {sources}"


def resampling_unit(facts: PairFacts, cluster: ClusterBy) -> ResamplingUnit:
    """The clusters of every pair.

    Parameters
    ----------
    cluster
        ``source``, ``group`` (question group), or ``auto``: source where there are at least 30 of them.

    Raises
    ------
    ConfigError
        Another word than these.
    """
    if cluster not in ("auto", "group", "source"):
        raise ConfigError(f"cluster is {cluster!r}: expected auto, group or source")
    if cluster == "source" or (cluster == "auto" and facts.n_sources >= ENOUGH_SOURCES):
        return ResamplingUnit(name="source", clusters=facts.source, count=facts.n_sources)
    return ResamplingUnit(name="question group", clusters=facts.group, count=facts.n_groups)
