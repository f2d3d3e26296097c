"""Logistic regression: scikit-learn's, to the last digits, and what must leave it alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group
from sklearn.linear_model import LogisticRegression

from evenhand.errors import StatisticsError
from evenhand.probes.logistic import PENALTIES, check_penalties, fit_logistic, penalty_path
from evenhand.probes.span import GramSpace

SHAPES = [(30, 80), (80, 30), (40, 40), (50, 1)]


def data(seed: int, n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) + rng.normal(size=d)
    y = rng.random(n) < 1 / (1 + np.exp(-2 * (x[:, 0] - x[:, 0].mean())))
    y[:2] = False, True
    return x, y, rng.normal(size=(25, d))


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky"])
@pytest.mark.parametrize("l2", PENALTIES)
@pytest.mark.parametrize("shape", SHAPES)
def test_agrees_with_scikit_learn(shape: tuple[int, int], l2: float, solver: str) -> None:
    x, y, others = data(0, *shape)
    fit = fit_logistic(x, y, l2=l2)
    model = LogisticRegression(C=1 / (len(x) * l2), tol=1e-12, max_iter=100_000, solver=solver).fit(x, y)
    # Its L-BFGS stops where the objective falls by no more than 64 roundings, whatever tol says: with a small penalty
    # that leaves up to 5e-6 in a probability, as its own Newton solver shows.
    tight = 1e-9 if solver == "newton-cholesky" else 1e-5
    np.testing.assert_allclose(fit.probabilities(others), model.predict_proba(others)[:, 1], rtol=0, atol=tight)
    np.testing.assert_allclose(fit.weights, model.coef_[0], rtol=0, atol=tight * 100)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([(8, 20), (20, 8)]), st.sampled_from([1e-3, 1e-1]))
def test_rotation_changes_no_prediction(seed: int, shape: tuple[int, int], l2: float) -> None:
    x, y, others = data(seed, *shape)
    turn = ortho_group.rvs(shape[1], random_state=seed)
    straight, turned = fit_logistic(x, y, l2=l2), fit_logistic(x @ turn, y, l2=l2)
    np.testing.assert_allclose(turned.probabilities(others @ turn), straight.probabilities(others), atol=1e-8)
    np.testing.assert_allclose(turn @ turned.weights, straight.weights, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([(8, 20), (20, 8)]))
def test_the_order_of_rows_and_columns_changes_no_prediction(seed: int, shape: tuple[int, int]) -> None:
    x, y, others = data(seed, *shape)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(shape[0]), rng.permutation(shape[1])
    again = fit_logistic(x[rows][:, columns], y[rows], l2=0.01)
    expected = fit_logistic(x, y, l2=0.01).probabilities(others)
    np.testing.assert_allclose(again.probabilities(others[:, columns]), expected, atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([(8, 20), (20, 8)]))
def test_exchanged_labels_give_the_complement(seed: int, shape: tuple[int, int]) -> None:
    x, y, others = data(seed, *shape)
    straight, exchanged = fit_logistic(x, y, l2=0.01), fit_logistic(x, ~y, l2=0.01)
    np.testing.assert_allclose(exchanged.probabilities(others), 1 - straight.probabilities(others), atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([(8, 20), (20, 8)]), st.integers(2, 4))
def test_every_row_several_times_is_the_same_mean(seed: int, shape: tuple[int, int], times: int) -> None:
    x, y, others = data(seed, *shape)
    once, often = fit_logistic(x, y, l2=0.01), fit_logistic(np.repeat(x, times, axis=0), np.repeat(y, times), l2=0.01)
    np.testing.assert_allclose(often.probabilities(others), once.probabilities(others), atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
def test_training_probabilities_average_to_the_rate(shape: tuple[int, int]) -> None:
    x, y, _ = data(1, *shape)
    assert fit_logistic(x, y, l2=0.01).probabilities(x).mean() == pytest.approx(y.mean(), abs=1e-9)


def test_a_heavy_penalty_leaves_the_rate_alone() -> None:
    x, y, others = data(2, 30, 10)
    np.testing.assert_allclose(fit_logistic(x, y, l2=1e9).probabilities(others), y.mean(), atol=1e-6)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_its_rate_and_says_so(label: int) -> None:
    x, _, others = data(3, 10, 4)
    fit = fit_logistic(x, np.full(10, label), l2=0.1)
    assert fit.one_class
    assert (fit.probabilities(others) == label).all()
    assert not fit.weights.any()


def test_a_constant_feature_gets_no_weight() -> None:
    x, y, _ = data(4, 30, 6)
    x[:, 2] = 0.1
    assert abs(fit_logistic(x, y, l2=1e-4).weights[2]) < 1e-12


@pytest.mark.parametrize("shape", [(80, 30), (30, 80)])
def test_a_start_changes_no_optimum(shape: tuple[int, int]) -> None:
    x, y, others = data(5, *shape)
    cold = fit_logistic(x, y, l2=1e-3)
    warm = fit_logistic(x, y, l2=1e-3, start=fit_logistic(x, y, l2=1e-2))
    np.testing.assert_allclose(warm.probabilities(others), cold.probabilities(others), atol=1e-8)
    if shape[0] > shape[1]:
        assert fit_logistic(x, y, l2=1e-3, start=cold).iterations == 0


def test_the_same_input_gives_the_same_bits() -> None:
    x, y, _ = data(6, 60, 300)
    first, second = fit_logistic(x, y, l2=1e-4), fit_logistic(x, y, l2=1e-4)
    assert first.weights.tobytes() == second.weights.tobytes()
    assert first.intercept == second.intercept


def test_a_path_is_the_single_fits_largest_penalty_first() -> None:
    x, y, _ = data(7, 20, 50)
    z = x - x.mean(axis=0)
    space = GramSpace(z @ z.T)
    path = list(penalty_path(space, y.astype(float), PENALTIES))
    assert [l2 for l2, _ in path] == sorted(PENALTIES, reverse=True)
    for l2, vector in path:
        weights = fit_logistic(x, y, l2=l2).weights
        np.testing.assert_allclose(z.T @ space.coefficients(vector), weights, atol=1e-7)


def test_a_path_may_repeat_a_penalty() -> None:
    x, y, _ = data(7, 20, 50)
    path = list(penalty_path(GramSpace(x @ x.T), y.astype(float), (0.1, 0.1, 0.01)))
    np.testing.assert_allclose(path[0][1], path[1][1], atol=1e-9)


@pytest.mark.parametrize("l2", [0.0, -1.0, np.nan, np.inf])
def test_a_penalty_must_be_positive(l2: float) -> None:
    with pytest.raises(StatisticsError, match="expected a positive number"):
        fit_logistic(np.eye(2), np.array([0, 1]), l2=l2)


def test_no_penalty_at_all_is_refused() -> None:
    with pytest.raises(StatisticsError, match="give at least one"):
        check_penalties(())


def test_features_must_be_finite_and_labels_binary() -> None:
    x, y, _ = data(8, 10, 3)
    x[4, 1] = np.nan
    with pytest.raises(StatisticsError, match="row 4 are not finite"):
        fit_logistic(x, y, l2=1.0)
    with pytest.raises(StatisticsError, match="must be 0 or 1"):
        fit_logistic(np.eye(3), np.array([0, 1, 2]), l2=1.0)
    with pytest.raises(StatisticsError, match=r"labels of shape \(2,\)"):
        fit_logistic(np.eye(3), np.array([0, 1]), l2=1.0)
