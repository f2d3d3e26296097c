"""All readouts of one completion at once: what the workflow and the log readers call."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from evenhand.readouts.first_token import Compliance, compliance, read_first_token
from evenhand.readouts.generated import read_generated
from evenhand.readouts.grammar import DecisionGrammar
from evenhand.readouts.hybrid import HybridReading, read_hybrid
from evenhand.records import Completion, FinishReason, LabelSet, Outcome, Reading, Readout

__all__ = ["ReadAll", "read"]


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
    readouts: Collection[Readout] = tuple(Readout),
    grammar: DecisionGrammar | None = None,
) -> ReadAll:
    """Read a completion with every readout asked for.

    A judgment that failed before its first token is an ``error`` under the first-token readout too, and one that was
    filtered is ``refused``: failed judgments are counted, not dropped.

    Examples
    --------
    >>> answer = Completion(text="The better response is B.", finish_reason=FinishReason.STOP)
    >>> result = read(answer, LabelSet.parse("A/B"))
    >>> result.generated.outcome, result.first_token, result.hybrid.missing
    (<Outcome.SECOND: 'second'>, None, 'compliance is unknown: no first-token log probabilities')
    """
    led = compliance(completion.first_token, labels)
    first = _first_token(completion)
    written = read_generated(completion, labels, grammar=grammar)
    return ReadAll(
        compliance=led,
        first_token=first if Readout.FIRST_TOKEN in readouts else None,
        generated=written if Readout.GENERATED in readouts else None,
        hybrid=read_hybrid(first, led, written) if Readout.HYBRID in readouts else None,
    )


def _first_token(completion: Completion) -> Reading | None:
    reading = read_first_token(completion.first_token)
    if reading is not None:
        return reading
    match completion.finish_reason:
        case FinishReason.ERROR:
            return Reading(outcome=Outcome.ERROR, rule="judge-error", excerpt=(completion.error or "")[:120] or None)
        case FinishReason.FILTERED:
            return Reading(outcome=Outcome.REFUSED, rule="filtered")
        case _:
            return None
