"""Gradient-boosted trees: scikit-learn's own, chosen by our inner folds."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.probes.boosted import LEAVES, TREES_AT, boosted_predictions, require_boosting
from evenhand.probes.candidates import Candidate
from evenhand.probes.folds import grouped_folds, inner_seed
from evenhand.probes.nested_cv import nested_predictions
from evenhand.stats import auroc


def sample(n=160, seed=0):
    """A flip where both features agree in sign: nothing for a line, easy for trees."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    flips = (x[:, 0] * x[:, 1] > 0) ^ (rng.random(n) < 0.05)
    groups = [f"q{i // 2}" for i in range(n)]
    return x, flips, groups, grouped_folds(groups, folds=4, seed=0)


def test_what_no_line_can_tell_trees_can() -> None:
    x, flips, groups, outer = sample(300)
    trees = boosted_predictions(x, flips, groups, outer=outer)
    line = nested_predictions([Candidate(name="line", features=x)], flips, groups, outer=outer)
    assert auroc(trees.probabilities, flips).value > 0.85
    assert auroc(line.probabilities, flips).value < 0.65
    # Stumps add up: only larger trees see that the two belong together.
    assert all("2 leaves" not in each.candidate for each in trees.selections)


def test_each_fold_is_scikit_learns_fit_of_the_size_that_the_inner_folds_chose() -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    x, flips, groups, outer = sample(120)
    found = boosted_predictions(x, flips, groups, outer=outer, seed=3)
    sizes = [(leaves, trees) for leaves in LEAVES for trees in TREES_AT]

    def fit(rows, leaves, trees):
        return HistGradientBoostingClassifier(
            learning_rate=0.05,
            max_iter=trees,
            max_leaf_nodes=leaves,
            min_samples_leaf=10,
            early_stopping=False,
            random_state=3,
        ).fit(x[rows], flips[rows])

    fold = 2
    rows = np.flatnonzero(outer != fold)
    inner = grouped_folds([groups[i] for i in rows], folds=3, seed=inner_seed(3, fold))
    briers = []
    for leaves, trees in sizes:
        predicted = np.empty(len(rows))
        for each in range(3):
            model = fit(rows[inner != each], leaves, trees)
            predicted[inner == each] = model.predict_proba(x[rows[inner == each]])[:, 1]
        briers.append(np.mean((predicted - flips[rows]) ** 2))
    leaves, trees = sizes[int(np.argmin(briers))]
    assert found.selections[fold].candidate == f"{trees} trees of {leaves} leaves"
    assert found.selections[fold].validation_brier == pytest.approx(min(briers))
    held_out = np.flatnonzero(outer == fold)
    expected = fit(rows, leaves, trees).predict_proba(x[held_out])[:, 1]
    assert found.probabilities[held_out] == pytest.approx(expected, abs=1e-12)


def test_same_input_same_bits() -> None:
    x, flips, groups, outer = sample(80)
    one, other = (boosted_predictions(x, flips, groups, outer=outer) for _ in range(2))
    assert (one.probabilities == other.probabilities).all()
    assert [each.fold for each in one.selections] == [0, 1, 2, 3]
    assert all(np.isnan(each.l2) for each in one.selections)


def test_a_held_out_label_changes_nothing_of_its_own_prediction() -> None:
    x, flips, groups, outer = sample(80)
    turned = flips.copy()
    fold = outer == 1
    turned[fold] = ~turned[fold]
    one, other = (boosted_predictions(x, labels, groups, outer=outer) for labels in (flips, turned))
    assert (one.probabilities[fold] == other.probabilities[fold]).all()
    assert (one.probabilities[~fold] != other.probabilities[~fold]).any()


def test_training_pairs_of_one_label_predict_it() -> None:
    x, _, groups, outer = sample(80)
    only = boosted_predictions(x, outer == 0, groups, outer=outer)
    assert set(only.probabilities[outer == 0]) == {0.0}


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    assert require_boosting().__name__ == "sklearn.ensemble"
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ConfigError, match=r'pip install "evenhand\[probes\]".*--without boosted-trees'):
        require_boosting()
