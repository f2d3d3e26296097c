"""The length-controlled win rate: by hand, against statsmodels, its symmetry, and what is refused."""

import numpy as np
import pytest

from evenhand.errors import StatisticsError
from evenhand.mitigation.fractional_logit import logistic
from evenhand.mitigation.length_control import length_controlled_win_rate
from evenhand.stats import Estimate, Refusal

sm = pytest.importorskip("statsmodels.api")


def simulated(seed=0, n=400, theta=-0.4, phi=1.5, mean=300.0):
    rng = np.random.default_rng(seed)
    difference = rng.normal(mean, 400, n)
    p = logistic(theta + phi * np.tanh(difference / difference.std(ddof=1)))
    return (rng.uniform(size=n) < p).astype(float), difference


def found_of(y, d, *, clusters=None, **settings):
    clusters = np.arange(len(y)) if clusters is None else clusters
    return length_controlled_win_rate(y, d, clusters, rng=np.random.default_rng(0), resamples=200, **settings)


def test_it_is_the_glm_with_the_length_term_at_zero():
    y, d = simulated()
    found = found_of(y, d)
    x = np.column_stack([np.ones(len(y)), np.tanh(d / d.std(ddof=1))])
    fit = sm.GLM(y, x, family=sm.families.Binomial()).fit()
    assert found.controlled.value == pytest.approx(logistic(fit.params[:1])[0], abs=1e-8)
    assert found.length.value == pytest.approx(fit.params[1], abs=1e-7)
    assert found.raw.value == y.mean()
    assert found.shift.value == pytest.approx(found.controlled.value - found.raw.value)


def test_the_other_system_s_win_rate_is_the_rest():
    y, d = simulated()
    one, other = found_of(y, d), found_of(1 - y, -d)
    assert one.controlled.value + other.controlled.value == pytest.approx(1, abs=1e-9)
    assert one.length.value == pytest.approx(other.length.value, abs=1e-8)
    assert one.raw_error is None


def test_difficulty_is_averaged_over_its_instructions():
    rng = np.random.default_rng(3)
    gamma, d = rng.normal(size=600), rng.normal(size=600) * 200
    p = logistic(-1.0 + 1.0 * np.tanh(d / d.std(ddof=1)) + 0.8 * gamma)
    found = found_of(p, d, difficulty=gamma)
    assert dict(found.coefficients) == pytest.approx({"system": -1.0, "length": 1.0, "difficulty": 0.8}, abs=1e-6)
    assert found.controlled.value == pytest.approx(logistic(-1.0 + 0.8 * gamma).mean(), abs=1e-8)
    assert found.with_difficulty


def test_errors_against_labels_are_on_the_labelled_comparisons():
    y, d = simulated()
    labels = np.where(np.arange(len(y)) < 100, (np.arange(len(y)) % 4 == 0).astype(float), np.nan)
    found = found_of(y, d, labels=labels)
    assert (found.label.value, found.label.n) == (0.25, 100)
    assert found.raw_error.value == pytest.approx(y[:100].mean() - 0.25)
    assert found.controlled_error.value == pytest.approx(found.controlled.value - 0.25)


def test_clusters_are_resampled_whole():
    y, d = simulated(n=100)
    doubled = found_of(np.tile(y, 4), np.tile(d, 4), clusters=np.tile(np.arange(100), 4))
    naive = found_of(np.tile(y, 4), np.tile(d, 4))
    width = [found.controlled.interval.high - found.controlled.interval.low for found in (doubled, naive)]
    assert width[0] > 1.6 * width[1]
    assert doubled.controlled.clusters == 100


@pytest.mark.parametrize(
    ("y", "d", "clusters", "words"),
    [
        (np.ones(29), np.arange(29.0), np.arange(29), "at least 30 comparisons"),
        (np.arange(40) % 2, np.full(40, 7.0), np.arange(40), "by the same"),
        (np.arange(40) % 2, np.arange(40.0), np.arange(40) % 4, "5 clusters"),
        ((np.arange(40) > 20).astype(float), np.arange(40.0), np.arange(40), "no maximum"),
        (np.ones(40), np.arange(40.0), np.arange(40), "no maximum"),
    ],
)
def test_refusals(y, d, clusters, words):
    found = found_of(np.asarray(y, dtype=float), d, clusters=clusters)
    assert isinstance(found, Refusal)
    assert words in found.reason


def test_mistakes_of_callers_are_errors():
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        found_of(np.full(40, 1.2), np.arange(40.0))
    with pytest.raises(StatisticsError, match="one shape"):
        found_of(np.full(40, 0.2), np.arange(39.0))


def test_few_clusters_are_flagged():
    y, d = simulated(n=60)
    found = found_of(y, d, clusters=np.arange(60) % 12)
    assert isinstance(found.controlled, Estimate)
    assert "fewer than 30 clusters (12)" in found.controlled.flags
