"""The batched fractional logit against statsmodels' GLM, and what has no maximum."""

import numpy as np
import pytest

from evenhand.mitigation.fractional_logit import fit_many, logistic

sm = pytest.importorskip("statsmodels.api")


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_statsmodels_for_every_set_of_weights(seed):
    rng = np.random.default_rng(seed)
    n = 200
    x = np.column_stack([np.ones(n), rng.normal(size=n), rng.normal(size=n)])
    y = logistic(x @ np.array([-1.0, 2.0, 0.5]) + rng.normal(size=n))
    weights = rng.multinomial(n, np.full(n, 1 / n), size=4).astype(float)
    found = fit_many(y, x, weights)
    for row, own in zip(found, weights, strict=True):
        fit = sm.GLM(y, x, family=sm.families.Binomial(), freq_weights=own).fit()
        assert row == pytest.approx(fit.params, abs=1e-6)


def test_separated_outcomes_and_dependent_columns_have_no_fit():
    x = np.column_stack([np.ones(8), np.arange(8.0)])
    separated = (np.arange(8) > 3).astype(float)
    assert np.isnan(fit_many(separated, x, np.ones((1, 8)))).all()
    twice = np.column_stack([x, x[:, 1]])
    assert np.isnan(fit_many(np.full(8, 0.4), twice, np.ones((1, 8)))).all()
    # One lost fit takes no other with it.
    mixed = np.vstack([np.ones(8), np.eye(8)[0]])
    fits = fit_many(np.array([0.1, 0.9, 0.2, 0.8, 0.4, 0.6, 0.3, 0.7]), x, mixed)
    assert np.isfinite(fits[0]).all()
    assert np.isnan(fits[1]).all()


def test_far_starts_are_reached():
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(400), rng.normal(size=400) * 30])
    y = logistic(x @ np.array([5.0, 0.6]))
    assert fit_many(y, x, np.ones((1, 400)))[0] == pytest.approx([5.0, 0.6], abs=1e-6)


def test_logistic_does_not_overflow():
    assert logistic(np.array([-1e4, 0.0, 1e4])).tolist() == [0.0, 0.5, 1.0]
