"""Audits that are lists of changes: what they plan, and a finding for each change that a run asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from evenhand.analysis.finding import Finding
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.contrast import contrast_findings, unasked
from evenhand.audits.bias.control import TARGETS, Comparison, asked_levels, comparisons
from evenhand.records import Change

__all__ = ["Factored", "level_findings", "plan_levels"]

Factored: TypeAlias = tuple[str, str]
"""A factor and one of its levels."""

_NO_NOTES: Final[Mapping[str, Sequence[str]]] = {}


def plan_levels(rules: Sequence[Factored], supplied: frozenset[Factored]) -> tuple[Changes, ...]:
    """Each level for both targets: those that a rule makes, then the user's own of the same factors.

    Examples
    --------
    >>> planned = plan_levels([("tone", "hedged")], frozenset({("tone", "blunt")}))
    >>> [change.name for changes in planned for change in changes]
    ['tone=hedged:A', 'tone=hedged:B', 'tone=blunt:A', 'tone=blunt:B']
    """
    factors = {factor for factor, _ in rules}
    own = sorted(one for one in supplied if one[0] in factors)
    return tuple(
        (Change(factor=factor, level=level, target=target),)
        for factor, level in dict.fromkeys((*rules, *own))
        for target in TARGETS
    )


def level_findings(
    data: BiasData,
    sampler: Sampler,
    *,
    audit: str,
    factors: Sequence[str],
    expected: Sequence[Factored],
    against: Mapping[Factored, Factored] | None = None,
    notes: Mapping[str, Sequence[str]] = _NO_NOTES,
) -> tuple[Finding, ...]:
    """A finding for each level of the factors that the run asked, in the order asked; one that says so where none was.

    Parameters
    ----------
    expected
        What a run that asks for the audit would have, for that sentence.
    against
        Levels that are compared with another level of the same response, where that was asked; the others are
        compared with the control.
    notes
        By factor: sentences of the audit.
    """
    asked = [one for one in asked_levels(data) if one[0] in factors]
    found = tuple(
        finding
        for one in asked
        for finding in contrast_findings(
            data, sampler, _compared(data, one, (against or {}).get(one)), audit=audit, notes=notes.get(one[0], ())
        )
    )
    return found or (unasked(audit, " or ".join(f"{factor}={level}" for factor, level in expected)),)


def _compared(data: BiasData, one: Factored, other: Factored | None) -> Iterator[Comparison]:
    factor, level = one
    there = [] if other is None else list(comparisons(data, factor, level, against=other))
    yield from there or comparisons(data, factor, level)
