from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.readouts import Compliance, compliance, read_first_token
from evenhand.records import FirstToken, LabelSet, Outcome, TokenLogProb

AB = LabelSet.parse("A/B")
FIRST, SECOND, TIE = Outcome.FIRST, Outcome.SECOND, Outcome.TIE


def seen(logprob: float) -> TokenLogProb:
    return TokenLogProb(text="x", logprob=logprob)


def hidden(below: float | None) -> TokenLogProb:
    return TokenLogProb(text="x", below=below)


def first_token(*labels: tuple[Outcome, tuple[TokenLogProb, ...]], argmax: str = "A") -> FirstToken:
    return FirstToken(argmax=TokenLogProb(text=argmax, logprob=-0.1), labels=labels)


def test_no_first_token_no_reading() -> None:
    assert read_first_token(None) is None


def test_variants_are_summed_before_labels_are_compared() -> None:
    # .30 is the largest single token, but .25 + .20 is the larger label.
    reading = read_first_token(
        first_token((FIRST, (seen(math.log(0.30)),)), (SECOND, (seen(math.log(0.25)), seen(math.log(0.20)))))
    )
    assert reading is not None
    assert (reading.outcome, reading.rule) == (SECOND, "larger-probability")
    assert reading.log_odds == pytest.approx(math.log(0.30 / 0.45))
    assert reading.mass == pytest.approx(0.75)


def test_a_tie_label_can_win() -> None:
    reading = read_first_token(first_token((FIRST, (seen(-3),)), (SECOND, (seen(-2),)), (TIE, (seen(-1),))))
    assert reading is not None
    assert reading.outcome is TIE
    assert reading.log_odds == pytest.approx(-1)


@pytest.mark.parametrize(
    ("sides", "outcome", "rule", "log_odds"),
    [
        (((seen(-1),), (hidden(-5),)), FIRST, "larger-than-bound", None),
        (((hidden(-5),), (seen(-1),)), SECOND, "larger-than-bound", None),
        (((seen(-1), hidden(-5)), (seen(-2), hidden(-5))), FIRST, "larger-than-bound", 1.0),
        (((seen(-5),), (hidden(-5),)), Outcome.UNPARSED, "censored", None),  # may be equal
        (((seen(-5),), (hidden(None),)), Outcome.UNPARSED, "censored", None),  # no bound
        (((hidden(-5),), (hidden(-5),)), Outcome.UNPARSED, "censored", None),
        # .05 against .04 + at most .02: open, although the visible sum is smaller
        (
            ((seen(math.log(0.05)),), (seen(math.log(0.04)), hidden(math.log(0.02)))),
            Outcome.UNPARSED,
            "censored",
            math.log(0.05 / 0.04),
        ),
        (((seen(-1),), (seen(-1),)), Outcome.UNPARSED, "equal-probability", 0.0),
        (((), ()), Outcome.UNPARSED, "no-label-token", None),
        (((seen(-math.inf),), (seen(-1),)), SECOND, "larger-probability", None),
        (((seen(math.nan),), (seen(-1),)), Outcome.UNPARSED, "censored", None),
    ],
)
def test_censoring_and_equality(
    sides: tuple[tuple[TokenLogProb, ...], tuple[TokenLogProb, ...]],
    outcome: Outcome,
    rule: str,
    log_odds: float | None,
) -> None:
    reading = read_first_token(first_token((FIRST, sides[0]), (SECOND, sides[1])))
    assert reading is not None
    assert (reading.outcome, reading.rule) == (outcome, rule)
    assert reading.log_odds == (None if log_odds is None else pytest.approx(log_odds))


logprobs = st.floats(min_value=-50, max_value=-0.01)


@given(st.lists(logprobs, min_size=1, max_size=3), st.lists(logprobs, min_size=1, max_size=3), st.data())
def test_censoring_never_turns_a_verdict_round(one: list[float], two: list[float], data: st.DataObject) -> None:
    full = read_first_token(first_token((FIRST, tuple(map(seen, one))), (SECOND, tuple(map(seen, two)))))
    cut = data.draw(st.sampled_from(sorted(one + two)))

    def censor(values: list[float]) -> tuple[TokenLogProb, ...]:
        return tuple(seen(value) if value >= cut else hidden(cut) for value in values)

    censored = read_first_token(first_token((FIRST, censor(one)), (SECOND, censor(two))))
    assert full is not None
    assert censored is not None
    assert censored.outcome in (full.outcome, Outcome.UNPARSED)


@given(logprobs, logprobs)
def test_swapping_the_sides_swaps_the_reading(one: float, two: float) -> None:
    straight = read_first_token(first_token((FIRST, (seen(one),)), (SECOND, (seen(two),))))
    swapped = read_first_token(first_token((FIRST, (seen(two),)), (SECOND, (seen(one),))))
    assert straight is not None
    assert swapped is not None
    assert {FIRST: SECOND, SECOND: FIRST}.get(straight.outcome, straight.outcome) is swapped.outcome
    assert straight.log_odds == pytest.approx(-(swapped.log_odds or 0))


@pytest.mark.parametrize(
    ("token", "compliant", "lead"),
    [
        ("A", True, FIRST),
        (" A", True, FIRST),
        ("B", True, SECOND),
        ("a", False, None),
        ("A.", False, None),
        ("  A", False, None),
        ("The", False, None),
        ("", False, None),
    ],
)
def test_compliance_is_exact(token: str, compliant: bool, lead: Outcome | None) -> None:
    assert compliance(first_token(argmax=token), AB) == Compliance(compliant=compliant, lead=lead)


def test_compliance_is_unknown_without_log_probabilities() -> None:
    assert compliance(None, AB) == Compliance(compliant=None, lead=None)
