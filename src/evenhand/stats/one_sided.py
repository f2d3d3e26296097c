"""How surely a figure lies above a line, read from its interval."""

from __future__ import annotations

from evenhand.errors import StatisticsError
from evenhand.stats.proportions import normal_quantile, student_quantile
from evenhand.stats.results import Estimate, Interval

__all__ = ["p_above"]


def p_above(estimate: Estimate, limit: float) -> float:
    """One-sided p-value of the true figure being at most ``limit``; 1 where the estimate isn't above it.

    Of a rate it is the larger of two, of anything else the first:

    - *From the interval.* At the low bound it is ``(1 - level) / 2``; beyond, the distance to that bound is scaled by
      the quantiles of Student's t with one degree of freedom less than there are clusters (of the normal distribution
      where an estimate has no clusters). Low bounds of rates draw together toward 0, so that for a rate above the limit
      this is too large rather than too small.
    - *From the count*, exact binomial, as if observations were independent. Few events out of many are skewed: without
      clusters a score interval's low bound, taken far into the tail, errs half as often again as it says.

    Raises
    ------
    StatisticsError
        For an estimate without an interval: nothing says how sure it is.

    References
    ----------
    Altman and Bland (2011), doi:10.1136/bmj.d2304, for a p-value from an interval.

    Examples
    --------
    >>> from evenhand.stats.results import Interval
    >>> rate = Estimate(value=0.12, interval=Interval(low=0.07, high=0.19), n=200, clusters=200)
    >>> round(p_above(rate, 0.05), 4), round(p_above(rate, 0.07), 4), p_above(rate, 0.2)
    (0.0032, 0.025, 1.0)
    """
    if estimate.interval is None:
        msg = f"{estimate.value:.4g} has no interval, so nothing says how surely it is above {limit:.4g}"
        raise StatisticsError(msg)
    return max(_of_interval(estimate, estimate.interval, limit), _of_count(estimate, limit))


def _of_interval(estimate: Estimate, interval: Interval, limit: float) -> float:
    half, distance = estimate.value - interval.low, estimate.value - limit
    if distance <= 0 or half <= 0:
        return 1.0
    from scipy.special import ndtr, stdtr

    if estimate.clusters is None or estimate.clusters < 2:
        return float(ndtr(-distance / half * normal_quantile(interval.level)))
    df = estimate.clusters - 1
    return float(stdtr(df, -distance / half * student_quantile(interval.level, df)))


def _of_count(estimate: Estimate, limit: float) -> float:
    """Chance of so many events or more; 0, which decides nothing, for what is no count of observations."""
    count = estimate.count
    if count is None or not 0 < limit < 1 or not float(count).is_integer() or not 0 <= count <= estimate.n:
        return 0.0
    from scipy.special import bdtrc

    return float(bdtrc(count - 1, estimate.n, limit)) if count else 1.0
