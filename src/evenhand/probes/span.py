"""Where weights live: in the span of the training rows when there are fewer rows than features, else among features.

L2-penalised weights are a combination of the training rows, ``w = Zᵀa`` (the representer theorem): any part of w beside
their span adds to the penalty and changes no training margin. So w is held as the n numbers of a, and everything that
is asked of it goes through the Gram matrix ``K = ZZᵀ``: margins are Ka, inner products of weights are aᵀKb. That is a
rotation of the problem, exact at any rank, and nothing of length d is ever formed. With more rows than features
(:class:`RowSpace`) w is held as it is.

Both give :mod:`evenhand.probes.lbfgs` vectors that hold all it needs: ``[a, b, Ka, b]`` or ``[w, b]``, b the intercept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError

__all__ = ["GramSpace", "RowSpace", "Space"]

Vector = NDArray[np.float64]
Solve = Callable[[Vector], Vector]


class Space(Protocol):
    """A Hilbert space of weights and an intercept, for n training rows."""

    rows: int
    slow: float
    """A step that leaves more than this of the squared decrement is slow: a new Hessian pays better."""

    def zeros(self) -> Vector:
        """No weights, no intercept."""
        ...

    def inner(self, u: Vector, v: Vector) -> float:
        """Inner product of weights plus product of intercepts."""
        ...

    def margins(self, u: Vector) -> Vector:
        """What u gives the training rows, shape (n,)."""
        ...

    def lift(self, residuals: Vector) -> Vector:
        """The adjoint of :meth:`margins`: the gradient of ``residuals @ margins(u)``."""
        ...

    def weights_only(self, u: Vector) -> Vector:
        """A copy of u without its intercept: what is penalised."""
        ...

    def set_intercept(self, u: Vector, intercept: float) -> None:
        """Change u's intercept in place."""
        ...

    def factor(self, curvature: Vector, l2: float, *, fresh: bool) -> Solve:
        """Invert the Hessian ``margins' adjoint · diag(curvature) · margins + l2 · weights_only``.

        ``curvature`` is positive, shape (n,). Where ``fresh`` is False an approximation will do.
        """
        ...


class GramSpace:
    """The span of the training rows, known by their Gram matrix.

    Parameters
    ----------
    gram
        Symmetric and positive semidefinite, shape (n, n).
    """

    def __init__(self, gram: NDArray[np.float64]) -> None:
        self.gram = gram
        self.rows = len(gram)
        self.slow = _slow(2 + len(gram) / 150)

    def zeros(self) -> Vector:
        """No weights, no intercept."""
        return np.zeros(2 * self.rows + 2)

    def inner(self, u: Vector, v: Vector) -> float:
        """Inner product of weights plus product of intercepts: ``[a, b]`` of one times ``[Ka, b]`` of the other."""
        half = self.rows + 1
        return float(u[:half].dot(v[half:]))

    def margins(self, u: Vector) -> Vector:
        """What u gives the training rows."""
        return np.asarray(u[self.rows + 1 : -1] + u[-1])

    def lift(self, residuals: Vector) -> Vector:
        """The adjoint of margins."""
        return self._vector(residuals, float(residuals.sum()))

    def weights_only(self, u: Vector) -> Vector:
        """A copy of u without its intercept."""
        v = u.copy()
        v[self.rows] = v[-1] = 0.0
        return v

    def set_intercept(self, u: Vector, intercept: float) -> None:
        """Change u's intercept in place."""
        u[self.rows] = u[-1] = intercept

    def coefficients(self, u: Vector) -> Vector:
        """The a of ``w = Zᵀa``; of several u as columns too."""
        return u[: self.rows]

    def factor(self, curvature: Vector, l2: float, *, fresh: bool) -> Solve:  # noqa: ARG002
        """Invert the Hessian with one n × n Cholesky factorisation: a few n² operations for each solution."""
        n, root = self.rows, np.sqrt(curvature)
        # (l2 + K diag(c)) in symmetric form, as Rasmussen and Williams (2006), algorithm 3.1.
        inner = self.gram * root
        inner *= root[:, None]
        inner.flat[:: n + 1] += l2
        factored = _cholesky(inner)

        def solve_weights(u: Vector) -> Vector:
            a = (u[:n] - root * _solve(factored, root * u[n + 1 : -1])) / l2
            return self._vector(a, 0.0)

        return _with_intercept(self, curvature, solve_weights)

    def _vector(self, a: Vector, intercept: float) -> Vector:
        n = self.rows
        vector = np.empty(2 * n + 2)
        vector[:n] = a
        np.dot(self.gram, a, out=vector[n + 1 : -1])
        vector[n] = vector[-1] = intercept
        return vector


class RowSpace:
    """All weights, for more rows than features.

    Parameters
    ----------
    z
        Standardised training rows, shape (n, d).
    """

    def __init__(self, z: NDArray[np.float64]) -> None:
        self.z = z
        self.rows = len(z)
        self.slow = _slow(2 + z.shape[1] / 70)
        self._product: tuple[NDArray[np.float64], float] | None = None

    def zeros(self) -> Vector:
        """No weights, no intercept."""
        return np.zeros(self.z.shape[1] + 1)

    def inner(self, u: Vector, v: Vector) -> float:
        """Inner product of weights plus product of intercepts."""
        return float(u @ v)

    def margins(self, u: Vector) -> Vector:
        """What u gives the training rows."""
        return np.asarray(self.z @ u[:-1] + u[-1])

    def lift(self, residuals: Vector) -> Vector:
        """The adjoint of margins."""
        return np.append(residuals @ self.z, residuals.sum())

    def weights_only(self, u: Vector) -> Vector:
        """A copy of u without its intercept."""
        v = u.copy()
        v[-1] = 0.0
        return v

    def set_intercept(self, u: Vector, intercept: float) -> None:
        """Change u's intercept in place."""
        u[-1] = intercept

    def factor(self, curvature: Vector, l2: float, *, fresh: bool) -> Solve:
        """Invert the Hessian with one d × d Cholesky factorisation.

        Multiplying rows out costs several times as much as factorising. Unless asked for a fresh one, the last product
        serves again, scaled to the curvature's sum: from one penalty to the next the curvature changes more in size
        than in shape.
        """
        total = float(curvature.sum())
        if fresh or self._product is None:
            self._product = _weighted_product(self.z, curvature), total
        product, then = self._product
        hessian = product * (total / then)
        hessian.flat[:: len(hessian) + 1] += l2
        factored = _cholesky(hessian)

        def solve_weights(u: Vector) -> Vector:
            return np.append(_solve(factored, u[:-1]), 0.0)

        return _with_intercept(self, curvature, solve_weights)


def _weighted_product(z: NDArray[np.float64], weights: Vector) -> NDArray[np.float64]:
    """``zᵀ diag(weights) z`` a thousand rows at a time."""
    product = np.zeros((z.shape[1], z.shape[1]))
    for start in range(0, len(z), 1024):
        part = slice(start, start + 1024)
        scaled = np.sqrt(weights[part, None]) * z[part]
        product += scaled.T @ scaled
    return product


def _slow(cost: float) -> float:
    """Where a Hessian that costs so many steps (as measured) pays for the last 16 digits of the squared decrement."""
    return float(10 ** (-16 / (cost + 4)))


def _with_intercept(space: Space, curvature: Vector, solve_weights: Solve) -> Solve:
    """Eliminate the intercept: it is one more unknown, without penalty."""
    coupling = space.weights_only(space.lift(curvature))
    solved = solve_weights(coupling)
    total = float(curvature.sum())
    # Positive in exact arithmetic; the floor keeps a rounding from turning it.
    complement = max(total - space.inner(coupling, solved), 1e-12 * total)

    def solve(u: Vector) -> Vector:
        v = solve_weights(u)
        intercept = (u[-1] - space.inner(coupling, v)) / complement
        v -= intercept * solved
        space.set_intercept(v, intercept)
        return v

    return solve


def _cholesky(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.linalg.lapack import dpotrf

    # The transpose of a symmetric matrix in C order is itself in Fortran order: no copy.
    factored, info = dpotrf(matrix.T, lower=1, overwrite_a=1, clean=0)
    if info:
        raise StatisticsError(f"the Hessian of a logistic regression is not positive definite (dpotrf: {info})")
    return np.asarray(factored)


def _solve(factored: NDArray[np.float64], right: Vector) -> Vector:
    # Two triangular solves of BLAS: for one right-hand side half the time of LAPACK's dpotrs.
    from scipy.linalg.blas import dtrsv

    return np.asarray(dtrsv(factored, dtrsv(factored, right, lower=1), lower=1, trans=1))
