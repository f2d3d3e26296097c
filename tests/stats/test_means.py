import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.regression.linear_model import OLS

from evenhand.stats import MeanEstimate, Refusal, cluster_mean, mean_se


@given(values=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50))
@settings(deadline=None, max_examples=40)
def test_mean_and_standard_error_agree_with_scipy(values):
    estimate = mean_se(values)
    assert estimate.value == pytest.approx(np.mean(values), abs=1e-6)
    assert estimate.standard_error == pytest.approx(stats.sem(values), rel=1e-9, abs=1e-9)
    if estimate.interval is not None:
        expected = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_a_constant_gets_no_interval_and_says_so():
    assert mean_se([2.0, 2.0]).interval is None
    flat = cluster_mean([0.1] * 12, np.arange(12) // 2, rng=np.random.default_rng(0))
    assert flat.interval is None
    assert "no variation in the data: no interval" in flat.flags


def test_cluster_error_agrees_with_statsmodels():
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(40), rng.integers(1, 6, 40))
    values = rng.normal(size=40)[clusters] + rng.normal(size=len(clusters))
    ours = cluster_mean(values, clusters, rng=rng)
    assert isinstance(ours, MeanEstimate)
    fit = OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    assert ours.standard_error == pytest.approx(fit.bse[0] * np.sqrt(40 / 39))
    half = stats.t.ppf(0.975, 39) * ours.standard_error
    assert ours.interval.high - ours.value == pytest.approx(half)


@pytest.mark.parametrize(("method", "scipy_method"), [("percentile", "percentile"), ("bca", "BCa")])
def test_agrees_with_scipy_bootstrap(method, scipy_method):
    rng = np.random.default_rng(1)
    values = rng.exponential(size=50)
    ours = cluster_mean(values, np.arange(50), rng=rng, method=method, resamples=20_000).interval
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method=scipy_method, rng=np.random.default_rng(2)
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.low == pytest.approx(theirs.low, abs=0.04 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.04 * width)


def test_too_little_is_refused():
    assert mean_se([1.0]) == Refusal(reason="needs at least 2 values, has 1", n=1)
    assert cluster_mean([], [], rng=np.random.default_rng(0)).reason == "no observations"
    assert cluster_mean([1.0, 2.0], [0, 1], rng=np.random.default_rng(0)).reason == "needs at least 5 clusters, has 2"
