import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evenhand.errors import StatisticsError
from evenhand.stats import Estimate, Refusal, cluster_difference

METHODS = ["robust", "percentile", "bca"]


@st.composite
def paired(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(40, 90))
    clusters = np.concatenate([np.arange(10), rng.integers(0, 25, n - 10)])
    x = rng.random((2, n)) < rng.random(25)[clusters]
    keep = rng.random((2, n)) < 0.9
    return x[0] * keep[0], keep[0], x[1] * keep[1], keep[1], clusters


def difference(*arrays, **options):
    return cluster_difference(*arrays, rng=np.random.default_rng(5), **options)


@pytest.mark.parametrize("method", ["robust", "percentile"])
@given(data=paired())
@settings(deadline=None, max_examples=30)
def test_swapping_the_rates_turns_the_sign(method, data):
    a, b, c, d, clusters = data
    one = difference(a, b, c, d, clusters, method=method, resamples=200)
    other = difference(c, d, a, b, clusters, method=method, resamples=200)
    assert one.value == pytest.approx(-other.value)
    # The draws are sorted by content, which the swap reorders: percentiles are equal in law only.
    tolerance = 1e-12 if method == "robust" else 0.15
    assert one.interval.low == pytest.approx(-other.interval.high, abs=tolerance)


@pytest.mark.parametrize("method", METHODS)
@given(data=paired(), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=20)
def test_names_and_order_of_clusters_do_not_matter(method, data, seed):
    *columns, clusters = data
    order = np.random.default_rng(seed).permutation(len(clusters))
    names = np.random.default_rng(seed).permutation(100)
    one = difference(*columns, clusters, method=method, resamples=200)
    other = difference(*(c[order] for c in columns), names[clusters[order]], method=method, resamples=200)
    assert other.value == pytest.approx(one.value)
    assert other.interval.low == pytest.approx(one.interval.low)
    assert other.interval.high == pytest.approx(one.interval.high)


@given(b=st.integers(0, 20), c=st.integers(0, 20))
@settings(deadline=None, max_examples=40)
def test_one_pair_per_cluster_is_bonett_and_price(b, c):
    n = 50
    first = np.arange(n) < b
    second = np.arange(n) >= n - c
    interval = difference(first, None, second, None, np.arange(n)).interval
    p12, p21 = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = stats.norm.ppf(0.975) * np.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    assert interval.low == pytest.approx(p12 - p21 - half)
    assert interval.high == pytest.approx(p12 - p21 + half)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("first", "second", "value"), [(1, 1, 0), (0, 0, 0), (1, 0, 1), (0, 1, -1)])
def test_pairs_that_all_differ_alike_get_width_and_a_name(method, first, second, value):
    estimate = difference(np.full(120, first), None, np.full(120, second), None, np.arange(120) // 2, method=method)
    assert estimate.value == value
    assert estimate.interval.high - estimate.interval.low > 0.03
    assert estimate.interval.low <= value <= estimate.interval.high
    assert "60 effective pairs" in estimate.interval.method


@pytest.mark.parametrize(("method", "scipy_method"), [("percentile", "percentile"), ("bca", "BCa")])
def test_agrees_with_scipy_bootstrap(method, scipy_method):
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(40), rng.integers(1, 6, 40))
    x = rng.random((2, len(clusters))) < np.array([[0.7], [0.4]])
    keep = rng.random((2, len(clusters))) < 0.9
    columns = [x[0] & keep[0], keep[0], x[1] & keep[1], keep[1]]
    ours = difference(*columns, clusters, method=method, resamples=20_000).interval
    sums = [np.bincount(clusters, weights=c) for c in columns]
    theirs = stats.bootstrap(
        sums,
        lambda a, b, c, d, axis: a.sum(axis=axis) / b.sum(axis=axis) - c.sum(axis=axis) / d.sum(axis=axis),
        paired=True,
        n_resamples=20_000,
        method=scipy_method,
        rng=np.random.default_rng(4),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.low == pytest.approx(theirs.low, abs=0.04 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.04 * width)


def test_the_bootstrap_over_conditions_works_from_five_and_refuses_four():
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(5), 90)
    forced, generated = rng.random(450) < 0.9, rng.random(450) < 0.5
    estimate = difference(forced, None, generated, None, clusters, method="percentile")
    assert isinstance(estimate, Estimate)
    assert estimate.flags == ("fewer than 30 clusters (5)",)
    assert estimate.interval.low > 0.2
    four = clusters < 4
    refusal = difference(forced[four], None, generated[four], None, clusters[four])
    assert refusal == Refusal(reason="needs at least 5 clusters under the first rate, has 4", n=360)


def test_a_side_without_observations_is_refused():
    ones, zeros, clusters = np.ones(10), np.zeros(10), np.arange(10)
    assert difference(ones, ones, zeros, zeros, clusters).reason == "no observations under the second rate"
    assert difference(zeros, zeros, zeros, zeros, clusters).reason == "no observations"
    assert difference([], None, [], None, []).reason == "no observations"


def test_a_numerator_above_its_denominator_is_an_error():
    with pytest.raises(StatisticsError, match="numerator_2"):
        difference([1], [1], [1], [0], [0])
