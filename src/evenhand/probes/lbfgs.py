"""Deterministic L-BFGS for L2 logistic regression, preconditioned by a Hessian and searching lines on margins alone.

The limited-memory BFGS of Nocedal and Wright (Numerical Optimization, 2006, algorithms 7.4 and 7.5,
doi:10.1007/978-0-387-40065-5), with two uses of what a logistic regression is that a general routine such as SciPy's
L-BFGS-B has no place for:

- The first guess of the inverse Hessian is the exact inverse at the point where the memory starts: steps are nearly
  Newton's, and a handful suffices. Where they stop paying, memory and Hessian are taken anew.
- Margins are linear in the step. A line search costs n operations for each trial and no product with the data, and
  seeks the zero of the slope, not a fall of the objective: slopes keep their digits near the optimum where objectives
  (about .5, rounded at 1e-16) lose theirs, so that the optimum is found to 1e-10 and not to 1e-8.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError
from evenhand.probes.span import Solve, Space, Vector

__all__ = ["TOLERANCE", "Optimum", "minimise"]

MEMORY = 20
TOLERANCE = 1e-10
"""Of the Newton decrement, the root mean square error of training margins that is left, weighted by their curvature.

A row z beside the training rows is then off by at most ``|z| / sqrt(λ)`` times this in its margin: under 1e-6 for 4,096
standard features and λ = 1e-4, and in practice under 1e-8.
"""
MOST = 2_000
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
    taken, solve = 0, None
    while taken < MOST:
        # From here the memory is empty, and the Hessian that of this point or, at first, what is known of it already.
        solve = space.factor(_curvature(state) / space.rows, l2, fresh=solve is not None)
        pairs: deque[_Pair] = deque(maxlen=MEMORY)
        falls: list[float] = []
        while True:
            direction = _direction(space, state.gradient, pairs, solve)
            falls.append(-space.inner(state.gradient, direction))
            found = falls[-1] <= TOLERANCE**2
            if found or _slow(falls, space.slow) or taken >= MOST:
                break
            step = _line(space, labels, l2, state, direction, -falls[-1])
            after = _state(space, labels, l2, state.vector + step * direction)
            pairs.append(_pair(space, after.vector - state.vector, after.gradient - state.gradient))
            state, taken = after, taken + 1
        # What the memory says of the end is checked with the Hessian alone.
        decrement = float(np.sqrt(max(space.inner(state.gradient, solve(state.gradient)), 0.0)))
        if found and decrement <= 10 * TOLERANCE:
            norm = float(np.sqrt(max(space.inner(state.gradient, state.gradient), 0.0)))
            return Optimum(vector=state.vector, iterations=taken, decrement=decrement, gradient_norm=norm)
        if found and not pairs:
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


def _slow(falls: list[float], slow: float) -> bool:
    """Whether steps since the last Hessian, two or more, left too much of the squared decrement each, on average."""
    steps = len(falls) - 1
    return steps > 1 and falls[-1] > falls[0] * slow**steps


def _curvature(state: _State) -> Vector:
    # The floor keeps the intercept's curvature from vanishing where all probabilities are 0 or 1 to a rounding.
    return np.maximum(state.probabilities * (1 - state.probabilities), 1e-12)


@dataclass(slots=True)
class _Pair:
    """A step, how the gradient turned over it, and one over their product."""

    moved: Vector
    turned: Vector
    inverse: float


def _pair(space: Space, moved: Vector, turned: Vector) -> _Pair:
    # Positive: the objective is strictly convex. Rounding could still make it 0 where a step is too small to count.
    curvature = space.inner(moved, turned)
    return _Pair(moved, turned, 1.0 / curvature if curvature > 0 else 0.0)


def _direction(space: Space, gradient: Vector, pairs: deque[_Pair], solve: Solve) -> Vector:
    """The two-loop recursion; a pair without curvature takes no part."""
    q = gradient.copy()
    shares = []
    for pair in reversed(pairs):
        shares.append(pair.inverse * space.inner(pair.moved, q))
        q -= shares[-1] * pair.turned
    z = solve(q)
    for pair in pairs:
        z += (shares.pop() - pair.inverse * space.inner(pair.turned, z)) * pair.moved
    return -z


def _line(
    space: Space, labels: NDArray[np.float64], l2: float, state: _State, direction: Vector, first: float
) -> float:
    """A step at which the slope along a direction, ``first`` at 0, is nearly 0: Newton's method within a bracket."""
    from scipy.special import expit

    along = space.margins(direction)
    weights = space.weights_only(direction)
    # The slope is the loss's, and the penalty's: linear in the step, and at 0 what the loss leaves of the first slope.
    bend = l2 * space.inner(weights, weights)
    rest = first - (state.probabilities - labels) @ along / space.rows
    low, high, step = 0.0, np.inf, 1.0
    for _ in range(100):
        probabilities = expit(state.margins + step * along)
        slope = (probabilities - labels) @ along / space.rows + rest + step * bend
        if abs(slope) <= -FLATTER * first:
            break
        low, high = (step, high) if slope < 0 else (low, step)
        step -= slope / ((probabilities * (1 - probabilities)) @ (along * along) / space.rows + bend)
        if not low < step < high:
            step = 2 * low if np.isinf(high) else (low + high) / 2
    return float(step)
