"""What is compared between two runs, and followed over many: each measure as one value a presentation or pair.

Every measure is a mean of values between 0 and 1 over those presentations (or pairs) that it is known for. So two runs
can be compared on exactly the presentations that both know, and every figure has a cluster-robust standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.measures import MeasureInfo, measure_info
from evenhand.analysis.scope import ABSENT, FIRST, OUTCOMES, TIE, Booleans, PairFacts, Scope
from evenhand.errors import ConfigError
from evenhand.records import Outcome
from evenhand.stats import Estimate, Refusal

__all__ = [
    "ALIASES",
    "DRIFT_MEASURES",
    "NET_SHIFT",
    "ComparedOrders",
    "DriftMeasure",
    "MeasuredOrders",
    "Observed",
    "Worse",
    "drift_measure",
]

Worse: TypeAlias = Literal["up", "down", "both"]
"""In which direction a change is for the worse."""

ComparedOrders: TypeAlias = Literal["both", "single", "AB"]
"""Which orders stand for all pairs: ``both``; ``single`` where each pair was shown in one of them; ``AB`` where BA was
asked of chosen pairs only, which are no sample of all and are left out. Figures of both orders need ``both``."""

MeasuredOrders: TypeAlias = ComparedOrders | Literal["none"]
"""The same, and ``none`` where each response was judged by itself: figures of a slot or an order are refused then."""

_ERROR = OUTCOMES.index(Outcome.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Observed:
    """A measure's values in one scope.

    Attributes
    ----------
    values
        Between 0 and 1; shape (pairs, 2) for a measure of presentations (column 0 is AB), (pairs, 1) for one of pairs.
    known
        Where there is a value; same shape. What isn't known is left out, never counted as 0.
    """

    values: NDArray[np.float64]
    known: Booleans


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DriftMeasure:
    """A measure that can be compared between runs.

    Attributes
    ----------
    info
        Name, label, definition and unit.
    worse
        In which direction a change is for the worse: what a tolerance limits.
    orders
        Whether it needs both orders of a pair.
    directed
        Whether the figure is a directed share: its values -1, 0 and 1 are kept as 0, .5 and 1.
    slots
        Whether it speaks of a slot or of one order, which a judge that saw each response by itself has not got.
    needs
        What there would have to be, for the refusal.
    observe
        From a scope and what is known of the pairs to the values.
    """

    info: MeasureInfo
    worse: Worse
    orders: bool
    needs: str
    observe: Callable[[Scope, PairFacts], Observed]
    directed: bool = False
    slots: bool = False

    @property
    def name(self) -> str:
        """Its key in :data:`DRIFT_MEASURES`."""
        return self.info.name

    @property
    def scale(self) -> float:
        """What a difference of two means of values is multiplied by."""
        return 2.0 if self.directed else 1.0

    @property
    def lowest(self) -> float:
        """The smallest that the figure can be; the largest is 1."""
        return -1.0 if self.directed else 0.0

    def change(self, estimate: Estimate | Refusal) -> Estimate | Refusal:
        """A difference of two means of values as a difference of two figures."""
        if isinstance(estimate, Refusal) or not self.directed:
            return estimate
        interval = estimate.interval
        if interval is not None:
            interval = replace(interval, low=self.scale * interval.low, high=self.scale * interval.high)
        return replace(estimate, value=self.scale * estimate.value, interval=interval)


def _verdicts(scope: Scope, _facts: PairFacts) -> Observed:
    return Observed(values=scope.verdict.astype(np.float64), known=scope.asked)


def _failures(scope: Scope, _facts: PairFacts) -> Observed:
    return Observed(values=(scope.outcome == _ERROR).astype(np.float64), known=scope.asked)


def _compliant(scope: Scope, _facts: PairFacts) -> Observed:
    return Observed(values=(scope.compliant == 1).astype(np.float64), known=scope.compliant != ABSENT)


def _compliant_pairs(scope: Scope, _facts: PairFacts) -> Observed:
    return _of_pairs(scope.compliant_pairs(), scope.compliance_known())


def _flips(scope: Scope, _facts: PairFacts) -> Observed:
    return _of_pairs(scope.flips, scope.decided_both)


def _strength(scope: Scope, _facts: PairFacts) -> Observed:
    directed = np.where(scope.flips, np.where(scope.outcome[:, 0] == FIRST, 1.0, 0.0), 0.5)
    return _of_pairs(directed, scope.decided_both)


def _first_slot(scope: Scope, _facts: PairFacts) -> Observed:
    return Observed(values=(scope.outcome == FIRST).astype(np.float64), known=scope.decided)


def _ties(scope: Scope, _facts: PairFacts) -> Observed:
    return Observed(values=(scope.outcome == TIE).astype(np.float64), known=scope.verdict)


def _not_of_a_scope(scope: Scope, _facts: PairFacts) -> Observed:
    nothing = np.zeros((scope.pairs.size, 1))
    return Observed(values=nothing, known=nothing.astype(np.bool_))


def _right(scope: Scope, facts: PairFacts) -> Observed:
    gold = facts.gold[scope.pairs][:, None]
    return Observed(values=(scope.preference == gold).astype(np.float64), known=scope.verdict & (gold != ABSENT))


def _of_pairs(values: NDArray[np.generic], known: Booleans) -> Observed:
    return Observed(values=values.astype(np.float64)[:, None], known=known[:, None])


_ACCURACY = MeasureInfo(
    name="accuracy",
    label="accuracy, all verdicts",
    definition=(
        "Among presentations with a verdict on a pair with a gold preference, in every order asked, share that agree "
        "with it."
    ),
)
_TIE_RATE = MeasureInfo(
    name="tie_rate", label="ties", definition="Share of presentations with a verdict that ended in a tie."
)
_FAILURES = MeasureInfo(
    name="failure_rate",
    label="failed calls",
    definition="Share of presentations whose call failed, of those that were answered or failed.",
)

_ALL = (
    DriftMeasure(
        info=measure_info("verdict_rate"),
        worse="down",
        orders=False,
        needs="needs a presentation, has none",
        observe=_verdicts,
    ),
    DriftMeasure(
        info=measure_info("compliance_presentations"),
        worse="down",
        orders=False,
        needs="needs a presentation with known compliance, has none",
        observe=_compliant,
    ),
    DriftMeasure(
        info=measure_info("compliance_pairs"),
        worse="down",
        orders=True,
        needs="needs a pair with known compliance in both orders, has none",
        observe=_compliant_pairs,
    ),
    DriftMeasure(
        info=measure_info("flip_rate"),
        worse="up",
        orders=True,
        needs="needs a pair decided in both orders, has none",
        observe=_flips,
    ),
    DriftMeasure(
        info=measure_info("position_bias_strength"),
        worse="both",
        orders=True,
        needs="needs a pair decided in both orders, has none",
        observe=_strength,
        directed=True,
    ),
    DriftMeasure(
        info=measure_info("first_slot_rate"),
        worse="both",
        orders=False,
        needs="needs a presentation that chose a slot, has none",
        observe=_first_slot,
        slots=True,
    ),
    DriftMeasure(
        info=_ACCURACY,
        worse="down",
        orders=False,
        needs="needs a verdict on a pair with a gold preference, has none",
        observe=_right,
    ),
    DriftMeasure(
        info=_TIE_RATE, worse="both", orders=False, needs="needs a presentation with a verdict, has none", observe=_ties
    ),
    DriftMeasure(info=_FAILURES, worse="up", orders=False, needs="needs a presentation, has none", observe=_failures),
)

DRIFT_MEASURES: Mapping[str, DriftMeasure] = {measure.name: measure for measure in _ALL}
"""By name, in the order in which they are printed."""

NET_SHIFT = DriftMeasure(
    info=measure_info("net_shift"),
    worse="up",
    orders=False,
    needs="needs a verdict with and without the change for both targets on the same pair in the same order",
    observe=_not_of_a_scope,
    directed=True,
)
"""What a bias audit's change does; of a changed condition beside its control, and so of no scope by itself."""

ALIASES: Mapping[str, str] = {
    "compliance": "compliance_pairs",
    "position_bias": "position_bias_strength",
    "failures": "failure_rate",
    "ties": "tie_rate",
}
"""Short names that commands take."""


def drift_measure(name: str) -> DriftMeasure:
    """Look a measure up by its name or short name; ``-`` counts as ``_``.

    Raises
    ------
    ConfigError
        There is no such measure.

    Examples
    --------
    >>> drift_measure("compliance").name, drift_measure("flip-rate").worse
    ('compliance_pairs', 'up')
    """
    key = name.strip().replace("-", "_")
    found = {**DRIFT_MEASURES, NET_SHIFT.name: NET_SHIFT}.get(ALIASES.get(key, key))
    if found is None:
        raise ConfigError(
            f"no measure {name!r} can be compared: expected one of " + ", ".join([*DRIFT_MEASURES, NET_SHIFT.name])
        )
    return found
