"""L-BFGS: SciPy finds the same optimum less exactly; no convergence is an error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from evenhand.errors import StatisticsError
from evenhand.probes import lbfgs
from evenhand.probes.lbfgs import TOLERANCE, minimise
from evenhand.probes.span import GramSpace, RowSpace, Space


def problem(seed: int, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, d)) * np.arange(1, d + 1) ** -0.7
    labels = (rng.random(n) < 1 / (1 + np.exp(-3 * z[:, 0]))).astype(float)
    labels[:2] = 0, 1
    return z, labels


def objective(theta: np.ndarray, z: np.ndarray, labels: np.ndarray, l2: float) -> float:
    margins = z @ theta[:-1] + theta[-1]
    return float(np.mean(np.logaddexp(0, margins) - labels * margins) + l2 / 2 * theta[:-1] @ theta[:-1])


@pytest.mark.parametrize("l2", [1e-4, 1e-2, 10.0])
def test_scipy_finds_no_lower_point(l2: float) -> None:
    z, labels = problem(0, 40, 12)
    ours = minimise(RowSpace(z), labels, l2=l2)
    theirs = minimize(objective, np.zeros(13), (z, labels, l2), method="L-BFGS-B", options={"ftol": 0, "gtol": 1e-9})
    assert objective(ours.vector, z, labels, l2) <= theirs.fun + 1e-15
    assert objective(ours.vector, z, labels, l2) == pytest.approx(theirs.fun, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1e-4, 1e-2, 1.0]), st.sampled_from([(6, 30), (30, 6), (25, 25)]))
def test_the_gradient_vanishes_from_any_start(seed: int, l2: float, shape: tuple[int, int]) -> None:
    z, labels = problem(seed, *shape)
    spaces: list[Space] = [GramSpace(z @ z.T), RowSpace(z)]
    for space in spaces:
        far = 50 * space.lift(np.random.default_rng(seed).normal(size=len(z)))
        cold, warm = minimise(space, labels, l2=l2), minimise(space, labels, l2=l2, start=far)
        assert max(cold.decrement, warm.decrement) <= 10 * TOLERANCE
        assert cold.gradient_norm < 1e-8
        np.testing.assert_allclose(space.margins(cold.vector), space.margins(warm.vector), atol=1e-6)


def test_a_memory_of_one_and_of_many_reach_the_same_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    z, labels = problem(3, 60, 40)
    space = RowSpace(z)
    space.slow = 1.0
    best = {}
    for memory in (1, 3, 20):
        monkeypatch.setattr(lbfgs, "MEMORY", memory)
        best[memory] = minimise(space, labels, l2=1e-3)
    np.testing.assert_allclose(best[1].vector, best[20].vector, atol=1e-8)
    np.testing.assert_allclose(best[3].vector, best[20].vector, atol=1e-8)
    assert best[20].iterations < best[1].iterations


def test_no_convergence_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    z, labels = problem(1, 30, 5)
    monkeypatch.setattr(lbfgs, "MOST", 2)
    with pytest.raises(StatisticsError, match=r"penalty 0\.0001 did not converge in 2 steps"):
        minimise(RowSpace(z), labels, l2=1e-4)


def test_optimum_already_found_takes_no_step() -> None:
    z, labels = problem(2, 30, 5)
    first = minimise(RowSpace(z), labels, l2=0.1)
    again = minimise(RowSpace(z), labels, l2=0.1, start=first.vector)
    assert again.iterations == 0
    np.testing.assert_array_equal(again.vector, first.vector)
