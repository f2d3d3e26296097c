"""How many members of a finite population have a property, from a simple random sample of them: an exact interval."""

from __future__ import annotations

from collections.abc import Callable

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import check_level
from evenhand.stats.results import Interval

__all__ = ["hypergeometric_interval"]


def hypergeometric_interval(found: int, *, sample: int, population: int, level: float = 0.95) -> Interval:
    """Exact two-sided interval of the number of members with a property, by inverting the hypergeometric tails.

    Nothing is assumed of the population: only the draw is random. Groups of members that are alike don't matter.

    Parameters
    ----------
    found
        Members of the sample with the property.
    sample, population
        Sizes; the sample was drawn without replacement, every subset being equally likely.

    Returns
    -------
    Interval
        In members: whole numbers from ``found`` to ``population - (sample - found)``, which are certain. With everybody
        in the sample both limits are ``found``. It covers at least at the level.

    Raises
    ------
    StatisticsError
        Unless ``0 <= found <= sample <= population`` and ``sample > 0``.

    References
    ----------
    Buonaccorsi (1987), "A note on confidence intervals for proportions in finite populations", The American
    Statistician 41, 215-218.

    Examples
    --------
    >>> interval = hypergeometric_interval(0, sample=20, population=200)
    >>> interval.low, interval.high
    (0.0, 32.0)
    """
    check_level(level)
    if not (0 <= found <= sample <= population and sample > 0):
        raise StatisticsError(
            "a sample of a finite population needs 0 <= found <= sample <= population and a sample, got "
            f"{found} found, {sample} sampled of {population}"
        )
    from scipy.stats import hypergeom

    tail = (1 - level) / 2
    fewest, most = found, population - (sample - found)
    # As the number grows P(X >= found) rises and P(X <= found) falls: the limits are the outermost not ruled out.
    low = _first(fewest, most, lambda count: hypergeom.sf(found - 1, population, count, sample) > tail)
    high = _first(
        fewest, most + 1, lambda count: count > most or hypergeom.cdf(found, population, count, sample) <= tail
    )
    method = f"exact hypergeometric, {sample:,} of {population:,} sampled"
    return Interval(low=float(low), high=float(high - 1), level=level, method=method)


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The smallest whole number for which a condition holds that keeps holding; it holds at ``high``."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
