from __future__ import annotations

import pytest

from evenhand.readouts import read_generated
from evenhand.records import Completion, FinishReason, LabelSet, Outcome

AB = LabelSet.parse("A/B")


@pytest.mark.parametrize(
    ("text", "reason", "outcome", "rule"),
    [
        ("[[A]]", FinishReason.STOP, Outcome.FIRST, "bracketed"),
        ("[[B]] and so", FinishReason.LENGTH, Outcome.SECOND, "bracketed"),
        ("[[B]]", FinishReason.UNKNOWN, Outcome.SECOND, "bracketed"),
        ("Let me see", FinishReason.STOP, Outcome.UNPARSED, "no-decision"),
        ("Let me see", FinishReason.LENGTH, Outcome.TRUNCATED, "no-decision"),
        ("", FinishReason.STOP, Outcome.UNPARSED, "no-decision"),
        ("<think>[[A]]", FinishReason.LENGTH, Outcome.TRUNCATED, "no-decision"),
        ("[[A]] [[B]]", FinishReason.STOP, Outcome.UNPARSED, "contradictory"),
        ("[[A]] [[B]]", FinishReason.LENGTH, Outcome.UNPARSED, "contradictory"),
        ("It's a tie.", FinishReason.STOP, Outcome.UNPARSED, "tie-not-offered"),
        ("I cannot judge these.", FinishReason.STOP, Outcome.REFUSED, "explicit-refusal"),
        ("[[A]]", FinishReason.FILTERED, Outcome.REFUSED, "filtered"),
        (None, FinishReason.FILTERED, Outcome.REFUSED, "filtered"),
    ],
)
def test_outcomes(text: str | None, reason: FinishReason, outcome: Outcome, rule: str) -> None:
    reading = read_generated(Completion(text=text, finish_reason=reason), AB)
    assert reading is not None
    assert (reading.outcome, reading.rule) == (outcome, rule)


def test_an_error_is_a_state_with_its_message() -> None:
    completion = Completion(text=None, finish_reason=FinishReason.ERROR, error="connection reset " * 20)
    reading = read_generated(completion, AB)
    assert reading is not None
    assert reading.outcome is Outcome.ERROR
    assert reading.excerpt is not None
    assert len(reading.excerpt) == 120


@pytest.mark.parametrize("reason", [FinishReason.NOT_GENERATED, FinishReason.UNKNOWN, FinishReason.STOP])
def test_nothing_generated_is_no_reading(reason: FinishReason) -> None:
    assert read_generated(Completion(text=None, finish_reason=reason), AB) is None


def test_a_tie_that_was_offered_is_a_verdict() -> None:
    completion = Completion(text="[[C]]", finish_reason=FinishReason.STOP)
    reading = read_generated(completion, LabelSet.parse("A/B/C"))
    assert reading is not None
    assert reading.outcome is Outcome.TIE
