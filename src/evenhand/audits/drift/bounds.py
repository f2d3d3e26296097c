"""The one decision rule of gates and tolerances: an interval against the limits that a figure must keep."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evenhand.stats import Estimate, Interval, Refusal
from evenhand.stats.equivalence import Side, decide_tolerance

__all__ = ["POWER", "Limits", "Standing", "pairs_to_decide", "standing"]

Standing: TypeAlias = Literal["kept", "broken", "undecided", "not measured"]
"""``kept`` and ``broken`` only where the whole interval lies on one side; ``not measured`` where there is no figure or
no interval, which is never good enough."""

POWER = 0.8
"""Chance of a decision that :func:`pairs_to_decide` plans for: the convention of sample size planning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a figure must keep: ``low <= figure <= high``; None is no limit on that side.

    Raises
    ------
    ValueError
        No limit at all, or a low one above the high one.
    """

    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if self.low is None and self.high is None:
            raise ValueError("limits without a limit")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"no figure is at least {self.low} and at most {self.high}")

    def keeps(self, value: float) -> bool:
        """Whether a value is within the limits, the limits themselves included."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


def standing(
    estimate: Estimate | Refusal | None, limits: Limits, *, strict: Estimate | Refusal | None = None
) -> Standing:
    """Decide by the interval: kept where all of it is within the limits, broken where none of it is.

    Parameters
    ----------
    estimate
        The figure with its interval.
    limits
        What it must keep.
    strict
        The same figure with a wider interval, for calling it broken: with several figures looked at, each must be
        surer for any of them to be called broken wrongly no more often than the level says. That all are kept needs
        no such care (an intersection-union test: Berger 1982, doi:10.1080/00401706.1982.10487790).

    Notes
    -----
    A two-sided interval of level .95 makes each of the two one-sided decisions wrongly in at most 2.5 of 100 cases.

    Examples
    --------
    >>> from evenhand.stats import Interval
    >>> flips = Estimate(value=0.08, interval=Interval(low=0.05, high=0.13), n=200)
    >>> [standing(flips, Limits(high=h)) for h in (0.15, 0.1, 0.04)]
    ['kept', 'undecided', 'broken']
    """
    if not isinstance(estimate, Estimate) or estimate.interval is None:
        return "not measured"
    if not all(map(math.isfinite, (estimate.value, estimate.interval.low, estimate.interval.high))):
        return "not measured"
    surer = strict if isinstance(strict, Estimate) and strict.interval is not None else estimate
    sides: list[tuple[float, Side]] = []
    if limits.high is not None:
        sides.append((limits.high, "at most"))
    if limits.low is not None:
        sides.append((limits.low, "at least"))
    if all(decide_tolerance(estimate, limit, side=side).call == "kept" for limit, side in sides):
        return "kept"
    if any(decide_tolerance(surer, limit, side=side).call == "broken" for limit, side in sides):
        return "broken"
    return "undecided"


def pairs_to_decide(
    estimate: Estimate | Refusal | None, limits: Limits, *, pairs: int, strict: Estimate | Refusal | None = None
) -> int | None:
    """About how many pairs would decide, if the figure stays where it is; None where no number would tell.

    The interval's half width towards the limit shrinks with the square root of the pairs. For a chance of 80 % the
    standard error must be so small that the limit is ``z(level) + z(.8)`` of them away. A figure within its limits must
    be shown to keep both; one outside, to break the limit that it is beyond, by the ``strict`` interval. Where all
    pairs or none count, staying so leaves nothing to chance: the exact interval shrinks with the pairs themselves.

    Parameters
    ----------
    pairs
        That gave the figure; more of the same kind are meant, with as many to a question.
    strict
        As in :func:`standing`.

    Examples
    --------
    >>> from evenhand.stats import Interval
    >>> flips = Estimate(value=0.08, interval=Interval(low=0.05, high=0.13), n=200)
    >>> pairs_to_decide(flips, Limits(high=0.1), pairs=200)
    2555
    """
    if not isinstance(estimate, Estimate) or estimate.interval is None:
        return None
    value, interval = estimate.value, estimate.interval
    if not limits.keeps(value) and isinstance(strict, Estimate) and strict.interval is not None:
        interval = strict.interval
    decisive = _decisive(value, limits)
    if any(abs(limit - value) <= 1e-12 for limit in decisive):
        return None
    return math.ceil(max(_shrunk(value, interval, limit, pairs=pairs) for limit in decisive))


def _decisive(value: float, limits: Limits) -> tuple[float, ...]:
    """The limits that a value's interval must leave out: all that there are, or the one that it is beyond."""
    if limits.high is not None and value > limits.high:
        return (limits.high,)
    if limits.low is not None and value < limits.low:
        return (limits.low,)
    return tuple(limit for limit in (limits.low, limits.high) if limit is not None)


def _shrunk(value: float, interval: Interval, limit: float, *, pairs: int) -> float:
    """Pairs with which the interval about a value leaves a limit out, with a chance of 80 %."""
    from scipy.special import ndtri

    stretch = 1 + float(ndtri(POWER)) / float(ndtri(0.5 + interval.level / 2))
    half = interval.high - value if limit > value else value - interval.low
    if value in (interval.low, interval.high):  # all or none: the interval is exact, and shrinks with the pairs
        return pairs * half / abs(limit - value)
    return pairs * (stretch * half / abs(limit - value)) ** 2
