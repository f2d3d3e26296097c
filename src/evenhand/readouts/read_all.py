"""All readouts of one completion at once: what the workflow and the log readers call."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from evenhand.readouts.constrained import read_constrained
from evenhand.readouts.first_token import Compliance, compliance, read_first_token
from evenhand.readouts.generated import read_generated
from evenhand.readouts.grammar import DecisionGrammar
from evenhand.readouts.hybrid import HybridReading, read_hybrid
from evenhand.records import Ask, Completion, FinishReason, LabelSet, Outcome, Reading, Readout

__all__ = ["ReadAll", "read"]

_OPEN = Ask.OPEN.readouts(tuple(Readout))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAll:
    """What each readout makes of one completion; None where it was not asked for or is not available."""

    compliance: Compliance
    first_token: Reading | None = None
    generated: Reading | None = None
    hybrid: HybridReading | None = None
    prefilled: Reading | None = None
    constrained: Reading | None = None


def read(
    completion: Completion,
    labels: LabelSet,
    readouts: Collection[Readout] = _OPEN,
    grammar: DecisionGrammar | None = None,
    *,
    expected: bool = False,
) -> ReadAll:
    """Read a completion with every readout asked for.

    A judgment that failed before its first token is an ``error`` under the first-token readout too, and one that was
    filtered is ``refused``: failed judgments are counted, not dropped.

    Parameters
    ----------
    completion
        What the judge returned.
    labels
        The labels that its prompt asked for.
    readouts
        Those that this presentation was asked for; by default those of an open one.
    grammar
        How decisions look in the text; by default the grammar of ``labels``.
    expected
        Whether the judge was asked by us, for exactly these readouts. What it did not give is then a state that is
        counted: ``unparsed`` under the rules ``no-log-probabilities`` (first-token, prefilled), ``no-text``
        (generated; ``truncated`` at the end of the budget), ``compliance-unknown`` and ``nothing-generated`` (hybrid),
        with the completion's note as excerpt. An imported log (False) has no reading there: it was never asked.

    Examples
    --------
    >>> answer = Completion(text="The better response is B.", finish_reason=FinishReason.STOP)
    >>> result = read(answer, LabelSet.parse("A/B"))
    >>> result.generated.outcome, result.first_token, result.hybrid.missing
    (<Outcome.SECOND: 'second'>, None, 'compliance is unknown: no first-token log probabilities')
    >>> read(answer, LabelSet.parse("A/B"), expected=True).first_token.rule
    'no-log-probabilities'
    """
    led = compliance(completion.first_token, labels)
    first = _first_token(completion, expected=expected)
    written = read_generated(completion, labels, grammar=grammar)
    return ReadAll(
        compliance=led,
        first_token=first if Readout.FIRST_TOKEN in readouts else None,
        generated=_generated(written, completion, expected=expected) if Readout.GENERATED in readouts else None,
        hybrid=read_hybrid(first, led, written, expected=expected, note=completion.note)
        if Readout.HYBRID in readouts
        else None,
        prefilled=first if Readout.PREFILLED in readouts else None,
        constrained=read_constrained(completion, labels) if Readout.CONSTRAINED in readouts else None,
    )


def _first_token(completion: Completion, *, expected: bool) -> Reading | None:
    reading = read_first_token(completion.first_token)
    if reading is not None:
        return reading
    match completion.finish_reason:
        case FinishReason.ERROR:
            return Reading(outcome=Outcome.ERROR, rule="judge-error", excerpt=_short(completion.error))
        case FinishReason.FILTERED:
            return Reading(outcome=Outcome.REFUSED, rule="filtered")
        case _ if expected:
            return Reading(outcome=Outcome.UNPARSED, rule="no-log-probabilities", excerpt=_short(completion.note))
        case _:
            return None


def _generated(written: Reading | None, completion: Completion, *, expected: bool) -> Reading | None:
    if written is not None or not expected:
        return written
    cut = completion.finish_reason is FinishReason.LENGTH
    return Reading(
        outcome=Outcome.TRUNCATED if cut else Outcome.UNPARSED, rule="no-text", excerpt=_short(completion.note)
    )


def _short(text: str | None) -> str | None:
    return (text or "")[:120] or None
