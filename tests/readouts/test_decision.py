"""The parser's table: what is a decision, and what only looks like one. One case a line: text, expected, grammar."""

from __future__ import annotations

import pytest

from evenhand.readouts import DecisionGrammar, parse_decision
from evenhand.records import LabelSet

GRAMMARS = {
    "AB": DecisionGrammar.of(LabelSet.parse("A/B")),
    "ABC": DecisionGrammar.of(LabelSet.parse("A/B/C")),
    "XY": DecisionGrammar.of(LabelSet.parse("X/Y")),
    "12": DecisionGrammar.of(LabelSet.parse("1/2")),
    "RB": DecisionGrammar.of(LabelSet.parse("Red/Blue")),
    "tie": DecisionGrammar.of(LabelSet.parse("X/Y/tie")),
    "ab": DecisionGrammar(labels=LabelSet.parse("a/b"), parenthesised=True),
    "mM": DecisionGrammar.of(LabelSet(first="m", second="M", case_sensitive=True)),
    "arena": DecisionGrammar(labels=LabelSet.parse("A/B"), comparison=True),
    "any-case": DecisionGrammar(labels=LabelSet.parse("A/B"), case_insensitive=True),
}
"""Expected is the outcome, or the status where there is none."""

BARE = [
    ("A", "first", "AB"),
    ("B", "second", "AB"),
    (" A", "first", "AB"),
    ("A\n", "first", "AB"),
    ("A.", "first", "AB"),
    ("**A**", "first", "AB"),
    ("(A)", "first", "AB"),
    ("[A]", "first", "AB"),
    ('"B"', "second", "AB"),
    ("`B`", "second", "AB"),
    ("“B”", "second", "AB"),
    ("Response A", "first", "AB"),
    ("### B", "second", "AB"),
    ("A\n\nIt answers the question in full.", "first", "AB"),
    ("**A**\n\nIt answers the question in full.", "first", "AB"),
    ("A because it is right.", "first", "AB"),
    ("A: because it is right.", "first", "AB"),
    ("A, because it is right.", "first", "AB"),
    ("A. It answers the question in full.", "first", "AB"),
    ("A - it answers the question in full.", "first", "AB"),
    ("A — it answers the question in full.", "first", "AB"),
    ("```\nB\n```", "second", "AB"),
    ("X", "first", "XY"),
    ("1", "first", "12"),
    ("2.", "second", "12"),
    ("Red", "first", "RB"),
    ("m", "first", "mM"),
    ("M", "second", "mM"),
    ("Output (b)", "second", "ab"),
    ("(a)", "first", "ab"),
    ("a", "first", "any-case"),
    ("a", "none", "AB"),
    ("tie", "tie", "tie"),
    ("C", "tie", "ABC"),
    ("C", "none", "AB"),
    ("Reasoning about both.\n85\nA", "first", "AB"),
    ("It is more exact.\r\n85\r\nB\r\n", "second", "AB"),
    ("Some reasoning.\n\n**B**", "second", "AB"),
    ("Some reasoning, and so I end with **B**.", "second", "AB"),
    ("Some reasoning.\n\n- B", "second", "AB"),
    ("A\nA\nA", "first", "AB"),
]

NOT_BARE = [
    ("A seems good, B does not.", "none", "AB"),
    ("A good answer would name the year.", "none", "AB"),
    ("A is a common letter", "none", "AB"),
    ("Apple", "none", "AB"),
    ("A/B", "none", "AB"),
    ("A or B", "none", "AB"),
    ("A and B", "none", "AB"),
    ("A, B", "none", "AB"),
    ("A vs B", "none", "AB"),
    ("A > B", "none", "AB"),
    ("A+", "none", "AB"),
    ("A-", "none", "AB"),
    ("A's", "none", "AB"),
    ("AA", "none", "AB"),
    ("AB", "none", "AB"),
    ("A B", "none", "AB"),
    ("A1", "none", "AB"),
    ("1A", "none", "AB"),
    ("А", "none", "AB"),  # Cyrillic
    ("Α", "none", "AB"),  # Greek
    ("Ａ", "none", "AB"),  # full width
    ("A\u0301", "none", "AB"),  # Á, decomposed
    ("Á", "none", "AB"),
    ("10", "none", "12"),
    ("1.5", "none", "12"),
    ("1,000", "none", "12"),
    ("1/2", "none", "12"),
    ("2 of 3", "none", "12"),
    ("1st", "none", "12"),
    ("1%", "none", "12"),
    ("$1", "none", "12"),
    ("1. Response A gives the year.\n2. Response B gives the place.", "none", "12"),
    ("1) It is clear\n2) It is short", "none", "12"),
    ("1: clear\n2: short", "none", "12"),
    ("A: good detail\nB: too short", "none", "AB"),
    ("A. good detail\nB. too short", "none", "AB"),
    ("Response A: It is clear and complete.\nResponse B: It is short.", "none", "AB"),
    ("Response A: It is clear and complete.", "none", "AB"),
    ("**Response A**\nIt is clear.\n**Response B**\nIt is short.", "none", "AB"),
    ("A:\nIt is clear.\nB:\nIt is short.", "none", "AB"),
    ("A: good; B: bad", "none", "AB"),
    ("A\nB", "contradictory", "AB"),
    ("A\n\nB", "contradictory", "AB"),
    ("The options are:\nA\nB", "contradictory", "AB"),
    ("", "none", "AB"),
    ("   \n\t", "none", "AB"),
    ("Vitamin A", "none", "AB"),
    ("a is fine", "none", "any-case"),
    ("mm", "none", "mM"),
    ("Blueberry", "none", "RB"),
]

DECLARED = [
    ("[[A]]", "first", "AB"),
    ("[[ B ]]", "second", "AB"),
    ("**[[B]]**", "second", "AB"),
    ("\\[\\[A\\]\\]", "first", "AB"),
    ("[[Response B]]", "second", "AB"),
    ("A seems good at first, but B is right: [[B]]", "second", "AB"),
    ('My verdict is "[[A]]".', "first", "AB"),
    ("I choose [[A]] over [[B]].", "first", "AB"),
    ("I'd go with [[B]] rather than [[A]].", "second", "AB"),
    ("[[C]]", "tie", "ABC"),
    ("[[C]]", "none", "AB"),
    ("[[tie]]", "not-offered", "AB"),
    ("[[tie]]", "tie", "tie"),
    ("[[2]]", "second", "12"),
    ("[[Blue]]", "second", "RB"),
    ("[[A]] ... [[B]]", "contradictory", "AB"),
    ("[[A]] [[A]]", "first", "AB"),
    ("[[A]]. On reflection, my final verdict is [[B]].", "second", "AB"),
    ("My final verdict is [[A]]. Hmm. [[B]]", "contradictory", "AB"),
    ("Final verdict: A", "first", "AB"),
    ("**Final Verdict:** B", "second", "AB"),
    ("**Final Verdict**: **B**", "second", "AB"),
    ("Final verdict:\n\nB", "second", "AB"),
    ("## Verdict\n\nB", "second", "AB"),
    ("Verdict: Response A", "first", "AB"),
    ("Winner: B", "second", "AB"),
    ("Winner = B", "second", "AB"),
    ("Preferred response: B", "second", "AB"),
    ("The better response is A.", "first", "AB"),
    ("The better response is (B)", "second", "AB"),
    ("The winner is Response B, since it is right.", "second", "AB"),
    ("My choice is A", "first", "AB"),
    ("My preference is for B.", "second", "AB"),
    ("Decision: A (not B)", "first", "AB"),
    ("Verdict: tie", "tie", "ABC"),
    ("Verdict: tie", "not-offered", "AB"),
    ("Better response: 2", "second", "12"),
    ("<verdict>A</verdict>", "first", "AB"),
    ("<answer>\nB\n</answer>", "second", "AB"),
    ('{"winner": "A"}', "first", "AB"),
    ('{"verdict":"B","confidence":0.8}', "second", "AB"),
    ('{"answer": "Response B"}', "second", "AB"),
    ('{"choice": 2}', "second", "12"),
    ('{"choice": true}', "none", "12"),
    ('```json\n{\n  "reasoning": "Response A is better in places",\n  "winner": "B"\n}\n```', "second", "AB"),
    ('{"winner": "tie"}', "tie", "ABC"),
    ('{"winner": "A", "verdict": "B"}', "contradictory", "AB"),
    ('{"score": "A"}', "none", "AB"),
    ('{"winner": "neither"}', "none", "AB"),
    ('{"winner": "Apple"}', "none", "AB"),
    ('{"reasoning": "Response A is better"}', "none", "AB"),
    ('{"winner": "A" or "B"}', "none", "AB"),
    ('{"winner": "A|B"}', "none", "AB"),
    ("[[A>>B]]", "first", "arena"),
    ("[[B>A]]", "second", "arena"),
    ("[[A<B]]", "second", "arena"),
    ("[[A=B]]", "tie", "arena"),
    ("[[A>A]]", "none", "arena"),
    ("[[A>>B]]", "none", "AB"),
    ("The correct answer is B.\nMy final verdict is: [[A>B]]", "first", "arena"),
    ("A\nIt is clear and complete.\nFinal verdict: B", "second", "AB"),
    ("A\nIt is clear, but the other is right.\nB", "second", "AB"),
]

STATED = [
    ("The answer is A.", "first", "AB"),
    ("Answer: B", "second", "AB"),
    ("**Answer:** B", "second", "AB"),
    ("Answer: (B)", "second", "AB"),
    ("Final answer: B", "second", "AB"),
    ("So the final answer is B.", "second", "AB"),
    ("\\boxed{A}", "first", "AB"),
    ("$\\boxed{\\text{B}}$", "second", "AB"),
    ("Response A is better.", "first", "AB"),
    ("Response B is clearly better.", "second", "AB"),
    ("Response A is slightly better than Response B.", "first", "AB"),
    ("Response **A** is **much better**.", "first", "AB"),
    ("B is better than A", "second", "AB"),
    ("Response A's answer is better.", "first", "AB"),
    ("Assistant B’s answer is superior to Assistant A’s answer.", "second", "AB"),
    ("Response B is the better one.", "second", "AB"),
    ("Response B is the better choice overall.", "second", "AB"),
    ("Response A wins.", "first", "AB"),
    ("Response A is preferable because it is right.", "first", "AB"),
    ("Response A is the winner!", "first", "AB"),
    ("Overall, Response B seems to be the better response.", "second", "AB"),
    ("I choose B.", "second", "AB"),
    ("I would pick Response A.", "first", "AB"),
    ("I prefer A over B.", "first", "AB"),
    ("I prefer B to A.", "second", "AB"),
    ("I'd go with B", "second", "AB"),
    ("I would choose response x", "none", "XY"),
    ("I would choose response X.", "first", "XY"),
    ("I find Output (b) is better", "second", "ab"),
    ("I find Output (b) to be better.", "second", "ab"),
    ("Therefore, Output (a) is better.", "first", "ab"),
    ("I believe that Response B is better.", "second", "AB"),
    ("B is my choice.", "second", "AB"),
    ("Response Blue is better.", "second", "RB"),
    ("Response 2 is better than Response 1.", "second", "12"),
    ("A is worse than B.", "second", "AB"),
    ("Response B is inferior to Response A.", "first", "AB"),
    ("B is not as good as A", "first", "AB"),
    ("Response B isn't as good as Response A.", "first", "AB"),
    ("There is no doubt that A is better.", "first", "AB"),
    ("Even if B is longer, A is better.", "first", "AB"),
    ("If I had to choose, I would pick B.", "second", "AB"),
    ("While B is not wrong, A is better.", "first", "AB"),
    ("Compared to Response B, Response A is better.", "first", "AB"),
    ("Response A is better, but not by much.", "first", "AB"),
    ("Response A is better, not Response B.", "first", "AB"),
    ("A\nIt has more detail.\nYet Response B is better overall.", "second", "AB"),
    ("Response A is better. Looking again, I change my mind: overall, Response B is better.", "second", "AB"),
    ("Response A is better. Response B is better.", "contradictory", "AB"),
    ("It's a tie.", "tie", "ABC"),
    ("It's a tie.", "not-offered", "AB"),
    ("A and B are equally good", "tie", "ABC"),
    ("A and B are equally good", "not-offered", "AB"),
    ("Both responses are equally good.", "tie", "ABC"),
    ("Neither response is better.", "tie", "ABC"),
    ("Neither response is better.", "not-offered", "AB"),
    ("Both are equally good, but I choose A.", "first", "AB"),
]

NOT_STATED = [
    ("Answer: Apple", "none", "AB"),
    ("Answer: A good one would name the year.", "none", "AB"),
    ("Grade: CI", "none", "ABC"),
    ("Grade: A-", "none", "AB"),
    ("Answer: A or B", "none", "AB"),
    ("Answer: A/B", "none", "AB"),
    ("Answer: A and B", "none", "AB"),
    ("Answer: 10", "none", "12"),
    ("Answer: 1.5", "none", "12"),
    ("Answer: 2 of 3", "none", "12"),
    ("score: 1", "none", "12"),
    ("Response 10 is better", "none", "12"),
    ("Step 1 is better than nothing", "none", "12"),
    ("both A and B are good", "none", "AB"),
    ("A is not better", "none", "AB"),
    ("A isn't better than B.", "none", "AB"),
    ("Neither A nor B is better.", "none", "AB"),
    ("It is not clear that A is better.", "none", "AB"),
    ("I don't think A is better than B.", "none", "AB"),
    ("I cannot say that A is better.", "refusal", "AB"),
    ("It's unclear whether A is better.", "none", "AB"),
    ("It is hard to say if Response A is better.", "none", "AB"),
    ("I doubt that A is better.", "none", "AB"),
    ("If A were better, it would cite a source.", "none", "AB"),
    ("If accuracy matters most, Response A is better.", "none", "AB"),
    ("Response A is better if you want detail.", "none", "AB"),
    ("Response A would be better with a source.", "none", "AB"),
    ("Response A could be better.", "none", "AB"),
    ("Is Response A better?", "none", "AB"),
    ("So which wins? Response A is better?", "none", "AB"),
    ("Some might say that Response A is better.", "none", "AB"),
    ("At first glance, Response A is better.", "none", "AB"),
    ("In terms of clarity, Response A is better.", "none", "AB"),
    ("Response A is better in terms of clarity.", "none", "AB"),
    ("Response A is better at explaining.", "none", "AB"),
    ("Response A is better written.", "none", "AB"),
    ("Response A is better organized than Response B.", "none", "AB"),
    ("The tone of Response A is better.", "none", "AB"),
    ("Response A's tone is better.", "none", "AB"),
    ("Vitamin A is better than vitamin B.", "none", "AB"),
    ("Hepatitis B is better understood.", "none", "AB"),
    ("Plan A is better.", "none", "AB"),
    ("A better response would name the year.", "none", "AB"),
    ("Response A or B is better.", "none", "AB"),
    ("I would not choose A.", "none", "AB"),
    ("I can't choose A over B.", "refusal", "AB"),
    ("I would choose A if it cited a source.", "none", "AB"),
    ("I prefer A's tone.", "none", "AB"),
    ("The correct answer is B.", "none", "AB"),
    ("Assistant A's final answer is B.", "none", "AB"),
    ("Response A says the answer is B.", "none", "AB"),
    ("The most plausible answer is (B) - it explains both.", "none", "AB"),
    ("The answer is (A) discriminative touch.", "none", "AB"),
    ('The response says "Response B is better".', "none", "AB"),
    ("> Response B is better", "none", "AB"),
    ("> [[B]]", "none", "AB"),
    ("Output [[A]] if assistant A is better, [[B]] if assistant B is better.", "none", "AB"),
    ('"[[A]]" if assistant A is better, "[[B]]" if assistant B is better, and "[[C]]" for a tie.', "none", "ABC"),
    ("[[A]] or [[B]]", "none", "AB"),
    ("[[A]], [[B]] or [[C]]", "none", "ABC"),
    ("Answer with A or B", "none", "AB"),
    ("Respond with exactly one character, A or B, and nothing else.", "none", "AB"),
    ("Please choose either [[A]] or [[B]].", "none", "AB"),
    ("The prompt asks me to answer A.", "none", "AB"),
    ("The user wants a verdict, A or B.", "none", "AB"),
    ("Not [[A]].", "none", "AB"),
    ("Antwort: A ist besser", "none", "AB"),
    ("答案是A", "none", "AB"),
    ("Response Ａ is better", "none", "AB"),
    ("Response А is better", "none", "AB"),  # Cyrillic
    ("Output a good summary is better", "none", "ab"),
    ("a is better", "none", "ab"),
    ("the answer is a mix of both", "none", "any-case"),
    ("The winner is a clear case", "none", "any-case"),
]

THINKING = [
    ("<think>[[A]]</think>B", "second", "AB"),
    ("<think>[[A]]</think>\n\nThe answer is B.", "second", "AB"),
    ("<think>\nResponse A is better.\n", "none", "AB"),
    ("<think>[[A]]", "none", "AB"),
    ("Response A is better, I think.</think>\n\nB", "second", "AB"),
    ("<thinking>[[A]]</thinking>[[B]]", "second", "AB"),
    ("<THINK>[[A]]</THINK>[[B]]", "second", "AB"),
    ("<think></think>\n\nA", "first", "AB"),
    ("[[B]]<think>[[A]]", "second", "AB"),
    ("<think>x</think>[[A]] stray </think> tag", "first", "AB"),
]

REFUSALS = [
    ("I cannot judge these responses.", "refusal", "AB"),
    ("I'm sorry, but I can't assist with that.", "refusal", "AB"),
    ("I’m sorry, but I can’t help with this request.", "refusal", "AB"),
    ("Sorry, I am unable to compare them.", "refusal", "AB"),
    ("As an AI language model, I don't have personal preferences.", "refusal", "AB"),
    ("I cannot determine which response is better.", "refusal", "AB"),
    ("I'm sorry, but I can't be more certain. The answer is A.", "first", "AB"),
    ("I can't find any error in Response A.", "none", "AB"),
    ('Response A says "I can\'t help with that" and stops.', "none", "AB"),
]

CASES = [*BARE, *NOT_BARE, *DECLARED, *STATED, *NOT_STATED, *THINKING, *REFUSALS]


def summary(text: str, grammar: str, *, complete: bool = True) -> str:
    decision = parse_decision(text, GRAMMARS[grammar], complete=complete)
    assert (decision.outcome is not None) == (decision.status == "found")
    return str(decision.outcome or decision.status)


@pytest.mark.parametrize(("text", "expected", "grammar"), CASES)
def test_table(text: str, expected: str, grammar: str) -> None:
    assert summary(text, grammar) == expected


def test_the_table_is_as_long_as_promised() -> None:
    assert len({(text, grammar) for text, _, grammar in CASES}) == len(CASES) >= 150


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A", "first"),  # a text that is nothing but a label
        ("The answer is A", "none"),  # … "/B"
        ("The answer is A.", "first"),
        ("Response A is better", "none"),  # … "written"
        ("Response A is better.", "first"),
        ("I weighed both.\nA", "none"),  # … "nother thing"
        ("I weighed both.\nA\n", "first"),
        ("[[A]]", "first"),
        ("Verdict: A because it is right and", "first"),
    ],
)
def test_a_match_that_runs_into_the_cut_is_not_read(text: str, expected: str) -> None:
    assert summary(text, "AB", complete=False) == expected


def test_excerpt_and_span_are_of_the_raw_text() -> None:
    text = "<think>A</think>\r\n\r\nI say:  **Final   Verdict:**\t**B**\r\n"
    decision = parse_decision(text, GRAMMARS["AB"])
    assert decision.span is not None
    assert text[slice(*decision.span)] == decision.excerpt
    assert decision.excerpt is not None
    assert decision.excerpt.startswith("Verdict:**")
    assert "B" in decision.excerpt


@pytest.mark.parametrize(("text", "strong"), [("[[A>>B]]", True), ("[[A>B]]", False), ("[[A=B]]", None)])
def test_strength_of_a_comparison(text: str, strong: bool | None) -> None:
    assert parse_decision(text, GRAMMARS["arena"]).strong is strong
