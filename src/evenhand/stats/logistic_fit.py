"""Maximum likelihood of a logistic regression by Newton's method, and the exact test for separated data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.stats.arrays import FloatArray
from evenhand.stats.design_matrix import INTERCEPT, DesignMatrix
from evenhand.stats.results import Refusal

__all__ = ["LogisticFit", "fit_logit"]

_STEPS = 60
"""Newton steps at most; 6 to 9 are usual, and separated data grow by about one unit of log odds a step."""
_TOLERANCE = 1e-11
"""Largest gradient per row at the optimum."""
_NEAR_CERTAIN = 12.0
"""Log odds of a fitted probability beyond which (p < 6e-6) the data are tested for separation."""
_MARGIN = 1e-7
"""What the linear programme's solver can tell from 0."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogisticFit:
    """Coefficients of the scaled columns, shape (terms,), and fitted probabilities, shape (n,)."""

    coefficients: FloatArray
    probability: FloatArray


def fit_logit(y: FloatArray, design: DesignMatrix) -> LogisticFit | Refusal:
    """Fit 0/1 outcomes of shape (n,); refused where the outcome is one and the same, or separated."""
    n = design.n
    if y.min() == y.max():
        return Refusal(reason=f"every outcome is {y[0]:.0f}: there is nothing to explain", n=n)
    columns = design.columns
    beta = np.zeros(columns.shape[1])
    value = -n * np.log(2.0)
    for _ in range(_STEPS):
        log_odds = columns @ beta
        probability = 0.5 * (1 + np.tanh(log_odds / 2))
        gradient = columns.T @ (y - probability)
        if np.abs(gradient).max() <= _TOLERANCE * n:
            break
        weights = np.maximum(probability * (1 - probability), 1e-12)
        step = np.linalg.solve(columns.T @ (weights[:, None] * columns), gradient).astype(np.float64)
        beta, value = _improved(beta, step, value, y=y, columns=columns)
    log_odds = columns @ beta
    converged = np.abs(columns.T @ (y - 0.5 * (1 + np.tanh(log_odds / 2)))).max() <= 1e3 * _TOLERANCE * n
    if np.abs(log_odds).max() > _NEAR_CERTAIN or not converged:
        refusal = _separation(y, design)
        if refusal is not None:
            return refusal
        if not converged:
            return Refusal(reason="the logistic fit did not converge", n=n)
    return LogisticFit(coefficients=beta, probability=0.5 * (1 + np.tanh(log_odds / 2)))


def _improved(
    beta: FloatArray, step: FloatArray, value: float, *, y: FloatArray, columns: FloatArray
) -> tuple[FloatArray, float]:
    """The Newton step, halved until the likelihood does not fall."""
    for _ in range(30):
        tried = beta + step
        log_odds = columns @ tried
        likelihood = float(y @ log_odds - np.logaddexp(0, log_odds).sum())
        if likelihood >= value - 1e-12 * abs(value):
            return tried, likelihood
        step = step / 2
    return beta, value


def _separation(y: FloatArray, design: DesignMatrix) -> Refusal | None:
    """A refusal where a combination of terms never contradicts an outcome and agrees strictly with some."""
    signed = (2 * y - 1)[:, None] * design.columns
    rows = np.unique(np.round(signed, 12), axis=0)
    free = [True] * rows.shape[1]
    if not _separates(rows, free, completely=False):
        return None
    completely = _separates(rows, free, completely=True)
    # The terms that matter: without any one of them the others no longer separate as well.
    for index in reversed(range(len(free))):
        without = [is_free and other != index for other, is_free in enumerate(free)]
        if design.names[index] != INTERCEPT and _separates(rows, without, completely=completely):
            free = without
    named = [name for name, is_free in zip(design.names, free, strict=True) if is_free and name != INTERCEPT]
    one = len(named) == 1
    who = f"{', '.join(named)} {'separates' if one else 'together separate'} the outcomes"
    how = "completely" if completely else "of some rows"
    infinite = "its coefficient is infinite" if one else "their coefficients are infinite"
    return Refusal(reason=f"{who} {how}: {infinite}", n=design.n)


def _separates(rows: FloatArray, free: list[bool], *, completely: bool) -> bool:
    """Whether a direction over the free terms has ``rows @ b >= 0``, and more than 0 on some rows or on all."""
    from scipy.optimize import linprog

    box = [(-1.0, 1.0) if is_free else (0.0, 0.0) for is_free in free]
    if completely:
        cost = np.append(np.zeros(len(free)), -1.0)
        limits = np.column_stack([-rows, np.ones(len(rows))])  # the last unknown is the margin
        box.append((0.0, 1.0))
    else:
        cost, limits = -rows.sum(axis=0), -rows
    found = linprog(cost, A_ub=limits, b_ub=np.zeros(len(rows)), bounds=box, method="highs")
    return found.x is not None and -float(found.fun) > _MARGIN
