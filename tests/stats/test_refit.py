import numpy as np
import pytest

from evenhand.stats.refit import resampled_coefficients
from evenhand.stats.regression import logit, ols
from evenhand.stats.results import Refusal
from stats.regression_data import NAMES, SIZES, binary, clustered


def one_by_one(y, x, clusters, fit, resamples, seed):
    """The slow way: draw clusters with the same numbers, copy their rows and fit."""
    rng, size = np.random.default_rng(seed), clusters.max() + 1
    for drawn in rng.integers(0, size, size=(resamples, size)):
        rows = np.concatenate([np.flatnonzero(clusters == c) for c in drawn])
        again = np.repeat(np.arange(size), [np.count_nonzero(clusters == c) for c in drawn])
        yield fit(y[rows], x[rows], again, names=NAMES)


@pytest.mark.parametrize(("fit", "name", "data"), [(ols, "ols", clustered), (logit, "logit", binary)])
def test_all_at_once_is_each_by_itself(fit, name, data):
    y, x, clusters = data(SIZES["balanced"])
    draws = resampled_coefficients(y, x, clusters, names=NAMES, rng=np.random.default_rng(5), resamples=100, fit=name)
    slow = list(one_by_one(y, x, clusters, fit, 100, seed=5))
    for row, regression in zip(draws, slow, strict=True):
        assert row == pytest.approx(regression.coefficients, rel=1e-5, abs=1e-6)


def test_a_resample_without_a_fit_is_nan_and_not_a_number():
    y, x, clusters = binary([5] * 12)
    x[:, 2] = clusters < 2  # both drawn in no resample of about one in ten
    draws = resampled_coefficients(y, x, clusters, names=NAMES, rng=np.random.default_rng(0), resamples=2000)
    lost = np.isnan(draws).all(axis=1)
    assert np.isfinite(draws[~lost]).all()
    assert lost.mean() == pytest.approx((10 / 12) ** 12, abs=0.03)
    logistic = resampled_coefficients(
        y, x, clusters, names=NAMES, rng=np.random.default_rng(0), resamples=2000, fit="logit"
    )
    assert np.isnan(logistic[lost]).all(), "what has no linear fit has no logistic one"


def test_refused_as_the_fit_is():
    y, x, clusters = binary(SIZES["balanced"])
    refused = resampled_coefficients(x[:, 0] > 0, x, clusters, names=NAMES, rng=np.random.default_rng(0), fit="logit")
    assert isinstance(refused, Refusal)
    x[:, 2] = 1.0
    assert isinstance(resampled_coefficients(y, x, clusters, names=NAMES, rng=np.random.default_rng(0)), Refusal)
