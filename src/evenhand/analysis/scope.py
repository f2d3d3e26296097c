"""One row per pair: small integer arrays, one set per condition and readout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.records import Outcome, Readout

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ABSENT",
    "FIRST",
    "OUTCOMES",
    "SECOND",
    "TIE",
    "Booleans",
    "Codes",
    "PairFacts",
    "Scope",
    "Scores",
    "WideTable",
]

Codes: TypeAlias = NDArray[np.int8]
Booleans: TypeAlias = NDArray[np.bool_]
Scores: TypeAlias = NDArray[np.float32]

ABSENT = -1
"""No such presentation, or the value isn't known."""
OUTCOMES = tuple(Outcome)
FIRST, SECOND, TIE = (OUTCOMES.index(o) for o in (Outcome.FIRST, Outcome.SECOND, Outcome.TIE))


def _mask(values: Any) -> Booleans:  # noqa: ANN401 - what NumPy's comparisons are typed as
    return np.asarray(values, dtype=np.bool_)


def _both(values: Booleans) -> Booleans:
    """Rows that are true in both columns; NumPy's own reduction over two columns is many times slower."""
    return _mask(values[:, 0] & values[:, 1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairFacts:
    """What is known of each pair, sorted by pair id.

    Attributes
    ----------
    group, source
        Codes of the question group and the source; int64, one per pair.
    gold
        Index into :class:`Preference`, or ABSENT.
    """

    ids: tuple[str, ...] | pl.Series
    group: NDArray[np.int64]
    source: NDArray[np.int64]
    gold: Codes
    n_groups: int
    n_sources: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scope:
    """One condition under one readout. Row i of every array is the pair ``pairs[i]``; column 0 is AB, column 1 BA.

    Attributes
    ----------
    pairs
        Ascending indices into :class:`PairFacts`; every pair with a presentation of repeat 0.
    outcome, preference, lead, log_outcome
        Codes, shape (pairs, 2); ABSENT where there is no presentation or no value.
    compliant, generated
        1 yes, 0 no, ABSENT unknown; shape (pairs, 2).
    log_odds, mass
        Of the labels at the position read (see :class:`evenhand.records.Reading`), NaN where there is none; shape
        (pairs, 2). Single precision, which is what engines compute them in.
    repeat_compared, repeat_changed, repeat_asked
        Repeated presentations of a pair: asked; decided both times in the same order; of these, changed.
    """

    condition: str
    readout: Readout
    pairs: NDArray[np.int64]
    outcome: Codes
    preference: Codes
    compliant: Codes
    lead: Codes
    log_outcome: Codes
    generated: Codes
    log_odds: Scores
    mass: Scores
    repeat_asked: NDArray[np.int64]
    repeat_compared: NDArray[np.int64]
    repeat_changed: NDArray[np.int64]

    @property
    def asked(self) -> Booleans:
        """Presentations that exist, shape (pairs, 2)."""
        return _mask(self.outcome != ABSENT)

    @property
    def decided(self) -> Booleans:
        """Presentations that chose a slot."""
        return _mask((self.outcome == FIRST) | (self.outcome == SECOND))

    @property
    def verdict(self) -> Booleans:
        """Presentations that ended in a verdict: a slot or a tie."""
        return _mask(self.decided | (self.outcome == TIE))

    @property
    def decided_both(self) -> Booleans:
        """Pairs decided in both orders."""
        return _both(self.decided)

    @property
    def verdict_both(self) -> Booleans:
        """Pairs with a verdict in both orders."""
        return _both(self.verdict)

    @property
    def same_verdict(self) -> Booleans:
        """Pairs with the same preference, or a tie, in both orders."""
        return _mask(self.verdict_both & (self.preference[:, 0] == self.preference[:, 1]))

    @property
    def flips(self) -> Booleans:
        """Pairs decided in both orders whose preferences differ."""
        return _mask(self.decided_both & (self.preference[:, 0] != self.preference[:, 1]))

    @property
    def single_order(self) -> bool:
        """Whether no pair has a presentation in both orders."""
        return not bool(_both(self.asked).any())

    def compliance_known(self) -> Booleans:
        """Pairs whose compliance is known in both orders."""
        return _both(_mask(self.compliant != ABSENT))

    def compliant_pairs(self) -> Booleans:
        """Pairs that are compliant in both orders."""
        return _both(_mask(self.compliant == 1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WideTable:
    """All scopes of an audit, by condition and then readout, and the pairs that they share."""

    facts: PairFacts
    scopes: tuple[Scope, ...]
    conditions: tuple[str, ...]

    def find(self, condition: str, readout: Readout) -> Scope | None:
        """The scope, or None where nothing was read that way."""
        return next((s for s in self.scopes if s.condition == condition and s.readout is readout), None)

    def of(self, readout: Readout) -> tuple[Scope, ...]:
        """All conditions under one readout."""
        return tuple(s for s in self.scopes if s.readout is readout)
