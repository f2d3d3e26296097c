"""Three classic pictures of bias, by simulation: swap consistency, accuracy, and single comparisons against length.

Each point is simulated in runs of so many pairs, with an interval over the runs, and has its exact value beside it.
The figures are those of "Position Bias in LLM Judges: Measurement and Mitigation"; the fourth is in
:mod:`evenhand.judges.simulated_mitigation`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError
from evenhand.judges.simulated_biases import BiasStrengths
from evenhand.judges.simulated_study import StudyParameters, StudyWorld, draw_world, log_odds
from evenhand.judges.simulated_study_truth import study_truth
from evenhand.records import Change, Order, Preference
from evenhand.stats import Estimate, Refusal, cluster_rate

__all__ = [
    "STRENGTHS",
    "AccuracyPoint",
    "ConsistencyPoint",
    "FigureSettings",
    "LengthPoint",
    "Strength",
    "accuracy_points",
    "biased",
    "consistency_points",
    "length_points",
    "over_runs",
    "points_in_all",
]

Strength: TypeAlias = Literal["position", "verbosity", "sycophancy"]

STRENGTHS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
"""Bias strengths of all figures, in log-odds; the spread of true quality is 1 unless set."""
_LENGTH_STRENGTHS = (0.0, 0.25, 0.5, 1.0)
_LOG_RATIOS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""The longer response is 1 to 7.4 times as long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureSettings:
    """How much is simulated, and of what world.

    Attributes
    ----------
    pairs, runs
        Pairs of one run, and runs of each point.
    world
        Pairs and noise; its biases are left aside.
    level
        Of the intervals over runs.

    Raises
    ------
    ConfigError
        Fewer than 20 pairs or 5 runs: nothing could be said of such.
    """

    pairs: int = 500
    runs: int = 40
    seed: int = 0
    level: float = 0.95
    world: StudyParameters = field(default_factory=StudyParameters)

    def __post_init__(self) -> None:
        if self.pairs < 20:
            raise ConfigError(f"pairs is {self.pairs}: expected at least 20 in a run")
        if self.runs < 5:
            raise ConfigError(f"runs is {self.runs}: expected at least 5, for an interval over runs")
        if self.world.group_sd or self.world.group_position_sd:
            raise ConfigError("group_sd and group_position_sd: every pair of these figures has its own question")

    def stream(self, figure: int, *place: int) -> np.random.Generator:
        """The random stream of one point, so that points don't depend on each other's order."""
        return np.random.default_rng(np.random.SeedSequence([self.seed, figure, *place]))

    def draw(self, parameters: StudyParameters, rng: np.random.Generator) -> StudyWorld:
        """Pairs of all runs, one run after the other."""
        return draw_world(parameters, n_pairs=self.pairs * self.runs, rng=rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyPoint:
    """Swap consistency under two biases."""

    position: float
    verbosity: float
    simulated: Estimate | Refusal
    exact: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyPoint:
    """Accuracy of single comparisons under one bias."""

    bias: Strength
    strength: float
    simulated: Estimate | Refusal
    exact: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthPoint:
    """How often the longer of two equally good responses wins a single comparison."""

    verbosity: float
    log_ratio: float
    simulated: Estimate | Refusal
    exact: float


def consistency_points(
    settings: FigureSettings, *, advance: Callable[[], None] = lambda: None
) -> tuple[ConsistencyPoint, ...]:
    """Swap consistency for each position strength and, within it, each verbosity strength.

    Verbosity pulls toward the same *response* in both orders, so it makes verdicts consistent and wrong.
    """
    points = []
    for i, position in enumerate(STRENGTHS):
        for j, verbosity in enumerate(STRENGTHS):
            p = biased(settings.world, position=position, verbosity=verbosity)
            rng = settings.stream(1, i, j)
            world = settings.draw(p, rng)
            ab = log_odds(p, world, order=Order.AB, rng=rng) > 0
            ba = log_odds(p, world, order=Order.BA, rng=rng) <= 0
            points.append(
                ConsistencyPoint(
                    position=position,
                    verbosity=verbosity,
                    simulated=over_runs(ab == ba, settings),
                    exact=1 - study_truth(p).flip_rate,
                )
            )
            advance()
    return tuple(points)


def accuracy_points(
    settings: FigureSettings, *, advance: Callable[[], None] = lambda: None
) -> tuple[AccuracyPoint, ...]:
    """Accuracy of single comparisons against the strength of one bias; a user endorses A or B at even odds."""
    names: tuple[Strength, ...] = ("position", "verbosity", "sycophancy")
    points = []
    for b, bias in enumerate(names):
        for i, strength in enumerate(STRENGTHS):
            p = biased(settings.world, **{bias: strength})
            rng = settings.stream(2, b, i)
            world = settings.draw(p, rng)
            changes = [(_endorsed(target),) if bias == "sycophancy" else () for target in (Preference.A, Preference.B)]
            chosen = [log_odds(p, world, order=Order.AB, changes=each, rng=rng) > 0 for each in changes]
            prefers_a = np.where(rng.random(len(world.quality)) < 0.5, *chosen)
            points.append(
                AccuracyPoint(
                    bias=bias,
                    strength=strength,
                    simulated=over_runs(prefers_a == world.gold_is_a, settings),
                    exact=sum(study_truth(p, each).accuracy for each in changes) / 2,
                )
            )
            advance()
    return tuple(points)


def length_points(settings: FigureSettings, *, advance: Callable[[], None] = lambda: None) -> tuple[LengthPoint, ...]:
    """How often the longer response wins at equal quality, for each strength and log length ratio.

    Which of the two is shown first is drawn at even odds, so that a position bias of the world averages out.
    """
    points = []
    equal = replace(settings.world, quality_sd=0.0, quality_author=0.0, length_sd=0.0, length_author=0.0, own_share=0.0)
    for i, verbosity in enumerate(_LENGTH_STRENGTHS):
        for j, ratio in enumerate(_LOG_RATIOS):
            p = biased(replace(equal, length_slot=ratio), verbosity=verbosity)
            rng = settings.stream(3, i, j)
            world = settings.draw(p, rng)
            ab = log_odds(p, world, order=Order.AB, rng=rng) > 0
            ba = log_odds(p, world, order=Order.BA, rng=rng) <= 0
            longer = np.where(rng.random(len(ab)) < 0.5, ab, ba)
            points.append(
                LengthPoint(
                    verbosity=verbosity,
                    log_ratio=ratio,
                    simulated=over_runs(longer, settings),
                    exact=study_truth(p).prefers_a,
                )
            )
            advance()
    return tuple(points)


def biased(
    world: StudyParameters, *, position: float = 0.0, verbosity: float = 0.0, sycophancy: float = 0.0
) -> StudyParameters:
    """The same pairs and noise before a judge with these biases and no others."""
    return replace(world, position=position, biases=BiasStrengths(verbosity=verbosity, sycophancy=sycophancy))


def over_runs(
    hits: NDArray[np.bool_] | NDArray[np.float64],
    settings: FigureSettings,
    *,
    enters: NDArray[np.bool_] | None = None,
) -> Estimate | Refusal:
    """A share with its interval over runs; ``enters`` says which pairs count (None: all). Shape (runs · pairs,)."""
    shape = (settings.runs, settings.pairs)
    counts = np.ones(shape) if enters is None else enters.reshape(shape).astype(np.float64)
    return cluster_rate(
        (hits.reshape(shape) * counts).sum(axis=1),
        counts.sum(axis=1),
        range(settings.runs),
        rng=np.random.default_rng(0),  # the robust interval draws nothing
        level=settings.level,
    )


def _endorsed(target: Preference) -> Change:
    return Change(factor="endorsement", level="user", target=target)


def points_in_all() -> int:
    """How many points the three figures have."""
    return len(STRENGTHS) ** 2 + 3 * len(STRENGTHS) + len(_LENGTH_STRENGTHS) * len(_LOG_RATIOS)
