"""Power where the normal approximation fails: few clusters, few discordant pairs."""

from __future__ import annotations

import functools
import math

import numpy as np

from evenhand.stats.arrays import FloatArray
from evenhand.stats.proportions import student_quantile

__all__ = ["power_of_binomial", "power_of_mcnemar", "power_of_t"]

_NODES = 200
"""Of the quadrature: ten standard deviations either way to 12 digits."""
_MOST_DISCORDANT = 120
"""Discordant pairs that are summed over: with 25 expected, more have a chance below 1e-30."""
_AS_LIKELY = 1e-7
"""Outcomes this close in probability count as equally likely, as in :func:`evenhand.stats.binomial_test`."""


def power_of_t(shift: float, *, df: float, level: float, scale: float = 1.0) -> float:
    """Both tails of the noncentral t, integrated over the standard deviation that the sample happens to have.

    Parameters
    ----------
    shift
        The effect in standard errors.
    df
        Degrees of freedom: clusters - 1.
    scale
        Standard error under the hypothesis over that under the effect; 1 for a mean.

    Notes
    -----
    SciPy's noncentral t gives NaN in the far tail (1.17); a normal tail within a smooth integrand needs no series.

    Examples
    --------
    >>> round(power_of_t(2.0, df=4, level=0.95), 3)
    0.336
    """
    from scipy.special import gammaln, ndtr

    quantile = student_quantile(level, df) * scale
    nodes, weights = _quadrature()
    reach = 10 / math.sqrt(2 * df)
    low, high = max(0.0, 1 - reach), 1 + reach
    ratio = low + (high - low) * (nodes + 1) / 2  # sample over true standard deviation
    log_density = (
        math.log(2) + df / 2 * math.log(df / 2) - gammaln(df / 2) + (df - 1) * np.log(ratio) - df * ratio**2 / 2
    )
    tails = ndtr(shift - quantile * ratio) + ndtr(-shift - quantile * ratio)
    return min(1.0, float((high - low) / 2 * weights @ (np.exp(log_density) * tails)))


@functools.cache
def _quadrature() -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of Gauss and Legendre between -1 and 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes.astype(np.float64), weights.astype(np.float64)


def power_of_binomial(n: int, *, value: float, rate: float, level: float) -> float:
    """Chance that the exact two-sided binomial test of ``value`` rejects, where the rate is another.

    Examples
    --------
    >>> round(power_of_binomial(7, value=0.5, rate=0.95, level=0.95), 3)
    0.698
    """
    from scipy.stats import binom

    if n < 1:
        return 0.0
    k = np.arange(n + 1)
    under = binom.pmf(k, n, value)
    order = np.argsort(under)
    total = np.cumsum(under[order])
    # p-value of k: all outcomes at most as likely.
    last = np.searchsorted(under[order], under * (1 + _AS_LIKELY), side="right") - 1
    rejects = total[last] <= 1 - level
    return float(binom.pmf(k, n, rate)[rejects].sum())


def power_of_mcnemar(n: int, *, discordance: float, effect: float, level: float) -> float:
    """Chance that the exact McNemar test rejects, over how many of n pairs happen to be discordant.

    Parameters
    ----------
    discordance, effect
        As in :class:`evenhand.stats.PairedRates`; about 25 discordant pairs at most are expected.

    Examples
    --------
    >>> round(power_of_mcnemar(7, discordance=1.0, effect=0.9, level=0.95), 3)
    0.698
    """
    from scipy.stats import binom

    if n < 1:
        return 0.0
    more = min(1.0, (discordance + abs(effect)) / (2 * discordance))
    by_count = _given_discordant(more, level)
    counts = np.arange(min(n, _MOST_DISCORDANT) + 1)
    return float(binom.pmf(counts, n, discordance) @ by_count[: len(counts)])


@functools.lru_cache(maxsize=64)
def _given_discordant(more: float, level: float) -> FloatArray:
    """Power for each number of discordant pairs, shape (121,): b of them are Binomial(count, more)."""
    from scipy.stats import binom

    counts = np.arange(_MOST_DISCORDANT + 1)[:, None]
    b = np.arange(_MOST_DISCORDANT + 1)[None, :]
    p_value = 2 * binom.cdf(np.minimum(b, counts - b), counts, 0.5)
    rejects = (b <= counts) & (p_value <= 1 - level)
    power: FloatArray = np.where(rejects, binom.pmf(b, counts, more), 0.0).sum(axis=1)
    return power
