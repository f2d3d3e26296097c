import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from evenhand.errors import StatisticsError
from evenhand.stats import binomial_test, mcnemar


@given(n=st.integers(1, 400), share=st.floats(0, 1), p=st.floats(0.01, 0.99))
@settings(deadline=None, max_examples=40)
def test_binomial_agrees_with_scipy(n, share, p):
    k = round(n * share)
    result = binomial_test(k, n, p)
    assert result.p_value == pytest.approx(binomtest(k, n, p).pvalue, rel=1e-9)
    assert 10**result.log10_p == pytest.approx(result.p_value, rel=1e-9)


def test_log10_is_exact_where_the_p_value_underflows():
    # 2 * 2**-n for n successes of n: known exactly.
    n = 5_000
    result = binomial_test(n, n)
    assert result.p_value == 0.0
    assert result.log10_p == pytest.approx((1 - n) * math.log10(2), rel=1e-13)


def test_log10_against_integer_arithmetic():
    k, n = 60, 2_000
    tail = 2 * sum(math.comb(n, i) for i in range(k + 1))
    exact = math.log10(tail) - n * math.log10(2)
    assert exact < -308
    assert binomial_test(k, n).log10_p == pytest.approx(exact, rel=1e-12)
    assert mcnemar(k, n - k).log10_p == pytest.approx(exact, rel=1e-12)


def test_log10_continues_where_its_computation_changes():
    n = 1_200
    logs = [binomial_test(k, n).log10_p for k in range(40, 80)]
    assert min(logs) < -280 < max(logs)
    steps = np.diff(logs)
    assert (np.diff(steps) < 0).all(), "log p is concave in k, also across the switch"


@given(b=st.integers(0, 60), c=st.integers(0, 60))
@settings(deadline=None, max_examples=40)
def test_mcnemar_agrees_with_statsmodels(b, c):
    if b + c == 0:
        assert mcnemar(0, 0).p_value == 1.0
        return
    expected = statsmodels_mcnemar([[5, b], [c, 5]], exact=True).pvalue
    assert mcnemar(b, c).p_value == pytest.approx(expected, rel=1e-9)


@given(b=st.integers(0, 200), c=st.integers(0, 200))
@settings(deadline=None, max_examples=40)
def test_mid_p_lies_below_exact_and_both_are_symmetric(b, c):
    exact, mid = mcnemar(b, c), mcnemar(b, c, mid_p=True)
    assert mid.p_value <= exact.p_value
    assert mid.p_value == pytest.approx(mcnemar(c, b, mid_p=True).p_value)
    assert 10**mid.log10_p == pytest.approx(mid.p_value, rel=1e-8)
    if b != c:
        point = math.comb(b + c, b) / 2 ** (b + c)
        assert mid.p_value == pytest.approx(exact.p_value - point, rel=1e-8)


def test_mid_p_survives_underflow():
    result = mcnemar(0, 3_000, mid_p=True)
    # 2 * 2**-n minus 2**-n
    assert result.log10_p == pytest.approx(-3_000 * math.log10(2), rel=1e-12)


def test_mcnemar_prints_its_caveat():
    assert "independent" in mcnemar(3, 1).caveat


@pytest.mark.parametrize(("k", "n", "p"), [(-1, 3, 0.5), (4, 3, 0.5), (1, 3, 0.0), (1, 3, 1.5), (1.5, 3, 0.5)])
def test_impossible_counts_are_errors(k, n, p):
    with pytest.raises(StatisticsError):
        binomial_test(k, n, p)
