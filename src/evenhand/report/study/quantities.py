"""Numbers of a study for people, each in its column's unit."""

from __future__ import annotations

import math

from evenhand.analysis.study import Unit
from evenhand.report.format import DASH, integer, interval_text, p_text, quantity
from evenhand.stats import Interval, TestResult

__all__ = ["axis_text", "p_number", "study_interval", "study_quantity"]

_SMALLEST = 1e-3  # below it a number is written with an exponent


def study_quantity(value: float, unit: Unit) -> str:
    """A number in a unit; a dash where it is not finite.

    Examples
    --------
    >>> study_quantity(0.41666, "share"), study_quantity(-0.05, "difference"), study_quantity(1234, "count")
    ('41.7 %', '−5.0 pp', '1,234')
    >>> study_quantity(0.5, "number"), study_quantity(-12.345, "number"), study_quantity(0.000012, "number")
    ('0.500', '−12.3', '1.20e-5')
    >>> study_quantity(1234.5, "dollars"), study_quantity(0.0123, "dollars")
    ('$1,234.50', '$0.0123')
    """
    if not math.isfinite(value):
        return DASH
    match unit:
        case "share" | "difference":
            return quantity(value, unit)
        case "count":
            return integer(value)
        case "dollars":
            return f"{'−' if value < 0 else ''}${_dollars(abs(value))}"
        case "p":
            return p_text(p_number(value))
        case _:
            return _significant(value)


def study_interval(interval: Interval | None, unit: Unit) -> str:
    """``[29.2, 54.9]``; empty where there is none, or where it has no width, which no data can justify.

    Examples
    --------
    >>> study_interval(Interval(low=-0.5, high=1.25), "number")
    '[−0.500, 1.25]'
    """
    if unit in ("share", "difference"):
        return interval_text(interval, unit)
    if interval is None or not interval_text(interval, "number"):
        return ""
    bounds = [
        study_quantity(bound, "number" if unit in ("p", "text") else unit) for bound in (interval.low, interval.high)
    ]
    return f"[{bounds[0]}, {bounds[1]}]".replace("$", "")


def p_number(value: float) -> TestResult:
    """A plain p-value as a test's, so that it is printed like one."""
    log10 = math.log10(value) if value > 0.0 else -math.inf if value == 0.0 else math.nan
    return TestResult(name="", p_value=value, log10_p=log10, n=0)


def axis_text(value: float, unit: Unit) -> str:
    """A number at an axis, where the axis' name says the unit.

    Examples
    --------
    >>> axis_text(0.25, "share"), axis_text(-0.1, "difference"), axis_text(1500.0, "count"), axis_text(2.5, "number")
    ('25', '−10', '1,500', '2.5')
    """
    scaled = value * 100 if unit in ("share", "difference") else value
    text = f"{abs(scaled):,.10g}" if abs(scaled) >= _SMALLEST or scaled == 0.0 else f"{abs(scaled):.3g}"
    sign = "" if float(text.replace(",", "")) == 0.0 else "−" if scaled < 0 else "+" if unit == "difference" else ""
    return f"{sign}{text}"


def _significant(value: float) -> str:
    """Three significant digits, never fewer than the whole part has."""
    if value == 0.0:
        return "0"
    sign, size = "−" if value < 0 else "", abs(value)
    if size >= 999.5:
        return f"{sign}{size:,.0f}" if size < 1e12 else f"{sign}{size:.2e}".replace("e+", "e")
    if size < _SMALLEST:
        mantissa, exponent = f"{size:.2e}".split("e")
        return f"{sign}{mantissa}e{int(exponent)}"
    digits = max(0, 2 - math.floor(math.log10(size)))
    text = f"{size:.{digits}f}"
    # 9.996 is rounded up to 10.00, which has a digit too many
    return f"{sign}{text if len(text.replace('.', '').lstrip('0')) <= 3 or not digits else f'{size:.{digits - 1}f}'}"


def _dollars(size: float) -> str:
    if size == 0.0 or size >= 0.995:
        return f"{size:,.2f}"
    return _significant(size)
