"""Fewer training groups, the same held-out pairs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.probes.candidates import Candidate
from evenhand.probes.folds import grouped_folds
from evenhand.probes.learning_curve import FRACTIONS, learning_predictions, training_subset
from evenhand.probes.nested_cv import nested_predictions
from evenhand.stats import Refusal, auroc


def sample(n=240, delta=2.0, seed=0):
    rng = np.random.default_rng(seed)
    flips = rng.random(n) < 0.4
    x = rng.normal(size=(n, 6))
    x[:, 0] += delta * flips
    groups = [f"q{i % (n // 2)}" for i in range(n)]
    return [Candidate(name="layer", features=x)], flips, groups, grouped_folds(groups, folds=4, seed=0)


@given(st.integers(0, 99), st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30))
def test_shares_are_of_whole_groups_and_nested(seed: int, groups: list[str]) -> None:
    subsets = [training_subset(groups, fraction=fraction, seed=seed) for fraction in (*FRACTIONS, 1.0)]
    for smaller, larger in pairwise(subsets):
        assert (smaller <= larger).all()
    assert subsets[-1].all()
    half = {group for group, kept in zip(groups, subsets[2], strict=True) if kept}
    assert len(half) == -(-len(set(groups)) // 2)
    assert [group in half for group in groups] == subsets[2].tolist()
    # Names decide, not the order of the pairs.
    assert training_subset(groups[::-1], fraction=0.5, seed=seed).tolist() == subsets[2].tolist()[::-1]


def test_all_groups_are_the_predictor_itself() -> None:
    candidates, flips, groups, outer = sample()
    found = learning_predictions(candidates, flips, groups, outer=outer, fraction=1.0, seed=2)
    expected = nested_predictions(candidates, flips, groups, outer=outer, seed=2)
    assert (found.probabilities == expected.probabilities).all()
    assert found.pairs == pytest.approx(180)


def test_pairs_outside_of_the_share_train_nothing() -> None:
    candidates, flips, groups, outer = sample()
    kept = training_subset(groups, fraction=0.25, seed=0)
    one = learning_predictions(candidates, flips, groups, outer=outer, fraction=0.25)
    other = learning_predictions(candidates, np.where(kept, flips, ~flips), groups, outer=outer, fraction=0.25)
    assert (one.probabilities == other.probabilities).all()
    assert np.isfinite(one.probabilities).all()
    assert one.pairs == pytest.approx(np.mean([(kept & (outer != fold)).sum() for fold in range(4)]))
    assert 40 < one.pairs < 50


def test_more_pairs_help_where_there_is_something_to_learn() -> None:
    candidates, flips, groups, outer = sample(n=480, delta=1.0)
    aurocs = [
        auroc(
            learning_predictions(candidates, flips, groups, outer=outer, fraction=fraction).probabilities, flips
        ).value
        for fraction in (1 / 8, 1.0)
    ]
    assert aurocs[1] > aurocs[0] + 0.01


def test_too_few_groups_of_a_label_are_refused() -> None:
    candidates, flips, groups, outer = sample(n=64)
    found = learning_predictions(candidates, flips, groups, outer=outer, fraction=1 / 8)
    assert isinstance(found.probabilities, Refusal)
    assert "needs at least 5" in found.probabilities.reason
    assert found.pairs < 10
