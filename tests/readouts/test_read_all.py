from __future__ import annotations

import pytest

from evenhand.readouts import Compliance, read, read_hybrid
from evenhand.records import Completion, FinishReason, FirstToken, LabelSet, Outcome, Reading, Readout, TokenLogProb

AB = LabelSet.parse("A/B")
FORCED = Reading(outcome=Outcome.FIRST, rule="larger-probability")
WRITTEN = Reading(outcome=Outcome.SECOND, rule="bracketed")
LED = Compliance(compliant=True, lead=Outcome.FIRST)
NOT_LED = Compliance(compliant=False, lead=None)
UNKNOWN = Compliance(compliant=None, lead=None)


def completion(argmax: str, text: str | None, reason: FinishReason = FinishReason.STOP) -> Completion:
    labels = (
        (Outcome.FIRST, (TokenLogProb(text="A", logprob=-2.0),)),
        (Outcome.SECOND, (TokenLogProb(text="B", logprob=-3.0),)),
    )
    first = FirstToken(argmax=TokenLogProb(text=argmax, logprob=-0.5), labels=labels)
    return Completion(text=text, finish_reason=reason, first_token=first)


@pytest.mark.parametrize(
    ("led", "forced", "written", "reading", "generated"),
    [
        (LED, FORCED, WRITTEN, FORCED, False),
        (LED, FORCED, None, FORCED, False),
        (LED, None, WRITTEN, None, False),
        (NOT_LED, FORCED, WRITTEN, WRITTEN, True),
        (NOT_LED, FORCED, None, None, True),
        (UNKNOWN, FORCED, WRITTEN, None, False),
        (UNKNOWN, None, None, None, False),
    ],
)
def test_hybrid(
    led: Compliance, forced: Reading | None, written: Reading | None, reading: Reading | None, generated: bool
) -> None:
    result = read_hybrid(forced, led, written)
    assert (result.reading, result.generated) == (reading, generated)
    assert (result.missing is None) == (reading is not None)


def test_the_readouts_can_differ_on_one_completion() -> None:
    result = read(completion("The", "The better response is B."), AB)
    assert result.first_token is not None
    assert result.generated is not None
    assert result.hybrid is not None
    assert result.first_token.outcome is Outcome.FIRST
    assert result.generated.outcome is Outcome.SECOND
    assert result.hybrid.reading == result.generated
    assert result.hybrid.generated
    assert result.compliance == NOT_LED


def test_only_what_is_asked_for_is_read() -> None:
    result = read(completion("A", "A"), AB, (Readout.HYBRID,))
    assert result.first_token is None
    assert result.generated is None
    assert result.hybrid is not None
    assert result.hybrid.reading is not None
    assert result.hybrid.reading.outcome is Outcome.FIRST


def test_hybrid_alone_generates_only_where_needed() -> None:
    result = read(completion("A", None, FinishReason.NOT_GENERATED), AB)
    assert result.generated is None
    assert result.hybrid is not None
    assert result.hybrid.reading == result.first_token


def test_a_failed_judgment_is_an_error_under_every_readout() -> None:
    result = read(Completion(text=None, finish_reason=FinishReason.ERROR, error="timeout"), AB)
    assert result.hybrid is not None
    readings = (result.first_token, result.generated, result.hybrid.reading)
    assert [reading and reading.outcome for reading in readings] == [Outcome.ERROR] * 3


def test_a_judgment_that_failed_after_its_first_token_keeps_that_readout() -> None:
    failed = completion("The", None, FinishReason.ERROR)
    result = read(failed, AB)
    assert result.first_token is not None
    assert result.first_token.outcome is Outcome.FIRST
    assert result.hybrid is not None
    assert result.hybrid.reading is not None
    assert result.hybrid.reading.outcome is Outcome.ERROR


NO_FIRST = "the endpoint returned no log probabilities"
OPEN = (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID)


def rule(reading: Reading | None) -> tuple[Outcome, str, str | None] | None:
    return None if reading is None else (reading.outcome, reading.rule, reading.excerpt)


def test_a_live_judge_without_log_probabilities_does_not_vanish() -> None:
    answer = Completion(text="[[B]]", finish_reason=FinishReason.STOP, note=NO_FIRST)
    result = read(answer, AB, OPEN, expected=True)
    assert rule(result.first_token) == (Outcome.UNPARSED, "no-log-probabilities", NO_FIRST)
    assert result.generated is not None
    assert result.generated.outcome is Outcome.SECOND
    assert result.hybrid is not None
    assert rule(result.hybrid.reading) == (Outcome.UNPARSED, "compliance-unknown", NO_FIRST)
    assert result.hybrid.generated is None
    assert result.compliance == UNKNOWN
    (prefilled,) = (read(answer, AB, (Readout.PREFILLED,), expected=True).prefilled,)
    assert rule(prefilled) == (Outcome.UNPARSED, "no-log-probabilities", NO_FIRST)


def test_a_log_without_log_probabilities_has_no_such_reading() -> None:
    result = read(Completion(text="[[B]]", finish_reason=FinishReason.UNKNOWN, note=NO_FIRST), AB, tuple(Readout))
    assert (result.first_token, result.prefilled) == (None, None)
    assert result.hybrid is not None
    assert result.hybrid.reading is None


@pytest.mark.parametrize(
    ("reason", "outcome"), [(FinishReason.ERROR, Outcome.ERROR), (FinishReason.FILTERED, Outcome.REFUSED)]
)
def test_a_failure_stays_what_it_is_under_every_readout(reason: FinishReason, outcome: Outcome) -> None:
    result = read(Completion(text=None, finish_reason=reason, error="x"), AB, tuple(Readout), expected=True)
    assert result.hybrid is not None
    readings = (result.first_token, result.generated, result.hybrid.reading, result.prefilled, result.constrained)
    assert [reading and reading.outcome for reading in readings] == [outcome] * 5


def test_a_live_judge_that_wrote_nothing_is_counted() -> None:
    asked = read(Completion(text=None, finish_reason=FinishReason.STOP, note="null content"), AB, OPEN, expected=True)
    assert rule(asked.generated) == (Outcome.UNPARSED, "no-text", "null content")
    cut = read(completion("The", None, FinishReason.LENGTH), AB, OPEN, expected=True)
    assert rule(cut.generated) == (Outcome.TRUNCATED, "no-text", None)
    assert cut.hybrid is not None
    assert rule(cut.hybrid.reading) == (Outcome.UNPARSED, "nothing-generated", None)
    led = read(completion("A", None, FinishReason.NOT_GENERATED), AB, (Readout.HYBRID,), expected=True)
    assert led.hybrid is not None
    assert led.hybrid.reading is not None
    assert led.hybrid.reading.outcome is Outcome.FIRST


def test_notes_are_cut_to_an_excerpts_length() -> None:
    answer = Completion(text="[[B]]", finish_reason=FinishReason.STOP, note="n" * 500)
    result = read(answer, AB, OPEN, expected=True)
    assert result.first_token is not None
    assert result.first_token.excerpt == "n" * 120
    assert result.hybrid is not None
    assert result.hybrid.reading is not None
    assert result.hybrid.reading.excerpt == "n" * 120


def test_what_was_given_is_read_the_same_whether_expected_or_not() -> None:
    for answer in (completion("The", "The better response is B."), completion("A", "A")):
        assert read(answer, AB, OPEN) == read(answer, AB, OPEN, expected=True)


def test_the_prefilled_readout_is_the_first_position_after_the_beginning() -> None:
    result = read(completion(" A", None, FinishReason.NOT_GENERATED), AB, (Readout.PREFILLED,), expected=True)
    assert result.prefilled is not None
    assert result.prefilled.outcome is Outcome.FIRST
    assert result.prefilled.log_odds == pytest.approx(1.0)
    assert (result.first_token, result.generated, result.hybrid, result.constrained) == (None,) * 4
    assert result.compliance == LED


def test_an_open_completion_is_read_as_neither_prefilled_nor_constrained() -> None:
    result = read(completion("A", "A"), AB)
    assert (result.prefilled, result.constrained) == (None, None)
    assert read(completion("A", "A"), AB, (Readout.CONSTRAINED,)).constrained is not None
