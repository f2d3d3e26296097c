"""Logistic regression of a share between 0 and 1, fitted for many sets of weights at once."""

from __future__ import annotations

from typing import Final

import numpy as np

from evenhand.mitigation.judged import Floats

__all__ = ["fit_many", "logistic"]

_STEPS: Final = 50
_CLOSE: Final = 1e-10


def logistic(x: Floats) -> Floats:
    """The logistic function, without overflow; NaN stays NaN."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.exp(-np.logaddexp(0.0, -x)))


def fit_many(y: Floats, x: Floats, weights: Floats) -> Floats:
    """Maximise the weighted Bernoulli quasi-likelihood by Newton's method, one fit a row of weights.

    Parameters
    ----------
    y
        Shape (n,), between 0 and 1.
    x
        Shape (n, k), the constant among the columns.
    weights
        Shape (fits, n), not negative.

    Returns
    -------
    ndarray
        Shape (fits, k). NaN where the likelihood has no maximum: the outcomes are separated, or columns depend on each
        other.

    References
    ----------
    Papke and Wooldridge (1996), doi:10.1002/(SICI)1099-1255(199611)11:6<619::AID-JAE418>3.0.CO;2-1.

    Examples
    --------
    >>> fit_many(np.array([0.2, 0.4, 0.9]), np.ones((3, 1)), np.ones((1, 3))).round(6).tolist()
    [[0.0]]
    """
    fits, k = len(weights), x.shape[1]
    beta = np.zeros((fits, k))
    found = np.full((fits, k), np.nan)
    open_fits = np.arange(fits)
    for _ in range(_STEPS):
        own = weights[open_fits]
        p = logistic(beta[open_fits] @ x.T)
        gradient = (own * (y - p)) @ x
        hessian = np.einsum("fn,nj,nk->fjk", own * p * (1 - p), x, x, optimize=True)
        usable = np.linalg.cond(hessian) < 1e12
        step = np.zeros_like(gradient)
        step[usable] = np.linalg.solve(hessian[usable], gradient[usable][..., None])[..., 0]
        # Newton's steps overshoot far from the maximum; logits that move by more than 4 at once are cut.
        size = np.abs(step @ x.T).max(axis=1, initial=0.0)
        step *= np.minimum(1.0, 4.0 / np.maximum(size, 1e-300))[:, None]
        beta[open_fits] += step
        # Separated outcomes never get here: each step takes the logits further, until no information is left.
        done = usable & (np.abs(step).max(axis=1) < _CLOSE)
        found[open_fits[done]] = beta[open_fits[done]]
        open_fits = open_fits[usable & ~done]
        if not open_fits.size:
            break
    return found
