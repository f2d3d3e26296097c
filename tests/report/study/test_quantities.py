import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.report.study.quantities import axis_text, p_number, study_interval, study_quantity
from evenhand.stats import Interval

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (1.0, "1.00"),
        (0.0999, "0.0999"),
        (9.996, "10.0"),
        (0.9996, "1.00"),
        (99.96, "100"),
        (123.4, "123"),
        (999.6, "1,000"),
        (1234567.0, "1,234,567"),
        (-0.00123, "−0.00123"),
        (0.0009999, "1.00e-3"),
        (1e-12, "1.00e-12"),
        (1e15, "1.00e15"),
    ],
)
def test_a_number_has_three_significant_digits(value, shown):
    assert study_quantity(value, "number") == shown


@given(FINITE)
def test_a_number_read_back_is_within_half_a_digit(value):
    read = float(study_quantity(value, "number").replace("−", "-").replace(",", ""))
    assert math.isclose(read, value, rel_tol=5.1e-3, abs_tol=0.0) or value == 0.0


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "$0.00"), (-3.456, "−$3.46"), (1234.5, "$1,234.50"), (0.000012, "$1.20e-5"), (0.996, "$1.00")],
)
def test_dollars(value, shown):
    assert study_quantity(value, "dollars") == shown


@pytest.mark.parametrize("unit", ["text", "share", "difference", "number", "count", "p", "dollars"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_a_dash(unit, value):
    assert study_quantity(value, unit) == "—"


def test_intervals_in_each_unit():
    bounds = Interval(low=0.05, high=0.25)
    shown = {unit: study_interval(bounds, unit) for unit in ("share", "difference", "number", "dollars")}
    assert shown == {
        "share": "[5.0, 25.0]",
        "difference": "[+5.0, +25.0]",
        "number": "[0.0500, 0.250]",
        "dollars": "[0.0500, 0.250]",
    }


@pytest.mark.parametrize("unit", ["share", "number", "count", "dollars"])
@pytest.mark.parametrize("bounds", [(1.0, 1.0), (math.nan, 1.0), (0.0, math.inf)])
def test_an_interval_without_width_or_end_is_not_shown(unit, bounds):
    assert study_interval(Interval(low=bounds[0], high=bounds[1]), unit) == ""


def test_a_plain_p_value_is_printed_like_a_test_s():
    assert study_quantity(0.0123, "p") == "p = 0.012"
    assert study_quantity(0.0, "p") == "p < 1e-300"
    assert p_number(math.nan).p_value != p_number(math.nan).p_value


@given(FINITE)
def test_an_axis_never_shows_minus_zero(value):
    assert axis_text(value, "number") not in ("−0", "-0")
    assert "-" not in axis_text(value, "number").split("e")[0]
