"""What a bias audit is, and what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from evenhand.analysis.finding import Finding
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import WideTable
from evenhand.records import Change, Condition, Pair

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BiasAudit", "BiasData", "Changes", "Rationale"]

Changes = tuple[Change, ...]
"""What one condition changes of every pair, together; the control is the empty one, and need not be named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rationale:
    """What a judge wrote for one presentation of repeat 0."""

    pair_id: str
    condition: str
    order: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasData:
    """A run as a bias audit sees it.

    Attributes
    ----------
    table
        The columns of :func:`evenhand.records.verdict_table`: all conditions, controls and changed ones.
    wide
        The same as arrays, one scope a condition and readout.
    conditions
        In the order they were asked; ``changes`` and ``control`` say which belong together.
    pairs
        By id, as they are before any change. A log that keeps no texts has empty ones.
    left_out
        Per changed condition's id: (reason, pairs) that the change could not be made to.
    rationales
        Texts of the generated readout, where the run keeps them.
    judge
        The judge's model name, for sentences.
    """

    table: pl.DataFrame
    wide: WideTable
    conditions: tuple[Condition, ...]
    pairs: Mapping[str, Pair]
    left_out: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    rationales: tuple[Rationale, ...] = ()
    judge: str = ""


@runtime_checkable
class BiasAudit(Protocol):
    """One bias: which changes it asks for, and what the verdicts say of it.

    Register it in :mod:`evenhand.audits.bias.registry`.
    """

    @property
    def name(self) -> str:
        """Such as ``sycophancy``."""
        ...

    @property
    def question(self) -> str:
        """What it answers, in one sentence that ends in a question mark."""
        ...

    @property
    def needs(self) -> str:
        """The data that it needs, in one sentence."""
        ...

    def plan(self, supplied: frozenset[tuple[str, str]]) -> tuple[Changes, ...]:
        """Changed conditions to ask, beside the control; empty for an audit of verdicts as they are.

        Parameters
        ----------
        supplied
            (factor, level) of which the user brought rewrites.
        """
        ...

    def analyse(self, data: BiasData, sampler: Sampler) -> tuple[Finding, ...]:
        """Findings of kind BIAS whose ``audit`` is this name; where the data don't suffice, one with refusals.

        In each finding the first of ``tests`` is its primary one; :mod:`evenhand.audits.bias.audit` adjusts those over
        all findings, so none is adjusted here.
        """
        ...
