"""Nested cross-validation: a slow scikit-learn loop gives the same, and nothing leaks between a question's pairs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evenhand.errors import StatisticsError
from evenhand.probes.candidates import Candidate
from evenhand.probes.folds import grouped_folds, inner_seed
from evenhand.probes.nested_cv import PENALTIES, NestedPredictions, nested_predictions, nested_predictions_of
from evenhand.probes.results import Selection
from evenhand.stats import Estimate, auroc


def data(
    seed: int, n: int = 70, widths: tuple[int, ...] = (90, 120, 3)
) -> tuple[list[Candidate], np.ndarray, list[str], np.ndarray]:
    rng = np.random.default_rng(seed)
    groups = [f"q{i}" for i in rng.integers(0, n // 2, n)]
    signal = rng.normal(size=n)
    candidates = []
    for at, width in enumerate(widths):
        x = rng.normal(size=(n, width)) * np.exp(rng.normal(size=width)) + rng.normal(size=width)
        x[:, :3] += at * signal[:, None]
        candidates.append(Candidate(name=f"layer {at}", features=x.astype(np.float32)))
    flips = rng.random(n) < 1 / (1 + np.exp(-2 * signal))
    return candidates, flips, groups, grouped_folds(groups, folds=5, seed=seed)


def slowly(
    candidates: list[Candidate], flips: np.ndarray, groups: list[str], outer: np.ndarray, seed: int
) -> NestedPredictions:
    """The same by scikit-learn, one fit after another."""

    def fitted(x: np.ndarray, train: np.ndarray, other: np.ndarray, l2: float) -> np.ndarray:
        solver = "newton-cholesky"
        model = LogisticRegression(C=1 / (len(train) * l2), tol=1e-12, max_iter=1000, solver=solver)
        pipe = make_pipeline(StandardScaler(), model).fit(x[train].astype(float), flips[train])
        return np.asarray(pipe.predict_proba(x[other].astype(float))[:, 1])

    rows, probabilities, selections = np.arange(len(flips)), np.empty(len(flips)), []
    for fold in range(outer.max() + 1):
        train, held = rows[outer != fold], rows[outer == fold]
        inner = grouped_folds([groups[i] for i in train], folds=3, seed=inner_seed(seed, fold))
        tried = []
        for at, candidate in enumerate(candidates):
            for l2 in PENALTIES:
                errors = [
                    (fitted(candidate.features, train[inner != k], train[inner == k], l2) - flips[train[inner == k]])
                    ** 2
                    for k in range(3)
                ]
                tried.append((float(np.concatenate(errors).mean()), -l2, at))
        brier, l2, at = min(tried)
        probabilities[held] = fitted(candidates[at].features, train, held, -l2)
        selections.append(Selection(fold=fold, candidate=candidates[at].name, l2=-l2, validation_brier=brier))
    return NestedPredictions(probabilities=probabilities, selections=tuple(selections))


@pytest.mark.parametrize("seed", [0, 1])
def test_a_slow_scikit_learn_loop_gives_the_same(seed: int) -> None:
    candidates, flips, groups, outer = data(seed)
    ours = nested_predictions(candidates, flips, groups, outer=outer, seed=seed)
    theirs = slowly(candidates, flips, groups, outer, seed)
    assert [(s.fold, s.candidate, s.l2) for s in ours.selections] == [
        (s.fold, s.candidate, s.l2) for s in theirs.selections
    ]
    np.testing.assert_allclose(ours.probabilities, theirs.probabilities, rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        [s.validation_brier for s in ours.selections], [s.validation_brier for s in theirs.selections], atol=1e-8
    )


def area(predictions: NestedPredictions, flips: np.ndarray) -> float:
    found = auroc(predictions.probabilities, flips)
    assert isinstance(found, Estimate)
    return found.value


def test_without_grouping_a_questions_pairs_leak_and_with_it_they_do_not() -> None:
    """Four pairs of a question are alike in activations and label, and labels are tossed: there is nothing to learn."""
    rng = np.random.default_rng(0)
    groups = [f"q{i}" for i in np.repeat(np.arange(50), 4)]
    x = np.repeat(rng.normal(size=(50, 300)), 4, axis=0).astype(np.float32)
    flips = np.repeat(rng.permutation(50) < 25, 4)
    candidate = [Candidate(name="layer", features=x)]
    grouped = nested_predictions(candidate, flips, groups, outer=grouped_folds(groups, folds=5, seed=0))
    rows = [f"row{i}" for i in range(200)]
    ungrouped = nested_predictions(candidate, flips, rows, outer=grouped_folds(rows, folds=5, seed=0))
    assert area(ungrouped, flips) > 0.99
    assert 0.3 < area(grouped, flips) < 0.7


def test_a_group_in_two_outer_folds_is_refused() -> None:
    candidates, flips, groups, _ = data(0)
    with pytest.raises(StatisticsError, match=r"group 'q\d+' is in two outer folds"):
        nested_predictions(candidates, flips, groups, outer=np.arange(len(flips)) % 5)


def test_a_prediction_does_not_depend_on_its_own_questions_labels_and_activations() -> None:
    candidates, flips, groups, outer = data(2, widths=(90,))
    before = nested_predictions(candidates, flips, groups, outer=outer).probabilities
    group = groups[0]
    mine = np.array([each == group for each in groups])
    turned = np.where(mine, ~flips, flips)
    np.testing.assert_array_equal(
        nested_predictions(candidates, turned, groups, outer=outer).probabilities[mine], before[mine]
    )
    moved = candidates[0].features.copy()
    beside = (outer == outer[0]) & ~mine
    moved[beside] += 1000
    after = nested_predictions([Candidate(name="layer 0", features=moved)], flips, groups, outer=outer)
    np.testing.assert_allclose(after.probabilities[mine], before[mine], atol=1e-12)


def test_each_label_set_gets_what_it_would_get_alone() -> None:
    candidates, flips, groups, outer = data(3, widths=(90, 40))
    rng = np.random.default_rng(0)
    sets = np.stack([flips, *(rng.permutation(flips) for _ in range(3))])
    together = nested_predictions_of(candidates, sets, groups, outer=outer, seed=3)
    for labels, mine in zip(sets, together, strict=True):
        alone = nested_predictions(candidates, labels, groups, outer=outer, seed=3)
        np.testing.assert_allclose(mine.probabilities, alone.probabilities, atol=1e-7)
        assert [s.candidate for s in mine.selections] == [s.candidate for s in alone.selections]
        assert [s.l2 for s in mine.selections] == [s.l2 for s in alone.selections]


def test_shift_scale_and_order_of_features_and_rows_change_nothing() -> None:
    candidates, flips, groups, outer = data(4, widths=(80,))
    x = candidates[0].features.astype(float)
    expected = nested_predictions([Candidate(name="x", features=x)], flips, groups, outer=outer).probabilities
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(x)), rng.permutation(x.shape[1])
    other = (x * rng.uniform(0.01, 100, 80) + rng.normal(size=80))[rows][:, columns]
    again = nested_predictions(
        [Candidate(name="x", features=other)], flips[rows], [groups[i] for i in rows], outer=outer[rows]
    )
    np.testing.assert_allclose(again.probabilities, expected[rows], atol=1e-7)


def test_training_folds_of_one_class_are_predicted_by_their_rate() -> None:
    groups = [f"q{i}" for i in range(20)]
    outer = grouped_folds(groups, folds=5, seed=0)
    flips = np.zeros(20, dtype=bool)
    flips[0] = True
    found = nested_predictions([Candidate(name="x", features=np.eye(20))], flips, groups, outer=outer)
    assert (found.probabilities[outer == outer[0]] == 0).all()
    assert np.isfinite(found.probabilities).all()


def test_rows_kept_from_training_are_still_predicted() -> None:
    candidates, flips, groups, outer = data(5, widths=(90,))
    trainable = np.array([int(group[1:]) % 2 == 0 for group in groups])
    found = nested_predictions(candidates, flips, groups, outer=outer, trainable=trainable)
    assert np.isfinite(found.probabilities).all()
    turned = np.where(trainable, flips, ~flips)
    again = nested_predictions(candidates, turned, groups, outer=outer, trainable=trainable)
    np.testing.assert_array_equal(again.probabilities, found.probabilities)


def test_two_runs_give_the_same_bits_and_progress_is_told() -> None:
    candidates, flips, groups, outer = data(6)
    told: list[int] = []
    first = nested_predictions(candidates, flips, groups, outer=outer, progress=told.append)
    second = nested_predictions(candidates, flips, groups, outer=outer)
    assert first.probabilities.tobytes() == second.probabilities.tobytes()
    assert first.selections == second.selections
    assert told == [1, 2, 3, 4, 5]


def test_what_cannot_be_cross_validated_is_refused() -> None:
    candidates, flips, groups, outer = data(7, widths=(9,))
    with pytest.raises(StatisticsError, match="all pairs are in one outer fold"):
        nested_predictions(candidates, flips, groups, outer=np.zeros(len(flips), dtype=int))
    with pytest.raises(StatisticsError, match="outer folds of"):
        nested_predictions(candidates, flips, groups, outer=outer[:-1])
    with pytest.raises(StatisticsError, match="3 folds need at least 3 groups, there are 1"):
        nested_predictions(
            [Candidate(name="x", features=np.eye(2))], np.array([0, 1]), ["a", "b"], outer=np.array([0, 1])
        )
    candidates[0].features[8, 2] = np.nan
    with pytest.raises(StatisticsError, match="'layer 0': features of row 8 are not finite"):
        nested_predictions(candidates, flips, groups, outer=outer)
