"""How much of what was asked a figure rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from evenhand.analysis.scope import ABSENT, Booleans, PairFacts, Scope
from evenhand.audits.drift.measures import DriftMeasure

__all__ = ["HALF", "Coverage", "coverage_of", "coverage_of_counts", "verdicts_of"]

HALF: Final = 0.5
"""Share below which a figure is one of the smaller part of what was asked: what the other part would give decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What entered a figure, of what was asked and might have.

    Attributes
    ----------
    entered, asked
        Counts of ``of``; for accuracy of those with a gold preference alone.
    """

    entered: int
    asked: int
    of: Literal["pairs", "presentations"]

    @property
    def share(self) -> float:
        """1 where nothing was asked: then there is no figure that could rest on it."""
        return 1.0 if self.asked == 0 else self.entered / self.asked

    @property
    def thin(self) -> bool:
        """Whether it is fewer than half."""
        return self.share < HALF

    @property
    def text(self) -> str:
        """In words.

        Examples
        --------
        >>> Coverage(entered=6, asked=60, of="pairs").text
        '6 of 60 pairs'
        """
        return f"{self.entered:,} of {self.asked:,} {self.of}"


def coverage_of(measure: DriftMeasure, scope: Scope, facts: PairFacts, known: Booleans) -> Coverage:
    """How much of a scope a measure knows.

    Parameters
    ----------
    known
        Of :class:`evenhand.audits.drift.measures.Observed`.
    """
    might = (scope.asked[:, :1] & scope.asked[:, 1:]) if measure.orders else scope.asked
    if measure.name == "accuracy":
        might = might & (facts.gold[scope.pairs][:, None] != ABSENT)
    return Coverage(
        entered=int(np.count_nonzero(known & might)),
        asked=int(np.count_nonzero(might)),
        of="pairs" if measure.orders else "presentations",
    )


def verdicts_of(scope: Scope) -> Coverage:
    """How many presentations of a scope have a verdict."""
    return Coverage(
        entered=int(np.count_nonzero(scope.verdict & scope.asked)),
        asked=int(np.count_nonzero(scope.asked)),
        of="presentations",
    )


def coverage_of_counts(table: Iterable[tuple[str, int]], *, asked: str, entered: str) -> Coverage | None:
    """From a finding's counts; None where it doesn't count these."""
    counts = dict(table)
    if asked not in counts or entered not in counts:
        return None
    return Coverage(entered=counts[entered], asked=counts[asked], of="presentations")
