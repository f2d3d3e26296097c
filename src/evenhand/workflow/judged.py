"""What a probe can use of one answered presentation: its verdict, confidence and margin, or why it has none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from evenhand.errors import DataError
from evenhand.probes.activation_files import VerdictFacts
from evenhand.readouts import DecisionGrammar, read
from evenhand.readouts.first_token import compliance
from evenhand.readouts.three_lines import FormatFault, read_three_lines
from evenhand.records import Completion, Condition, FinishReason, Outcome, Readout, RunManifest
from evenhand.workflow.verdict_token import label_ids

__all__ = ["UNKEPT", "Judged", "Lost", "ProbedCondition", "read_judged"]

UNKEPT = "what the judge computed can't be kept"
"""How the error of an answer begins whose activations are no numbers, or don't fit its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbedCondition:
    """How the presentations of a run were asked and are read: one prompt, one label set, one readout.

    Attributes
    ----------
    tokens
        The tokens of each label's variants, by the verdict that they stand for.
    """

    condition: Condition
    readout: Readout
    tokens: Mapping[Outcome, frozenset[int]]

    @classmethod
    def of(cls, manifest: RunManifest, readout: Readout) -> ProbedCondition:
        """The one condition of a run.

        Raises
        ------
        DataError
            The run has several, or does not report this readout.
        """
        if len(manifest.conditions) != 1 or readout.value not in manifest.readouts:
            named = "; ".join(condition.id for condition in manifest.conditions) or "none"
            raise DataError(
                f"the run is of {len(manifest.conditions)} conditions ({named[:200]}) read as "
                f"{', '.join(manifest.readouts)}, its activations are of one condition read as {readout}",
                remedy="another command has replaced the plan here: run evenhand probe collect again on it",
            )
        [condition] = manifest.conditions
        tokens = dict(manifest.label_tokens).get(condition.id, ())
        return cls(condition=condition, readout=readout, tokens=label_ids(condition.labels, tokens))


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A decided verdict whose token was found.

    Attributes
    ----------
    outcome
        ``first`` or ``second``.
    confidence
        As the judge states it, 0 to 100; NaN where the readout's prompt asks for none.
    margin
        Log odds of the first slot's label against the second's where the verdict token was chosen, in nats: each
        label's variants summed.
    verdict_index
        Which written token is the verdict.
    led
        Whether the judge led with a label: its likeliest first token of all, not of the labels alone. None where the
        first token isn't known.
    """

    outcome: Outcome
    confidence: float
    margin: float
    verdict_index: int
    led: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Why a presentation can't be used: a short text that is counted, without any of the data's own."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A verdict as read from an answer, decided or not."""

    outcome: Outcome
    confidence: float


def read_judged(completion: Completion | None, facts: VerdictFacts | None, asked: ProbedCondition) -> Judged | Lost:
    """Read one presentation.

    Parameters
    ----------
    completion
        What the journal has; None where it was not asked yet.
    facts
        What the activation files have of its verdict; None where they have nothing.

    Raises
    ------
    DataError
        A verdict token was recorded whose label logits can't make a margin.
    """
    if completion is None:
        return Lost(reason="not asked yet")
    if completion.error is not None:
        # The runner's judges say it so; a pair that is too long stays so however often it is asked.
        if "fit the context" in completion.error:
            return Lost(reason="too long for the judge's context")
        unkept = completion.error.startswith(UNKEPT)
        return Lost(reason="its activation can't be kept" if unkept else "the call failed")
    found = _read(completion, asked)
    if isinstance(found, Lost):
        return found
    if not found.outcome.is_decided:
        return Lost(reason=f"verdict: {found.outcome}")
    if facts is None:
        return Lost(reason="no activation was kept")
    if facts.verdict_index is None or facts.label_logits is None:
        return Lost(reason="the label is part of a longer token")
    return Judged(
        outcome=found.outcome,
        confidence=found.confidence,
        margin=_margin(facts.label_ids, facts.label_logits, asked),
        verdict_index=facts.verdict_index,
        led=compliance(completion.first_token, asked.condition.labels).compliant,
    )


def _read(completion: Completion, asked: ProbedCondition) -> _Read | Lost:
    condition = asked.condition
    match asked.readout:
        case Readout.GENERATED:
            if completion.finish_reason is FinishReason.LENGTH:
                return Lost(reason="cut off at the token budget")
            if completion.finish_reason is FinishReason.FILTERED:
                return Lost(reason="withheld by a filter")
            lines = read_three_lines(completion.text or "", condition.labels)
            if isinstance(lines, FormatFault):
                return Lost(reason=f"format: {lines.reason.replace('-', ' ')}")
            return _Read(outcome=lines.outcome, confidence=float(lines.confidence))
        case Readout.FIRST_TOKEN | Readout.PREFILLED:
            grammar = DecisionGrammar.from_hint(condition.labels, condition.grammar)
            readings = read(completion, condition.labels, (asked.readout,), grammar, expected=True)
            reading = readings.first_token if asked.readout is Readout.FIRST_TOKEN else readings.prefilled
            return _Read(outcome=reading.outcome if reading else Outcome.UNPARSED, confidence=math.nan)
        case Readout.HYBRID | Readout.CONSTRAINED | Readout.LOGGED:
            raise DataError(f"readout {asked.readout}: its verdict is no single token that the judge wrote")
        case _:
            assert_never(asked.readout)


def _margin(ids: Iterable[int], logits: Iterable[float], asked: ProbedCondition) -> float:
    by_id = dict(zip(ids, logits, strict=True))
    sums = {}
    for outcome in (Outcome.FIRST, Outcome.SECOND):
        found = [by_id[token] for token in asked.tokens[outcome] if token in by_id]
        if not found:
            raise DataError(f"no logit of label {asked.condition.labels.by_outcome[outcome]!r} was kept")
        sums[outcome] = _log_sum(found)
    return sums[Outcome.FIRST] - sums[Outcome.SECOND]


def _log_sum(values: Iterable[float]) -> float:
    """Natural log of the sum of exponentials, safe for large logits."""
    numbers = sorted(values)  # in one order, so that the last bit doesn't depend on a set's
    most = numbers[-1]
    return most + math.log(sum(math.exp(value - most) for value in numbers))
