"""Scores in a judge's text: what counts as one, and that anything doubtful is no verdict."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.readouts import DecisionGrammar, DecisionWatcher, read_generated
from evenhand.readouts.scores import SlotScores, decide, parse_scores, stated_scores
from evenhand.records import Completion, FinishReason, LabelSet, Outcome, TextStatus

AB = DecisionGrammar(labels=LabelSet.parse("A/B"), scale=(1, 10))
BA = DecisionGrammar(labels=LabelSet.parse("B/A"), scale=(1, 10))
DIGITS = DecisionGrammar(labels=LabelSet.parse("1/2"), scale=(1, 10))


def read(text: str, grammar: DecisionGrammar = AB, *, complete: bool = True) -> str:
    decision = parse_scores(text, grammar, complete=complete)
    return str(decision.outcome or decision.rule)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Response A: 7\nResponse B: 5", "first"),
        ("Response A: 5\r\nResponse B: 7\r\n", "second"),
        ("Response A: 6\nResponse B: 6", "tie"),
        ("**A**: 7\n**B**: 7/10", "tie"),
        ("A: 7.5, B: 7", "first"),
        ("Response A:7\nResponse B:8", "second"),
        ("Response A - 7/10. It is good.\nResponse B - 8/10. Better.", "second"),
        ("Response A: 7 out of 10\nResponse B: 5 out of 10", "first"),
        ("Response A: 7 points\nResponse B: 8 points", "second"),
        ("| Response | Score |\n|---|---|\n| A | 7 |\n| B | 5 |", "first"),
        ("- Response A: [7]\n- Response B: [9]", "second"),
        ("1. Response A: 7\n2. Response B: 5", "first"),
        ("[RESPONSE A]: 7\n[RESPONSE B]: 5", "first"),
        ("Response A (clear): 7 (good)\nResponse B (long): 4 - poor", "first"),
        ("Score for Response A: 7\nScore for Response B: 8", "second"),
        ("Response A's score: 7\nResponse B's score: 8", "second"),
        ("Response A:\nScore: 7\nResponse B:\nScore: 5", "first"),
        ("Response A scores a 7/10, while Response B gets 8/10", "second"),
        ("I would give Response A a 7 and Response B a 5.", "first"),
        ("A: 7\nB: 5\nFinal scores: A: 7, B: 5", "first"),
        ("Response A: 1. It is wrong.\nResponse B: 3. Fine.", "second"),
        ("7\n5", "first"),
        ("7/10\n8/10.", "second"),
        ('{"A": 7, "B": 5}', "first"),
        ('```json\n{"scores": {"Response A": 7, "Response B": "9/10"}}\n```', "second"),
        ('{"A": {"score": 3, "reason": "x"}, "B": {"score": 4}}', "second"),
        ('{"score_A": 7, "score_B": 5}', "first"),
        ("<think>A: 3\nB: 9</think>\nA: 8\nB: 2", "first"),
    ],
)
def test_two_scores_are_a_verdict(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "no-scores"),
        ("Response A is better.", "no-scores"),
        ("[[A]]", "no-scores"),
        ("A", "no-scores"),
        ("7 5", "no-scores"),  # nothing says which is whose
        ("7\n5\n6", "no-scores"),
        ("Response A: 7", "score-missing"),
        ("Response A: seven\nResponse B: 5", "score-missing"),
        ("Response A: 7-8\nResponse B: 5", "score-missing"),
        ("Response A: 7 or 8\nResponse B: 5", "score-missing"),
        ("Response A: 70%\nResponse B: 50%", "no-scores"),
        ("A: 7,5\nB: 6", "score-missing"),
        ("Response A: 7 examples\nResponse B: 5", "score-missing"),
        ("Plan A: 7\nPlan B: 5", "no-scores"),
        ("Responses A and B: 7", "score-missing"),
        ("Response A: 11\nResponse B: 5", "score-out-of-range"),
        ("Response A: 0\nResponse B: 5", "score-out-of-range"),
        ("Response A: -3\nResponse B: 5", "score-out-of-range"),
        ("Response A: 7/20\nResponse B: 3/20", "score-out-of-range"),
        ('{"A": 70, "B": 50}', "score-out-of-range"),
        ("A: 7\nB: 5\nA: 8", "scores-contradictory"),
        ("Accuracy: A: 8, B: 6\nClarity: A: 7, B: 7", "scores-contradictory"),
        ('A: 7\nB: 5\n{"A": 5, "B": 7}', "scores-contradictory"),
        ("If Response A: 7 then", "no-scores"),
        ("If both were complete, A: 7, B: 5.", "no-scores"),
        ("> Response A: 7\n> Response B: 5", "no-scores"),
        ('The form asked for is "one line each. A: 7. B: 5. Nothing else."', "no-scores"),
        ('The format is "Response A: 7"\n', "no-scores"),
        ("Response A:\n1. Correct\n2. Short\nResponse B:\n1. Wrong\n2. Long", "no-scores"),
        ("Response A: 1. Correct 2. Short\nResponse B: 3", "score-missing"),
        ("<think>A: 3\nB: 9</think>", "no-scores"),
        ("<think>A: 3\nB: 9", "no-scores"),
        ("I cannot judge these responses.", "explicit-refusal"),
        ('{"A": true, "B": null}', "no-scores"),
        ('{"A": NaN, "B": 1e400}', "no-scores"),
        ('{"A": ' + "9" * 6000 + ', "B": 2}', "score-missing"),
    ],
)
def test_what_is_doubtful_is_no_verdict(text: str, rule: str) -> None:
    decision = parse_scores(text, AB)
    assert (decision.outcome, decision.rule) == (None, rule)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Response 1: 7\nResponse 2: 5", "first"),
        ("1: 2\n2: 1", "first"),
        ("Response 1: 2\nResponse 2: 1", "first"),
        ("1\n2", "no-scores"),  # labels, as likely as scores
        ("1. 7\n2. 5", "no-scores"),
    ],
)
def test_labels_that_are_numbers(text: str, expected: str) -> None:
    assert read(text, DIGITS) == expected


@pytest.mark.parametrize(
    ("text", "expected", "status"),
    [
        ("", "no-scores", TextStatus.OPEN),
        ("Response A: 7\n", "score-missing", TextStatus.OPEN),
        ("Response A: 7\nResponse B: 1", "score-missing", TextStatus.OPEN),  # … "0"
        ("Response A: 7\nResponse B: 1\n", "first", TextStatus.READ),
        ("7\n1", "no-scores", TextStatus.OPEN),
        ('{"A": 7, "B": 1', "no-scores", TextStatus.OPEN),
        ('{"A": 7, "B": 1}', "first", TextStatus.READ),
        ("<think>x</think>\nFinal verdict: A\nVerdict: B\n", "no-scores", TextStatus.OPEN),  # labels settle nothing
    ],
)
def test_a_score_that_may_still_grow_is_not_read(text: str, expected: str, status: TextStatus) -> None:
    assert read(text, complete=False) == expected
    assert DecisionWatcher(grammar=AB).status(text) is status


def test_the_excerpt_shows_both_scores_however_long_they_are_written() -> None:
    decision = parse_scores(f"Response A ({'x' * 50}): 7\nResponse B ({'y' * 50}): 5", AB)
    assert decision.excerpt is not None
    assert len(decision.excerpt) <= 120
    assert parse_scores("Response A: 7, fine.\nResponse B: 5.", AB).excerpt == "Response A: 7 … Response B: 5"
    assert parse_scores("A: 7\nB: 5\nA: 8", AB).excerpt == "A: 7 … A: 8"


@pytest.mark.parametrize(
    ("text", "reason", "outcome", "rule"),
    [
        ("A: 7\nB: 5", FinishReason.STOP, "first", "scores"),
        ("A: 7\nB: 5", FinishReason.LENGTH, "truncated", "score-missing"),
        ("A: 7", FinishReason.STOP, "unparsed", "score-missing"),
        ("A: 70\nB: 5", FinishReason.STOP, "unparsed", "score-out-of-range"),
        ("A: 7\nB: 5\nA: 6", FinishReason.STOP, "unparsed", "scores-contradictory"),
        ("I cannot rate these.", FinishReason.STOP, "refused", "explicit-refusal"),
    ],
)
def test_as_a_reading(text: str, reason: FinishReason, outcome: str, rule: str) -> None:
    reading = read_generated(Completion(text=text, finish_reason=reason), AB.labels, grammar=AB)
    assert reading is not None
    assert (reading.outcome, reading.rule) == (outcome, rule)


def test_a_grammar_without_a_scale_reads_labels() -> None:
    assert decide("[[B]]", DecisionGrammar.of(AB.labels)).outcome is Outcome.SECOND
    assert decide("[[B]]", AB).outcome is None


PIECES = [
    *("Response {} : 7", "Response {}: 5", "{}: 10", "{} - 7/10", "{} gets 3", "| {} | 4 |", "**{}**: 7.5", "{}"),
    *(
        '"{}": 6',
        '{{"{}": 6, ',
        '"{}": 2}}',
        "Score for {}: 9",
        "\n",
        ", ",
        ". ",
        " and ",
        "<think>",
        "</think>",
        "if ",
    ),
    *("7", "/", "\ud800", "\0", "(", "1. ", "2. "),
]
scripts = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from("AB")), max_size=8).map(
    lambda parts: "".join(piece.format(label) for piece, label in parts)
)
SWAP = {Outcome.FIRST: Outcome.SECOND, Outcome.SECOND: Outcome.FIRST, Outcome.TIE: Outcome.TIE, None: None}


@settings(deadline=None)
@given(st.text(max_size=100) | scripts, st.booleans())
def test_never_raises_and_spans_stay_inside(text: str, complete: bool) -> None:
    decision = parse_scores(text, AB, complete=complete)
    assert (decision.status == "found") == (decision.outcome is not None)
    assert decision.excerpt is None or len(decision.excerpt) <= 120
    if decision.span is not None:
        assert 0 <= decision.span[0] < decision.span[1] <= len(text)


@settings(deadline=None)
@given(scripts)
def test_swapping_the_labels_roles_swaps_the_outcome(script: str) -> None:
    straight, swapped = parse_scores(script, AB), parse_scores(script, BA)
    if straight.rule != "scores-two-lines":  # these go by the order shown, whatever the labels
        assert SWAP[straight.outcome] == swapped.outcome


@settings(deadline=None)
@given(scripts)
def test_what_is_read_of_a_cut_text_is_what_its_whole_lines_say(script: str) -> None:
    decision = parse_scores(script, AB, complete=False)
    if decision.outcome is not None and "{" not in script:
        assert parse_scores(script[: script.rfind("\n") + 1], AB).outcome in (decision.outcome, None)


@pytest.mark.parametrize("piece", ["A: ", "Response A: 7 (", "A: 7, ", "1. ", "score of ", '{"A": ', "\n| A |"])
def test_long_hostile_text_is_read_in_bounded_time(piece: str) -> None:
    assert parse_scores(piece * 40_000, AB).outcome is None


def test_the_scores_behind_a_decision_are_those_it_was_made_of():
    grammar = DecisionGrammar(labels=LabelSet.parse("A/B"), scale=(1, 10))
    assert stated_scores("Response A: 4/10\nResponse B: 9/10", grammar) == SlotScores(first=4.0, second=9.0)
    assert stated_scores('{"A": 7.5, "B": 7.5}', grammar) == SlotScores(first=7.5, second=7.5)
    assert stated_scores("3\n8", grammar) == SlotScores(first=3.0, second=8.0)
    for text in ("A: 7", "A: 7, B: 5, A: 6", "A: 7, B: 11", "I'd rather not.", ""):
        assert stated_scores(text, grammar) is None
    assert stated_scores("Response A: 4\nResponse B: 1", grammar, complete=False) is None
