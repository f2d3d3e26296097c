"""What goes into a journal and comes out of it, beside the records themselves."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.records import Completion, Presentation

__all__ = ["JournalEntry", "PlanCounts", "Recording", "TokenTotals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """A planned presentation with its latest completion; None where it was not asked yet."""

    presentation: Presentation
    completion: Completion | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A completion with the key of its presentation, for :meth:`Journal.record_all`."""

    key: str
    completion: Completion


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCounts:
    """How far the plan is: ``planned = finished + errors + pending``.

    Attributes
    ----------
    planned
        Presentations of the current plan.
    finished
        Those with an answer, whatever it says.
    errors
        Those whose latest attempt failed; they are asked again by the next run of the command.
    pending
        Those never asked.
    """

    planned: int
    finished: int
    errors: int = 0
    pending: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTotals:
    """Tokens over every attempt that a journal holds, whatever plan it was made under.

    Attributes
    ----------
    answers
        Attempts that told their tokens.
    untold
        Answers that did not. Failed attempts that told none are not counted: most cost nothing.
    """

    answers: int
    prompt_tokens: int
    completion_tokens: int
    untold: int
