"""Intervals of a proportion of independent trials: Wilson and Clopper–Pearson."""

from __future__ import annotations

import math

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import check_level
from evenhand.stats.results import Interval

__all__ = ["clopper_pearson", "normal_quantile", "student_quantile", "wilson", "wilson_limits"]


def normal_quantile(level: float) -> float:
    """The z with ``P(-z < Z < z) = level``."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def student_quantile(level: float, df: float) -> float:
    """The t with ``P(-t < T < t) = level`` at ``df`` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + level / 2))


def wilson_limits(p: float, n: float, quantile: float) -> tuple[float, float]:
    """Roots of ``(p - x)**2 = quantile**2 * x * (1 - x) / n``; ``n`` may be an effective, fractional number.

    Exactly 0 at a rate of 0 and 1 at one of 1, where the root may be off by rounding.
    """
    z2 = quantile * quantile
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = quantile / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return 0.0 if p == 0 else max(0.0, centre - half), 1.0 if p == 1 else min(1.0, centre + half)


def wilson(k: float, n: float, level: float = 0.95) -> Interval:
    """Wilson's score interval of k successes in n independent trials.

    Raises
    ------
    StatisticsError
        Unless ``0 <= k <= n`` and ``n > 0``.

    References
    ----------
    Wilson (1927), doi:10.1080/01621459.1927.10502953.

    Examples
    --------
    >>> interval = wilson(5, 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.2366, 0.7634)
    """
    _check_counts(k, n)
    check_level(level)
    low, high = wilson_limits(k / n, n, normal_quantile(level))
    return Interval(low=low, high=high, level=level, method=f"Wilson score, n = {n:g}")


def clopper_pearson(k: float, n: float, level: float = 0.95) -> Interval:
    """Clopper–Pearson's exact interval of k successes in n independent trials; it covers at least at the level.

    Raises
    ------
    StatisticsError
        Unless ``0 <= k <= n`` and ``n > 0``.

    References
    ----------
    Clopper and Pearson (1934), doi:10.1093/biomet/26.4.404.

    Examples
    --------
    >>> interval = clopper_pearson(0, 10)
    >>> interval.low, round(interval.high, 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    _check_counts(k, n)
    check_level(level)
    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))
    return Interval(low=low, high=high, level=level, method=f"Clopper–Pearson, n = {n:g}")


def _check_counts(k: float, n: float) -> None:
    if not (n > 0 and 0 <= k <= n):
        msg = f"a proportion needs 0 <= k <= n and n > 0, got k = {k} and n = {n}"
        raise StatisticsError(msg)
