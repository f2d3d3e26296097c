import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from evenhand.errors import StatisticsError
from evenhand.stats import auprc
from evenhand.stats.precision import precision_order


@given(seed=st.integers(0, 10**6), decimals=st.sampled_from([0, 1, 9]), prevalence=st.sampled_from([0.1, 0.5, 1.0]))
@settings(deadline=None, max_examples=60)
def test_weighted_average_precision_is_that_of_scikit_learn(seed, decimals, prevalence):
    rng = np.random.default_rng(seed)
    labels = rng.random(30) < prevalence
    scores = (labels + rng.normal(size=30)).round(decimals)
    unit = rng.integers(0, 12, 30)
    weights = rng.multinomial(12, np.full(12, 1 / 12), size=5).astype(float)
    ours = precision_order(scores, labels).average_precision(weights, unit)
    for value, drawn in zip(ours, weights, strict=True):
        weight = drawn[unit]
        if not weight[labels].sum():
            assert np.isnan(value)
        else:
            assert value == pytest.approx(average_precision_score(labels, scores, sample_weight=weight), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=20))
def test_unweighted_is_auprc(rows):
    scores, labels = (np.array(column) for column in zip(*rows, strict=True))
    value = precision_order(scores, labels).value
    assert np.isnan(value) if not labels.any() else value == pytest.approx(auprc(scores, labels).value)


def test_one_score_for_all_has_the_prevalence_as_precision():
    assert precision_order(np.ones(8), np.arange(8) < 2).value == 0.25


def test_lengths_must_agree():
    with pytest.raises(StatisticsError, match="length"):
        precision_order([1.0, 2.0], [1])
