"""All decisions in a text, before they are weighed: tier, rule, place and finality of each."""

from __future__ import annotations

import pytest

from evenhand.readouts.candidates import Tier, candidates, marked_candidates
from evenhand.readouts.grammar import DecisionGrammar
from evenhand.readouts.normalise import normalise
from evenhand.records import LabelSet, Outcome

AB = DecisionGrammar.of(LabelSet.parse("A/B"))
ARENA = DecisionGrammar(labels=LabelSet.parse("A/B"), comparison=True)


def found(text: str, grammar: DecisionGrammar = AB) -> list[tuple[Tier, str, str]]:
    items = sorted(candidates(normalise(text), grammar), key=lambda item: (item.start, item.end))
    return [(item.tier, item.rule, str(item.outcome)) for item in items]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[B]]", (Tier.DECLARED, "bracketed", "second")),
        ("<verdict>A</verdict>", (Tier.DECLARED, "tagged", "first")),
        ("Verdict: A", (Tier.DECLARED, "verdict-field", "first")),
        ('{"winner": "B"}', (Tier.DECLARED, "json-field", "second")),
        ("Both are long.\nB", (Tier.DECLARED, "last-line", "second")),
        ("The answer is B.", (Tier.STATED, "answer", "second")),
        ("\\boxed{B}", (Tier.STATED, "boxed", "second")),
        ("I choose B.", (Tier.STATED, "choose", "second")),
        ("I'd say B.", (Tier.STATED, "say", "second")),
        ("A is worse than B.", (Tier.STATED, "worse", "second")),
        ("B is better.", (Tier.STATED, "better", "second")),
        ("B is my choice.", (Tier.STATED, "mine", "second")),
        ("It's a tie.", (Tier.STATED, "tie", "tie")),
        ("It ends in **B**", (Tier.STATED, "bold-end", "second")),
        ("B", (Tier.LEAD, "lead", "second")),
        ("[RESPONSE B]", (Tier.LEAD, "marker", "second")),
        ("A and B are equally good.", (Tier.EQUAL, "equal", "tie")),
    ],
)
def test_each_rule(text: str, expected: tuple[Tier, str, str]) -> None:
    items = found(text)
    assert expected in items
    assert {outcome for _, _, outcome in items} == {expected[2]}  # another rule may find the same decision


def test_all_of_them_are_found_not_only_the_best() -> None:
    assert found("A\nResponse B is better.\n[[A]]") == [
        (Tier.LEAD, "lead", "first"),
        (Tier.STATED, "better", "second"),
        (Tier.DECLARED, "bracketed", "first"),
        (Tier.DECLARED, "last-line", "first"),
    ]


def test_places_are_of_the_normalised_text() -> None:
    normal = normalise("<think>x</think>  Hm.  **[[B]]**")
    item = next(item for item in candidates(normal, AB) if item.rule == "bracketed")
    assert normal.text[item.start : item.end] == "[[B]]"


def test_finality_is_that_of_the_sentence() -> None:
    first, second = sorted(candidates(normalise("I choose A. Overall, I choose B."), AB), key=lambda item: item.start)
    assert (first.final, second.final) == (False, True)


def test_a_declared_decision_needs_more_than_a_conclusion_to_be_final() -> None:
    items = list(marked_candidates("Overall: [[A]]. Finally: [[B]]", AB))
    assert [(item.outcome, item.final) for item in items] == [(Outcome.FIRST, False), (Outcome.SECOND, True)]


def test_marked_candidates_are_those_that_later_lines_leave_alone() -> None:
    text = 'Verdict: A\nResponse B is better.\n{"winner": "A"}\n<answer>B</answer>\nB'
    assert {item.rule for item in marked_candidates(text, AB)} == {"verdict-field", "tagged"}


@pytest.mark.parametrize(
    ("text", "outcome", "strong"),
    [
        ("[[A>B]]", Outcome.FIRST, False),
        ("[[A>>B]]", Outcome.FIRST, True),
        ("[[A<<B]]", Outcome.SECOND, True),
        ("[[B>A]]", Outcome.SECOND, False),
        ("[[A=B]]", Outcome.TIE, None),
    ],
)
def test_comparisons(text: str, outcome: Outcome, strong: bool | None) -> None:
    (item,) = candidates(normalise(text), ARENA)
    assert (item.rule, item.outcome, item.strong) == ("bracketed-comparison", outcome, strong)
    assert found(text, AB) == []


def test_a_label_compared_with_itself_is_nothing() -> None:
    assert found("[[A>A]]", ARENA) == []
    assert found("Response A is better than Response A.") == []


def test_matches_of_one_pattern_are_bounded() -> None:
    assert sum(1 for _ in marked_candidates("[[A]] " * 5_000, AB)) == 1_000
