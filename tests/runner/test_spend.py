import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import ConfigError
from evenhand.runner.spend import Prices, SpendLimit
from evenhand.store import TokenTotals

PRICES = Prices(prompt=2.5, completion=10.0)


def totals(answers=1, prompt=0, completion=0, untold=0):
    return TokenTotals(answers=answers, prompt_tokens=prompt, completion_tokens=completion, untold=untold)


def test_prices_are_dollars_per_million():
    assert Prices.parse(" 2.50, 10") == PRICES
    assert PRICES.cost(prompt_tokens=400_000, completion_tokens=50_000) == pytest.approx(1.5)


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "nan,1", "inf,1"])
def test_other_prices_are_refused(text):
    with pytest.raises(ConfigError, match="price"):
        Prices.parse(text)


def test_a_limit_in_dollars_needs_prices():
    with pytest.raises(ConfigError, match="--price"):
        SpendLimit(max_cost=1.0)


@pytest.mark.parametrize("limit", [{"max_cost": 0.0}, {"max_tokens": 0}, {"max_cost": float("nan")}])
def test_a_limit_is_more_than_nothing(limit):
    with pytest.raises(ConfigError, match="more than 0"):
        SpendLimit(prices=PRICES, **limit)


def test_without_a_limit_nothing_is_reached_even_without_counts():
    assert SpendLimit(prices=PRICES).reached(totals(untold=5), in_flight=3) is None


def test_answers_without_counts_end_a_run_with_a_limit():
    assert "can't be kept" in SpendLimit(max_tokens=10).reached(totals(untold=2), in_flight=0)


def test_dollars_are_limited():
    limit = SpendLimit(max_cost=1.0, prices=PRICES)
    assert limit.reached(totals(answers=10, prompt=300_000), in_flight=0) is None
    assert "$1.00" in limit.reached(totals(answers=10, prompt=400_000), in_flight=0)
    assert "3 requests in flight" in limit.reached(totals(answers=10, prompt=310_000), in_flight=3)


@given(st.integers(1, 1000), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 100))
def test_more_in_flight_never_lifts_a_limit(answers, prompt, completion, flying):
    limit = SpendLimit(max_tokens=10**6)
    spent = totals(answers=answers, prompt=prompt, completion=completion)
    if limit.reached(spent, in_flight=flying) is not None:
        assert limit.reached(spent, in_flight=flying + 1) is not None
    assert (limit.reached(spent, in_flight=0) is not None) == (prompt + completion >= 10**6)
