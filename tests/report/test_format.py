import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.report.format import (
    count_of,
    date_text,
    difference,
    estimate_text,
    integer,
    interval_text,
    number,
    p_text,
    percent,
    quantity,
)
from evenhand.stats import Estimate, Interval, Refusal, TestResult


def test_p_values_of_the_published_counts():
    published = TestResult(name="exact McNemar", p_value=1.0e-99, log10_p=-98.98, n=420)
    assert p_text(published) == "p = 1.0e-99"
    binomial = TestResult(name="exact binomial", p_value=1.9e-244, log10_p=math.log10(1.9) - 244, n=829)
    assert p_text(binomial) == "p = 1.9e-244"


@pytest.mark.parametrize(
    ("p", "log10_p", "text"),
    [
        (0.0, -1000.0, "p < 1e-300"),
        (0.0, -math.inf, "p < 1e-300"),
        (1.0, 0.0, "p = 1"),
        (0.5, math.log10(0.5), "p = 0.5"),
        (0.00123, math.log10(0.00123), "p = 0.0012"),
        (9.96e-5, math.log10(9.96e-5), "p = 1.0e-4"),
        (math.nan, math.nan, "p not defined"),
    ],
)
def test_p_text(p, log10_p, text):
    assert p_text(TestResult(name="t", p_value=p, log10_p=log10_p, n=1)) == text


@given(st.floats(min_value=0, max_value=1))
def test_percent_never_claims_nought_or_all(share):
    text = percent(share)
    assert (text == "0 %") == (share == 0.0)
    assert (text == "100 %") == (share == 1.0)


def test_interval_of_no_width_is_not_shown():
    assert interval_text(Interval(low=1.0, high=1.0)) == ""
    assert interval_text(Interval(low=math.nan, high=1.0)) == ""
    assert estimate_text(Estimate(value=1.0, interval=Interval(low=1.0, high=1.0), n=3)) == "100 % (no interval)"


def test_units():
    assert quantity(0.5, "share") == "50.0 %"
    assert quantity(-0.05, "difference") == difference(-0.05) == "−5.0 pp"
    assert quantity(0.5, "number") == number(0.5) == "+0.50"
    assert interval_text(Interval(low=-0.05, high=0.21), "difference") == "[−5.0, +21.0]"


def test_estimates_and_refusals():
    assert estimate_text(None) == "—"
    assert estimate_text(Refusal(reason="needs at least 5 clusters, has 3")) == "— (needs at least 5 clusters, has 3)"
    assert estimate_text(Estimate(value=math.nan, interval=None, n=3)) == "— (not a finite number)"
    assert count_of(Estimate(value=0.5, interval=None, n=4)) == ""
    assert integer(11596) == "11,596"


def test_dates():
    assert date_text("2026-11-30T08:10:11+01:00") == "2026-11-30 07:10 UTC"
    assert date_text("yesterday") == "yesterday"
