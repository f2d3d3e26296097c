"""The hybrid readout: the first token where the judge led with a verdict, what it wrote everywhere else."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.readouts.first_token import Compliance
from evenhand.records import Outcome, Reading

__all__ = ["HybridReading", "read_hybrid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridReading:
    """A hybrid reading and what it took.

    Attributes
    ----------
    reading
        None where the part that was needed is missing.
    generated
        Whether this presentation needed the judge to generate.
    missing
        Why ``reading`` is None, in words.
    """

    reading: Reading | None
    generated: bool
    missing: str | None = None


def read_hybrid(
    first_reading: Reading | None, compliance: Compliance, generated_reading: Reading | None
) -> HybridReading:
    """Derive the hybrid readout from the other two; it costs no call of its own.

    Examples
    --------
    >>> forced = Reading(outcome=Outcome.FIRST, rule="larger-probability")
    >>> written = Reading(outcome=Outcome.SECOND, rule="bracketed")
    >>> read_hybrid(forced, Compliance(compliant=False, lead=None), written).reading.outcome
    <Outcome.SECOND: 'second'>
    >>> read_hybrid(forced, Compliance(compliant=True, lead=Outcome.FIRST), None).generated
    False
    """
    match compliance.compliant:
        case True if first_reading is not None:
            return HybridReading(reading=first_reading, generated=False)
        case True:
            return HybridReading(reading=None, generated=False, missing="compliant, but no first-token reading")
        case False if generated_reading is not None:
            return HybridReading(reading=generated_reading, generated=True)
        case False:
            return HybridReading(reading=None, generated=True, missing="not compliant, and nothing was generated")
        case None if generated_reading is not None and generated_reading.outcome is Outcome.ERROR:
            # The whole judgment failed: that is a state of this readout too.
            return HybridReading(reading=generated_reading, generated=False)
        case None:
            return HybridReading(
                reading=None, generated=False, missing="compliance is unknown: no first-token log probabilities"
            )
