"""The factorial design: every verdict by which response was padded, which was endorsed, and which was shown first."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import Codes, Scope
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.control import TARGETS, changed_id, standing
from evenhand.records import Change, Order, Preference, Readout

__all__ = ["ENDORSEMENT", "FAVOURS", "LENGTH", "SLOT", "Factorial", "changes_of", "design", "factorial_of"]

LENGTH: Final = ("padding", "redundant")
ENDORSEMENT: Final = ("endorsement", "user")
FAVOURS: Final = (-1, 0, 1)
"""Which response a change favours, by index of an axis: B, none, A."""
SLOT: Final = np.array([1, -1])
"""The same of the order, AB and BA: who is shown first."""

_TARGET: Final = dict(zip((1, -1), TARGETS, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Factorial:
    """The verdicts of one control's factorial under one readout.

    Attributes
    ----------
    pairs
        Ascending indices into the table's facts, shape (n,); every pair of the control.
    verdict
        Shape (n, 3, 3, 2): pair, who was padded, who was endorsed (both as :data:`FAVOURS`), order (AB, BA).
    stood
        Where A stood: 1 it was preferred, 0 a tie, -1 B was. Meaningless without a verdict.
    log_odds
        Of A over B; NaN where unknown.
    missing
        Names of the changed conditions that have no verdict at all.
    """

    pairs: NDArray[np.int64]
    verdict: NDArray[np.bool_]
    stood: Codes
    log_odds: NDArray[np.float64]
    missing: tuple[str, ...]


def changes_of(length: int, endorsement: int) -> Changes:
    """What a cell of the design changes, the padding first.

    Examples
    --------
    >>> [change.name for change in changes_of(-1, 1)]
    ['padding=redundant:B', 'endorsement=user:A']
    """
    return tuple(
        Change(factor=factor, level=level, target=_TARGET[favours])
        for (factor, level), favours in ((LENGTH, length), (ENDORSEMENT, endorsement))
        if favours
    )


def design() -> tuple[Changes, ...]:
    """The eight changed conditions of the design; the ninth cell is the control."""
    singles_first = sorted(product((0, 1, -1), repeat=2), key=lambda cell: abs(cell[0]) + abs(cell[1]))
    return tuple(changes_of(*cell) for cell in singles_first if any(cell))


def factorial_of(data: BiasData, control: str, readout: Readout) -> Factorial | None:
    """Line up the nine conditions; None where the control or every combined condition wasn't asked."""
    plain = data.wide.find(control, readout)
    combined = [changed_id(data, control, changes_of(*cell)) for cell in product((1, -1), repeat=2)]
    if plain is None or not any(name is not None for name in combined):
        return None
    shape = (plain.pairs.size, len(FAVOURS), len(FAVOURS), len(Order))
    verdict, stood = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.int8)
    log_odds = np.full(shape, np.nan)
    missing = []
    for (i, length), (j, endorsement) in product(enumerate(FAVOURS), repeat=2):
        scope = _scope(data, control, changes_of(length, endorsement), readout)
        if scope is None:
            missing.append(" + ".join(change.name for change in changes_of(length, endorsement)))
            continue
        _, rows, theirs = np.intersect1d(plain.pairs, scope.pairs, assume_unique=True, return_indices=True)
        verdict[rows, i, j] = scope.verdict[theirs]
        stood[rows, i, j] = standing(scope.preference[theirs], Preference.A)
        known = scope.log_odds[theirs].astype(np.float64) * SLOT
        log_odds[rows, i, j] = np.where(np.isfinite(known), known, np.nan)
    return Factorial(pairs=plain.pairs, verdict=verdict, stood=stood, log_odds=log_odds, missing=tuple(missing))


def _scope(data: BiasData, control: str, changes: Changes, readout: Readout) -> Scope | None:
    name = changed_id(data, control, changes) if changes else control
    return None if name is None else data.wide.find(name, readout)
