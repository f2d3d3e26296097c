"""The answers about one pair under one condition, read again as the run reads them, with the words that decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.readouts import DecisionGrammar, read
from evenhand.readouts.scores import decide
from evenhand.records import (
    Ask,
    Completion,
    Condition,
    FinishReason,
    Order,
    Outcome,
    Preference,
    Presentation,
    Reading,
    Readout,
    preference_of,
)
from evenhand.store import JournalEntry

__all__ = ["Answer", "ReadoutReading", "read_answers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadoutReading:
    """What one readout read."""

    readout: Readout
    reading: Reading
    preference: Preference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One presentation with its completion, read.

    Attributes
    ----------
    number
        Its position among the presentations of the pair: what a link to its text has.
    presentation, completion
        As the journal has them; no completion where it was not answered yet.
    readings
        By every readout that it was asked for.
    span
        (start, end) in the text of what decided; None where nothing did.
    compliant, lead
        Whether the most probable first token was a verdict token, and which.
    """

    number: int
    presentation: Presentation
    completion: Completion | None
    readings: tuple[ReadoutReading, ...] = ()
    span: tuple[int, int] | None = None
    compliant: bool | None = None
    lead: Outcome | None = None

    @property
    def order(self) -> Order:
        """Which response was shown first."""
        return self.presentation.order

    @property
    def text(self) -> str | None:
        """What the judge wrote."""
        return None if self.completion is None else self.completion.text

    @property
    def asked_openly(self) -> bool:
        """Whether the judge could write what it liked."""
        return self.presentation.ask in (Ask.OPEN, Ask.WRITTEN)


def read_answers(
    entries: Sequence[JournalEntry], condition: Condition, readouts: Sequence[Readout], *, live: bool
) -> tuple[Answer, ...]:
    """Read the presentations of a pair that were shown under a condition.

    Parameters
    ----------
    entries
        All presentations of the pair, in the plan's order.
    readouts
        Those that the run reports.
    live
        Whether the judge was asked by us: see :func:`evenhand.readouts.read`.
    """
    grammar = DecisionGrammar.from_hint(condition.labels, condition.grammar)
    return tuple(
        _answer(number, entry, condition, readouts, grammar, live=live)
        for number, entry in enumerate(entries)
        if entry.presentation.condition == condition.id
    )


def _answer(
    number: int,
    entry: JournalEntry,
    condition: Condition,
    readouts: Sequence[Readout],
    grammar: DecisionGrammar,
    *,
    live: bool,
) -> Answer:
    presentation, completion = entry.presentation, entry.completion
    if completion is None:
        return Answer(number=number, presentation=presentation, completion=None)
    asked = presentation.ask.readouts(readouts)
    read_all = read(completion, condition.labels, asked, grammar, expected=live)
    hybrid = read_all.hybrid.reading if read_all.hybrid is not None else None
    logged = None if completion.log_outcome is None else Reading(outcome=completion.log_outcome, rule="log")
    found = {
        Readout.FIRST_TOKEN: read_all.first_token,
        Readout.GENERATED: read_all.generated,
        Readout.HYBRID: hybrid,
        Readout.PREFILLED: read_all.prefilled,
        Readout.CONSTRAINED: read_all.constrained,
        Readout.LOGGED: logged,
    }
    readings = []
    for readout in asked:
        reading = found[readout]
        if reading is not None:
            preference = preference_of(reading.outcome, presentation.order)
            readings.append(ReadoutReading(readout=readout, reading=reading, preference=preference))
    return Answer(
        number=number,
        presentation=presentation,
        completion=completion,
        readings=tuple(readings),
        span=_span(completion, grammar) if Readout.GENERATED in asked else None,
        compliant=read_all.compliance.compliant,
        lead=read_all.compliance.lead,
    )


def _span(completion: Completion, grammar: DecisionGrammar) -> tuple[int, int] | None:
    if completion.text is None or completion.finish_reason in (FinishReason.ERROR, FinishReason.FILTERED):
        return None
    cut = completion.finish_reason in (FinishReason.LENGTH, FinishReason.SETTLED)
    return decide(completion.text, grammar, complete=not cut).span
