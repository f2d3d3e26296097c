import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from evenhand.errors import StatisticsError
from evenhand.stats.ranking import rank


@st.composite
def scored(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(4, 50))
    labels = rng.random(n) < draw(st.floats(0.1, 0.9))
    labels[:2] = [False, True]
    return rng.normal(size=n).round(draw(st.sampled_from([0, 1, 9]))), labels


@given(data=scored(), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_weighted_auroc_agrees_with_scikit_learn(data, seed):
    scores, labels = data
    weights = np.random.default_rng(seed).integers(0, 4, size=(3, len(scores))).astype(float)
    weights[:, :2] += 1
    ours = rank(scores, labels).auroc(weights, np.arange(len(scores)))
    theirs = [roc_auc_score(labels, scores, sample_weight=w) for w in weights]
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@given(data=scored())
@settings(deadline=None, max_examples=40)
def test_influence_is_the_derivative_by_the_weight_of_a_row(data):
    scores, labels = data
    ranking = rank(scores, labels)
    influence = ranking.influence()
    assert influence.sum() == pytest.approx(0, abs=1e-12)
    step = 1e-6
    weights = np.ones((len(scores), len(scores))) + step * np.eye(len(scores))
    slope = (ranking.auroc(weights, np.arange(len(scores))) - ranking.value) / step
    np.testing.assert_allclose(influence, slope, atol=1e-4)


def test_strata_without_both_labels_compare_nothing():
    ranking = rank([1, 2, 3], [0, 1, 1], ["A", "B", "B"])
    assert ranking.strata == ()
    assert np.isnan(ranking.value)


def test_choices_must_fit():
    with pytest.raises(StatisticsError, match="choices have shape"):
        rank([1, 2], [0, 1], ["A"])
