"""The bridge from an audit's arrays to the statistics: one random stream a figure, one kind of cluster."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Measure
from evenhand.stats import (
    Estimate,
    IntervalMethod,
    Refusal,
    bootstrap_auroc,
    cluster_difference,
    cluster_mean,
    cluster_net_rate,
    cluster_rate,
)

__all__ = ["MethodChoice", "Sampler"]

Counts: TypeAlias = NDArray[Any]
MethodChoice: TypeAlias = Literal["auto"] | IntervalMethod


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sampler:
    """Makes the measures of one finding.

    Every measure has a random stream of its own, derived from the seed, the finding's scope and the measure's name.
    So adding a condition, a readout or a measure changes no other interval.

    Attributes
    ----------
    clusters
        Cluster code of each pair of the whole table.
    method
        How intervals are made; ``auto`` takes the percentile bootstrap for the difference of the two readouts and for
        pooled figures, as the paper they come from does, and the cluster-robust interval elsewhere.
    scope
        Texts that name the finding.
    """

    clusters: NDArray[np.int64]
    seed: int
    resamples: int
    level: float
    method: MethodChoice = "auto"
    scope: tuple[str, ...] = field(default=())
    bootstrap: bool = False

    def within(self, *scope: str, bootstrap: bool = False) -> Sampler:
        """The same, for the finding of that scope; ``bootstrap`` where ``auto`` means the cluster bootstrap."""
        return replace(self, scope=tuple(scope), bootstrap=bootstrap)

    def by(self, clusters: NDArray[np.int64]) -> Sampler:
        """The same, resampling other clusters."""
        return replace(self, clusters=clusters)

    @property
    def _method(self) -> IntervalMethod:
        if self.method != "auto":
            return self.method
        return "percentile" if self.bootstrap else "robust"

    def stream(self, name: str) -> np.random.Generator:
        """The random stream of a measure."""
        text = "\x1f".join((*self.scope, name)).encode("utf-8", "surrogatepass")
        words = np.frombuffer(hashlib.sha256(text).digest(), dtype=np.uint32)
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, *words.tolist()])))

    def rate(
        self,
        name: str,
        numerator: Counts,
        denominator: Counts,
        *,
        pairs: NDArray[np.int64],
        nothing: str,
        stream: str | None = None,
    ) -> Measure:
        """A share with its cluster interval.

        Parameters
        ----------
        numerator, denominator
            Counts per pair, shape (pairs,); pairs with denominator 0 don't enter.
        pairs
            Index of each pair in the whole table, to look its cluster up.
        nothing
            What there would have to be, for the refusal where every denominator is 0.
        stream
            Name of the random stream; the measure's own unless two measures are the same figure under two names.
        """
        enters = denominator > 0
        if not enters.any():
            return Measure(name=name, estimate=Refusal(reason=nothing, n=0))
        estimate = cluster_rate(
            numerator[enters].astype(np.float64),
            denominator[enters].astype(np.float64),
            self.clusters[pairs[enters]],
            rng=self.stream(stream or name),
            resamples=self.resamples,
            level=self.level,
            method=self._method,
        )
        return Measure(name=name, estimate=estimate)

    def difference(
        self,
        name: str,
        first: tuple[Counts, Counts],
        second: tuple[Counts, Counts],
        *,
        pairs: NDArray[np.int64],
        nothing: str,
    ) -> Measure:
        """A paired difference of two shares, each given as (numerator, denominator) per pair."""
        enters = (first[1] > 0) | (second[1] > 0)
        if not (first[1].any() and second[1].any()):
            return Measure(name=name, estimate=Refusal(reason=nothing, n=0))
        estimate = cluster_difference(
            first[0][enters].astype(np.float64),
            first[1][enters].astype(np.float64),
            second[0][enters].astype(np.float64),
            second[1][enters].astype(np.float64),
            self.clusters[pairs[enters]],
            rng=self.stream(name),
            resamples=self.resamples,
            level=self.level,
            method=self._method,
        )
        return Measure(name=name, estimate=estimate)

    def net(
        self, name: str, toward: Counts, away: Counts, count: Counts, *, pairs: NDArray[np.int64], nothing: str
    ) -> Measure:
        """How many more of the observations moved one way than the other: counts per pair, shape (pairs,).

        No observation is in both ``toward`` and ``away``, which is what :meth:`difference` can't know.
        """
        enters = count > 0
        if not enters.any():
            return Measure(name=name, estimate=Refusal(reason=nothing, n=0))
        estimate = cluster_net_rate(
            toward[enters].astype(np.float64),
            away[enters].astype(np.float64),
            count[enters].astype(np.float64),
            self.clusters[pairs[enters]],
            rng=self.stream(name),
            resamples=self.resamples,
            level=self.level,
            method=self._method,
        )
        return Measure(name=name, estimate=estimate)

    def mean(
        self,
        name: str,
        values: NDArray[np.float64],
        *,
        pairs: NDArray[np.int64],
        nothing: str,
        limits: tuple[float, float] | None = None,
    ) -> Measure:
        """A mean of real values, one a pair, with its cluster interval.

        Parameters
        ----------
        values, pairs
            Shape (n,); only pairs that enter.
        limits
            What a mean of such values can't leave; the interval is cut there.
        """
        if not values.size:
            return Measure(name=name, estimate=Refusal(reason=nothing, n=0))
        estimate: Estimate | Refusal = cluster_mean(
            values,
            self.clusters[pairs],
            rng=self.stream(name),
            resamples=self.resamples,
            level=self.level,
            method=self._method,
        )
        if isinstance(estimate, Estimate) and estimate.interval is not None and limits is not None:
            low, high = max(limits[0], estimate.interval.low), min(limits[1], estimate.interval.high)
            estimate = replace(estimate, interval=replace(estimate.interval, low=low, high=high))
        return Measure(name=name, estimate=estimate)

    def auroc(
        self, name: str, scores: NDArray[np.float64], labels: Counts, *, pairs: NDArray[np.int64], nothing: str
    ) -> Measure:
        """How well scores rank labels, one of each a pair, with its cluster interval."""
        if not scores.size:
            return Measure(name=name, estimate=Refusal(reason=nothing, n=0))
        estimate = bootstrap_auroc(
            scores,
            labels,
            self.clusters[pairs],
            rng=self.stream(name),
            resamples=self.resamples,
            level=self.level,
            method=self._method,
        )
        return Measure(name=name, estimate=estimate)
