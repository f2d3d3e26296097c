"""The closed vocabularies: orders, slots, identities, outcomes and readouts."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

__all__ = ["Order", "Outcome", "Preference", "Readout", "Slot", "preference_of", "slot_of"]


class Order(StrEnum):
    """Which response is shown first."""

    AB = "AB"
    BA = "BA"

    @property
    def swapped(self) -> Order:
        """The other order.

        Examples
        --------
        >>> Order.AB.swapped.swapped is Order.AB
        True
        """
        return Order.BA if self is Order.AB else Order.AB


class Slot(StrEnum):
    """Where a response stands in a presentation."""

    FIRST = "first"
    SECOND = "second"


class Outcome(StrEnum):
    """What one presentation ended in. Only the first three are verdicts; the others are states, never numbers."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"
    REFUSED = "refused"
    UNPARSED = "unparsed"
    TRUNCATED = "truncated"
    ERROR = "error"

    @property
    def is_verdict(self) -> bool:
        """Whether the judge gave a verdict (first, second or tie)."""
        return self in (Outcome.FIRST, Outcome.SECOND, Outcome.TIE)

    @property
    def is_decided(self) -> bool:
        """Whether the judge chose one of the two slots."""
        return self in (Outcome.FIRST, Outcome.SECOND)


class Preference(StrEnum):
    """A verdict mapped to the identity of the responses, whatever the order."""

    A = "A"
    B = "B"
    TIE = "tie"

    @property
    def swapped(self) -> Preference:
        """The same preference after the two responses exchange their names."""
        match self:
            case Preference.A:
                return Preference.B
            case Preference.B:
                return Preference.A
            case Preference.TIE:
                return Preference.TIE
            case _:
                assert_never(self)


class Readout(StrEnum):
    """How a verdict was read. They are different measurements."""

    FIRST_TOKEN = "first-token"  # noqa: S105 - a readout's name
    GENERATED = "generated"
    HYBRID = "hybrid"
    PREFILLED = "prefilled"
    """The first token after a beginning that was put into the judge's mouth, such as "The better response is"."""
    CONSTRAINED = "constrained"
    """What the judge wrote when the decoder let it write nothing but a label."""
    LOGGED = "logged"
    """An imported log's own reading, taken as it is."""


def preference_of(outcome: Outcome, order: Order) -> Preference | None:
    """Map an outcome to identity; None where there is no verdict.

    Examples
    --------
    >>> preference_of(Outcome.FIRST, Order.BA)
    <Preference.B: 'B'>
    >>> preference_of(Outcome.UNPARSED, Order.AB) is None
    True
    """
    match outcome:
        case Outcome.FIRST:
            return Preference.A if order is Order.AB else Preference.B
        case Outcome.SECOND:
            return Preference.B if order is Order.AB else Preference.A
        case Outcome.TIE:
            return Preference.TIE
        case Outcome.REFUSED | Outcome.UNPARSED | Outcome.TRUNCATED | Outcome.ERROR:
            return None
        case _:
            assert_never(outcome)


def slot_of(preference: Preference, order: Order) -> Outcome:
    """Map an identity back to the slot that holds it: the inverse of :func:`preference_of` on verdicts.

    Examples
    --------
    >>> slot_of(Preference.A, Order.BA)
    <Outcome.SECOND: 'second'>
    """
    match preference:
        case Preference.A:
            return Outcome.FIRST if order is Order.AB else Outcome.SECOND
        case Preference.B:
            return Outcome.SECOND if order is Order.AB else Outcome.FIRST
        case Preference.TIE:
            return Outcome.TIE
        case _:
            assert_never(preference)
