"""Changed verdicts beside their control: which conditions belong together, and who stood where before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import ABSENT, Booleans, Codes, Scope
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.records import Change, Condition, Order, Preference, Readout

__all__ = [
    "FIRST_SLOT",
    "TARGETS",
    "Cells",
    "Comparison",
    "Side",
    "asked_levels",
    "cells_of",
    "changed_id",
    "comparisons",
    "controls",
    "standing",
]

TARGETS: Final = (Preference.A, Preference.B)
"""Column of an array by target: 0 is A, 1 is B."""

FIRST_SLOT: Final = np.array([[True, False], [False, True]])
"""Whether the target is shown first, by target and order: A is first in AB, B in BA."""

Cube: TypeAlias = NDArray[np.bool_]
"""One element a pair, target and order; shape (pairs, 2, 2)."""

_PREFERENCES: Final = tuple(Preference)
_A, _B = (_PREFERENCES.index(target) for target in TARGETS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What is compared for one target: condition ids of the changed verdicts and of those they are compared with."""

    target: Preference
    changed: str
    baseline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One change, for one target or both, under one control.

    Attributes
    ----------
    subset
        ``endorsement=user``, or ``tone=assertive against tone=hedged`` where the baseline is another change of the
        same response.
    control
        Id of the condition without any change.
    """

    subset: str
    control: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """A comparison's verdicts under one readout. A cell is one pair, target and order.

    Attributes
    ----------
    pairs
        Ascending indices into the table's facts, shape (n,); every pair with a changed presentation.
    asked
        Cells with both presentations, shape (n, 2, 2): pair, target (A, B), order (AB, BA).
    verdict_before, verdict_after
        Cells whose baseline, or changed presentation, ended in a verdict.
    before, after
        Where the target stood: 1 it was preferred, 0 a tie, -1 the other was. Meaningless without a verdict.
    log_odds
        Of the target over the other response: changed minus baseline; NaN where one of them is unknown.
    """

    pairs: NDArray[np.int64]
    asked: Cube
    verdict_before: Cube
    verdict_after: Cube
    before: Codes
    after: Codes
    log_odds: NDArray[np.float64]

    @property
    def compared(self) -> Cube:
        """Cells with a verdict both times."""
        both: Cube = self.verdict_before & self.verdict_after
        return both

    @property
    def for_both(self) -> Cube:
        """Cells compared whose pair is compared in the same order for the other target too."""
        both: Cube = self.compared & self.compared.all(axis=1, keepdims=True)
        return both

    @property
    def toward(self) -> Cube:
        """Cells that turned toward the target: from the other response or a tie to it, or from the other to a tie."""
        turned: Cube = self.compared & (self.after > self.before)
        return turned

    @property
    def away(self) -> Cube:
        """Cells that turned away from it."""
        turned: Cube = self.compared & (self.after < self.before)
        return turned


def controls(data: BiasData) -> tuple[Condition, ...]:
    """Conditions without a change that some changed condition is compared with, in the order asked."""
    wanted = {condition.control for condition in data.conditions if condition.changes}
    return tuple(c for c in data.conditions if not c.changes and c.id in wanted)


def asked_levels(data: BiasData) -> tuple[tuple[str, str], ...]:
    """Each (factor, level) that some condition changes alone, in the order asked."""
    single = (c.changes[0] for c in data.conditions if len(c.changes) == 1)
    return tuple(dict.fromkeys((change.factor, change.level) for change in single))


def changed_id(data: BiasData, control: str, changes: Changes) -> str | None:
    """Id of the condition that makes exactly these changes, in any order, to what the control asks."""
    found = (c for c in data.conditions if c.control == control and set(c.changes) == set(changes) and c.changes)
    condition = next(found, None)
    return None if condition is None else condition.id


def comparisons(
    data: BiasData, factor: str, level: str, *, against: tuple[str, str] | None = None
) -> Iterator[Comparison]:
    """A level against the control, or against another (factor, level) of the same response; one for each control.

    A target whose conditions weren't asked is left out; a control without any target gives nothing.
    """
    for control in controls(data):
        sides = []
        for target in TARGETS:
            changed = changed_id(data, control.id, (Change(factor=factor, level=level, target=target),))
            baseline: str | None = control.id
            if against is not None:
                change = Change(factor=against[0], level=against[1], target=target)
                baseline = changed_id(data, control.id, (change,))
            if changed is not None and baseline is not None:
                sides.append(Side(target=target, changed=changed, baseline=baseline))
        if sides:
            name = f"{factor}={level}" + ("" if against is None else f" against {against[0]}={against[1]}")
            yield Comparison(subset=name, control=control.id, sides=tuple(sides))


def cells_of(data: BiasData, comparison: Comparison, readout: Readout) -> Cells:
    """Line the changed verdicts of both targets up with what they are compared with.

    Pairs, order and readout are the same on both sides of every cell.
    """
    scopes = {side.target: data.wide.find(side.changed, readout) for side in comparison.sides}
    known = [scope.pairs for scope in scopes.values() if scope is not None]
    pairs = np.unique(np.concatenate(known)) if known else np.empty(0, dtype=np.int64)
    made = _empty(pairs)
    for side in comparison.sides:
        after, before = scopes[side.target], data.wide.find(side.baseline, readout)
        if after is not None and before is not None:
            made = _with_side(made, side.target, before=_aligned(before, pairs), after=_aligned(after, pairs))
    return made


def standing(preference: Codes, target: Preference) -> Codes:
    """1 where the target is preferred, -1 where the other is, else 0.

    Examples
    --------
    >>> preference = np.array([[0, 1], [2, -1]], dtype=np.int8)  # A, B; a tie, no verdict
    >>> standing(preference, Preference.B).tolist()
    [[-1, 1], [0, 0]]
    """
    mine, other = (_A, _B) if target is Preference.A else (_B, _A)
    where: Codes = (preference == mine).astype(np.int8) - (preference == other).astype(np.int8)
    return where


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Aligned:
    """A scope's presentations on given pairs, shape (pairs, 2); absent ones are neither asked nor verdicts."""

    asked: Booleans
    verdict: Booleans
    preference: Codes
    log_odds: NDArray[np.float64]


def _aligned(scope: Scope, pairs: NDArray[np.int64]) -> _Aligned:
    rows = np.minimum(np.searchsorted(scope.pairs, pairs), scope.pairs.size - 1)
    there = (scope.pairs[rows] == pairs)[:, None]
    log_odds = scope.log_odds[rows].astype(np.float64)
    return _Aligned(
        asked=scope.asked[rows] & there,
        verdict=scope.verdict[rows] & there,
        preference=np.where(there, scope.preference[rows], np.int8(ABSENT)),
        log_odds=np.where(there & np.isfinite(log_odds), log_odds, np.nan),
    )


def _empty(pairs: NDArray[np.int64]) -> Cells:
    shape = (pairs.size, len(TARGETS), len(Order))
    nowhere, level = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.int8)
    return Cells(
        pairs=pairs,
        asked=nowhere,
        verdict_before=nowhere,
        verdict_after=nowhere,
        before=level,
        after=level,
        log_odds=np.full(shape, np.nan),
    )


def _with_side(cells: Cells, target: Preference, *, before: _Aligned, after: _Aligned) -> Cells:
    t = TARGETS.index(target)
    shift = after.log_odds - before.log_odds  # of the first slot over the second

    def put(values: NDArray[np.bool_], side: Booleans) -> Cube:
        copy = values.copy()
        copy[:, t] = side
        return copy

    def stood(values: Codes, side: _Aligned) -> Codes:
        copy = values.copy()
        copy[:, t] = standing(side.preference, target)
        return copy

    log_odds = cells.log_odds.copy()
    log_odds[:, t] = np.where(FIRST_SLOT[t], shift, -shift)
    asked = before.asked & after.asked
    return replace(
        cells,
        asked=put(cells.asked, asked),
        verdict_before=put(cells.verdict_before, asked & before.verdict),
        verdict_after=put(cells.verdict_after, asked & after.verdict),
        before=stood(cells.before, before),
        after=stood(cells.after, after),
        log_odds=log_odds,
    )
