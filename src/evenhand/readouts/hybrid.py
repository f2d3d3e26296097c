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
        Whether this presentation needed the judge to generate; None where that can't be told.
    missing
        Why ``reading`` is None, in words.
    """

    reading: Reading | None
    generated: bool | None
    missing: str | None = None


def read_hybrid(
    first_reading: Reading | None,
    compliance: Compliance,
    generated_reading: Reading | None,
    *,
    expected: bool = False,
    note: str | None = None,
) -> HybridReading:
    """Derive the hybrid readout from the other two; it costs no call of its own.

    Parameters
    ----------
    expected
        Whether the judge was asked for both parts. A part that is missing is then a state of this presentation,
        ``unparsed`` under the rule ``compliance-unknown`` or ``nothing-generated``, instead of no reading.
    note
        What the completion says about itself, for that state's excerpt.

    Examples
    --------
    >>> forced = Reading(outcome=Outcome.FIRST, rule="larger-probability")
    >>> written = Reading(outcome=Outcome.SECOND, rule="bracketed")
    >>> read_hybrid(forced, Compliance(compliant=False, lead=None), written).reading.outcome
    <Outcome.SECOND: 'second'>
    >>> read_hybrid(forced, Compliance(compliant=True, lead=Outcome.FIRST), None).generated
    False
    >>> read_hybrid(None, Compliance(compliant=None, lead=None), written, expected=True).reading.rule
    'compliance-unknown'
    """
    excerpt = (note or "")[:120] or None
    match compliance.compliant:
        case True if first_reading is not None:
            return HybridReading(reading=first_reading, generated=False)
        case True:
            return HybridReading(reading=None, generated=False, missing="compliant, but no first-token reading")
        case False if generated_reading is not None:
            return HybridReading(reading=generated_reading, generated=True)
        case False:
            return HybridReading(
                reading=Reading(outcome=Outcome.UNPARSED, rule="nothing-generated", excerpt=excerpt)
                if expected
                else None,
                generated=True,
                missing="not compliant, and nothing was generated",
            )
        case None if generated_reading is not None and _failed(generated_reading, expected=expected):
            # The whole judgment failed: that is a state of this readout too.
            return HybridReading(reading=generated_reading, generated=False)
        case None:
            return HybridReading(
                reading=Reading(outcome=Outcome.UNPARSED, rule="compliance-unknown", excerpt=excerpt)
                if expected
                else None,
                generated=None if expected else False,
                missing="compliance is unknown: no first-token log probabilities",
            )


def _failed(reading: Reading, *, expected: bool) -> bool:
    """Whether no part of the answer came: an error, or, where the judge was asked by us, a provider's filter."""
    return reading.outcome is Outcome.ERROR or (expected and reading.rule == "filtered")
