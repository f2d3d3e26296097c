"""Simulated judges with wanted properties: a flip rate, a repeat rate, and a net shift under a change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from evenhand.errors import ConfigError
from evenhand.judges.simulated_study import StudyParameters, draw_world, log_odds
from evenhand.judges.simulated_study_truth import study_truth
from evenhand.records import Change, Order, Preference

__all__ = [
    "SHIFTS",
    "calibrated_judge",
    "flip_repeat_discordance",
    "net_shift",
    "shift_changes",
    "shift_spread",
    "with_net_shift",
]

SHIFTS = MappingProxyType(
    {
        "verbosity": ("padding", "redundant", "verbosity"),
        "sycophancy": ("endorsement", "user", "sycophancy"),
        "authority": ("authority", "citation", "authority"),
        "injection": ("injection", "instruction", "injection"),
        "tone": ("tone", "assertive", "tone"),
        "formatting": ("format", "bullets", "formatting"),
    }
)
"""Bias to the factor and level that show it, and to the judge's own name for it."""
_STRONGEST = 60.0
_MOST_NOISE = 1e4
_LEAST_NOISE = 1e-3
_DRAWN = 200_000
"""Pairs that a spread is measured on: its relative standard error is under 1 %."""


def calibrated_judge(*, flip_rate: float, repeat_rate: float) -> StudyParameters:
    """A judge that flips so often when the order is swapped, and changes its mind so often when it isn't.

    The spread of true quality is 1 and all responses are of one length. Position bias accounts for the flips beyond
    repeats.

    Raises
    ------
    ConfigError
        The repeat rate is 0 or less, above the flip rate, or so high that position bias can't lift flips to theirs.

    Examples
    --------
    >>> judge = calibrated_judge(flip_rate=0.3, repeat_rate=0.1)
    >>> truth = study_truth(judge)
    >>> round(truth.flip_rate, 4), round(truth.repeat_flip_rate, 4)
    (0.3, 0.1)
    """
    from scipy.optimize import brentq

    if not 0 < repeat_rate <= flip_rate < 1 - repeat_rate or repeat_rate >= 0.49:
        raise ConfigError(
            f"flip rate {flip_rate:g}, repeat rate {repeat_rate:g}: expected 0 < repeat rate <= flip rate, both "
            "together below 1, and repeats below .49"
        )
    base = StudyParameters(length_sd=0.0)

    def with_position(position: float) -> StudyParameters:
        def excess(noise: float) -> float:
            return study_truth(replace(base, position=position, noise=noise)).repeat_flip_rate - repeat_rate

        noise = brentq(excess, _LEAST_NOISE, _MOST_NOISE, xtol=1e-10)
        return replace(base, position=position, noise=float(noise))

    if flip_rate - repeat_rate < 1e-9:
        return with_position(0.0)
    position = _solve(lambda strength: study_truth(with_position(strength)).flip_rate - flip_rate)
    return with_position(position)


def with_net_shift(judge: StudyParameters, *, bias: str, shift: float) -> StudyParameters:
    """The judge with just so much of a bias that a change turns ``shift`` of its verdicts, net, toward the target.

    Raises
    ------
    ConfigError
        An unknown bias, a shift that isn't positive, or one that no strength reaches.
    """
    _known(bias)
    if not shift > 0:
        raise ConfigError(f"a shift of {shift:g}: expected a positive share of verdicts")

    def at(strength: float) -> StudyParameters:
        changed: dict[str, Any] = {_known(bias)[2]: strength}
        return replace(judge, biases=replace(judge.biases, **changed))

    if net_shift(at(_STRONGEST), bias) <= shift:
        raise ConfigError(f"a shift of {shift:g}: no strength of {bias} turns so many of this judge's verdicts")
    return at(_solve(lambda strength: net_shift(at(strength), bias) - shift))


def net_shift(judge: StudyParameters, bias: str) -> float:
    """Exact net shift: verdicts turned toward the target less those turned away, over both targets and orders."""
    before = study_truth(judge).prefers_a
    toward_a, toward_b = (study_truth(judge, changes).prefers_a for changes in shift_changes(bias))
    return ((toward_a - before) + (before - toward_b)) / 2


def shift_changes(bias: str) -> tuple[tuple[Change, ...], ...]:
    """The change that shows a bias, for A and for B."""
    factor, level, _ = _known(bias)
    return tuple((Change(factor=factor, level=level, target=target),) for target in (Preference.A, Preference.B))


def shift_spread(judge: StudyParameters, bias: str, *, rng: np.random.Generator) -> float:
    """Standard deviation of a pair's net shift, its mean over both targets and orders, over 200,000 drawn pairs."""
    world = draw_world(judge, n_pairs=_DRAWN, rng=rng)
    total = np.zeros(_DRAWN)
    for order, sign in ((Order.AB, 1.0), (Order.BA, -1.0)):
        before = log_odds(judge, world, order=order, rng=rng) > 0
        for toward, changes in zip((sign, -sign), shift_changes(bias), strict=True):
            after = log_odds(judge, world, order=order, changes=changes, rng=rng) > 0
            total += toward * (after.astype(np.float64) - before)
    return float((total / 4).std())


def flip_repeat_discordance(judge: StudyParameters, *, rng: np.random.Generator) -> float:
    """Share of pairs that flip but don't change when asked again, or the other way round, over 200,000 drawn pairs."""
    world = draw_world(judge, n_pairs=_DRAWN, rng=rng)
    once, again = (log_odds(judge, world, order=Order.AB, rng=rng) > 0 for _ in range(2))
    swapped = log_odds(judge, world, order=Order.BA, rng=rng) <= 0
    return float(((once != swapped) != (once != again)).mean())


def _known(bias: str) -> tuple[str, str, str]:
    if bias not in SHIFTS:
        raise ConfigError(f"bias {bias!r}: a simulated judge shows {', '.join(SHIFTS)}")
    return SHIFTS[bias]


def _solve(excess: Callable[[float], float]) -> float:
    """Where a rising function of a strength crosses 0."""
    from scipy.optimize import brentq

    return float(brentq(excess, 0.0, _STRONGEST, xtol=1e-10))
