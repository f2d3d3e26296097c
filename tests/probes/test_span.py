"""Both representations of weights: the same geometry, and a Hessian that is inverted."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import StatisticsError
from evenhand.probes.span import GramSpace, RowSpace


def make(n: int, d: int) -> tuple[np.ndarray, GramSpace, RowSpace]:
    rng = np.random.default_rng(n)
    z = rng.normal(size=(n, d))
    z[1] = z[0]
    return z, GramSpace(z @ z.T), RowSpace(z)


def in_rows(z: np.ndarray, space: GramSpace, vector: np.ndarray) -> np.ndarray:
    return np.append(z.T @ space.coefficients(vector), vector[-1])


@pytest.mark.parametrize("shape", [(8, 20), (20, 8)])
def test_the_span_of_the_rows_is_the_same_geometry(shape: tuple[int, int]) -> None:
    z, gram, rows = make(*shape)
    rng = np.random.default_rng(0)
    r, s = rng.normal(size=(2, shape[0]))
    u, v = gram.lift(r), gram.lift(s)
    np.testing.assert_allclose(in_rows(z, gram, u), rows.lift(r), atol=1e-12)
    np.testing.assert_allclose(gram.margins(u), rows.margins(rows.lift(r)), atol=1e-10)
    assert gram.inner(u, v) == pytest.approx(rows.inner(rows.lift(r), rows.lift(s)))
    bare = gram.weights_only(u)
    np.testing.assert_array_equal(in_rows(z, gram, bare), np.append(in_rows(z, gram, u)[:-1], 0))
    np.testing.assert_allclose(gram.margins(bare), gram.margins(u) - u[-1], atol=1e-10)
    np.testing.assert_array_equal(rows.weights_only(rows.lift(r)), np.append(rows.lift(r)[:-1], 0))
    for space in (gram, rows):
        one = space.zeros()
        space.set_intercept(one, 2.5)
        np.testing.assert_array_equal(space.margins(one), 2.5)
        assert space.inner(one, one) == 2.5**2
    assert not gram.margins(gram.zeros()).any()
    assert not rows.margins(rows.zeros()).any()


@pytest.mark.parametrize("shape", [(8, 20), (20, 8)])
def test_lift_is_the_adjoint_of_margins(shape: tuple[int, int]) -> None:
    _, gram, rows = make(*shape)
    r, s = np.random.default_rng(1).normal(size=(2, shape[0]))
    for space in (gram, rows):
        u = space.lift(s)
        assert space.inner(space.lift(r), u) == pytest.approx(r @ space.margins(u))


@pytest.mark.parametrize("l2", [1e-4, 10.0])
@pytest.mark.parametrize("shape", [(8, 20), (20, 8)])
def test_factor_inverts_the_hessian(shape: tuple[int, int], l2: float) -> None:
    _, gram, rows = make(*shape)
    rng = np.random.default_rng(2)
    curvature = rng.uniform(1e-6, 0.25, shape[0]) / shape[0]
    r = rng.normal(size=shape[0])
    for space in (gram, rows):
        u = space.lift(r)
        v = space.factor(curvature, l2, fresh=True)(u)
        back = space.lift(curvature * space.margins(v)) + l2 * space.weights_only(v)
        np.testing.assert_allclose(back, u, atol=1e-8 * np.abs(u).max())


def test_a_stale_hessian_is_scaled_and_a_fresh_one_is_exact() -> None:
    z, _, rows = make(20, 8)
    flat = np.full(20, 0.25 / 20)
    rows.factor(flat, 1.0, fresh=True)
    u = rows.lift(np.arange(20.0))
    again = rows.factor(flat / 3, 0.1, fresh=False)(u)
    np.testing.assert_allclose(again, RowSpace(z).factor(flat / 3, 0.1, fresh=True)(u))
    uneven = flat * np.linspace(0.1, 1, 20)
    stale = rows.factor(uneven, 0.1, fresh=False)(u)
    exact = rows.factor(uneven, 0.1, fresh=True)(u)
    np.testing.assert_allclose(exact, RowSpace(z).factor(uneven, 0.1, fresh=True)(u))
    assert not np.allclose(stale, exact)
    assert rows.inner(u, stale) > 0


def test_a_matrix_that_is_no_gram_matrix_is_refused() -> None:
    with pytest.raises(StatisticsError, match="not positive definite"):
        GramSpace(-np.eye(3)).factor(np.ones(3), 0.5, fresh=True)
