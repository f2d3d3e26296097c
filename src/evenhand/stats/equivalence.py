"""Is a tolerance kept or broken? Decided on an interval's bounds, so that too little data says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from evenhand.errors import StatisticsError
from evenhand.stats.results import Estimate, Refusal

__all__ = ["Side", "ToleranceCall", "ToleranceDecision", "decide_tolerance", "two_sided_level"]

ToleranceCall = Literal["kept", "broken", "undecided"]
Side = Literal["at most", "at least"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToleranceDecision:
    """What an interval says of a tolerance.

    Attributes
    ----------
    call
        ``kept`` where the whole interval keeps the tolerance, ``broken`` where all of it is beyond, else ``undecided``.
    reason
        One sentence with the figures.
    error
        Chance at most of calling it broken while it is kept, and the same of the reverse: ``(1 - level) / 2``.
    """

    call: ToleranceCall
    reason: str
    tolerance: float
    side: Side
    estimate: Estimate | Refusal
    error: float | None = None


def two_sided_level(error: float) -> float:
    """Level of the two-sided interval whose one bound errs with a given chance: ``1 - 2 * error``.

    Raises
    ------
    StatisticsError
        Unless ``0 < error < .5``.

    Examples
    --------
    >>> two_sided_level(0.05)
    0.9
    """
    if not 0 < error < 0.5:
        msg = f"a one-sided error must lie between 0 and 0.5, is {error}"
        raise StatisticsError(msg)
    return 1 - 2 * error


def decide_tolerance(estimate: Estimate | Refusal, tolerance: float, *, side: Side = "at most") -> ToleranceDecision:
    """Two one-sided decisions from one interval: whether a rate or a difference is within its tolerance.

    Parameters
    ----------
    estimate
        With an interval at :func:`two_sided_level` of the error that a single decision may have. At 95 % each of the
        two calls errs in at most 2.5 % of samples, at 90 % in 5 %.
    tolerance
        The limit; a figure equal to it keeps it.
    side
        ``at most`` for what must not exceed the tolerance, such as a flip rate or how much it rose; ``at least`` for
        what must not fall below, such as compliance.

    Returns
    -------
    ToleranceDecision
        ``undecided`` where the estimate is a refusal, has no interval, or has the tolerance within its interval. No
        data is neither a pass nor a failure.

    References
    ----------
    Schuirmann (1987), doi:10.1007/BF01068419 (two one-sided tests).

    Examples
    --------
    >>> from evenhand.stats.results import Interval
    >>> rate = Estimate(value=0.2, interval=Interval(low=0.17, high=0.24, level=0.9), n=400)
    >>> decide_tolerance(rate, 0.15).call, decide_tolerance(rate, 0.3).call, decide_tolerance(rate, 0.22).call
    ('broken', 'kept', 'undecided')
    >>> decide_tolerance(rate, 0.15).reason
    'at least 0.17, above the tolerance of 0.15'
    """
    if tolerance != tolerance:
        msg = "the tolerance is not a number"
        raise StatisticsError(msg)

    def decided(call: ToleranceCall, reason: str, error: float | None = None) -> ToleranceDecision:
        return ToleranceDecision(
            call=call, reason=reason, tolerance=tolerance, side=side, estimate=estimate, error=error
        )

    if isinstance(estimate, Refusal):
        return decided("undecided", estimate.reason)
    if estimate.interval is None:
        return decided("undecided", f"{estimate.value:.4g} has no interval")
    low, high = estimate.interval.low, estimate.interval.high
    error = (1 - estimate.interval.level) / 2
    match side:
        case "at most":
            kept, broken = high <= tolerance, low > tolerance
            within, beyond = f"at most {high:.4g}", f"at least {low:.4g}, above"
        case "at least":
            kept, broken = low >= tolerance, high < tolerance
            within, beyond = f"at least {low:.4g}", f"at most {high:.4g}, below"
        case _:
            assert_never(side)
    if kept:
        return decided("kept", f"{within}, within the tolerance of {tolerance:.4g}", error)
    if broken:
        return decided("broken", f"{beyond} the tolerance of {tolerance:.4g}", error)
    return decided(
        "undecided", f"between {low:.4g} and {high:.4g}: the tolerance of {tolerance:.4g} lies within", error
    )
