"""The hybrid readout: which part it takes, and what it says where that part is missing."""

from __future__ import annotations

import pytest

from evenhand.readouts import Compliance, read_hybrid
from evenhand.records import Outcome, Reading

FORCED = Reading(outcome=Outcome.FIRST, rule="larger-probability")
WRITTEN = Reading(outcome=Outcome.SECOND, rule="bracketed")
REFUSED = Reading(outcome=Outcome.REFUSED, rule="explicit-refusal")
FAILED = Reading(outcome=Outcome.ERROR, rule="judge-error")
LED = Compliance(compliant=True, lead=Outcome.FIRST)
NOT_LED = Compliance(compliant=False, lead=None)
UNKNOWN = Compliance(compliant=None, lead=None)


@pytest.mark.parametrize("written", [WRITTEN, REFUSED, FAILED, None])
def test_a_compliant_presentation_takes_the_first_token_whatever_was_written(written: Reading | None) -> None:
    hybrid = read_hybrid(FORCED, LED, written)
    assert (hybrid.reading, hybrid.generated, hybrid.missing) == (FORCED, False, None)


@pytest.mark.parametrize("forced", [FORCED, None])
@pytest.mark.parametrize("written", [WRITTEN, REFUSED, FAILED])
def test_any_other_takes_what_was_written_also_where_that_is_no_verdict(
    forced: Reading | None, written: Reading
) -> None:
    hybrid = read_hybrid(forced, NOT_LED, written)
    assert (hybrid.reading, hybrid.generated, hybrid.missing) == (written, True, None)


def test_a_first_token_never_stands_in_for_missing_text() -> None:
    hybrid = read_hybrid(FORCED, NOT_LED, None)
    assert hybrid.reading is None
    assert hybrid.generated
    assert hybrid.missing == "not compliant, and nothing was generated"


def test_a_compliant_presentation_without_a_first_token_reading_has_none() -> None:
    hybrid = read_hybrid(None, LED, WRITTEN)
    assert (hybrid.reading, hybrid.generated) == (None, False)
    assert hybrid.missing == "compliant, but no first-token reading"


@pytest.mark.parametrize("written", [WRITTEN, REFUSED, None])
def test_without_knowing_compliance_there_is_no_reading(written: Reading | None) -> None:
    hybrid = read_hybrid(FORCED, UNKNOWN, written)
    assert hybrid.reading is None
    assert hybrid.missing is not None
    assert "compliance is unknown" in hybrid.missing


def test_a_failed_judgment_is_an_error_here_too() -> None:
    hybrid = read_hybrid(None, UNKNOWN, FAILED)
    assert (hybrid.reading, hybrid.generated, hybrid.missing) == (FAILED, False, None)


FILTERED = Reading(outcome=Outcome.REFUSED, rule="filtered")


@pytest.mark.parametrize("written", [WRITTEN, REFUSED, None])
def test_where_it_was_asked_for_unknown_compliance_is_a_state(written: Reading | None) -> None:
    hybrid = read_hybrid(None, UNKNOWN, written, expected=True, note="no logprobs here")
    assert hybrid.reading == Reading(outcome=Outcome.UNPARSED, rule="compliance-unknown", excerpt="no logprobs here")
    assert hybrid.generated is None
    assert hybrid.missing is not None


def test_where_it_was_asked_for_a_filtered_answer_is_refused_here_too() -> None:
    assert read_hybrid(FILTERED, UNKNOWN, FILTERED, expected=True).reading == FILTERED
    assert read_hybrid(FILTERED, UNKNOWN, FILTERED).reading is None


def test_where_it_was_asked_for_missing_text_is_a_state() -> None:
    hybrid = read_hybrid(FORCED, NOT_LED, None, expected=True)
    assert hybrid.reading == Reading(outcome=Outcome.UNPARSED, rule="nothing-generated")
    assert hybrid.generated
