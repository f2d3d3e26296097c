import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from evenhand.errors import StatisticsError
from evenhand.stats import Refusal, cohen_kappa
from evenhand.stats.agreement import bootstrap_kappa


@given(pairs=st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC")), min_size=1, max_size=60))
@settings(deadline=None, max_examples=40)
def test_agrees_with_scikit_learn(pairs):
    a, b = zip(*pairs, strict=True)
    ours = cohen_kappa(a, b)
    if len(set(a) | set(b)) == 1:
        assert isinstance(ours, Refusal)
        return
    theirs = cohen_kappa_score(a, b)
    assert not math.isnan(theirs)
    assert ours.value == pytest.approx(theirs)


def test_labels_of_any_hashable_kind():
    assert cohen_kappa([("a", 1), None, 3], [("a", 1), None, 3]).value == pytest.approx(1.0)


def test_no_items_is_refused_and_unequal_lengths_are_an_error():
    assert isinstance(cohen_kappa([], []), Refusal)
    with pytest.raises(StatisticsError, match="a has 1, b has 2"):
        cohen_kappa([1], [1, 2])


@pytest.mark.parametrize("labels", [("A", "B"), ("A", "B", "tie")])
def test_bootstrap_kappa_recomputes_kappa_in_each_resample(labels):
    rng = np.random.default_rng(0)
    a = rng.choice(labels, 120)
    b = np.where(rng.random(120) < 0.6, a, rng.choice(labels, 120))
    clusters = np.repeat(np.arange(40), 3)
    ours = bootstrap_kappa(a.tolist(), b.tolist(), clusters, rng=rng, resamples=4000)
    assert ours.value == pytest.approx(cohen_kappa_score(a, b))
    slow = []
    for drawn in np.random.default_rng(1).integers(0, 40, size=(2000, 40)):
        rows = (drawn[:, None] * 3 + np.arange(3)).ravel()
        slow.append(cohen_kappa_score(a[rows], b[rows]))
    low, high = np.quantile(slow, [0.025, 0.975])
    assert (ours.interval.low, ours.interval.high) == pytest.approx((low, high), abs=0.02)
    assert ours.clusters == 40


def test_bootstrap_kappa_refuses_what_kappa_does_and_few_clusters():
    rng = np.random.default_rng(0)
    assert "undefined" in bootstrap_kappa(["A"] * 9, ["A"] * 9, range(9), rng=rng).reason
    few = bootstrap_kappa(["A", "B"] * 4, ["A", "A"] * 4, [0, 1] * 4, rng=rng)
    assert few.reason == "needs at least 5 clusters, has 2"
