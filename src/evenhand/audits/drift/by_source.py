"""Accuracy by source in two runs: where, among the kinds of pairs, a judge became better or worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import PairFacts, Scope
from evenhand.audits.drift.measures import drift_measure

__all__ = ["MOST_SOURCES", "SourceAccuracy", "accuracy_by_source"]

MOST_SOURCES = 40
"""Sources above which they are no longer kinds of pairs that a reader looks through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAccuracy:
    """Right verdicts of one source, over the presentations that both runs know the accuracy of.

    Attributes
    ----------
    presentations
        With a verdict by both runs and a gold preference.
    old, new
        How many of them each run got right.
    """

    source: str
    presentations: int
    old: int
    new: int


def accuracy_by_source(
    old: Scope,
    new: Scope,
    i: NDArray[np.intp],
    j: NDArray[np.intp],
    *,
    pairs: NDArray[np.int64],
    facts: PairFacts,
    sources: Sequence[str],
) -> tuple[SourceAccuracy, ...]:
    """Count right verdicts by source; nothing where there is one source, or more than :data:`MOST_SOURCES`.

    Counts alone, and no tests: a source of a probe set has a handful of pairs.

    Parameters
    ----------
    i, j
        Rows of the shared pairs in either scope.
    pairs
        Their index in the whole table.
    sources
        Names of the sources, in the order of their codes.
    """
    if not 1 < len(sources) <= MOST_SOURCES:
        return ()
    measure = drift_measure("accuracy")
    before, after = measure.observe(old, facts), measure.observe(new, facts)
    known = before.known[i] & after.known[j]
    code = facts.source[pairs]

    def counted(cells: NDArray[np.bool_]) -> list[int]:
        return [int(n) for n in np.bincount(code, weights=cells.sum(axis=1), minlength=len(sources))]

    total = counted(known)
    right = [counted(known & (values == 1.0)) for values in (before.values[i], after.values[j])]
    return tuple(
        SourceAccuracy(source=name, presentations=total[k], old=right[0][k], new=right[1][k])
        for k, name in enumerate(sources)
        if total[k]
    )
