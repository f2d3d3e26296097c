"""Prediction-powered rates and means: a cheap value of every unit, the costly label of a random sample of them.

The labels' own stratified mean is corrected by how the sample's cheap values differ from everybody's, with coefficients
that are estimated, for each labelled unit, from the *other* ones. So the correction of a mean has expectation 0, and
that of a ratio up to order 1/n: a useless cheap value costs precision, never validity.
docs/methods/prediction-powered.md has the derivation and the measured coverage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_labels, as_numbers, check_level, check_same_length
from evenhand.stats.clusters import cluster_codes, refuse_few_clusters
from evenhand.stats.differences import cluster_difference
from evenhand.stats.means import cluster_mean
from evenhand.stats.powered_interval import (
    BOUNDS,
    IntervalKind,
    LabelCounts,
    estimate_with_interval,
    even_labels,
)
from evenhand.stats.proportions import normal_quantile
from evenhand.stats.rates import cluster_rate
from evenhand.stats.rectifier import Rectified, Stratum, rectify
from evenhand.stats.results import Estimate, Refusal

__all__ = ["IntervalKind", "PredictionPowered", "StratumUse", "ppi_mean", "ppi_ratio"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumUse:
    """One stratum: how many units, how many of them labelled, and the weight that the cheap values got.

    Attributes
    ----------
    coefficients
        One per covariate; 0 is the classical estimate, 1 takes a cheap value at its word.
    """

    name: str
    units: int
    labelled: int
    coefficients: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionPowered:
    """A prediction-powered estimate, and what the same labels say without the cheap values.

    Attributes
    ----------
    estimate
        ``n`` is the labels' denominator, ``clusters`` the clusters with a label.
    classical
        The stratified estimate from the labels alone.
    standard_error, classical_standard_error
        Linearised; the intervals are not always symmetric around the estimate.
    units, labelled
        All units, and those with a label.
    effective_labels
        How many units, drawn at random and labelled, would give the same variance without any cheap value; at most
        ``units``. An estimate from estimated variances.
    strata
        In the order of their names.
    """

    estimate: Estimate
    classical: Estimate
    standard_error: float
    classical_standard_error: float
    units: int
    labelled: int
    effective_labels: float
    strata: tuple[StratumUse, ...]


def ppi_ratio(
    numerator: ArrayLike,
    denominator: ArrayLike | None,
    *,
    labelled: ArrayLike,
    covariates: ArrayLike,
    strata: Sequence[str] | NDArray[Any] | None = None,
    clusters: Sequence[Any] | NDArray[Any] | None = None,
    coefficient: float | None = None,
    interval: IntervalKind = "wilson",
    prior_units: float | None = None,
    level: float = 0.95,
) -> PredictionPowered | Refusal:
    """Ratio of two means, such as a rate among the units for which it is defined.

    Parameters
    ----------
    numerator, denominator
        Shape ``(n,)``: of the labelled units, in their order. Denominator 0 takes a unit out of the ratio (a missing
        verdict is never a 0); None is all ones.
    labelled
        Shape ``(N,)``, n of them true: a simple random sample of each stratum.
    covariates
        Shape ``(N,)`` or ``(N, k)``: cheap values of all units that may predict ``numerator - ratio * denominator``.
    strata
        Shape ``(N,)``, names; None is one stratum. The inclusion probability of a unit is its stratum's share labelled.
    clusters
        Shape ``(N,)``: units with one value are not independent of each other. None: each unit by itself.
    coefficient
        Weight of every covariate; None estimates one per covariate and stratum, 0 is the classical estimate.
    interval
        ``wilson`` for a rate (0 <= numerator <= denominator), at the effective number of observations; ``difference``
        for one of two rates with one denominator (-denominator <= numerator <= denominator): Bonett and Price's
        adjusted Wald at the effective number of pairs; ``student`` for other ratios.
    prior_units
        Pseudo-units per stratum, of which nothing is known, in its residual variance: of 1/4 each for a rate or a
        difference, of the labels' own variance else. They keep the interval from closing where a few labels agree with
        the cheap values, for not all need do. None is z² of the level (3.84 at .95), as many as Agresti and Coull's
        interval adds: half of them cover too seldom where the cheap values are wrong of few units.

    Returns
    -------
    PredictionPowered or Refusal
        Refused below 5 labelled clusters, and where a stratum has no label. With every unit labelled, the plain ratio.
        The interval is for the population that all N units are drawn from, as that of a full run.

    Raises
    ------
    StatisticsError
        For arrays that differ in length, aren't finite, or a numerator outside of what its ``interval`` needs.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), "PPI++", arXiv:2311.01453; Fisch et al. (2024), "Stratified
    Prediction-Powered Inference", arXiv:2406.04291; the leave-one-out coefficient is that of Wu and Gagnon-Bartsch
    (2018), doi:10.1177/0193841X18808003, for experiments; Agresti and Coull (1998), doi:10.1080/00031305.1998.10480550,
    for the pseudo-units.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> cheap = rng.random(1000) < 0.3
    >>> costly = cheap ^ (rng.random(1000) < 0.05)
    >>> labelled = np.arange(1000) < 100
    >>> result = ppi_ratio(costly[labelled], None, labelled=labelled, covariates=cheap)
    >>> round(float(costly.mean()), 3), round(result.estimate.value, 3), round(result.classical.value, 3)
    (0.308, 0.314, 0.29)
    >>> round(result.effective_labels)
    261
    """
    check_level(level)
    top = as_numbers("numerator", numerator)
    bottom = np.ones(len(top)) if denominator is None else as_numbers("denominator", denominator)
    check_same_length(numerator=top, denominator=bottom)
    if interval == "wilson" and ((top < 0).any() or (top > bottom).any()):
        raise StatisticsError("a rate's numerator must lie between 0 and its denominator; use interval='student'")
    if interval == "difference" and (np.abs(top) > bottom).any():
        raise StatisticsError("a difference's numerator must lie between -1 and 1 times its denominator")
    design = _design(labelled, covariates, strata, clusters)
    if int(design.labelled.sum()) != len(top):
        raise StatisticsError(f"{int(design.labelled.sum())} units are labelled, {len(top)} labels are given")
    refusal = _refusal(design, bottom)
    if refusal is not None:
        return refusal
    prior = normal_quantile(level) ** 2 if prior_units is None else prior_units
    result = _estimate(top, bottom, design, coefficient=coefficient, interval=interval, prior=prior, level=level)
    if not design.labelled.all():
        return result
    match interval:
        case "student":
            return result
        case "wilson":
            return _plain(result, cluster_rate(top, bottom, design.clusters, rng=np.random.default_rng(0), level=level))
        case "difference":
            plain = cluster_difference(
                np.maximum(top, 0),
                bottom,
                np.maximum(-top, 0),
                bottom,
                design.clusters,
                rng=np.random.default_rng(0),
                level=level,
            )
            return _plain(result, plain)
        case _:
            assert_never(interval)


def ppi_mean(
    values: ArrayLike,
    *,
    labelled: ArrayLike,
    covariates: ArrayLike,
    strata: Sequence[str] | NDArray[Any] | None = None,
    clusters: Sequence[Any] | NDArray[Any] | None = None,
    coefficient: float | None = None,
    prior_units: float | None = None,
    level: float = 0.95,
) -> PredictionPowered | Refusal:
    """Mean of real values, with Student's interval. Parameters, result and errors are those of :func:`ppi_ratio`.

    The estimate is exactly unbiased over the random choice of the sample, whatever the covariates.

    Examples
    --------
    >>> labelled = np.arange(40) % 4 == 0
    >>> values = np.sin(np.arange(40.0))
    >>> result = ppi_mean(values[labelled], labelled=labelled, covariates=values + 0.1 * np.cos(np.arange(40.0)))
    >>> bool(abs(result.estimate.value - values.mean()) < abs(result.classical.value - values.mean()))
    True
    """
    result = ppi_ratio(
        values,
        None,
        labelled=labelled,
        covariates=covariates,
        strata=strata,
        clusters=clusters,
        coefficient=coefficient,
        interval="student",
        prior_units=prior_units,
        level=level,
    )
    if isinstance(result, Refusal) or result.labelled < result.units:
        return result
    names = range(result.units) if clusters is None else clusters
    return _plain(result, cluster_mean(values, names, rng=np.random.default_rng(0), level=level))


def _plain(result: PredictionPowered, estimate: Estimate | Refusal) -> PredictionPowered | Refusal:
    """The result where every unit is labelled; the generator isn't used by the intervals asked for."""
    return estimate if isinstance(estimate, Refusal) else replace(result, estimate=estimate, classical=estimate)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Design:
    """Who is labelled, in which strata and clusters."""

    labelled: NDArray[np.bool_]
    clusters: NDArray[np.intp]
    strata: tuple[Stratum, ...]


def _design(
    labelled: ArrayLike,
    covariates: ArrayLike,
    strata: Sequence[str] | NDArray[Any] | None,
    clusters: Sequence[Any] | NDArray[Any] | None,
) -> _Design:
    mask = as_labels("labelled", labelled)
    columns = np.asarray(covariates)
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim != 2:
        raise StatisticsError(f"covariates must have one or two dimensions, have shape {columns.shape}")
    x = np.column_stack([as_numbers(f"covariates[:, {i}]", columns[:, i]) for i in range(columns.shape[1])])
    names = np.full(len(mask), "all") if strata is None else np.asarray(strata, dtype=np.str_)
    units = np.arange(len(mask)) if clusters is None else cluster_codes(clusters).codes
    check_same_length(labelled=mask, covariates=x, strata=names, clusters=units)
    row = np.cumsum(mask) - 1
    made = []
    for name in np.unique(names):
        members = np.flatnonzero(names == name)
        sampled = members[mask[members]]
        made.append(Stratum(name=str(name), units=members, sampled=sampled, rows=row[sampled], x=x))
    return _Design(labelled=mask, clusters=units, strata=tuple(made))


def _refusal(design: _Design, denominator: FloatArray) -> Refusal | None:
    n = round(float(denominator.sum()))
    if n == 0:
        return Refusal(reason="no observations", n=0)
    for stratum in design.strata:
        if not len(stratum.sampled):
            reason = f"stratum {stratum.name!r} has {len(stratum.units):,} units and no label"
            return Refusal(reason=f"{reason}: nothing is known of them", n=n)
    entering = np.flatnonzero(design.labelled)[denominator != 0]
    return refuse_few_clusters(len(np.unique(design.clusters[entering])), n=n, what="with a label")


def _estimate(
    top: FloatArray,
    bottom: FloatArray,
    design: _Design,
    *,
    coefficient: float | None,
    interval: IntervalKind,
    prior: float,
    level: float,
) -> PredictionPowered:
    def fit(weight: float | None) -> Rectified:
        return rectify(
            top,
            bottom,
            design.strata,
            clusters=design.clusters,
            coefficient=weight,
            bounds=BOUNDS[interval],
            prior=prior,
            level=level,
        )

    powered, classical = fit(coefficient), fit(0.0)
    entering = np.flatnonzero(design.labelled)[bottom != 0]
    counts = LabelCounts(
        observations=round(float(bottom.sum())),
        clusters=len(np.unique(design.clusters[entering])),
        even=len(entering) if len(design.strata) == 1 else even_labels(design.strata, bottom),
    )
    return PredictionPowered(
        estimate=estimate_with_interval(powered, counts, interval, name="prediction-powered", level=level),
        classical=estimate_with_interval(classical, counts, interval, name="stratified", level=level),
        standard_error=math.sqrt(powered.variance),
        classical_standard_error=math.sqrt(classical.variance),
        units=len(design.labelled),
        labelled=len(top),
        effective_labels=powered.effective_labels if powered.varies else float(len(top)),
        strata=tuple(
            StratumUse(
                name=stratum.name,
                units=len(stratum.units),
                labelled=len(stratum.sampled),
                coefficients=tuple(weights.tolist()),
            )
            for stratum, weights in zip(design.strata, powered.coefficients, strict=True)
        ),
    )
