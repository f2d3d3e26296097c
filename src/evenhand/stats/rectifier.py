"""The arithmetic of a prediction-powered ratio: leave-one-out coefficients, the correction, and its variance.

Notation as in docs/methods/prediction-powered.md: e = numerator - ratio * denominator, x the covariates, h a stratum
with N_h units of which n_h are labelled, W_h = N_h / N.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.stats.arrays import FloatArray
from evenhand.stats.rates import shrunk_design_effect

__all__ = ["RIDGE", "Rectified", "Stratum", "rectify"]

RIDGE = 2.0
"""Pseudo-units that draw each stratum's coefficient towards the one over all strata, and that one towards 0. With 10
labels, a useless covariate's noise falls by a third so. Chosen by simulation."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stratum:
    """The units of a stratum and its labelled ones.

    Attributes
    ----------
    units, sampled
        Indices of all and of the labelled units among all N.
    rows
        Indices of the labelled units among the n labels.
    x
        Covariates of all N units, shape (N, k).
    """

    name: str
    units: NDArray[np.intp]
    sampled: NDArray[np.intp]
    rows: NDArray[np.intp]
    x: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rectified:
    """A corrected ratio.

    Attributes
    ----------
    variance
        Of the ratio, over populations and samples.
    df
        Degrees of freedom of that variance (Satterthwaite), at most the labels less one.
    effective_labels
        Size of a plain random sample, labelled without covariates, that has the same variance.
    coefficients
        Per stratum, from all of its labels, shape (k,).
    varies
        Whether any label differs from the ratio.
    clipped
        Whether the corrected ratio lay outside of its bounds.
    spread
        Variance of one label around the ratio, per denominator.
    """

    value: float
    variance: float
    df: float
    effective_labels: float
    coefficients: tuple[FloatArray, ...]
    varies: bool
    clipped: bool
    spread: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Weights:
    """Coefficients of a stratum: from all of its labels, shape (k,), and without each label in turn, (n, k)."""

    full: FloatArray
    left_out: FloatArray


def rectify(
    numerator: FloatArray,
    denominator: FloatArray,
    strata: Sequence[Stratum],
    *,
    clusters: NDArray[np.intp],
    coefficient: float | None,
    bounds: tuple[float, float] | None,
    prior: float,
    level: float,
) -> Rectified:
    """Estimate the ratio and its variance.

    Parameters
    ----------
    numerator, denominator
        Of the labelled units; every stratum has at least one, and the denominators aren't all 0.
    coefficient
        Fixed weight of every covariate; None estimates.
    bounds
        What the ratio can't leave: 0 and 1 for a rate, -1 and 1 for a difference of two; None where nothing.
    """
    total = sum(len(s.units) for s in strata)
    shares = [len(s.units) / total for s in strata]
    below = _stratified(denominator, strata, shares)
    classical = _stratified(numerator, strata, shares) / below
    deviation = numerator - classical * denominator
    weights = _weights(strata, deviation, coefficient)
    correction = sum(w * _correction(s, c) for w, s, c in zip(shares, strata, weights, strict=True))
    value = classical + correction / below
    inside = value if bounds is None else min(bounds[1], max(bounds[0], value))
    return _with_variance(
        inside,
        numerator - inside * denominator,
        strata,
        weights,
        clusters=clusters,
        below=below,
        prior=prior,
        level=level,
        # A yes or no varies most at one half. Taking the rate's own variance under-covers where events are rare.
        unknown=None if bounds is None else 0.25 * _stratified(denominator**2, strata, shares),
        clipped=inside != value,
    )


def _stratified(values: FloatArray, strata: Sequence[Stratum], shares: Sequence[float]) -> float:
    if all(len(s.sampled) == len(s.units) for s in strata):
        return float(values.mean())  # every unit: the plain mean, free of the rounding of shares
    return float(sum(w * values[s.rows].mean() for w, s in zip(shares, strata, strict=True)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Moments:
    """Centred sums of squares and products of a stratum's labels, and the same without each label in turn.

    Attributes
    ----------
    spread
        Variance of each covariate over all units of the stratum, shape (k,).
    xx, xe
        Shapes (k, k) and (k,).
    rest_xx, rest_xe
        Shapes (n, k, k) and (n, k).
    """

    spread: FloatArray
    xx: FloatArray
    xe: FloatArray
    rest_xx: FloatArray
    rest_xe: FloatArray


def _moments(stratum: Stratum, deviation: FloatArray) -> _Moments:
    n, k = len(stratum.rows), stratum.x.shape[1]
    everyone = stratum.x[stratum.units]
    if n < 2:
        nothing = np.zeros((n, k, k)), np.zeros((n, k))
        return _Moments(
            spread=everyone.var(axis=0),
            xx=np.zeros((k, k)),
            xe=np.zeros(k),
            rest_xx=nothing[0],
            rest_xe=nothing[1],
        )
    x = stratum.x[stratum.sampled]
    x, e = x - x.mean(axis=0), deviation - deviation.mean()
    xx, xe = x.T @ x, x.T @ e
    # Leaving a label out moves the mean as well: n / (n - 1) of its own product goes.
    factor = n / (n - 1)
    return _Moments(
        spread=everyone.var(axis=0),
        xx=xx,
        xe=xe,
        rest_xx=xx - factor * x[:, :, None] * x[:, None, :],
        rest_xe=xe - factor * x * e[:, None],
    )


def _weights(strata: Sequence[Stratum], deviation: FloatArray, fixed: float | None) -> list[_Weights]:
    """Ridge regression of the deviation on the covariates in each stratum, drawn towards that over all strata."""
    k = strata[0].x.shape[1]
    if fixed is not None:
        return [_Weights(full=np.full(k, fixed), left_out=np.full((len(s.rows), k), fixed)) for s in strata]
    moments = [_moments(s, deviation[s.rows]) for s in strata]
    all_xx, all_xe = np.sum([m.xx for m in moments], axis=0), np.sum([m.xe for m in moments], axis=0)
    spread = np.average([m.spread for m in moments], axis=0, weights=[len(s.units) for s in strata])
    weights = []
    for m in moments:
        pooled = _solve(all_xx, all_xe, spread, towards=np.zeros(k))
        rest = _solve(all_xx - m.xx + m.rest_xx, all_xe - m.xe + m.rest_xe, spread, towards=np.zeros(k))
        weights.append(
            _Weights(
                full=_solve(m.xx, m.xe, m.spread, towards=pooled),
                left_out=_solve(m.rest_xx, m.rest_xe, m.spread, towards=rest),
            )
        )
    return weights


def _solve(xx: FloatArray, xe: FloatArray, spread: FloatArray, *, towards: FloatArray) -> FloatArray:
    """Coefficients with RIDGE pseudo-units of this spread that speak for ``towards``; 0 where nothing varies."""
    used = spread > 0
    found = np.zeros_like(xe)
    if used.any() and xe.size:
        ridge = RIDGE * spread[used]
        right = xe[..., used] + ridge * towards[..., used]
        left = xx[..., used, :][..., used] + np.diag(ridge)
        found[..., used] = np.linalg.solve(left, right[..., None])[..., 0]
    return found


def _correction(stratum: Stratum, weights: _Weights) -> float:
    """Mean over labelled units of coefficient times (mean of the unlabelled - own covariate), times their share.

    Given the other labelled units, and with them the coefficient, the unit itself is equally likely to be any of the
    rest; over these the product, with the share of the unlabelled, adds up to 0.
    """
    n, total = len(stratum.sampled), len(stratum.units)
    if n == total:
        return 0.0
    own = stratum.x[stratum.sampled]
    unlabelled = (stratum.x[stratum.units].sum(axis=0) - own.sum(axis=0)) / (total - n)
    return float((1 - n / total) * ((unlabelled - own) * weights.left_out).sum(axis=1).mean())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Residuals:
    """What the covariates leave of a stratum's labels.

    Attributes
    ----------
    influence
        Of all units, shape (N_h,): prediction, and for labelled units the residual over its inclusion probability.
    own
        Part of the squared influences' sum that comes from sampling, not from the population.
    squares
        Sum of squares of the labels' residuals, each with the coefficient from the others.
    """

    influence: FloatArray
    own: float
    squares: float


def _residuals(stratum: Stratum, e: FloatArray, weights: _Weights) -> _Residuals:
    n, total = len(stratum.sampled), len(stratum.units)
    sampled = stratum.x[stratum.sampled]
    middle = sampled.mean(axis=0)
    influence = np.zeros(len(stratum.x))
    influence[stratum.units] = e.mean() + (stratum.x[stratum.units] - middle) @ weights.full
    plain = (e - e.mean()) - (sampled - middle) @ weights.full
    influence[stratum.sampled] += plain * (total / n)
    own = (total / n) ** 2 * (1 - n / total) * float((plain**2).sum())
    left_out = (e - e.mean()) - ((sampled - middle) * weights.left_out).sum(axis=1)
    return _Residuals(influence=influence[stratum.units], own=own, squares=float((left_out**2).sum()))


def _with_variance(
    value: float,
    e: FloatArray,
    strata: Sequence[Stratum],
    weights: Sequence[_Weights],
    *,
    clusters: NDArray[np.intp],
    below: float,
    prior: float,
    level: float,
    unknown: float | None,
    clipped: bool,
) -> Rectified:
    total = len(clusters)
    shares = [len(s.units) / total for s in strata]
    spread = _stratified(e**2, strata, shares)
    unknown = spread if unknown is None else max(spread, unknown)
    influence = np.zeros(total)
    own, parts = 0.0, []
    for share, stratum, coefficients in zip(shares, strata, weights, strict=True):
        n = len(stratum.sampled)
        found = _residuals(stratum, e[stratum.rows], coefficients)
        influence[stratum.units] = found.influence
        own += found.own
        # Residual variance with `prior` pseudo-units that nothing is known of.
        residual = (found.squares + prior * unknown) / (n - 1 + prior) if n - 1 + prior > 0 else unknown
        parts.append((share**2 * (1 / n - 1 / len(stratum.units)) * residual, max(n - 1, 1)))
    design = sum(part for part, _ in parts)
    population, count = _population_variance(influence, clusters, own=own, spread=spread, level=level)
    together = design + population
    if not together > 0:
        df = float(count - 1)
    else:
        df = together**2 / (sum(part**2 / df for part, df in parts) + population**2 / (count - 1))
        df = min(df, max(float(len(e)) - 1, 1.0))  # the labels are all that either part is estimated from
    return Rectified(
        value=value,
        variance=together / below**2,
        df=df,
        effective_labels=1 / (1 / total + design / spread) if spread > 0 else 0.0,
        coefficients=tuple(c.full for c in weights),
        varies=spread > 1e-24,
        clipped=clipped,
        spread=spread / below,
    )


def _population_variance(
    influence: FloatArray, clusters: NDArray[np.intp], *, own: float, spread: float, level: float
) -> tuple[float, int]:
    """Variance that labelling everything would leave, and the number of clusters.

    Squared sums of the influences over clusters hold both this variance and that of sampling; the latter (``own``)
    is taken off. A design effect below 1 is drawn towards 1 as everywhere.
    """
    total = len(clusters)
    sums = np.bincount(clusters, weights=influence)
    count = int(np.count_nonzero(np.bincount(clusters)))
    squares = count / (count - 1) * float(sums @ sums) - own
    if not spread > 0:
        return 0.0, count  # all labels alike: no variance to divide
    deff = shrunk_design_effect(max(0.0, squares / (total * spread)), clusters=count, level=level)
    return deff * spread / total, count
