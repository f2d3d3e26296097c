import dataclasses

import numpy as np
import pytest

from evenhand.stats.proportions import student_quantile
from evenhand.stats.ratio import bootstrap_coefficient_ratio, coefficient_ratio
from evenhand.stats.regression import logit, ols
from stats.regression_data import NAMES, SIZES, binary, clustered


def by_hand():
    """Two terms of known values: 0.3 with error .1 over 1.2 with error .2, covariance .005, 24 df."""
    y, x, clusters = clustered([4] * 25)
    fit = ols(y, x[:, :2], clusters, names=["length", "quality"], intercept=False, errors="CR1")
    length, quality = fit.terms
    return dataclasses.replace(
        fit,
        terms=(
            dataclasses.replace(
                length, estimate=dataclasses.replace(length.estimate, value=0.3), standard_error=0.1, df=24.0
            ),
            dataclasses.replace(
                quality, estimate=dataclasses.replace(quality.estimate, value=1.2), standard_error=0.2, df=24.0
            ),
        ),
        covariance=np.array([[0.01, 0.005], [0.005, 0.04]]),
    )


def test_delta_method_by_hand():
    ratio = coefficient_ratio(by_hand(), "length", "quality")
    # var = (0.01 - 2 * .25 * .005 + .0625 * .04) / 1.44 = .00694; its root is .0833; t at 24 df is 2.0639
    assert ratio.value == pytest.approx(0.25)
    assert ratio.interval.high - 0.25 == pytest.approx(2.0639 * 0.083333, abs=1e-5)
    assert ratio.interval.low == pytest.approx(0.25 - 2.0639 * 0.083333, abs=1e-5)


def test_fieller_limits_are_just_not_rejected():
    fit = by_hand()
    interval = coefficient_ratio(fit, "length", "quality", method="fieller").interval
    for limit in (interval.low, interval.high):
        error = np.sqrt(0.01 - 2 * limit * 0.005 + limit**2 * 0.04)
        assert abs(0.3 - limit * 1.2) / error == pytest.approx(student_quantile(0.95, 24))
    delta = coefficient_ratio(fit, "length", "quality").interval
    assert interval.high - interval.low > delta.high - delta.low


def test_a_denominator_near_zero_is_refused():
    fit = by_hand()
    near = dataclasses.replace(fit.terms[1], estimate=dataclasses.replace(fit.terms[1].estimate, value=0.4))
    fit = dataclasses.replace(fit, terms=(fit.terms[0], near))
    for method in ("delta", "fieller"):
        refused = coefficient_ratio(fit, "length", "quality", method=method)
        assert refused.reason == "quality is not clearly away from 0: the ratio is unbounded (Fieller)"
    y, x, clusters = clustered(SIZES["balanced"])
    again = bootstrap_coefficient_ratio(
        y, x, clusters, names=NAMES, numerator="length", denominator="slot", rng=np.random.default_rng(0)
    )
    assert "slot" in again.reason


def test_a_term_without_interval_has_no_ratio():
    y, x, clusters = clustered(SIZES["balanced"])
    x[:, 2] = clusters == 0
    fit = ols(y, x, clusters, names=NAMES)
    assert coefficient_ratio(fit, "slot", "quality").reason.startswith("slot has no interval: one cluster alone")


@pytest.mark.parametrize(("fit", "name", "data"), [(ols, "ols", clustered), (logit, "logit", binary)])
def test_three_ways_agree_on_much_data(fit, name, data):
    y, x, clusters = data([4] * 500)
    regression = fit(y, x, clusters, names=NAMES)
    delta = coefficient_ratio(regression, "length", "quality")
    fieller = coefficient_ratio(regression, "length", "quality", method="fieller")
    drawn = bootstrap_coefficient_ratio(
        y, x, clusters, names=NAMES, numerator="length", denominator="quality", rng=np.random.default_rng(0), fit=name
    )
    width = delta.interval.high - delta.interval.low
    for other in (fieller, drawn):
        assert other.value == delta.value
        assert other.interval.low == pytest.approx(delta.interval.low, abs=0.1 * width)
        assert other.interval.high == pytest.approx(delta.interval.high, abs=0.1 * width)


def test_the_ratio_scales_with_its_terms():
    y, x, clusters = clustered(SIZES["balanced"])
    one = coefficient_ratio(ols(y, x, clusters, names=NAMES), "length", "quality", method="fieller")
    x[:, 1] *= -5
    other = coefficient_ratio(ols(3 * y, x, clusters, names=NAMES), "length", "quality", method="fieller")
    assert other.interval.low == pytest.approx(-one.interval.high / 5, rel=1e-7)
    assert other.interval.high == pytest.approx(-one.interval.low / 5, rel=1e-7)
