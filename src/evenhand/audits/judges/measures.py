"""What judges are compared by: each measure as one value a presentation or pair, so that two judges can be paired."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.measures import measure_info
from evenhand.analysis.scope import ABSENT, TIE, Booleans, PairFacts, Scope
from evenhand.audits.drift.measures import DRIFT_MEASURES, DriftMeasure, Observed

__all__ = ["FLIPS", "JUDGE_MEASURES", "REPEAT_MEASURES"]

FLIPS: Final = "flip_rate"
"""The measure by which a judge is called more consistent than another."""
REPEAT_MEASURES: Final = frozenset({"repeat_flip_rate", "swap_minus_repeat"})
"""Those that need presentations asked again."""


def _tie_once(scope: Scope, _facts: PairFacts) -> Observed:
    once = (scope.outcome == TIE).sum(axis=1) == 1
    return _of_pairs(once.astype(np.float64), scope.verdict_both)


def _repeats(scope: Scope, _facts: PairFacts) -> Observed:
    compared = scope.repeat_compared > 0
    share = np.divide(scope.repeat_changed, scope.repeat_compared, out=np.zeros(compared.shape), where=compared)
    return _of_pairs(share, compared)


def _flips_beyond(scope: Scope, facts: PairFacts) -> Observed:
    repeats = _repeats(scope, facts)
    known = scope.decided_both & repeats.known[:, 0]
    return _of_pairs((scope.flips - repeats.values[:, 0] + 1) / 2, known)


def _right_in(column: int) -> Callable[[Scope, PairFacts], Observed]:
    def observe(scope: Scope, facts: PairFacts) -> Observed:
        gold = facts.gold[scope.pairs]
        known = scope.verdict[:, column] & (gold != ABSENT)
        return _of_pairs((scope.preference[:, column] == gold).astype(np.float64), known)

    return observe


def _right_consistent(scope: Scope, facts: PairFacts) -> Observed:
    gold = facts.gold[scope.pairs]
    known = scope.same_verdict & (gold != ABSENT)
    return _of_pairs((scope.preference[:, 0] == gold).astype(np.float64), known)


def _of_pairs(values: NDArray[np.float64], known: Booleans) -> Observed:
    return Observed(values=values[:, None], known=known[:, None])


_OWN = (
    DriftMeasure(
        info=measure_info("inconsistency_rate"),
        worse="up",
        orders=True,
        needs="needs a pair with a verdict in both orders",
        observe=_tie_once,
    ),
    DriftMeasure(
        info=measure_info("repeat_flip_rate"),
        worse="up",
        orders=False,
        needs="needs a presentation decided both times in the same order (evenhand audit --repeat)",
        observe=_repeats,
    ),
    DriftMeasure(
        info=measure_info("swap_minus_repeat"),
        worse="up",
        orders=True,
        needs="needs a pair decided in both orders and when asked again (evenhand audit --repeat)",
        observe=_flips_beyond,
        directed=True,
    ),
    DriftMeasure(
        info=measure_info("accuracy_ab"),
        worse="down",
        orders=False,
        needs="needs a verdict in order AB on a pair with a gold preference",
        observe=_right_in(0),
        slots=True,
    ),
    DriftMeasure(
        info=measure_info("accuracy_ba"),
        worse="down",
        orders=True,
        needs="needs a verdict in order BA on a pair with a gold preference",
        observe=_right_in(1),
    ),
    DriftMeasure(
        info=measure_info("accuracy_consistent"),
        worse="down",
        orders=True,
        needs="needs a pair with a gold preference and the same verdict in both orders",
        observe=_right_consistent,
    ),
)

_ORDER: Final = (
    FLIPS,
    "swap_minus_repeat",
    "position_bias_strength",
    "first_slot_rate",
    "inconsistency_rate",
    "repeat_flip_rate",
    "compliance_pairs",
    "verdict_rate",
    "accuracy_ab",
    "accuracy_ba",
    "accuracy_consistent",
)
_KNOWN: Final = {**DRIFT_MEASURES, **{measure.name: measure for measure in _OWN}}

JUDGE_MEASURES: Mapping[str, DriftMeasure] = {name: _KNOWN[name] for name in _ORDER}
"""By name, in the order in which they are printed: consistency first, then what it rests on, then who is right."""
