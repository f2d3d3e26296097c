import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evenhand.errors import StatisticsError
from evenhand.stats import Estimate, Refusal, clopper_pearson, cluster_rate, wilson

METHODS = ["robust", "percentile", "bca"]


@st.composite
def clustered(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(12, 80))
    clusters = np.concatenate([np.arange(6), rng.integers(0, draw(st.integers(6, 30)), n - 6)])
    base = rng.random(40)[clusters]
    return (rng.random(n) < base).astype(float), clusters


def rate(x, clusters, **options):
    return cluster_rate(x, options.pop("denominator", None), clusters, rng=np.random.default_rng(5), **options)


@pytest.mark.parametrize("method", METHODS)
@given(data=clustered(), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=30)
def test_names_and_order_of_clusters_do_not_matter(method, data, seed):
    x, clusters = data
    rng = np.random.default_rng(seed)
    order, names = rng.permutation(len(x)), rng.permutation(100)
    first = rate(x, clusters, method=method, resamples=200)
    assert rate(x[order], names[clusters[order]], method=method, resamples=200) == first
    assert rate(x, [f"source {c}" for c in clusters], method=method, resamples=200) == first


@given(data=clustered())
@settings(deadline=None, max_examples=60)
def test_complement_mirrors(data):
    x, clusters = data
    one, other = rate(x, clusters), rate(1 - x, clusters)
    assert one.value + other.value == pytest.approx(1)
    assert one.interval.low == pytest.approx(1 - other.interval.high, abs=1e-12)
    assert one.interval.high == pytest.approx(1 - other.interval.low, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(data=clustered())
@settings(deadline=None, max_examples=40)
def test_interval_holds_the_estimate_and_has_width(method, data):
    x, clusters = data
    estimate = rate(x, clusters, method=method, resamples=200)
    assert 0 <= estimate.interval.low <= estimate.value <= estimate.interval.high <= 1
    assert estimate.interval.high - estimate.interval.low > 0.01


@given(data=clustered())
@settings(deadline=None, max_examples=40)
def test_one_observation_per_cluster_is_plain_wilson(data):
    x, _ = data
    if x.mean() in (0, 1):
        return
    interval, plain = rate(x, np.arange(len(x))).interval, wilson(x.sum(), len(x))
    assert (interval.low, interval.high) == pytest.approx((plain.low, plain.high), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_all_or_none_gets_clopper_pearson_on_clusters(method, value):
    estimate = rate(np.full(60, value), np.arange(60) // 3, method=method)
    expected = clopper_pearson(20 * value, 20)
    assert (estimate.interval.low, estimate.interval.high) == (expected.low, expected.high)
    assert "Clopper–Pearson" in estimate.interval.method
    assert "20 clusters" in estimate.interval.method


@pytest.mark.parametrize("method", METHODS)
def test_clusters_that_are_all_alike_still_get_width(method):
    # One first-slot choice in each pair of orders: no cluster differs from another.
    estimate = rate(np.tile([1, 0], 60), np.repeat(np.arange(60), 2), method=method)
    assert estimate.value == 0.5
    assert estimate.interval.high - estimate.interval.low > 0.04
    assert "Wilson" in estimate.interval.method


def test_denominator_takes_observations_and_clusters_out():
    x, clusters = np.tile([1, 0, 0], 10), np.repeat(np.arange(10), 3)
    denominator = np.where(clusters < 7, 1, 0)
    estimate = rate(x * denominator, clusters, denominator=denominator)
    assert (estimate.n, estimate.count, estimate.clusters) == (21, 7, 7)
    assert estimate.flags == ("fewer than 30 clusters (7)",)
    few = rate(x * (clusters < 3), clusters, denominator=(clusters < 3) * 1.0)
    assert few == Refusal(reason="needs at least 5 clusters, has 3", n=9)
    none = rate(x * 0, clusters, denominator=x * 0)
    assert none == Refusal(reason="no observations", n=0)


def test_the_same_seed_gives_the_same_result_and_another_differs():
    rng = np.random.default_rng(0)
    x, clusters = rng.integers(0, 2, 300), rng.integers(0, 60, 300)

    def interval(seed):
        return cluster_rate(x, None, clusters, rng=np.random.default_rng(seed), method="percentile").interval

    assert interval(1) == interval(1)
    assert interval(1) != interval(2)


@pytest.mark.parametrize(("method", "scipy_method"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("resampled", ["cells", "draws"])
def test_agrees_with_scipy_bootstrap(method, scipy_method, resampled):
    rng = np.random.default_rng(7)
    sizes = np.ones(400) if resampled == "cells" else rng.integers(1, 9, 40).astype(float)
    clusters = np.repeat(np.arange(len(sizes)), sizes.astype(int))
    x = (rng.random(len(clusters)) < rng.beta(2, 6, len(sizes))[clusters]).astype(float)
    ours = rate(x, clusters, method=method, resamples=20_000).interval
    sums = np.bincount(clusters, weights=x)
    theirs = stats.bootstrap(
        (sums, sizes),
        lambda top, bottom, axis: top.sum(axis=axis) / bottom.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method=scipy_method,
        rng=np.random.default_rng(8),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.low == pytest.approx(theirs.low, abs=0.04 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.04 * width)


@pytest.mark.parametrize(
    ("numerator", "denominator", "clusters", "message"),
    [
        ([1, 2], None, [0, 1], "between 0 and its denominator"),
        ([1, -1], None, [0, 1], "between 0 and its denominator"),
        ([1, np.nan], None, [0, 1], "leave out missing"),
        ([1, 0], [1], [0, 1], "differ in length"),
        ([1, 0], None, [0], "differ in length"),
        (["a"], None, [0], "must be numbers"),
        ([[1], [0]], None, [0, 1], "one dimension"),
    ],
)
def test_bad_arrays_are_errors(numerator, denominator, clusters, message):
    with pytest.raises(StatisticsError, match=message):
        rate(numerator, clusters, denominator=denominator)


@pytest.mark.parametrize(("option", "value"), [("level", 95), ("resamples", 10)])
def test_bad_options_are_errors(option, value):
    with pytest.raises(StatisticsError, match=option):
        rate([1, 0], [0, 1], **{option: value})


def test_ten_million_one_row_clusters_need_no_ten_million_draws():
    n = 10_000_000
    x = np.zeros(n, dtype=bool)
    x[: n // 5] = True
    estimate = cluster_rate(x, None, np.arange(n), rng=np.random.default_rng(0), method="bca")
    assert isinstance(estimate, Estimate)
    # The binomial standard error is .000126; the interval must be 3.92 of them wide.
    assert estimate.interval.high - estimate.interval.low == pytest.approx(3.92 * np.sqrt(0.16 / n), rel=0.1)
