"""What an audit would cost, before anything is asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evenhand.judges import CostEstimate

__all__ = ["DryRun"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What an audit would cost. Nothing was asked.

    Attributes
    ----------
    directory
        Where the run would live.
    pairs, conditions
        How many; of conditions, those that show the pairs as they are.
    presentations
        Planned in all.
    answered
        Of them, how many an earlier run there has answered already.
    cost
        Of those that remain.
    sampled
        With a budget: how many presentations the text is asked of; 0 without one.
    swaps
        With a selective swap: how many pairs are asked in order BA, at least and at most; ``presentations`` and
        ``cost`` have the most.
    unsampled, unsampled_cost
        With a budget: presentations and cost of reading every pair in both ways instead; with a selective swap, of
        asking every pair in both orders.
    changed, changed_conditions, changed_cost
        Of bias audits, within ``presentations`` and ``cost``: presentations and conditions that show pairs changed, and
        what they cost.
    notes
        What else is worth knowing before.
    """

    directory: Path
    pairs: int
    conditions: int
    presentations: int
    answered: int
    cost: CostEstimate
    sampled: int = 0
    swaps: tuple[int, int] | None = None
    unsampled: int = 0
    unsampled_cost: CostEstimate | None = None
    changed: int = 0
    changed_conditions: int = 0
    changed_cost: CostEstimate | None = None
    notes: tuple[str, ...] = ()
