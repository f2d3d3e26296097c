"""The figures of one run by themselves: every measure of drift with its interval and its standard error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Booleans, PairFacts, Scope
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.analysis.unit import ClusterBy, resampling_unit
from evenhand.analysis.wide import widen
from evenhand.audits.drift.coverage import Coverage, coverage_of, verdicts_of
from evenhand.audits.drift.measures import DRIFT_MEASURES, DriftMeasure, MeasuredOrders
from evenhand.records import Order, Readout
from evenhand.stats import Estimate, Refusal
from evenhand.stats.arrays import FloatArray
from evenhand.stats.clusters import cluster_codes

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Level", "Levels", "clustered_error", "level_estimate", "measure_levels"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One measure of one condition under one readout.

    Attributes
    ----------
    measure
        Key of DRIFT_MEASURES.
    estimate
        As an audit gives it.
    standard_error
        Cluster-robust, in the same unit; 0 where no cluster differs from another; None with a refusal.
    pairs
        That enter.
    coverage, verdicts
        How much of what was asked the measure knows, and how much has a verdict.
    """

    condition: str
    readout: Readout
    measure: str
    estimate: Estimate | Refusal
    standard_error: float | None
    pairs: int
    coverage: Coverage | None = None
    verdicts: Coverage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """All levels of a run, by condition, readout and measure; ``resampled_by`` is what one cluster is, in words."""

    levels: tuple[Level, ...]
    resampled_by: str

    def find(self, measure: str, *, condition: str, readout: Readout) -> Level | None:
        """One of them; None where there is none."""
        return next(
            (x for x in self.levels if (x.measure, x.condition, x.readout) == (measure, condition, readout)), None
        )


def measure_levels(
    table: pl.DataFrame,
    *,
    orders: MeasuredOrders = "both",
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
) -> Levels:
    """Every measure of drift in every scope of a verdict table.

    Parameters
    ----------
    table
        The columns of :func:`evenhand.records.verdict_table`.
    orders
        See :data:`evenhand.audits.drift.measures.MeasuredOrders`.
    seed, resamples, level, cluster
        As in :func:`evenhand.audits.audit_position`; measures that both make are equal.
    """
    import polars as pl

    kept = table.filter(pl.col("order") == str(Order.AB)) if orders == "AB" else table
    wide = widen(kept)
    unit = resampling_unit(wide.facts, cluster)
    sampler = Sampler(clusters=unit.clusters, seed=seed, resamples=resamples, level=level)
    levels = tuple(
        _level(measure, scope, wide.facts, sampler.within("level", scope.condition, scope.readout), orders=orders)
        for scope in wide.scopes
        for measure in DRIFT_MEASURES.values()
    )
    return Levels(levels=levels, resampled_by=unit.name)


def _level(measure: DriftMeasure, scope: Scope, facts: PairFacts, sampler: Sampler, *, orders: MeasuredOrders) -> Level:
    slotless = measure.slots and orders == "none"
    if slotless or (measure.orders and (orders != "both" or scope.single_order)):
        refusal = Refusal(reason=NO_SLOTS if orders == "none" else "needs both orders of a pair, has one", n=0)
        return Level(
            condition=scope.condition,
            readout=scope.readout,
            measure=measure.name,
            estimate=refusal,
            standard_error=None,
            pairs=0,
            verdicts=verdicts_of(scope),
        )
    seen = measure.observe(scope, facts)
    count = seen.known.sum(axis=1)
    total = np.where(seen.known, seen.values, 0.0).sum(axis=1)
    made = level_estimate(measure, seen.values, seen.known, pairs=scope.pairs, sampler=sampler)
    enters = count > 0
    error = None
    if isinstance(made, Estimate):
        clusters = sampler.clusters[scope.pairs[enters]]
        error = measure.scale * clustered_error(total[enters], count[enters].astype(np.float64), clusters)
    return Level(
        condition=scope.condition,
        readout=scope.readout,
        measure=measure.name,
        estimate=made,
        standard_error=error,
        pairs=int(np.count_nonzero(enters)),
        coverage=coverage_of(measure, scope, facts, seen.known),
        verdicts=verdicts_of(scope),
    )


def level_estimate(
    measure: DriftMeasure,
    values: FloatArray,
    known: Booleans,
    *,
    pairs: NDArray[np.int64],
    sampler: Sampler,
    stream: str | None = None,
) -> Estimate | Refusal:
    """A measure's figure with its interval, made as the audit makes it.

    Parameters
    ----------
    values, known
        Of :class:`evenhand.audits.drift.measures.Observed`, row i of them the pair ``pairs[i]``.
    stream
        Name of the random stream, where it isn't the measure's own.
    """
    count = known.sum(axis=1)
    if measure.directed:
        # The share of 1 (first-slot locks) minus the share of 0 (second-slot locks).
        first, second = ((known & (values == side)).sum(axis=1) for side in (1.0, 0.0))
        return sampler.difference(
            measure.name, (first, count), (second, count), pairs=pairs, nothing=measure.needs
        ).estimate
    total = np.where(known, values, 0.0).sum(axis=1)
    return sampler.rate(measure.name, total, count, pairs=pairs, nothing=measure.needs, stream=stream).estimate


def clustered_error(numerator: FloatArray, denominator: FloatArray, clusters: NDArray[np.int64]) -> float:
    """Standard error of the ratio of two sums over clusters, linearised, with the K / (K - 1) of a sample variance.

    Parameters
    ----------
    numerator, denominator, clusters
        Shape (n,); every denominator above 0, at least two clusters.

    References
    ----------
    Cochran (1977), Sampling Techniques, 3rd ed., section 2.11.

    Examples
    --------
    >>> round(clustered_error(np.array([1.0, 0, 0, 0]), np.ones(4), np.arange(4)), 4)
    0.25
    """
    ratio = numerator.sum() / denominator.sum()
    codes = cluster_codes(clusters)
    sums = np.bincount(codes.codes, weights=numerator - ratio * denominator, minlength=codes.size)
    count = len(np.unique(codes.codes))
    return math.sqrt(count / (count - 1) * float(sums @ sums)) / float(denominator.sum())
