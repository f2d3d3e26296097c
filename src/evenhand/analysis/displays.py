"""What a figure shows that no single measure holds: counts and curves of one condition, made once from the verdicts.

They stand beside an audit's findings, are drawn from there, and are in ``audit.json`` in full.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from evenhand.records import Order, Outcome, Readout
from evenhand.stats import Estimate, Refusal

__all__ = [
    "CurvePoint",
    "Display",
    "Flow",
    "FlowCell",
    "Lead",
    "Reliability",
    "ReliabilityPoint",
    "SavingsCurve",
    "Spending",
    "SwapTable",
]


class Lead(StrEnum):
    """What the likeliest first token of a presentation was."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"
    OTHER = "no verdict token"
    """Not compliant: some other token."""
    UNKNOWN = "unknown"
    """The judge didn't tell its first token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowCell:
    """Presentations of one order that led with ``lead`` and ended in ``conclusion``."""

    order: Order
    lead: Lead
    conclusion: Outcome
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """From what a judge led with to what it concluded; cells that are empty are left out.

    Attributes
    ----------
    sampled
        Text was asked of a random sample of the pairs only, and these are its presentations.
    """

    condition: str
    readout: Readout
    cells: tuple[FlowCell, ...]
    sampled: bool = False

    @property
    def presentations(self) -> int:
        """All of them."""
        return sum(cell.count for cell in self.cells)

    @property
    def led(self) -> int:
        """Those that led with a slot's label and concluded with one: the divergence's denominator."""
        return sum(cell.count for cell in self.cells if _slots(cell))

    @property
    def diverged(self) -> int:
        """Those that led with one slot's label and concluded with the other's."""
        return sum(cell.count for cell in self.cells if _slots(cell) and cell.lead.value != cell.conclusion.value)


_DECIDED = (Outcome.FIRST, Outcome.SECOND)


def _slots(cell: FlowCell) -> bool:
    """Whether it led with a slot's label and concluded with a slot."""
    return cell.lead in (Lead.FIRST, Lead.SECOND) and cell.conclusion in _DECIDED


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapTable:
    """Pairs by what they chose in order AB and in order BA.

    Attributes
    ----------
    both_a, both_b
        Same preference: response A, or B, in both orders.
    first_twice, second_twice
        Flips: the same slot in both orders.
    with_tie
        A verdict in both orders, at least one of them a tie.
    undecided
        A state that is no verdict in one order or both.
    one_order
        Asked in one order only.
    sampled
        Text was asked of a random sample of the pairs only, and these are its pairs.
    """

    condition: str
    readout: Readout
    both_a: int
    both_b: int
    first_twice: int
    second_twice: int
    with_tie: int
    undecided: int
    one_order: int = 0
    sampled: bool = False

    @property
    def decided(self) -> int:
        """Pairs that chose a slot in both orders."""
        return self.both_a + self.both_b + self.first_twice + self.second_twice


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityPoint:
    """A bin: pairs of like confidence.

    Attributes
    ----------
    low, high
        Least and largest confidence in it, inclusive.
    confidence
        Its mean.
    right
        Share whose preferred response is the gold one.
    """

    low: float
    high: float
    confidence: float
    right: Estimate | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """How sure a judge is, from its labels' probabilities, against how often it is right.

    Attributes
    ----------
    averaged
        Whether probabilities were averaged over both orders of each pair; else they are of the one order asked.
    pairs
        That enter: with gold for one response, log-odds, and a preferred response.
    bins
        Of about equal size, by confidence; empty where ``error`` is a refusal.
    error
        The expected calibration error over these bins.
    overconfidence
        Mean confidence minus share right.
    compliance
        Share of these pairs' presentations that led with a verdict token.
    without_log_odds, gold_tie, even
        Pairs left out, of those with gold: a label outside the returned tokens, a gold tie, no preferred response.
    """

    condition: str
    readout: Readout
    averaged: bool
    pairs: int
    bins: tuple[ReliabilityPoint, ...]
    error: Estimate | Refusal
    overconfidence: Estimate | Refusal
    compliance: Estimate | Refusal
    without_log_odds: int = 0
    gold_tie: int = 0
    even: int = 0


class Spending(StrEnum):
    """What is spent where a judge is unsure, and saved elsewhere."""

    SWAP = "order BA"
    """Pairs are asked in order BA, smallest margin first: which share of the flips is found?"""
    TEXT = "text"
    """Presentations are asked for text, smallest margin first, the others read from the first token: how many verdicts
    agree with reading the text of all?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Spending on the ``share`` whose margin in the first token's log-odds is at most ``margin``."""

    share: float
    margin: float
    figure: Estimate | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class SavingsCurve:
    """What spending on the least sure part of a run's presentations comes to, in hindsight: margins are this run's own.

    Attributes
    ----------
    readout
        Whose flips are found, or which verdicts agreement is with.
    units
        Pairs (of order BA) or presentations (of text) that are ranked.
    events
        Flips, or verdicts on which first token and text differ.
    left_out
        Units without log-odds in the first token, which no margin ranks.
    refusal
        Why there is no curve; None where there is one.
    """

    spending: Spending
    condition: str
    readout: Readout
    points: tuple[CurvePoint, ...]
    units: int
    events: int
    left_out: int
    refusal: Refusal | None = None


Display: TypeAlias = Flow | SwapTable | Reliability | SavingsCurve
