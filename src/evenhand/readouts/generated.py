"""The generated readout: what the judge wrote, as a verdict or as the state that it ended in."""

from __future__ import annotations

from typing import assert_never

from evenhand.readouts.decision import Decision, DecisionStatus
from evenhand.readouts.grammar import DecisionGrammar
from evenhand.readouts.scores import decide
from evenhand.records import Completion, FinishReason, LabelSet, Outcome, Reading

__all__ = ["read_decision", "read_generated"]

_EXCERPT = 120  # Reading.excerpt's own limit


def read_generated(
    completion: Completion, labels: LabelSet, *, grammar: DecisionGrammar | None = None
) -> Reading | None:
    """Read a completion's text.

    Parameters
    ----------
    completion
        What the judge returned.
    labels
        The labels that its prompt asked for.
    grammar
        How decisions look in this text; by default the grammar of ``labels``.

    Returns
    -------
    Reading or None
        None where nothing was generated. A decision is a verdict even where the budget was used up.

    Examples
    --------
    >>> done = Completion(text="Both are fine, yet [[B]]", finish_reason=FinishReason.STOP)
    >>> read_generated(done, LabelSet.parse("A/B")).outcome
    <Outcome.SECOND: 'second'>
    >>> cut = Completion(text="Let me think about A and B", finish_reason=FinishReason.LENGTH)
    >>> read_generated(cut, LabelSet.parse("A/B"))
    Reading(outcome=<Outcome.TRUNCATED: 'truncated'>, rule='no-decision', excerpt=None, log_odds=None, mass=None)
    """
    reason = completion.finish_reason
    match reason:
        case FinishReason.ERROR:
            return Reading(outcome=Outcome.ERROR, rule="judge-error", excerpt=_short(completion.error))
        case FinishReason.FILTERED:
            return Reading(outcome=Outcome.REFUSED, rule="filtered", excerpt=_short(completion.text))
        case FinishReason.NOT_GENERATED:
            return None
        case FinishReason.STOP | FinishReason.LENGTH | FinishReason.SETTLED | FinishReason.UNKNOWN:
            if completion.text is None:
                return None
        case _:
            assert_never(reason)
    cut = reason in (FinishReason.LENGTH, FinishReason.SETTLED)
    decision = decide(completion.text, grammar or DecisionGrammar.of(labels), complete=not cut)
    return read_decision(decision, truncated=reason is FinishReason.LENGTH)


def read_decision(decision: Decision, *, truncated: bool) -> Reading:
    """A parsed decision as a reading; ``truncated`` says whether the budget ended the text."""
    match decision.status:
        case DecisionStatus.FOUND if decision.outcome is not None:
            outcome = decision.outcome
        case DecisionStatus.REFUSAL:
            outcome = Outcome.REFUSED
        case (
            DecisionStatus.CONTRADICTORY
            | DecisionStatus.NOT_OFFERED
            | DecisionStatus.OUT_OF_RANGE
            | DecisionStatus.FOUND
        ):
            outcome = Outcome.UNPARSED
        case DecisionStatus.NONE:
            outcome = Outcome.TRUNCATED if truncated else Outcome.UNPARSED
        case _:
            assert_never(decision.status)
    return Reading(outcome=outcome, rule=decision.rule, excerpt=_short(decision.excerpt))


def _short(text: str | None) -> str | None:
    if text is None or len(text) <= _EXCERPT:
        return text
    return text[: _EXCERPT - 1] + "…"
