"""Coefficients refitted in each resample of the clusters, all resamples at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.stats.arrays import FloatArray, as_labels, as_numbers, check_resamples, check_same_length
from evenhand.stats.design_matrix import DesignMatrix, cluster_sums, design_matrix
from evenhand.stats.logistic_fit import fit_logit
from evenhand.stats.results import Refusal

__all__ = ["FitKind", "resampled_coefficients"]

FitKind = Literal["ols", "logit"]

_BLOCK = 1 << 20
"""Weights of rows held at once: 8 MB."""
_STEPS = 12
"""Newton steps from the fit to all rows. Where they don't converge, the resample is separated, or nearly so."""
_TOLERANCE = 1e-8


def resampled_coefficients(
    y: ArrayLike,
    x: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    names: Sequence[str],
    rng: np.random.Generator,
    resamples: int = 2000,
    fit: FitKind = "ols",
    intercept: bool = True,
) -> FloatArray | Refusal:
    """Coefficients of :func:`evenhand.stats.regression.ols` or ``logit`` refitted to resampled clusters.

    Parameters
    ----------
    y, x, clusters, names, intercept
        As there.

    Returns
    -------
    array or Refusal
        Shape (resamples, terms); NaN throughout a row whose resample has no fit (a term that another explains, or
        separated outcomes). Refused where the fit to all rows is.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> draws = resampled_coefficients(2 * x + rng.normal(size=200), x, np.arange(200) // 4, names=["x"], rng=rng)
    >>> draws.shape, round(float(draws[:, 1].mean()))
    ((2000, 2), 2)
    """
    check_resamples(resamples)
    design = design_matrix(x, clusters, names=names, intercept=intercept)
    if isinstance(design, Refusal):
        return design
    match fit:
        case "ols":
            outcome = as_numbers("y", y)
            check_same_length(y=outcome, x=design.columns)
            scaled = _least_squares(outcome, design, rng=rng, resamples=resamples)
        case "logit":
            outcome = as_labels("y", y).astype(np.float64)
            check_same_length(y=outcome, x=design.columns)
            whole = fit_logit(outcome, design)
            if isinstance(whole, Refusal):
                return whole
            scaled = _logistic(outcome, design, start=whole.coefficients, rng=rng, resamples=resamples)
        case _:
            assert_never(fit)
    return scaled @ design.back.T


def _draws(design: DesignMatrix, *, rng: np.random.Generator, count: int) -> FloatArray:
    """How often each cluster is drawn; shape (count, clusters)."""
    size = design.clusters
    cells = rng.integers(0, size, size=(count, size)) + size * np.arange(count)[:, None]
    return np.bincount(cells.ravel(), minlength=count * size).reshape(count, size).astype(np.float64)


def _solved(matrices: FloatArray, vectors: FloatArray) -> FloatArray:
    """Solutions, shape (m, k); NaN where a matrix has less than a millionth of the whole fit's smallest information."""
    usable = np.linalg.eigvalsh(matrices)[:, 0] > _TOLERANCE * np.trace(matrices, axis1=1, axis2=2)
    solved = np.full(vectors.shape, np.nan)
    solved[usable] = np.linalg.solve(matrices[usable], vectors[usable][:, :, None])[:, :, 0]
    return solved


def _least_squares(y: FloatArray, design: DesignMatrix, *, rng: np.random.Generator, resamples: int) -> FloatArray:
    columns, terms = design.columns, design.columns.shape[1]
    products = (columns[:, :, None] * columns[:, None, :]).reshape(design.n, -1)
    sums = cluster_sums(np.column_stack([products, columns * y[:, None]]), design.cluster, design.clusters)
    step = max(1, _BLOCK // design.clusters)
    parts = []
    for start in range(0, resamples, step):
        drawn = _draws(design, rng=rng, count=min(step, resamples - start)) @ sums
        parts.append(_solved(drawn[:, :-terms].reshape(-1, terms, terms), drawn[:, -terms:]))
    return np.concatenate(parts)


def _logistic(
    y: FloatArray, design: DesignMatrix, *, start: FloatArray, rng: np.random.Generator, resamples: int
) -> FloatArray:
    step = max(1, _BLOCK // design.n)
    parts = []
    for done in range(0, resamples, step):
        drawn = _draws(design, rng=rng, count=min(step, resamples - done))
        parts.append(_newton(y, design, weights=drawn[:, design.cluster], start=start))
    return np.concatenate(parts)


def _newton(y: FloatArray, design: DesignMatrix, *, weights: FloatArray, start: FloatArray) -> FloatArray:
    """Newton steps for every row of ``weights`` (resamples, n) together."""
    columns, terms = design.columns, design.columns.shape[1]
    products = (columns[:, :, None] * columns[:, None, :]).reshape(design.n, -1)
    beta = np.tile(start, (len(weights), 1))
    with np.errstate(invalid="ignore"):
        for _ in range(_STEPS):
            p = 0.5 * (1 + np.tanh(beta @ columns.T / 2))
            gradient = (weights * (y - p)) @ columns
            if np.nanmax(np.abs(gradient), initial=0.0) <= _TOLERANCE * design.n:
                break
            information = (weights * p * (1 - p)) @ products
            broken = ~np.isfinite(information).all(axis=1)
            information[broken] = 0.0
            beta = beta + _solved(information.reshape(-1, terms, terms), gradient)
        p = 0.5 * (1 + np.tanh(beta @ columns.T / 2))
        left = np.abs((weights * (y - p)) @ columns).max(axis=1)
        beta[~(left <= 1e3 * _TOLERANCE * design.n) | (np.abs(beta @ columns.T).max(axis=1) > 20)] = np.nan
    return beta
