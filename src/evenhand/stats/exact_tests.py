"""Exact tests on counts: the binomial test and McNemar's, with logarithms that survive underflow."""

from __future__ import annotations

import math

import numpy as np

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray
from evenhand.stats.results import TestResult

__all__ = ["binomial_test", "mcnemar"]

MCNEMAR_CAVEAT = "treats pairs as independent; with several pairs per source it overstates the evidence"

# Below this the tail sum loses digits to subnormal numbers, so that the logarithm is summed on its own.
_SMALLEST_SAFE_P = 1e-280
# Outcomes this close in probability to the observed one count as equally likely, as in R's binom.test and in SciPy.
_TIE_TOLERANCE = 1e-7


def binomial_test(k: int, n: int, p: float = 0.5) -> TestResult:
    """Exact two-sided binomial test of k successes in n trials.

    The p-value is the probability of all outcomes at most as likely as the observed one
    (the rule of R's ``binom.test`` and of :func:`scipy.stats.binomtest`).

    Parameters
    ----------
    k, n
        Counts, ``0 <= k <= n``.
    p
        Success probability under the hypothesis, between 0 and 1 exclusive.

    Raises
    ------
    StatisticsError
        For counts or a probability outside of that.

    Examples
    --------
    >>> result = binomial_test(827, 829)
    >>> f"{result.p_value:.1e}", round(result.log10_p, 2)
    ('1.9e-244', -243.72)
    """
    _check_count("k", k)
    _check_count("n", n)
    if k > n:
        msg = f"binomial test: k = {k} exceeds n = {n}"
        raise StatisticsError(msg)
    if not 0.0 < p < 1.0:
        msg = f"binomial test: p must lie between 0 and 1, is {p}"
        raise StatisticsError(msg)
    p_value, log10_p = _two_sided(int(k), int(n), p)
    return TestResult(
        name=f"exact binomial against {p:g}",
        p_value=p_value,
        log10_p=log10_p,
        n=int(n),
        statistic=k / n if n else None,
        caveat="treats trials as independent",
    )


def mcnemar(b: int, c: int, *, mid_p: bool = False) -> TestResult:
    """McNemar's test of the two discordant counts of a paired table, exact or mid-p.

    Parameters
    ----------
    b, c
        Discordant counts: pairs positive under the first treatment only, and under the second only.
    mid_p
        Count half of the observed outcome's probability: less conservative, no longer guaranteed to hold the level.

    References
    ----------
    McNemar (1947), doi:10.1007/BF02295996; Fagerland, Lydersen and Laake (2013), doi:10.1186/1471-2288-13-91.

    Examples
    --------
    >>> f"{mcnemar(405, 15).p_value:.1e}"
    '1.0e-99'
    >>> round(mcnemar(8, 2, mid_p=True).p_value, 4)
    0.0654
    """
    _check_count("b", b)
    _check_count("c", c)
    n = int(b) + int(c)
    p_value, log10_p = _two_sided(int(min(b, c)), n, 0.5)
    if mid_p and b != c:
        log_point = float(_log_pmf(np.array([min(b, c)], dtype=np.float64), n, 0.5)[0])
        p_value = max(p_value - math.exp(log_point), 0.0)
        # exact = 2·tail and mid-p = exact - point, on the log scale so that it survives underflow
        ratio = math.exp(log_point - log10_p * math.log(10))
        log10_p += math.log1p(-ratio) / math.log(10)
    return TestResult(
        name="mid-p McNemar" if mid_p else "exact McNemar",
        p_value=p_value,
        log10_p=log10_p,
        n=n,
        statistic=float(b) - float(c),
        caveat=MCNEMAR_CAVEAT,
    )


def _two_sided(k: int, n: int, p: float) -> tuple[float, float]:
    """The two-sided p-value and its base-10 logarithm."""
    from scipy.special import logsumexp
    from scipy.stats import binomtest

    if n == 0:
        return 1.0, 0.0
    p_value = min(float(binomtest(k, n, p).pvalue), 1.0)
    if p_value > _SMALLEST_SAFE_P:
        return p_value, math.log10(p_value)
    log_pmf = _log_pmf(np.arange(n + 1, dtype=np.float64), n, p)
    log_p = float(logsumexp(log_pmf[log_pmf <= log_pmf[k] + _TIE_TOLERANCE]))
    return math.exp(log_p), log_p / math.log(10)


def _log_pmf(k: FloatArray, n: int, p: float) -> FloatArray:
    from scipy.special import gammaln

    log_pmf: FloatArray = (
        gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
    )
    return log_pmf


def _check_count(name: str, value: int) -> None:
    if value < 0 or int(value) != value:
        msg = f"{name} must be a count, is {value}"
        raise StatisticsError(msg)
