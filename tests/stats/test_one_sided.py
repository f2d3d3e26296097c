from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evenhand.errors import StatisticsError
from evenhand.stats import Estimate, Interval, cluster_rate, p_above

LIMIT = 0.05


def rate(low, value, *, clusters=None, level=0.95):
    return Estimate(value=value, interval=Interval(low=low, high=1.0, level=level), n=100, clusters=clusters)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("clusters", [None, 6, 40])
def test_at_the_low_bound_it_is_the_level_of_one_side(level, clusters):
    assert p_above(rate(LIMIT, 0.11, clusters=clusters, level=level), LIMIT) == pytest.approx((1 - level) / 2)


def test_a_normal_estimate_has_its_normal_p():
    z = stats.norm.ppf(0.975)
    assert p_above(rate(0.15 - 0.03 * z, 0.15), LIMIT) == pytest.approx(stats.norm.sf(0.1 / 0.03))


def test_few_clusters_have_the_tail_of_student():
    t = stats.t.ppf(0.975, 6)
    assert p_above(rate(0.15 - 0.03 * t, 0.15, clusters=7), LIMIT) == pytest.approx(stats.t.sf(0.1 / 0.03, 6))


def test_what_is_not_above_is_not_at_all():
    assert p_above(rate(0.01, 0.04), LIMIT) == 1.0
    assert p_above(rate(0.02, LIMIT), LIMIT) == 1.0
    assert p_above(rate(0.3, 0.3), LIMIT) == 1.0  # no width, which says nothing


@pytest.mark.parametrize(("count", "wanted"), [(11, None), (7, stats.binom.sf(6, 100, LIMIT)), (0, 1.0)])
def test_a_count_is_no_surer_than_the_exact_binomial(count, wanted):
    own = replace(rate(LIMIT, 0.11), count=count)
    assert p_above(own, LIMIT) == pytest.approx(0.025 if wanted is None else wanted)


@pytest.mark.parametrize("count", [7.5, None, 300])
def test_what_is_no_count_of_observations_is_told_by_the_interval_alone(count):
    assert p_above(replace(rate(LIMIT, 0.11), count=count), LIMIT) == pytest.approx(0.025)


def test_without_an_interval_there_is_none():
    with pytest.raises(StatisticsError, match="has no interval"):
        p_above(Estimate(value=0.2, interval=None, n=9), LIMIT)


@settings(max_examples=150, deadline=None)
@given(
    flips=st.lists(st.integers(0, 3), min_size=5, max_size=60),
    looks=st.integers(1, 24),
)
def test_what_it_shows_among_several_the_interval_at_that_level_shows(flips, looks):
    """Scaling the distance never claims more than an interval made anew at Bonferroni's level."""
    numerator, denominator = np.array(flips), np.full(len(flips), 3)
    names = np.arange(len(flips))
    first = cluster_rate(numerator, denominator, names, rng=np.random.default_rng(0))
    anew = cluster_rate(numerator, denominator, names, rng=np.random.default_rng(0), level=1 - 0.05 / looks)
    if p_above(first, LIMIT) < 0.025 / looks:
        assert anew.interval.low > LIMIT - 1e-3
