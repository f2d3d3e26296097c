"""Grammars: labels, nouns and what a matched label stands for."""

from __future__ import annotations

import pytest

from evenhand.readouts import NOUNS, DecisionGrammar, parse_decision
from evenhand.records import LabelSet, Outcome

AB = LabelSet.parse("A/B")
PARENTHESISED = DecisionGrammar(labels=LabelSet.parse("a/b"), parenthesised=True)
ANY_CASE = DecisionGrammar(labels=AB, case_insensitive=True)
ARENA = DecisionGrammar(labels=AB, comparison=True)


def read(text: str, grammar: DecisionGrammar) -> str:
    decision = parse_decision(text, grammar)
    return str(decision.outcome or decision.status)


def test_of_is_the_plain_grammar() -> None:
    grammar = DecisionGrammar.of(AB)
    assert (grammar.labels, grammar.nouns) == (AB, NOUNS)
    assert (grammar.comparison, grammar.parenthesised, grammar.case_insensitive) == (False, False, False)


@pytest.mark.parametrize(
    ("grammar", "offers"),
    [(DecisionGrammar.of(AB), False), (DecisionGrammar.of(LabelSet.parse("A/B/C")), True), (ARENA, True)],
)
def test_a_tie_is_offered_by_a_third_label_or_by_the_comparison(grammar: DecisionGrammar, offers: bool) -> None:
    assert grammar.offers_tie is offers


def test_outcome_of_a_label() -> None:
    grammar = DecisionGrammar.of(LabelSet.parse("X/Y/tie"))
    assert [grammar.outcome_of(text) for text in ("X", "Y", "tie")] == [Outcome.FIRST, Outcome.SECOND, Outcome.TIE]
    assert ANY_CASE.outcome_of("b") is Outcome.SECOND
    assert DecisionGrammar.of(AB).outcome_of("draw") is Outcome.TIE  # only words for a tie get here unmatched


def test_equal_grammars_share_their_patterns() -> None:
    assert DecisionGrammar.of(AB).patterns is DecisionGrammar.of(LabelSet.parse("A/B")).patterns
    assert DecisionGrammar.of(AB).patterns is not ARENA.patterns


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a)", "first"),
        ("Output (b) is better.", "second"),
        ("Output b is better.", "second"),
        ("Therefore, output (a) is better than output (b).", "first"),
        ("(b) is better.", "second"),
        ("b is better.", "none"),
        ("a", "none"),
        ("The answer is a.", "none"),
        ("The answer is (a).", "first"),
        ("(c)", "none"),
        ("(ab)", "none"),
    ],
)
def test_a_parenthesised_label_needs_its_parentheses_or_a_noun(text: str, expected: str) -> None:
    assert read(text, PARENTHESISED) == expected


@pytest.mark.parametrize(
    ("text", "plain", "any_case"),
    [
        ("a", "none", "first"),
        ("Verdict: b", "none", "second"),
        ("verdict: B", "second", "second"),
        ("RESPONSE B IS BETTER.", "second", "second"),
        ("response b is better.", "none", "second"),
        ("[[b]]", "none", "second"),
    ],
)
def test_nouns_match_in_any_case_labels_only_where_the_grammar_says_so(text: str, plain: str, any_case: str) -> None:
    assert read(text, DecisionGrammar.of(AB)) == plain
    assert read(text, ANY_CASE) == any_case


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[A>>B]]", "first"),
        ("[[ B > A ]]", "second"),
        ("[[A<B]]", "second"),
        ("[[A=B]]", "tie"),
        ("[[A≈B]]", "tie"),
        ("[[A~=B]]", "tie"),
        ("[[A]]", "first"),
        ("[A>B]", "none"),
        ("A>B", "none"),
        ("[[A>C]]", "none"),
        ("[[A>>B]] or [[B>>A]]", "none"),
        ("[[A>B]] ... [[B>A]]", "contradictory"),
    ],
)
def test_a_comparison_grammar(text: str, expected: str) -> None:
    assert read(text, ARENA) == expected


def test_a_log_may_name_its_own_nouns() -> None:
    essay = DecisionGrammar(labels=AB, nouns=("Essay", "C++ (draft)"))  # as text, not as a pattern
    assert read("For me essay A is better.", essay) == "first"
    assert read("For me C++ (draft) B is better.", essay) == "second"
    assert read("For me essay A is better.", DecisionGrammar.of(AB)) == "none"


@pytest.mark.parametrize("labels", ["./,", "(/)", "[/]", "A1/A", "$/^", "+/|"])
def test_labels_are_text_and_never_patterns(labels: str) -> None:
    grammar = DecisionGrammar.of(LabelSet.parse(labels))
    assert read(f"[[{grammar.labels.second}]]", grammar) == "second"
    assert read("[[x]]", grammar) == "none"


def test_of_two_labels_the_longer_is_tried_first() -> None:
    grammar = DecisionGrammar.of(LabelSet.parse("A/A1"))
    assert read("[[A1]]", grammar) == "second"
    assert read("[[A]]", grammar) == "first"
