"""Simulated factorials: verdicts or log-odds from a formula, without a judge."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evenhand.audits.bias.factorial import FAVOURS, SLOT, Factorial

Floats = NDArray[np.float64]


def axes() -> tuple[Floats, Floats, Floats]:
    """s, l and e of each cell, each of a shape that spreads to (1, 3, 3, 2)."""
    favours = np.array(FAVOURS, dtype=np.float64)
    return (
        SLOT.astype(np.float64)[None, None, None, :],
        favours[None, :, None, None],
        favours[None, None, :, None],
    )


def simulated(
    rng: np.random.Generator,
    odds: Callable[[Floats, Floats, Floats], Floats],
    *,
    pairs: int,
    spread: float = 1.0,
    ties: float = 0.0,
    missing: float = 0.0,
    per_group: int = 1,
) -> Factorial:
    """``odds`` of A given s, l, e; pairs (and their groups) differ in quality by ``spread``."""
    s, le, e = axes()
    quality = spread * (rng.normal(size=pairs) + rng.normal(size=pairs // per_group).repeat(per_group)) / 2**0.5
    log_odds = quality[:, None, None, None] + odds(s, le, e)
    shape = (pairs, 3, 3, 2)
    log_odds = np.broadcast_to(log_odds, shape)
    stood = np.where(rng.random(shape) < 1 / (1 + np.exp(-log_odds)), 1, -1)
    stood = np.where(rng.random(shape) < ties, 0, stood).astype(np.int8)
    return Factorial(
        pairs=np.arange(pairs),
        verdict=rng.random(shape) >= missing,
        stood=stood,
        log_odds=log_odds.copy(),
        missing=(),
    )
