"""Net rates: Bonett and Price's interval at observations, which rows only hold together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import StatisticsError
from evenhand.stats import Refusal, cluster_difference, cluster_net_rate


def net(*arrays, **options):
    return cluster_net_rate(*arrays, rng=np.random.default_rng(5), **options)


@st.composite
def rows(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(12, 60))
    clusters = np.concatenate([np.arange(10), rng.integers(0, 20, n - 10)])
    count = rng.integers(1, 5, n)
    toward = rng.binomial(count, rng.random())
    away = rng.binomial(count - toward, rng.random())
    return toward, away, count, clusters


@given(data=rows())
@settings(deadline=None, max_examples=50)
def test_the_value_is_the_difference_s_and_the_sides_can_be_exchanged(data):
    toward, away, count, clusters = data
    one, other = net(toward, away, count, clusters), net(away, toward, count, clusters)
    plain = cluster_difference(toward, count, away, count, clusters, rng=np.random.default_rng(5))
    assert one.value == pytest.approx(plain.value)
    assert (one.n, one.clusters) == (plain.n, plain.clusters)
    assert one.interval.low == pytest.approx(-other.interval.high)
    assert -1 <= one.interval.low <= one.value <= one.interval.high <= 1
    assert one.interval.high - one.interval.low > 0


@given(b=st.integers(0, 20), c=st.integers(0, 20))
@settings(deadline=None, max_examples=30)
def test_one_observation_a_cluster_is_bonett_and_price(b, c):
    n = 50
    interval = net(np.arange(n) < b, np.arange(n) >= n - c, np.ones(n), np.arange(n)).interval
    p12, p21 = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = 1.959964 * np.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    if b + c:
        assert (interval.low, interval.high) == pytest.approx((p12 - p21 - half, p12 - p21 + half), abs=1e-6)
    else:
        assert interval.high == pytest.approx(-interval.low)


@given(data=rows())
@settings(deadline=None, max_examples=30)
def test_only_the_totals_of_a_cluster_matter(data):
    """Rows split into their observations: the same interval. One pseudo-row a direction would weigh more the fewer."""
    toward, away, count, clusters = data
    whole = net(toward, away, count, clusters).interval
    step = [[1] * t + [-1] * a + [0] * (n - t - a) for t, a, n in zip(toward, away, count, strict=True)]
    single = np.concatenate([np.array(each) for each in step])
    split = net(single > 0, single < 0, np.ones(len(single)), np.repeat(clusters, count)).interval
    assert (split.low, split.high) == pytest.approx((whole.low, whole.high))


def test_by_hand():
    """40 pairs of four, 4 of them with one turn toward: p = .025, variance of clusters over independent one .966…"""
    toward, zeros, four = (np.arange(40) < 4).astype(float), np.zeros(40), np.full(40, 4)
    found = net(toward, zeros, four, np.arange(40))
    p, n = 4 / 160, 160
    variance = (4 * (1 - 4 * p) ** 2 + 36 * (4 * p) ** 2) / n**2 * 40 / 39
    deff = variance / ((p - p * p) / n)
    deff = (40 * deff + 1.959964**2) / (40 + 1.959964**2)
    m = n / deff
    middle = p * m / (m + 2)
    half = 2.022691 * np.sqrt(((p * m + 2) / (m + 2) - middle**2) / (m + 2))
    assert found.interval.low == pytest.approx(middle - half, abs=1e-6)
    assert found.interval.high == pytest.approx(middle + half, abs=1e-6)
    # cluster_difference has a pseudo-pair where this has a pseudo-presentation: 1.9 times as wide.
    plain = cluster_difference(toward, four, zeros, four, np.arange(40), rng=np.random.default_rng(0)).interval
    assert (plain.high - plain.low) / (found.interval.high - found.interval.low) > 1.8


@pytest.mark.parametrize(("toward", "away"), [(0, 0), (4, 0), (0, 4), (2, 2), (1, 1)])
@pytest.mark.parametrize("clusters", [np.arange(60), np.arange(60) // 4])
def test_rows_that_are_all_alike_get_width(toward, away, clusters):
    interval = net(np.full(60, toward), np.full(60, away), np.full(60, 4), clusters).interval
    assert interval.high - interval.low > 0.02


def test_bootstraps_are_the_difference_s():
    rng = np.random.default_rng(2)
    toward, away = rng.integers(0, 2, 50), rng.integers(0, 2, 50)
    count, clusters = np.full(50, 2), np.arange(50) // 2
    for method in ("percentile", "bca"):
        plain = cluster_difference(
            toward, count, away, count, clusters, rng=np.random.default_rng(5), resamples=200, method=method
        )
        assert net(toward, away, count, clusters, resamples=200, method=method) == plain


def test_what_is_refused_and_what_is_an_error():
    ones = np.ones(20)
    assert net(0 * ones, 0 * ones, ones, np.arange(20) // 5) == Refusal(reason="needs at least 5 clusters, has 4", n=20)
    with pytest.raises(StatisticsError, match="one side only"):
        net(ones, ones, ones, np.arange(20))


def test_half_moves_weigh_as_two_observations():
    """A pair of which one of two verdicts moves is a row of 1 of 2, or of a half of 1: one interval."""
    rng = np.random.default_rng(4)
    up, down = rng.random(80) < 0.3, rng.random(80) < 0.1
    two = net(up, down & ~up, np.full(80, 2), np.arange(80)).interval
    half = net(up / 2, (down & ~up) / 2, np.ones(80), np.arange(80)).interval
    plain = cluster_difference(up / 2, None, (down & ~up) / 2, None, np.arange(80), rng=rng).interval
    assert half.low == pytest.approx(two.low, abs=0.004)
    assert half.high == pytest.approx(two.high, abs=0.004)
    assert half.high - half.low < plain.high - plain.low


def test_degrees_of_freedom_are_those_of_as_many_clusters_of_one_size():
    rng = np.random.default_rng(3)
    clusters = np.concatenate([np.zeros(20, dtype=int), np.arange(1, 21)])
    up = rng.random(40) < 0.4
    method = net(up, np.zeros(40), np.ones(40), clusters).interval.method
    assert method.endswith(f"t with {40**2 / (20**2 + 20) - 1:.4g} df")
    even = net(up, np.zeros(40), np.ones(40), np.arange(40) // 2).interval.method
    assert even.endswith("t with 19 df")
