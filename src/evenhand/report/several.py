"""What the intervals of several conditions decide together: the more there are, the more look well by luck."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from evenhand.report.format import is_shown
from evenhand.stats import Estimate, Interval, holm, p_above
from evenhand.stats.proportions import normal_quantile, student_quantile

__all__ = ["above", "clear_of_zero", "decided", "wider"]

Named = TypeVar("Named")

_FEW: Final = 4  # up to which those are told apart that a claim holds in


def decided(found: Sequence[tuple[Named, object]], holds: Callable[[Interval], bool]) -> list[tuple[Named, Estimate]]:
    """Those whose interval holds it: all of them, or of up to four the ones whose :func:`wider` interval does.

    A claim about all may rest on plain intervals: it is wrong no more often than the worst of them. One about those
    that look well is a choice among several, and one condition in nine that looks well may do so by luck.

    Parameters
    ----------
    found
        Whatever names an estimate, with the estimate; anything else than an Estimate (a refusal, None) holds nothing.

    Examples
    --------
    >>> low = Estimate(value=0.02, interval=Interval(low=0.01, high=0.04), n=100)
    >>> [name for name, _ in decided([("a", low), ("b", None)], lambda interval: interval.high < 0.06)]
    ['a']
    >>> [name for name, _ in decided([("a", low), ("b", None)], lambda interval: interval.high < 0.045)]
    []
    """
    known = [
        (named, estimate, estimate.interval)
        for named, estimate in found
        if isinstance(estimate, Estimate) and is_shown(estimate) and estimate.interval is not None
    ]
    kept = [(named, estimate) for named, estimate, interval in known if holds(interval)]
    if len(kept) == len(found):
        return kept
    if len(found) > _FEW:
        return []
    looks = len(found)
    return [
        (named, estimate)
        for named, estimate, own in known
        if holds(wider(own, estimate.value, looks=looks, clusters=estimate.clusters))
    ]


def wider(interval: Interval, value: float, *, looks: int, clusters: int | None = None) -> Interval:
    """The interval at Bonferroni's level for so many looks, at least as wide as a new one would be.

    Near 0 and 1 a score interval grows with the square of its quantile, elsewhere with the quantile itself; the square
    is taken everywhere. The quantile is Student's with one degree of freedom less than there are clusters, the normal
    one without clusters.

    Examples
    --------
    >>> made = wider(Interval(low=0.1, high=0.3), 0.2, looks=2)
    >>> round(made.low, 3), round(made.high, 3), made.level
    (0.069, 0.331, 0.975)
    """
    level = 1 - (1 - interval.level) / looks
    ratio = (_quantile(level, clusters) / _quantile(interval.level, clusters)) ** 2
    return replace(
        interval, low=value - ratio * (value - interval.low), high=value + ratio * (interval.high - value), level=level
    )


def above(found: Sequence[tuple[Named, object]], limit: float) -> list[tuple[Named, Estimate]]:
    """Those that are shown to lie above a limit after Holm's adjustment over all of them; of one, the interval decides.

    The chance of naming any whose true figure is not above it is at most ``(1 - level) / 2``, however many they are.
    The intervals themselves stay as they are.

    Parameters
    ----------
    found
        Whatever names an estimate, with the estimate; anything else than an Estimate (a refusal, None) isn't.

    References
    ----------
    Holm (1979), Scand. J. Stat. 6, 65-70; the p-values are those of :func:`evenhand.stats.p_above`.

    Examples
    --------
    >>> clear = Estimate(value=0.2, interval=Interval(low=0.12, high=0.3), n=100)
    >>> barely = Estimate(value=0.1, interval=Interval(low=0.051, high=0.16), n=100)
    >>> [name for name, _ in above([("a", clear), ("b", barely), ("c", None)], 0.05)]
    ['a', 'b']
    >>> [name for name, _ in above([("a", clear), ("b", barely), ("c", barely)], 0.05)]
    ['a']
    """
    known = [
        (named, estimate, estimate.interval)
        for named, estimate in found
        if isinstance(estimate, Estimate) and is_shown(estimate) and estimate.interval is not None
    ]
    if not known:
        return []
    adjusted = holm([p_above(estimate, limit) for _, estimate, _ in known]).p_values
    return [
        (named, estimate)
        for (named, estimate, interval), p in zip(known, adjusted, strict=True)
        if interval.low > limit and (len(known) == 1 or p < (1 - interval.level) / 2)
    ]


def clear_of_zero(found: Sequence[tuple[Named, Estimate]]) -> list[tuple[Named, Estimate]]:
    """Differences whose intervals leave 0 out after Holm's adjustment over all of them; of one, the interval decides.

    The p-value is that of Student's t with one degree of freedom less than there are clusters (of the normal
    distribution where an estimate has no clusters) whose interval has the same bound on the side of 0. By the normal
    tail some of 8 differences of 6 clusters each was named in 15 % of cases without any, by this one in 8 %; of 12
    clusters and more in at most 5 % (tests/simulation/test_several.py).

    References
    ----------
    Holm (1979), Scand. J. Stat. 6, 65-70; Altman and Bland (2011), doi:10.1136/bmj.d2304, for the p-value.

    Examples
    --------
    >>> clear = Estimate(value=0.2, interval=Interval(low=0.1, high=0.3), n=100)
    >>> barely = Estimate(value=0.11, interval=Interval(low=0.01, high=0.21), n=100)
    >>> [name for name, _ in clear_of_zero([("a", clear), ("b", barely)])]
    ['a', 'b']
    >>> [name for name, _ in clear_of_zero([("b", barely), *((f"c{i}", barely) for i in range(2))])]
    []
    """
    known = [(named, estimate, estimate.interval) for named, estimate in found if estimate.interval is not None]
    if not known:
        return []
    raw = [_p_of(estimate, interval) for _, estimate, interval in known]
    return [
        (named, estimate)
        for (named, estimate, interval), p in zip(known, holm(raw).p_values, strict=True)
        if p < 1 - interval.level and not interval.low <= 0.0 <= interval.high
    ]


def _p_of(estimate: Estimate, interval: Interval) -> float:
    """Two-sided, of no difference: from how often the distance to the bound goes into that to 0."""
    value = estimate.value
    half = value - interval.low if value > 0 else interval.high - value
    if value == 0 or half <= 0:
        return 1.0
    from scipy.special import ndtr, stdtr

    distance = -abs(value) / half * _quantile(interval.level, estimate.clusters)
    df = _df(estimate.clusters)
    return 2 * float(ndtr(distance) if df is None else stdtr(df, distance))


def _quantile(level: float, clusters: int | None) -> float:
    df = _df(clusters)
    return normal_quantile(level) if df is None else student_quantile(level, df)


def _df(clusters: int | None) -> int | None:
    """Degrees of freedom of Student's t; None for the normal distribution."""
    return None if clusters is None or clusters < 2 else clusters - 1
