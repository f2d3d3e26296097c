"""Numbers for people: every surface prints shares, differences, intervals, p-values and counts from here."""

from __future__ import annotations

import math

from evenhand.stats import Estimate, Interval, Refusal, TestResult

__all__ = [
    "count_of",
    "date_text",
    "difference",
    "estimate_text",
    "how_many",
    "integer",
    "interval_text",
    "is_shown",
    "number",
    "p_text",
    "percent",
    "quantity",
    "refusal_text",
]

DASH = "—"
_LOG10_FLOOR = -300.0  # below it a double can't hold the value; the brief of a p-value ends there


def integer(value: float) -> str:
    """``11,596``; a weighted count that is no whole number keeps one digit."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def how_many(count: int, one: str, several: str | None = None) -> str:
    """A number with its noun; ``several`` where that isn't ``one`` with an s.

    Examples
    --------
    >>> how_many(1, "pair"), how_many(0, "pair"), how_many(1200, "run is", "runs are")
    ('1 pair', '0 pairs', '1,200 runs are')
    """
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def percent(value: float) -> str:
    """A share as percent with one digit; never rounds a share that is neither 0 nor 1 to 0 or 100.

    Examples
    --------
    >>> [percent(x) for x in (0.0, 0.0004, 0.41666, 0.9999, 1.0)]
    ['0 %', '<0.1 %', '41.7 %', '>99.9 %', '100 %']
    """
    if value in (0.0, 1.0):
        return f"{value * 100:.0f} %"
    if 0.0 < value < 0.0005:
        return "<0.1 %"
    if 0.9995 <= value < 1.0:
        return ">99.9 %"
    return f"{value * 100:.1f} %".replace("-", "−")


def difference(value: float) -> str:
    """A difference of shares, signed, in percentage points.

    Examples
    --------
    >>> difference(0.4221), difference(-0.05), difference(0.0)
    ('+42.2 pp', '−5.0 pp', '0.0 pp')
    """
    return f"{_signed(value * 100, 1)} pp"


def number(value: float) -> str:
    """A signed number with two digits, such as a bias strength between −1 and +1.

    Examples
    --------
    >>> number(0.973), number(-0.1)
    ('+0.97', '−0.10')
    """
    return _signed(value, 2)


def _signed(value: float, digits: int) -> str:
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0.0:
        return text
    return f"{'+' if value > 0 else '−'}{text}"


def quantity(value: float, unit: str) -> str:
    """A value in its measure's unit: ``share``, ``difference``, ``number``, ``score``, ``score difference``, ``count``.

    Examples
    --------
    >>> quantity(0.6642, "score"), quantity(-0.0121, "score difference")
    ('0.664', '−0.012')
    """
    match unit:
        case "share":
            return percent(value)
        case "difference":
            return difference(value)
        case "score":
            return f"{value:.3f}"
        case "score difference":
            return _signed(value, 3)
        case "count":
            return integer(round(value))
        case _:
            return number(value)


def _bound(value: float, unit: str) -> str:
    match unit:
        case "share":
            return percent(value).removesuffix(" %")
        case "difference":
            return _signed(value * 100, 1)
        case "score" | "score difference" | "count":
            return quantity(value, unit)
        case _:
            return _signed(value, 2)


def interval_text(interval: Interval | None, unit: str = "share") -> str:
    """``[29.2, 54.9]``; empty where there is none or where it has no width, which no data can justify.

    Examples
    --------
    >>> interval_text(Interval(low=0.292, high=0.549))
    '[29.2, 54.9]'
    >>> interval_text(Interval(low=0.0, high=0.9998))
    '[0, >99.9]'
    >>> interval_text(Interval(low=1.0, high=1.0))
    ''
    """
    if not _has_width(interval) or interval is None:
        return ""
    return f"[{_bound(interval.low, unit)}, {_bound(interval.high, unit)}]"


def _has_width(interval: Interval | None) -> bool:
    return (
        interval is not None
        and math.isfinite(interval.low)
        and math.isfinite(interval.high)
        and interval.low < interval.high
    )


def is_shown(estimate: Estimate | Refusal | None) -> bool:
    """Whether there is a finite number to print."""
    return isinstance(estimate, Estimate) and math.isfinite(estimate.value)


def refusal_text(reason: str) -> str:
    """A refusal with its reason, ``— (needs at least 5 clusters, has 3)``."""
    return f"{DASH} ({reason})"


def estimate_text(estimate: Estimate | Refusal | None, unit: str = "share") -> str:
    """An estimate in one line of prose, with its interval, or why there is none.

    Examples
    --------
    >>> estimate_text(Estimate(value=25 / 60, interval=Interval(low=0.292, high=0.549), n=60, count=25))
    '41.7 % [29.2, 54.9]'
    >>> estimate_text(Refusal(reason="needs at least 5 clusters, has 3"))
    '— (needs at least 5 clusters, has 3)'
    >>> estimate_text(Estimate(value=1.0, interval=None, n=3))
    '100 % (no interval)'
    """
    match estimate:
        case None:
            return DASH
        case Refusal(reason=reason):
            return refusal_text(reason)
        case Estimate(value=value) if not math.isfinite(value):
            return refusal_text("not a finite number")
        case Estimate():
            return f"{quantity(estimate.value, unit)} {interval_text(estimate.interval, unit) or '(no interval)'}"


def count_of(estimate: Estimate | Refusal | None) -> str:
    """``25/60``; empty for what is no rate.

    Examples
    --------
    >>> count_of(Estimate(value=25 / 60, interval=None, n=60, count=25))
    '25/60'
    """
    match estimate:
        case Estimate(count=count, n=n) if count is not None:
            return f"{integer(count)}/{integer(n)}"
        case _:
            return ""


def p_text(test: TestResult) -> str:
    """A p-value that stays readable where it underflows.

    Examples
    --------
    >>> p_text(TestResult(name="t", p_value=0.0123, log10_p=-1.9101, n=9))
    'p = 0.012'
    >>> p_text(TestResult(name="t", p_value=1.0e-99, log10_p=-99.0, n=420))
    'p = 1.0e-99'
    >>> p_text(TestResult(name="t", p_value=0.0, log10_p=-412.5, n=9000))
    'p < 1e-300'
    """
    if not math.isfinite(test.log10_p) and test.p_value != 0.0:
        return "p not defined" if not math.isfinite(test.p_value) else f"p = {test.p_value:.3g}"
    if test.log10_p < _LOG10_FLOOR:
        return "p < 1e-300"
    if test.p_value >= 0.9995:
        return "p = 1"
    if test.log10_p >= -3.0:
        return f"p = {test.p_value:.2g}"
    exponent = math.floor(test.log10_p)
    mantissa = f"{10 ** (test.log10_p - exponent):.1f}"
    if mantissa == "10.0":
        mantissa, exponent = "1.0", exponent + 1
    return f"p = {mantissa}e{exponent}"


def date_text(created: str) -> str:
    """``2026-11-30 07:10 UTC`` from an ISO 8601 time; other text as it is.

    Examples
    --------
    >>> date_text("2026-11-30T07:10:11+00:00")
    '2026-11-30 07:10 UTC'
    """
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return created
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return f"{moment:%Y-%m-%d %H:%M} UTC"
