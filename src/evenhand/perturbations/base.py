"""What a perturbation is: one controlled change of a pair, exact where a rule makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from evenhand.records import Change, LabelSet, Order, Pair

__all__ = ["Level", "NotApplicable", "Perturbation", "Place"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One way of changing.

    Attributes
    ----------
    name
        Such as ``redundant`` or ``expert``.
    description
        What is done, in one sentence that a methods section can quote.
    exact
        Whether a rule makes it and leaves the content as it is; else the user supplies the rewrites.
    """

    name: str
    description: str
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """Why a pair can't be changed so; the pair is left out of the comparison, and counted."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a changed pair will be shown: what an injected text that names a label must know.

    Attributes
    ----------
    order
        Which response is shown first.
    labels
        The run's verdict labels; the first slot carries ``labels.first``.
    partner
        Another pair of the same data, for changes that need one (a further turn); None where there is none.
    """

    order: Order
    labels: LabelSet
    partner: Pair | None = None


@runtime_checkable
class Perturbation(Protocol):
    """One factor with its levels."""

    @property
    def factor(self) -> str:
        """Its name in a :class:`~evenhand.records.Change`."""
        ...

    @property
    def levels(self) -> tuple[Level, ...]:
        """What can be done."""
        ...

    def apply(self, pair: Pair, change: Change, place: Place) -> Pair | NotApplicable:
        """The pair as it is shown: same id, group, gold and source, other texts. Deterministic.

        Raises
        ------
        ConfigError
            A level that it doesn't have.
        """
        ...
