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
