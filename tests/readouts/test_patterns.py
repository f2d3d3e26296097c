"""The compiled patterns: every one is there, captures what it promises, and matches labels as text."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from evenhand.readouts.patterns import Parts, Patterns, compile_patterns

PARTS = Parts.of(every=["A", "B", "C"], sides=["A", "B"], nouns=["Response", "Output"])
PATTERNS = compile_patterns(PARTS, comparison=True)


def test_without_a_comparison_there_is_no_such_pattern() -> None:
    assert compile_patterns(PARTS).comparison is None
    assert PATTERNS.comparison is not None


def test_all_the_others_are_always_there() -> None:
    compiled = compile_patterns(PARTS)
    assert all(isinstance(getattr(compiled, f.name), re.Pattern) for f in fields(Patterns) if f.name != "comparison")


@pytest.mark.parametrize(
    ("name", "text", "groups"),
    [
        ("bracket", "[[Response B]]", {"pick": "B"}),
        ("bracket", "[[tie]]", {"pick": None, "tie": "tie"}),
        ("comparison", "[[A>>B]]", {"pick": "A", "op": ">>", "rest": "B"}),
        ("tag", "<verdict>C</verdict>", {"pick": "C"}),
        ("field", "Final verdict: B", {"pick": "B"}),
        ("field", "the output that is better is [Response A].", {"pick": "A"}),
        ("answer", "the answer is: B", {"pick": "B"}),
        ("boxed", "\\boxed{\\text{B}}", {"pick": "B"}),
        ("better", "Response A is clearly better than Response B.", {"pick": "A", "rest": "B", "pick_n": "Response "}),
        ("better", "A beats B.", {"pick": "A", "beaten": "B"}),
        ("worse", "A is not as good as B.", {"rest": "A", "pick": "B"}),
        ("choose", "I prefer A to B.", {"pick": "A", "rest": "B"}),
        ("say", "I'd say it's A.", {"pick": "A"}),
        ("find", "find B stronger than A.", {"pick": "B", "rest": "A"}),
        ("mine", "B is my choice.", {"pick": "B"}),
        ("tie", "it's a tie.", {"tie": "a tie"}),
        ("bare_line", "- Response: B.", {"pick": "B"}),
        ("marker", "[OUTPUT B]", {"pick": "B"}),
        ("lead", "A: because of B", {"pick": "A", "mark": ":", "more": "because of B"}),
        ("bold_end", "so **B**.", {"pick": "B"}),
        ("value", '"Response B"', {"pick": "B"}),
    ],
)
def test_groups(name: str, text: str, groups: dict[str, str | None]) -> None:
    match = getattr(PATTERNS, name).search(text)
    assert match is not None
    captured = match.groupdict()
    assert {key: captured.get(key) for key in groups} == groups


def test_a_tie_label_is_no_side() -> None:
    assert PATTERNS.better.search("Response C is better.") is None
    assert PATTERNS.choose.search("I choose C.") is not None


def test_context_patterns() -> None:
    assert PATTERNS.listed_before.search("both A and ")
    assert not PATTERNS.listed_before.search("A is short and ")
    assert PATTERNS.says.search("Response A clearly states ")
    assert PATTERNS.says.search("Response A's text clearly states ")
    assert PATTERNS.says.search('"Response A" states ')
    assert not PATTERNS.says.search("This states ")


def test_parenthesised_parts_capture_under_a_name_of_their_own() -> None:
    parts = Parts.of(every=["a", "b"], sides=["a", "b"], nouns=["Output"], parenthesised=True)
    match = compile_patterns(parts).better.search("(b) is better.")
    assert match is not None
    assert (match["pick"], match["pick_p"]) == (None, "b")
    assert compile_patterns(parts).better.search("b is better.") is None


def test_case() -> None:
    any_case = Parts.of(every=["A", "B"], sides=["A", "B"], nouns=["Response"], case_insensitive=True)
    assert compile_patterns(any_case).bracket.search("[[b]]")
    assert not PATTERNS.bracket.search("[[b]]")
