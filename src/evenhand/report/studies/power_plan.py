"""What was asked of a power analysis and what it answers: the records that its study is composed of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from evenhand.stats import Estimate, Refusal
from evenhand.stats.power import PowerAnswer

__all__ = ["QUESTIONS", "CurvePoint", "PilotFacts", "PlanQuestion", "PowerPlan", "SimulatedCheck"]

PlanQuestion: TypeAlias = Literal["flip-rate", "beyond-repeats", "shift", "accuracy", "win-rate"]
QUESTIONS: tuple[PlanQuestion, ...] = ("flip-rate", "beyond-repeats", "shift", "accuracy", "win-rate")
"""``flip-rate``: how wide is its interval? ``beyond-repeats``: do more verdicts turn in the other order than when the
same order is asked again? ``shift``: does a bias turn verdicts? ``accuracy``: do two judges differ? ``win-rate``: does
one of two systems win more often than not?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotFacts:
    """What a pilot run says of the judge and of the pairs.

    Attributes
    ----------
    run
        Its directory.
    flip_rate, repeat_rate
        Repeats are None where the pilot asked none.
    pairs, pairs_per_question
        Of the pilot.
    icc
        Intra-question correlation of flips by analysis of variance, at least 0.
    notes
        What had to be assumed.
    """

    run: str
    readout: str
    flip_rate: float
    repeat_rate: float | None
    pairs: int
    pairs_per_question: float
    icc: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """What so many pairs would show: the power, or for a flip rate half the width of its interval."""

    pairs: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCheck:
    """The audit itself, run on simulated verdicts of the planned size.

    Attributes
    ----------
    pairs, runs
        Size and number of the audits.
    found
        Share of audits whose test or interval found the effect; for a flip rate, whose interval was narrow enough.
    false
        The same where there is no effect; for a flip rate, share of intervals that missed the true rate.
    estimate
        Mean of the audits' estimates of the effect (of a flip rate: of half the width).
    truth
        What they estimate.
    test
        What counted as found, in words.
    """

    pairs: int
    runs: int
    found: Estimate | Refusal
    false: Estimate | Refusal
    estimate: Estimate | Refusal
    truth: float
    test: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerPlan:
    """A question, its assumptions and its answers.

    Attributes
    ----------
    effect
        The smallest effect worth finding; of a flip rate, the half width wanted.
    tests
        Tests that the level is shared between.
    test_level
        Confidence level of each: 1 - (1 - level) / tests.
    needed, detectable
        Pairs for the effect; and the effect that ``at`` pairs show (``at`` is what was asked for, else what is needed).
    judgments_per_pair
        Presentations that one pair costs.
    assumed
        (name, text) of what the answer rests on.
    """

    question: PlanQuestion
    bias: str | None
    effect: float
    power: float
    level: float
    tests: int
    test_level: float
    at: int | None
    needed: PowerAnswer | Refusal
    detectable: PowerAnswer | Refusal | None
    power_at: float | None
    curve: tuple[CurvePoint, ...]
    judgments_per_pair: int
    pairs_per_question: float
    icc: float
    design_effect: float
    assumed: tuple[tuple[str, str], ...]
    simulated: SimulatedCheck | None
    pilot: PilotFacts | None
    seed: int
