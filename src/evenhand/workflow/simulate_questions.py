"""Questions about size as statistics: what is tested, on how many judgments, before which simulated judge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import assert_never

import numpy as np

from evenhand.errors import ConfigError
from evenhand.judges.simulated_calibrated import (
    calibrated_judge,
    flip_repeat_discordance,
    shift_spread,
    with_net_shift,
)
from evenhand.judges.simulated_study import StudyParameters
from evenhand.report.studies.power_plan import PilotFacts
from evenhand.stats.power import HalfWidth, MeanShift, PairedRates, PowerQuestion
from evenhand.workflow.simulate_settings import PowerSettings

__all__ = ["AskedQuestion", "Assumptions", "asked_question"]

_FLIPS = 0.2
"""Assumed flip rate where nothing is known."""
_REPEATS_OF_FLIPS = 0.5
"""Assumed share of the flips that repeats alone account for, where no repeat rate is known."""
_DISCORDANCE = 0.3
"""Assumed share of pairs on which exactly one of two judges is right, where nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """What the settings say, else the pilot, else what is assumed."""

    flip_rate: float
    repeat_rate: float
    discordance: float
    pairs_per_question: float
    icc: float

    @classmethod
    def of(cls, s: PowerSettings, pilot: PilotFacts | None) -> Assumptions:
        """Settings go before the pilot, the pilot before assumptions."""
        flips = s.flip_rate or (pilot.flip_rate if pilot else _FLIPS)
        repeats = s.repeat_rate or (pilot.repeat_rate if pilot else None)
        if s.question == "beyond-repeats":
            # The effect is what lies between the two: one of them follows from the other.
            if repeats is not None and s.flip_rate is None:
                flips = repeats + s.effect
            else:
                repeats = flips - s.effect
        return cls(
            flip_rate=flips,
            repeat_rate=_REPEATS_OF_FLIPS * flips if repeats is None else min(repeats, flips),
            discordance=s.discordance or _DISCORDANCE,
            pairs_per_question=s.pairs_per_question or (pilot.pairs_per_question if pilot else 1.0),
            icc=s.icc if s.icc is not None else (pilot.icc if pilot else 0.0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question, ready for the formula and for simulation.

    Attributes
    ----------
    judge, null
        Simulated judges with and without the effect; None where outcomes are drawn without one.
    judgments
        Presentations that one pair costs.
    assumed
        (name, text) of what it rests on.
    """

    question: PowerQuestion
    judgments: int
    assumed: tuple[tuple[str, str], ...]
    judge: StudyParameters | None = None
    null: StudyParameters | None = None


def asked_question(s: PowerSettings, given: Assumptions, *, rng: np.random.Generator) -> AskedQuestion:
    """Turn the settings into a question.

    Raises
    ------
    ConfigError
        No judge is like that: the effect and the rates contradict each other.
    """
    match s.question:
        case "flip-rate":
            return AskedQuestion(
                question=HalfWidth(rate=given.flip_rate),
                judgments=2,
                assumed=(("Flip rate", _share(given.flip_rate)),),
                judge=_judge(given),
            )
        case "beyond-repeats":
            return _beyond_repeats(given, rng)
        case "shift":
            return _shift(s, given, rng)
        case "accuracy":
            if s.effect > given.discordance:
                raise ConfigError(
                    f"effect {s.effect:g} with discordance {given.discordance:g}: two judges can't differ by more than "
                    "the share of pairs on which exactly one is right; raise --discordance"
                )
            return AskedQuestion(
                question=PairedRates(discordance=given.discordance),
                judgments=2,
                assumed=(("Pairs on which exactly one judge is right", _share(given.discordance)),),
            )
        case "win-rate":
            return _win_rate(s, given)
        case _:
            assert_never(s.question)


def _judge(given: Assumptions) -> StudyParameters:
    return calibrated_judge(flip_rate=given.flip_rate, repeat_rate=given.repeat_rate)


def _beyond_repeats(given: Assumptions, rng: np.random.Generator) -> AskedQuestion:
    judge = _judge(given)
    return AskedQuestion(
        question=PairedRates(discordance=flip_repeat_discordance(judge, rng=rng)),
        judgments=3,
        assumed=(("Flip rate", _share(given.flip_rate)), ("Repeat rate", _share(given.repeat_rate))),
        judge=judge,
        null=calibrated_judge(flip_rate=given.repeat_rate, repeat_rate=given.repeat_rate),
    )


def _shift(s: PowerSettings, given: Assumptions, rng: np.random.Generator) -> AskedQuestion:
    null = _judge(given)
    judge = with_net_shift(null, bias=s.bias, shift=s.effect)
    spread = shift_spread(judge, s.bias, rng=rng)
    return AskedQuestion(
        question=MeanShift(sd=spread),
        judgments=6,
        assumed=(
            ("Flip rate", _share(given.flip_rate)),
            ("Repeat rate", _share(given.repeat_rate)),
            ("Spread of a pair's net shift", f"{spread:.3f}, measured on 200,000 simulated pairs"),
        ),
        judge=judge,
        null=null,
    )


def _win_rate(s: PowerSettings, given: Assumptions) -> AskedQuestion:
    decided = 1 - given.flip_rate
    if s.effect >= decided / 2:
        raise ConfigError(
            f"effect {s.effect:g} with flip rate {given.flip_rate:g}: pairs that flip count a half, so that a win rate "
            f"lies within {decided / 2:g} of .5"
        )
    return AskedQuestion(
        question=MeanShift(sd=math.sqrt(decided / 4 - s.effect**2)),
        judgments=2,
        assumed=(("Flip rate", f"{_share(given.flip_rate)}; such pairs count a half"),),
    )


def _share(value: float) -> str:
    return f"{value * 100:.3g} %"
