"""Deterministic L-BFGS for L2 logistic regression, preconditioned by a Hessian and searching lines on margins alone.

The limited-memory BFGS of Nocedal and Wright (2006, algorithms 7.4 and 7.5), with two uses of what a logistic
regression is that a general routine, such as SciPy's L-BFGS-B, has no place for:

- The first guess of the inverse Hessian is the exact inverse at the point where the memory starts, so that steps are
  near Newton's and a handful suffice; after :data:`MEMORY` steps it is taken anew.
- Margins are linear in the step. A line search costs n operations for each trial and no product with the data, and
  seeks the zero of the slope, not a fall of the objective: slopes keep their digits near the optimum where objectives
  (about .5, rounded at 1e-16) lose theirs, so the optimum is found to 1e-10 and not to 1e-8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError
from evenhand.probes.span import Solve, Space, Vector

__all__ = ["Optimum", "minimise"]

MEMORY = 12
TOLERANCE = 1e-10
"""Of the Newton decrement: the root mean square error of training margins that is left, weighted by curvature."""
MOST = 1_000
FLATTER = 0.1
"""A line search ends where the slope is a tenth of what it was: the curvature condition of strong Wolfe."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Optimum:
    """Where L-BFGS ended.

    Attributes
    ----------
    vector
        Of the space.
    iterations
        Steps taken.
    decrement
        ``sqrt(gᵀH⁻¹g)`` there.
    gradient_norm
        Euclidean, of weights and intercept together.
    """

    vector: Vector
    iterations: int
    decrement: float
    gradient_norm: float


@dataclass(slots=True)
class _State:
    """A point and what is known there."""

    vector: Vector
    margins: Vector
    probabilities: Vector
    gradient: Vector


def minimise(space: Space, labels: NDArray[np.float64], *, l2: float, start: Vector | None = None) -> Optimum:
    """Minimise ``mean log loss + l2/2 |w|²`` over weights and an unpenalised intercept.

    Parameters
    ----------
    labels
        0 or 1, shape (n,), both present.
    l2
        Positive.
    start
        A vector of the space; zeros when None.

    Raises
    ------
    StatisticsError
        Not converged.
    """
    state = _state(space, labels, l2, space.zeros() if start is None else start)
    taken = 0
    while taken <= MOST:
        solve = _hessian(space, state, l2)
        pairs: list[tuple[Vector, Vector, float]] = []
        for _ in range(MEMORY):
            direction = _direction(space, state.gradient, pairs, solve)
            slope = space.inner(state.gradient, direction)
            if slope >= -(TOLERANCE**2):
                break
            step = _line(space, labels, l2, state, direction, slope)
            after = _state(space, labels, l2, state.vector + step * direction)
            moved, turned = step * direction, after.gradient - state.gradient
            state, taken = after, taken + 1
            curvature = space.inner(moved, turned)
            if curvature > 0:
                pairs.append((moved, turned, 1.0 / curvature))
        else:
            continue
        # The memory may mislead: the end is judged with the Hessian alone, taken where it ended.
        decrement = np.sqrt(max(space.inner(state.gradient, _hessian(space, state, l2)(state.gradient)), 0.0))
        if decrement <= 2 * TOLERANCE:
            norm = float(np.sqrt(max(space.inner(state.gradient, state.gradient), 0.0)))
            return Optimum(vector=state.vector, iterations=taken, decrement=float(decrement), gradient_norm=norm)
        if not pairs:
            break
    raise StatisticsError(
        f"logistic regression with penalty {l2:g} did not converge in {taken} steps: standardise its features"
    )


def _state(space: Space, labels: NDArray[np.float64], l2: float, vector: Vector) -> _State:
    from scipy.special import expit

    margins = space.margins(vector)
    probabilities = expit(margins)
    gradient = space.lift((probabilities - labels) / space.rows) + l2 * space.weights_only(vector)
    return _State(vector=vector, margins=margins, probabilities=probabilities, gradient=gradient)


def _hessian(space: Space, state: _State, l2: float) -> Solve:
    # The floor keeps the intercept's curvature from vanishing where all probabilities are 0 or 1 to a rounding.
    curvature = np.maximum(state.probabilities * (1 - state.probabilities), 1e-12)
    return space.factor(curvature / space.rows, l2)


def _direction(space: Space, gradient: Vector, pairs: list[tuple[Vector, Vector, float]], solve: Solve) -> Vector:
    """The two-loop recursion."""
    q = gradient.copy()
    shares = []
    for moved, turned, inverse in reversed(pairs):
        share = inverse * space.inner(moved, q)
        q -= share * turned
        shares.append(share)
    z = solve(q)
    for (moved, turned, inverse), share in zip(pairs, reversed(shares), strict=True):
        z += (share - inverse * space.inner(turned, z)) * moved
    return -z


def _line(
    space: Space, labels: NDArray[np.float64], l2: float, state: _State, direction: Vector, slope: float
) -> float:
    """A step at which the slope along a direction is nearly 0, by Newton's method kept within a bracket."""
    from scipy.special import expit

    along = space.margins(direction)
    penalised = space.weights_only(direction)
    linear, square = space.inner(state.vector, penalised), space.inner(penalised, penalised)
    low, high, step = 0.0, np.inf, 1.0
    for _ in range(100):
        probabilities = expit(state.margins + step * along)
        here = (probabilities - labels) @ along / space.rows + l2 * (linear + step * square)
        if abs(here) <= FLATTER * abs(slope):
            break
        low, high = (step, high) if here < 0 else (low, step)
        bend = (probabilities * (1 - probabilities)) @ (along * along) / space.rows + l2 * square
        step = step - here / bend
        if not low < step < high:
            step = 2 * low if np.isinf(high) else (low + high) / 2
    return float(step)
