"""Which readouts a user may ask for, and what each takes."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, assert_never

from evenhand.judges import Generate
from evenhand.records import Ask, Readout

__all__ = ["TEXT_FIRST", "ReadoutChoice"]

TEXT_FIRST: Final = (
    Readout.GENERATED,
    Readout.HYBRID,
    Readout.LOGGED,
    Readout.FIRST_TOKEN,
    Readout.PREFILLED,
    Readout.CONSTRAINED,
)
"""Which readout of a run is taken unless one is named: what the judge wrote, where it wrote."""


class ReadoutChoice(StrEnum):
    """Which readouts to ask the judge for.

    Whatever is chosen, the distribution of the first token is kept, since a position figure must stand beside its
    compliance rate; it costs no forward pass of its own.
    """

    BOTH = "both"
    """First-token and generated; the hybrid readout is derived from them at no further call."""
    FIRST_TOKEN = "first-token"  # noqa: S105 - a readout's name
    GENERATED = "generated"
    HYBRID = "hybrid"
    """Generate only for presentations that do not lead with a verdict token."""
    PREFILLED = "prefilled"
    """The first token after a beginning put into the judge's mouth: presentations of their own."""
    CONSTRAINED = "constrained"
    """The decoder writes nothing but a label: presentations of their own."""

    @property
    def readouts(self) -> tuple[Readout, ...]:
        """The readouts that the choice reports."""
        match self:
            case ReadoutChoice.BOTH:
                return (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID)
            case ReadoutChoice.FIRST_TOKEN:
                return (Readout.FIRST_TOKEN,)
            case ReadoutChoice.GENERATED:
                return (Readout.GENERATED,)
            case ReadoutChoice.HYBRID:
                return (Readout.HYBRID,)
            case ReadoutChoice.PREFILLED:
                return (Readout.PREFILLED,)
            case ReadoutChoice.CONSTRAINED:
                return (Readout.CONSTRAINED,)
            case _:
                assert_never(self)

    @property
    def generate(self) -> Generate:
        """When the judge has to go on writing."""
        match self:
            case ReadoutChoice.BOTH | ReadoutChoice.GENERATED | ReadoutChoice.CONSTRAINED:
                return Generate.ALWAYS
            case ReadoutChoice.FIRST_TOKEN | ReadoutChoice.PREFILLED:
                return Generate.NEVER
            case ReadoutChoice.HYBRID:
                return Generate.UNLESS_LED
            case _:
                assert_never(self)

    @property
    def ask(self) -> Ask:
        """How the choice's presentations are put to the judge."""
        match self:
            case ReadoutChoice.PREFILLED:
                return Ask.PREFILLED
            case ReadoutChoice.CONSTRAINED:
                return Ask.CONSTRAINED
            case _:
                return Ask.OPEN
