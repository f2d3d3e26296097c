"""Brier, log loss and calibration error against the plain functions, and their paired changes."""

import numpy as np
import pytest

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.calibration_scores import calibration_scores
from evenhand.stats import brier, log_loss, reliability_curve


def data(n=200, seed=0):
    rng = np.random.default_rng(seed)
    before, after = rng.uniform(0.01, 0.99, n), rng.uniform(0.01, 0.99, n)
    return before, after, rng.uniform(size=n) < 0.5


def scored(before, after, right, pairs=None):
    pairs = np.arange(len(before)) if pairs is None else pairs
    sampler = Sampler(clusters=np.arange(int(pairs.max()) + 1), seed=0, resamples=200, level=0.95)
    return calibration_scores(before, after, right, pairs=pairs, sampler=sampler)


def test_they_are_the_plain_scores():
    before, after, right = data()
    found = scored(before, after, right)
    for name, p in (("before", before), ("after", after)):
        assert getattr(found, f"brier_{name}").value == pytest.approx(brier(p, right).value)
        assert getattr(found, f"log_loss_{name}").value == pytest.approx(log_loss(p, right).value)
        curve = reliability_curve(p, right, bins=10)
        assert getattr(found, f"ece_{name}").value == pytest.approx(curve.expected_calibration_error)
    assert found.brier_gain.value == pytest.approx(found.brier_after.value - found.brier_before.value)
    assert found.ece_gain.value == pytest.approx(found.ece_after.value - found.ece_before.value)
    assert "never negative" in found.ece_after.flags[-1]
    # Percentiles of resamples would lie above the estimate: each resample adds its own noise to the bins.
    assert (found.ece_before.interval, found.ece_after.interval, found.ece_gain.interval) == (None, None, None)


def test_probabilities_that_stay_are_not_tested():
    before, _, right = data()
    found = scored(before, before, right)
    assert found.test is None
    assert found.brier_gain.value == 0


def test_presentations_of_one_pair_are_one_cluster():
    before, after, right = data()
    found = scored(before, after, right, pairs=np.repeat(np.arange(100), 2))
    assert (found.brier_gain.clusters, found.presentations, found.test.n) == (100, 200, 100)


def test_a_certain_mistake_is_large_and_finite():
    found = scored(np.array([1.0] * 10), np.array([0.5] * 10), np.array([False] * 10))
    assert 20 < found.log_loss_before.value < 30
