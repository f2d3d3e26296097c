"""The frozen probe: what cross-validation chose, on all rows, weights mapped back to features."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from evenhand.errors import StatisticsError
from evenhand.probes.candidates import Candidate
from evenhand.probes.folds import grouped_folds
from evenhand.probes.nested_cv import PENALTIES
from evenhand.probes.refit import ALL_ROWS, fit_selected
from evenhand.probes.selection import choose

GROUPS = [f"q{i // 2}" for i in range(60)]


def data(d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(d)
    x = rng.normal(size=(60, d)) * 5 + 3
    flips = x[:, 0] + 3 * rng.normal(size=60) > 3
    return x.astype(np.float32), flips


@pytest.mark.parametrize("d", [4, 150])
def test_is_scikit_learns_fit_with_what_was_chosen(d: int) -> None:
    x, flips = data(d)
    noise = np.random.default_rng(1).normal(size=(60, 70))
    candidates = [Candidate(name="noise", features=noise), Candidate(name="signal", features=x)]
    probe = fit_selected(candidates, flips, GROUPS, seed=4)
    folds = grouped_folds(GROUPS, folds=5, seed=4)
    choice = choose(candidates, flips[None].astype(float), rows=np.arange(60), folds=folds, penalties=PENALTIES)[0]
    assert (probe.candidate, probe.l2) == (candidates[choice.candidate].name, choice.l2)
    assert probe.selection.fold == ALL_ROWS
    assert probe.selection.validation_brier == choice.brier
    chosen = candidates[choice.candidate].features.astype(float)
    scaler = StandardScaler().fit(chosen)
    model = LogisticRegression(C=1 / (60 * probe.l2), tol=1e-12, solver="newton-cholesky", max_iter=1000)
    model.fit(scaler.transform(chosen), flips)
    others = np.random.default_rng(2).normal(size=(9, chosen.shape[1])) * 5
    theirs = model.predict_proba(scaler.transform(others))[:, 1]
    np.testing.assert_allclose(probe.probabilities(others), theirs, atol=1e-9)
    np.testing.assert_allclose(probe.mean, scaler.mean_)
    np.testing.assert_allclose(probe.scale, scaler.scale_)


def test_a_constant_feature_has_no_say_elsewhere() -> None:
    x, flips = data(6)
    x[:, 5] = 0.1
    probe = fit_selected([Candidate(name="x", features=x)], flips, GROUPS)
    assert (probe.weights[5], probe.scale[5]) == (0, 1)
    moved = x.copy()
    moved[:, 5] = 1e6
    np.testing.assert_array_equal(probe.probabilities(moved), probe.probabilities(x))


def test_block_weights_are_part_of_the_scale() -> None:
    x, flips = data(6)
    wide = np.random.default_rng(3).normal(size=(60, 96))
    joined = Candidate.joined("both", [x, wide])
    probe = fit_selected([joined], flips, GROUPS, penalties=(0.5,))
    scaler = StandardScaler().fit(joined.features)
    z = scaler.transform(joined.features) * joined.column_weights
    model = LogisticRegression(C=1 / (60 * 0.5), tol=1e-12, solver="newton-cholesky").fit(z, flips)
    np.testing.assert_allclose(probe.probabilities(joined.features), model.predict_proba(z)[:, 1], atol=1e-9)


def test_labels_of_one_class_predict_it_everywhere() -> None:
    x, _ = data(6)
    probe = fit_selected([Candidate(name="x", features=x)], np.ones(60), GROUPS)
    assert (probe.probabilities(x * 100) == 1).all()


def test_other_features_are_refused() -> None:
    x, flips = data(6)
    probe = fit_selected([Candidate(name="x", features=x)], flips, GROUPS)
    with pytest.raises(StatisticsError, match=r"shape \(60, 5\), the probe expects \(m, 6\)"):
        probe.probabilities(x[:, :5])
    x[7, 0] = np.inf
    with pytest.raises(StatisticsError, match="'x': features of row 7 are not finite"):
        probe.probabilities(x)
    with pytest.raises(StatisticsError, match="labels of shape"):
        fit_selected([Candidate(name="x", features=x)], flips[:-1], GROUPS)
