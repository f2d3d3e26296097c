import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from evenhand.errors import StatisticsError
from evenhand.stats import clopper_pearson, wilson

COUNTS = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(("function", "name"), [(wilson, "wilson"), (clopper_pearson, "beta")])
@given(counts=COUNTS, level=st.sampled_from([0.8, 0.95, 0.99]))
@settings(deadline=None, max_examples=40)
def test_agrees_with_statsmodels(function, name, counts, level):
    k, n = counts
    low, high = proportion_confint(k, n, alpha=1 - level, method=name)
    interval = function(k, n, level)
    assert interval.low == pytest.approx(low, abs=1e-9)
    assert interval.high == pytest.approx(high, abs=1e-9)
    assert interval.level == level


@pytest.mark.parametrize("function", [wilson, clopper_pearson])
@given(counts=COUNTS)
@settings(deadline=None, max_examples=40)
def test_the_complement_mirrors_and_width_is_never_zero(function, counts):
    k, n = counts
    interval, mirrored = function(k, n, 0.95), function(n - k, n, 0.95)
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-9)
    assert 0 <= interval.low <= k / n <= interval.high <= 1
    assert interval.high > interval.low


@pytest.mark.parametrize(("k", "n", "level"), [(0, 0, 0.95), (3, 2, 0.95), (-1, 2, 0.95), (1, 2, 95)])
def test_impossible_input_is_an_error(k, n, level):
    with pytest.raises(StatisticsError):
        clopper_pearson(k, n, level)
