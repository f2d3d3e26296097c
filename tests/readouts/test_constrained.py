"""The constrained readout takes a text that is a label, and says so where it is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.readouts import read_constrained
from evenhand.records import Completion, FinishReason, LabelSet, Outcome

AB = LabelSet.parse("A/B")
WITH_TIE = LabelSet.parse("A/B/tie")


def done(text: str | None, reason: FinishReason = FinishReason.STOP, **more: str) -> Completion:
    return Completion(text=text, finish_reason=reason, **more)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("A", Outcome.FIRST),
        (" B", Outcome.SECOND),
        ("\tA\n", Outcome.FIRST),
        ("tie", Outcome.TIE),
    ],
)
def test_a_label_is_a_verdict(text: str, outcome: Outcome) -> None:
    reading = read_constrained(done(text), WITH_TIE)
    assert reading is not None
    assert (reading.outcome, reading.rule, reading.excerpt) == (outcome, "constrained", text.strip())
    assert (reading.log_odds, reading.mass) == (None, None)


@pytest.mark.parametrize("text", ["a", "A.", "A B", "[[A]]", "Response A is better", "tie", "", "Ａ", "A\0", "\ud800"])
def test_anything_else_shows_that_the_constraint_was_not_kept(text: str) -> None:
    reading = read_constrained(done(text), AB)
    assert reading is not None
    assert (reading.outcome, reading.rule) == (Outcome.UNPARSED, "constraint-not-kept")
    assert reading.excerpt == (text or None)


def test_no_text_is_not_kept_either_and_the_note_says_why() -> None:
    reading = read_constrained(done(None, note="the endpoint ignored response_format"), AB)
    assert reading is not None
    assert (reading.outcome, reading.excerpt) == (Outcome.UNPARSED, "the endpoint ignored response_format")


def test_a_budget_that_ends_within_a_label_is_truncated() -> None:
    def outcome(text: str | None, labels: str) -> Outcome | None:
        reading = read_constrained(done(text, FinishReason.LENGTH), LabelSet.parse(labels))
        return reading and reading.outcome

    assert outcome("ti", "A/B/tie") is Outcome.TRUNCATED
    assert outcome("", "A/B") is Outcome.TRUNCATED
    assert outcome(None, "A/B") is Outcome.TRUNCATED
    # The whole label at the end of the budget is one, unless a longer one begins so.
    assert outcome("A", "A/B") is Outcome.FIRST
    assert outcome("A", "A/AB") is Outcome.TRUNCATED
    assert outcome("AB", "A/AB") is Outcome.SECOND
    assert outcome("I think", "A/B") is Outcome.UNPARSED


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [(FinishReason.ERROR, Outcome.ERROR), (FinishReason.FILTERED, Outcome.REFUSED)],
)
def test_failures_are_states(reason: FinishReason, outcome: Outcome) -> None:
    reading = read_constrained(done("A", reason, error="x" * 500), AB)
    assert reading is not None
    assert reading.outcome is outcome
    assert len(reading.excerpt or "") <= 120


def test_nothing_asked_nothing_read() -> None:
    assert read_constrained(done(None, FinishReason.NOT_GENERATED), AB) is None


@given(st.text(max_size=300), st.sampled_from([FinishReason.STOP, FinishReason.LENGTH, FinishReason.UNKNOWN]))
def test_only_a_label_is_ever_a_verdict(text: str, reason: FinishReason) -> None:
    reading = read_constrained(done(text, reason), WITH_TIE)
    assert reading is not None
    assert reading.outcome.is_verdict is (text.strip() in ("A", "B", "tie"))
    assert len(reading.excerpt or "") <= 120
