"""Folds keep clusters whole and even, and don't depend on how clusters are named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.mitigation.folds import FEWEST_LABELLED, FOLDS, cluster_folds, refuse_few_labels


@given(st.lists(st.integers(0, 30), min_size=1, max_size=120), st.integers(0, 5))
def test_clusters_stay_whole_and_folds_even(codes, seed):
    clusters = np.array(codes)
    fold = cluster_folds(clusters, rng=np.random.default_rng(seed))
    for code in set(codes):
        assert len(set(fold[clusters == code].tolist())) == 1
    sizes = np.bincount(fold, minlength=FOLDS)
    assert sizes.max() - sizes.min() <= np.bincount(clusters).max()


def test_another_seed_deals_otherwise():
    clusters = np.arange(200)
    first, second = (cluster_folds(clusters, rng=np.random.default_rng(seed)) for seed in (0, 1))
    assert (first != second).mean() > 0.6
    assert (np.bincount(first) == 40).all()


@pytest.mark.parametrize(
    ("n", "groups", "words"), [(49, 49, "50 labelled pairs"), (60, 9, "10 clusters"), (50, 10, None)]
)
def test_too_few_are_refused(n, groups, words):
    refusal = refuse_few_labels(np.arange(n) % groups, what="to fit it")
    assert FEWEST_LABELLED == 50
    assert (refusal is None) if words is None else (words in refusal.reason and "to fit it" in refusal.reason)
