"""The fourth picture: what mitigations recover as position and verbosity bias grow, and what they leave out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.judges.simulated_figures import STRENGTHS, FigureSettings, biased, over_runs
from evenhand.judges.simulated_study import StudyWorld, log_odds
from evenhand.records import Order
from evenhand.stats import Estimate, Refusal

__all__ = ["METHODS", "Mitigation", "MitigationPoint", "length_slope", "mitigation_points", "points_of_mitigation"]

Mitigation: TypeAlias = Literal["single order", "swap and tie", "averaged probabilities", "length-adjusted"]
METHODS: tuple[Mitigation, ...] = ("single order", "swap and tie", "averaged probabilities", "length-adjusted")
"""A verdict of order AB; the verdict of both orders, a tie where they conflict; the mean probability over both orders;
the mean log-odds less what a regression on gold and log length ascribes to length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MitigationPoint:
    """One mitigation at one strength of both biases.

    Attributes
    ----------
    accuracy
        Share right of the pairs that it decides.
    decided
        Share of the pairs that it decides: exactly 1, without an interval, where it leaves none out.
    by_lot
        Share right of all pairs, those left out decided by a fair coin: what can be compared between mitigations that
        decide different pairs.
    """

    method: Mitigation
    strength: float
    accuracy: Estimate | Refusal
    decided: Estimate | Refusal | float
    by_lot: Estimate | Refusal


def mitigation_points(
    settings: FigureSettings, *, advance: Callable[[], None] = lambda: None
) -> tuple[MitigationPoint, ...]:
    """All methods at each strength, on the same simulated verdicts; position and verbosity are equally strong."""
    points: list[MitigationPoint] = []
    for i, strength in enumerate(STRENGTHS):
        p = biased(settings.world, position=strength, verbosity=strength)
        rng = settings.stream(4, i)
        world = settings.draw(p, rng)
        # Log-odds of A: those of the first slot in AB, the negative of them in BA.
        ab = log_odds(p, world, order=Order.AB, rng=rng)
        ba = -log_odds(p, world, order=Order.BA, rng=rng)
        for method in METHODS:
            score, decided = _decide(method, ab, ba, world, settings)
            right = (score > 0) == world.gold_is_a
            points.append(
                MitigationPoint(
                    method=method,
                    strength=strength,
                    accuracy=over_runs(right, settings, enters=decided),
                    decided=1.0 if decided is None else over_runs(decided, settings),
                    by_lot=over_runs(
                        right.astype(np.float64) if decided is None else np.where(decided, right, 0.5), settings
                    ),
                )
            )
            advance()
    return tuple(points)


def _decide(
    method: Mitigation,
    ab: NDArray[np.float64],
    ba: NDArray[np.float64],
    world: StudyWorld,
    settings: FigureSettings,
) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    """A score that is positive where A wins, and which pairs are decided (None: all)."""
    match method:
        case "single order":
            return ab, None
        case "swap and tie":
            return ab, np.asarray((ab > 0) == (ba > 0), dtype=np.bool_)
        case "averaged probabilities":
            return (_probability(ab) + _probability(ba)) / 2 - 0.5, None
        case "length-adjusted":
            mean = (ab + ba) / 2
            shape = (settings.runs, settings.pairs)
            gold = np.where(world.gold_is_a, 1.0, -1.0)
            slopes = [
                length_slope(*run)
                for run in zip(mean.reshape(shape), gold.reshape(shape), world.log_length.reshape(shape), strict=True)
            ]
            return mean - np.repeat(slopes, settings.pairs) * world.log_length, None


def length_slope(log_odds_a: NDArray[np.float64], gold: NDArray[np.float64], log_length: NDArray[np.float64]) -> float:
    """Least-squares slope of log-odds on log length ratio, with gold (1, -1) held fixed; arrays of shape (n,).

    Examples
    --------
    >>> gold, length = np.array([1.0, -1, 1, -1]), np.array([0.0, 1, 2, 3])
    >>> round(length_slope(2 * gold + 0.5 * length, gold, length), 6)
    0.5
    """
    design = np.column_stack([np.ones_like(gold), gold, log_length])
    return float(np.linalg.lstsq(design, log_odds_a, rcond=None)[0][2])


def _probability(log_odds_a: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(-np.logaddexp(0.0, -log_odds_a)), dtype=np.float64)


def points_of_mitigation() -> int:
    """How many points the figure has."""
    return len(METHODS) * len(STRENGTHS)
