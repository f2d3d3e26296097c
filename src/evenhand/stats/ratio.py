"""The ratio of two coefficients, such as how much quality one unit of length is worth: delta, Fieller and bootstrap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.stats.arrays import check_level
from evenhand.stats.proportions import student_quantile
from evenhand.stats.refit import FitKind, resampled_coefficients
from evenhand.stats.regression import Regression, logit, ols
from evenhand.stats.resampling import percentile_limits
from evenhand.stats.results import Estimate, Interval, Refusal

__all__ = ["RatioMethod", "bootstrap_coefficient_ratio", "coefficient_ratio"]

RatioMethod = Literal["fieller", "delta"]

_MOST_UNDEFINED = 0.05
"""Share of resamples without a fit above which the bootstrap is refused, as everywhere here."""


def coefficient_ratio(
    regression: Regression, numerator: str, denominator: str, *, method: RatioMethod = "delta"
) -> Estimate | Refusal:
    """One coefficient over another, with an interval from their cluster-robust covariance.

    Parameters
    ----------
    numerator, denominator
        Names of terms.
    method
        ``delta`` is the usual symmetric interval; ``fieller`` holds the values that a t test of
        ``numerator - ratio * denominator = 0`` does not reject. Fieller's keeps its level wherever the two coefficients
        are about normal; delta's loses it as the denominator comes near 0, on the side away from 0.

    Returns
    -------
    Estimate or Refusal
        Refused where the denominator's own interval, at the regression's level, holds 0. That is where Fieller's set is
        unbounded: the ratio may then be as large as one likes. Refused too where a term has no interval. So the ratios
        that are shown are selected by a significant denominator: of weak ones those that came out large.

    References
    ----------
    Fieller (1954), J. R. Stat. Soc. B 16, 175-185; Franz (2007), arXiv:0710.2024.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(400, 2))
    >>> y = x @ [1.0, 0.3] + rng.normal(size=400)
    >>> fit = ols(y, x, np.arange(400) // 4, names=["quality", "length"])
    >>> ratio = coefficient_ratio(fit, "length", "quality", method="fieller")
    >>> round(ratio.value, 2), round(ratio.interval.low, 2), round(ratio.interval.high, 2)
    (0.3, 0.2, 0.41)
    """
    above, below = regression.term(numerator), regression.term(denominator)
    for term in (above, below):
        if term.estimate.interval is None:
            return Refusal(reason=f"{term.name} has no interval: {term.estimate.flags[-1]}", n=regression.n)
    df = min(above.df, below.df)
    quantile = student_quantile(regression.level, df)
    if abs(below.estimate.value) <= quantile * below.standard_error:
        return Refusal(reason=_near_zero(denominator), n=regression.n)
    i, j = regression.index(numerator), regression.index(denominator)
    covariance = regression.covariance
    a, b = above.estimate.value, below.estimate.value
    ratio = a / b
    squares = (float(covariance[i, i]), float(covariance[i, j]), float(covariance[j, j]))
    match method:
        case "delta":
            spread = squares[0] - 2 * ratio * squares[1] + ratio**2 * squares[2]
            half = quantile * math.sqrt(max(spread, 0.0)) / abs(b)
            low, high, name = ratio - half, ratio + half, "delta method"
        case "fieller":
            low, high = _fieller(a, b, squares, quantile)
            name = "Fieller"
        case _:
            assert_never(method)
    text = f"{name}, cluster-robust, t with {df:.4g} df"
    return Estimate(
        value=ratio,
        interval=Interval(low=low, high=high, level=regression.level, method=text),
        n=regression.n,
        clusters=regression.clusters,
        flags=tuple(dict.fromkeys((*above.estimate.flags, *below.estimate.flags))),
    )


def _near_zero(denominator: str) -> str:
    return f"{denominator} is not clearly away from 0: the ratio is unbounded (Fieller)"


def _fieller(a: float, b: float, squares: tuple[float, float, float], quantile: float) -> tuple[float, float]:
    """Roots of ``(a - r b)² = t² (v_aa - 2 r v_ab + r² v_bb)`` in r, where b is away from 0."""
    v_aa, v_ab, v_bb = (quantile**2 * value for value in squares)
    outer, middle, inner = b * b - v_bb, a * b - v_ab, a * a - v_aa
    root = math.sqrt(max(middle * middle - outer * inner, 0.0))
    return (middle - root) / outer, (middle + root) / outer


def bootstrap_coefficient_ratio(
    y: ArrayLike,
    x: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    names: Sequence[str],
    numerator: str,
    denominator: str,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    fit: FitKind = "ols",
    intercept: bool = True,
) -> Estimate | Refusal:
    """The same ratio, with a percentile interval from refits to resampled clusters.

    Parameters
    ----------
    y, x, clusters, names, intercept
        As in :func:`evenhand.stats.regression.ols`.
    fit
        ``ols`` or ``logit``.

    Returns
    -------
    Estimate or Refusal
        Refused where the fit is, where the denominator isn't away from 0 (as in :func:`coefficient_ratio`, at the
        bootstrap's own level), and where more than 5 % of the resamples have no fit; fewer are left out and flagged.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(400, 2))
    >>> y = x @ [1.0, 0.3] + rng.normal(size=400)
    >>> ratio = bootstrap_coefficient_ratio(
    ...     y, x, np.arange(400) // 4, names=["quality", "length"], numerator="length", denominator="quality", rng=rng)
    >>> round(ratio.value, 2), round(ratio.interval.low, 2), round(ratio.interval.high, 2)
    (0.3, 0.2, 0.41)
    """
    check_level(level)
    fitted = (ols if fit == "ols" else logit)(y, x, clusters, names=names, intercept=intercept, level=level)
    if isinstance(fitted, Refusal):
        return fitted
    delta = coefficient_ratio(fitted, numerator, denominator)
    if isinstance(delta, Refusal):
        return delta
    draws = resampled_coefficients(
        y, x, clusters, names=names, rng=rng, resamples=resamples, fit=fit, intercept=intercept
    )
    if isinstance(draws, Refusal):
        return draws
    ratios = draws[:, fitted.index(numerator)] / draws[:, fitted.index(denominator)]
    usable = ratios[np.isfinite(ratios)]
    lost = 1 - len(usable) / resamples
    if lost > _MOST_UNDEFINED:
        return Refusal(reason=f"no fit in {lost * 100:.0f} % of the resamples", n=fitted.n)
    flags = fitted.flags + ((f"no fit in {lost * 100:.1f} % of the resamples, which are left out",) if lost else ())
    low, high = percentile_limits(usable, level=level)
    text = f"percentile cluster bootstrap, refitted, {fitted.clusters} clusters, {resamples:,} resamples"
    interval = Interval(low=low, high=high, level=level, method=text)
    return Estimate(value=delta.value, interval=interval, n=fitted.n, clusters=fitted.clusters, flags=flags)
