"""The three-line format: what is written in it is read back, and nothing else is taken for it."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from evenhand.prompts import load_prompt
from evenhand.readouts.normalise import WINDOW, normalise
from evenhand.readouts.three_lines import FaultReason, FormatFault, ThreeLines, read_three_lines
from evenhand.records import LabelSet, Outcome

AB = LabelSet.parse("A/B")
TIE = LabelSet.parse("A/B/C")
LABELS = [AB, TIE, *(LabelSet.parse(name) for name in ("X/Y", "1/2", "1/2/3", "Red/Blue/tie", "Response A/Response B"))]
FIRST, SECOND = Outcome.FIRST, Outcome.SECOND

GOLDEN = [
    ("B has the wrong year.\n90\nA", 90, FIRST),
    ("Response B is more complete and correct.\n\n85\n\nB", 85, SECOND),
    ("Both are short; A answers the question.\n70\nA\n", 70, FIRST),
    ("  The second one refuses.  \r\n 0 \r\n A \r\n", 0, FIRST),
    ("line 1: B invents a source.\nline 2: 80\nline 3: A", 80, FIRST),
    ("Line 1: B invents a source.\nLine 2 - 80\nLine 3: **B**", 80, SECOND),
    ("1. B follows the format.\n2. 95\n3. B", 95, SECOND),
    ("1) B follows the format.\n2) 95%\n3) B", 95, SECOND),
    ("- B follows the format.\n- 60\n- B", 60, SECOND),
    ("**Reason:** A gives both steps.\n**Confidence:** 100\n**Verdict:** A", 100, FIRST),
    ("Reasoning: A gives both steps.\nConfidence level: 75%\nFinal answer: A.", 75, FIRST),
    ("A is wrong about the sea.\nConfidence (0-100): 55\nThe better response: B", 55, SECOND),
    ("A is wrong about the sea.\n80/100\n[[B]]", 80, SECOND),
    ("A is wrong.\n80 out of 100\n(B)", 80, SECOND),
    ("A is wrong.\n`80`\n`B`", 80, SECOND),
    ('A is wrong.\n"80"\n"B".', 80, SECOND),
    ("A is wrong.\n80.\nB.", 80, SECOND),
    ("A is wrong.\n80\nResponse B", 80, SECOND),
    ("A is wrong.\n80\nVerdict: Response B", 80, SECOND),
    ("A is wrong.\n80\nThe verdict is B", 80, SECOND),
    ("```\nA is wrong.\n80\nB\n```", 80, SECOND),
    ("<think>A or B? I say A.\n99\nA</think>\n\nA is wrong.\n80\nB", 80, SECOND),
    ("I think it is A.</think>\nA is wrong.\n80\nB", 80, SECOND),
    ("A is wrong.\n80\nB<|im_end|>", 80, SECOND),
    ("\ufeffA is wrong.\u2028\u200b80\u2028B\u200b", 80, SECOND),
    ("42 is the right number.\n42\nA", 42, FIRST),
]
"""Answers as judges write them."""

FAULTS = [
    ("", FaultReason.EMPTY),
    (" \n\n ** \n", FaultReason.EMPTY),
    ("<think>A is better.\n80\nA", FaultReason.EMPTY),
    ("A", FaultReason.FEWER_LINES),
    ("A is better.\n80", FaultReason.FEWER_LINES),
    ("A is better. 80 A", FaultReason.FEWER_LINES),
    ("I'm sorry, I can't judge that.", FaultReason.FEWER_LINES),
    ("A is better.\n80\nA\nI hope this helps!", FaultReason.MORE_LINES),
    ("A is better.\nIt is longer.\n80\nA", FaultReason.MORE_LINES),
    ("A is better.\n80\nA\nB", FaultReason.MORE_LINES),
    ("Reason:\nA is better.\n80\nA", FaultReason.MORE_LINES),
    ("Reason:\n80\nA", FaultReason.NO_REASON),
    ("...\n80\nA", FaultReason.NO_REASON),
    ("<reason>\n80\nA", FaultReason.ECHO),
    ("the reason for your judgment, in one or two short sentences;\n80\nA", FaultReason.ECHO),
    ("line 1: the reason for your judgment\n80\nA", FaultReason.ECHO),
    ("A is better.\nline 2: how sure you are, as a whole number from 0 to 100;\nA", FaultReason.ECHO),
    ("A is better.\n80\nthe label of the better response", FaultReason.ECHO),
    ("A is better.\n80\n<label>", FaultReason.ECHO),
    ("A is better.\nhigh\nA", FaultReason.NO_CONFIDENCE),
    ("A is better.\n80.5\nA", FaultReason.NO_CONFIDENCE),
    ("A is better.\n80-90\nA", FaultReason.NO_CONFIDENCE),
    ("A is better.\n2 - 5\nA", FaultReason.NO_CONFIDENCE),
    ("A is better.\n0.8\nA", FaultReason.NO_CONFIDENCE),
    ("A is better.\n080\nA", FaultReason.NO_CONFIDENCE),
    ("A is better.\n80 or 90\nA", FaultReason.NO_CONFIDENCE),
    ("A is better.\n8/10\nA", FaultReason.NO_CONFIDENCE),
    ("A is better.\n[80\nA", FaultReason.NO_CONFIDENCE),
    ("A is better.\nA\n80", FaultReason.NO_CONFIDENCE),
    ("A is better.\n\u0668\u0660\nA", FaultReason.NO_CONFIDENCE),
    ("A is better.\nConfidence: 120\nA", FaultReason.OUT_OF_RANGE),
    ("A is better.\n101\nA", FaultReason.OUT_OF_RANGE),
    ("A is better.\n-5\nA", FaultReason.OUT_OF_RANGE),
    ("A is better.\nConfidence: -5\nA", FaultReason.OUT_OF_RANGE),
    ("A is better.\n80\na", FaultReason.NO_LABEL),
    ("A is better.\n80\nC", FaultReason.NO_LABEL),
    ("A is better.\n80\nNeither", FaultReason.NO_LABEL),
    ("A is better.\n80\nA is better", FaultReason.NO_LABEL),
    ("A is better.\n80\nA because it is longer", FaultReason.NO_LABEL),
    ("A is better.\n80\nnot A", FaultReason.NO_LABEL),
    ("A is better.\n80\nA?", FaultReason.NO_LABEL),
    ("A is better.\n80\n[[A]", FaultReason.NO_LABEL),
    ("A is better.\n80\n[RESPONSE A]", FaultReason.NO_LABEL),
    ("A is better.\n80\nAA", FaultReason.NO_LABEL),
    ("A is better.\n80\nA A", FaultReason.NO_LABEL),
    ("A is better.\n80\nA or B", FaultReason.TWO_LABELS),
    ("A is better.\n80\nA/B", FaultReason.TWO_LABELS),
    ("A is better.\n80\nA, not B", FaultReason.TWO_LABELS),
    ("A is better.\n80\n[[A]] [[B]]", FaultReason.TWO_LABELS),
    ("A is better.\n80\nline 3: the label of the better response, A or B, alone.", FaultReason.TWO_LABELS),
]


@pytest.mark.parametrize(("text", "confidence", "outcome"), GOLDEN)
def test_answers_in_the_format(text: str, confidence: int, outcome: Outcome) -> None:
    got = read_three_lines(text, AB)
    assert isinstance(got, ThreeLines)
    assert (got.confidence, got.outcome) == (confidence, outcome)
    assert text[got.verdict_at] == AB.by_outcome[outcome]
    # It is the last one: what follows holds no letter of its own.
    assert AB.by_outcome[outcome] not in text[got.verdict_at + 1 :]
    assert got.reason in text


@pytest.mark.parametrize(("text", "reason"), FAULTS)
def test_faults(text: str, reason: FaultReason) -> None:
    assert read_three_lines(text, AB) == FormatFault(reason=reason)


def test_the_prompts_own_lines_are_no_answer() -> None:
    template = load_prompt("brief-reasoning")
    asked = template.user.replace("{label_first}", "A").replace("{label_second}", "B").strip().split("\n")[-3:]
    assert asked[0].startswith("line 1")
    plain = [line.partition(": ")[2] for line in asked]
    for first, second, third in (asked, plain):
        for text in (
            f"{first}\n{second}\n{third}",
            f"{first}\n80\nA",
            f"A is better.\n{second}\nA",
            f"A is better.\n80\n{third}",
        ):
            assert isinstance(read_three_lines(text, AB), FormatFault)


@pytest.mark.parametrize(
    ("name", "line", "outcome"),
    [
        ("1/2", "1", FIRST),
        ("1/2", "3. 2", SECOND),
        ("1/2", "Response 2", SECOND),
        ("1/2/3", "3", Outcome.TIE),
        ("1/2/3", "3. 1", None),
        ("A/B/tie", "Verdict: tie", Outcome.TIE),
        ("Response A/Response B", "Response A", FIRST),
        ("Response A/Response B", "A", None),
        ("A/Response A", "Response A", None),
        ("red/red wine", "red wine", SECOND),
        ("+/-", "-", SECOND),
        ("+/-", "- +", None),
        ("**/B", "**", None),
    ],
)
def test_other_labels(name: str, line: str, outcome: Outcome | None) -> None:
    labels = LabelSet.parse(name)
    text = f"It is better.\n3\n{line} "
    got = read_three_lines(text, labels)
    assert getattr(got, "outcome", None) is outcome
    if isinstance(got, ThreeLines):
        assert text.startswith(labels.by_outcome[got.outcome], got.verdict_at)


def test_the_verdict_is_the_last_line_even_where_the_reason_names_it() -> None:
    text = "A, A and A.\nConfidence: 7\nVerdict: A"
    got = read_three_lines(text, AB)
    assert isinstance(got, ThreeLines)
    assert got.verdict_at == len(text) - 1
    assert got.reason == "A, A and A."


def test_more_text_than_is_read_is_a_fault() -> None:
    text = "long " * WINDOW + "\n80\nA"
    assert read_three_lines(text, AB) == FormatFault(reason=FaultReason.TOO_LONG)


REASONS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80)
THINKING = ["", "<think>\n\n</think>\n\n", "<think>maybe B\n10\nB</think>\n", "\n\n"]


@given(
    labels=st.sampled_from(LABELS),
    slot=st.sampled_from([FIRST, SECOND, Outcome.TIE]),
    reason=REASONS,
    confidence=st.integers(0, 100),
    thinking=st.sampled_from(THINKING),
    name=st.sampled_from(["", "Line 3: ", "Verdict: ", "**Verdict:** ", "[[", "**", '"', "Answer "]),
    blank=st.sampled_from(["\n", "\n\n", " \r\n\t\n", "\n\u200b\n"]),
    end=st.sampled_from(["", "\n", "  \n\n", "<|im_end|>"]),
)
@example(labels=AB, slot=FIRST, reason="B", confidence=0, thinking="", name="", blank="\n", end="")
def test_what_is_written_is_read_back(
    labels: LabelSet,
    slot: Outcome,
    reason: str,
    confidence: int,
    thinking: str,
    name: str,
    blank: str,
    end: str,
) -> None:
    plain = normalise(reason)
    # One line of words that is no thinking tag, and not a name or a place-holder by itself.
    assume("\n" not in plain.text and plain.pieces == ((0, len(reason)),))
    outcome = slot if slot in labels.by_outcome else FIRST
    label = labels.by_outcome[outcome]
    # Where 3 is a label, a line's number is one too.
    assume(not (name == "Line 3: " and labels.tie == "3"))
    # A reason that could be mistaken for its own name is not drawn by chance.
    assume(isinstance(read_three_lines(f"{reason}\n1\nA", AB), ThreeLines))
    close = {"[[": "]]", "**": "**", '"': '"'}.get(name, "")
    text = f"{thinking}{reason}{blank}{confidence}{blank}{name}{label}{close}{end}"
    got = read_three_lines(text, labels)
    assert isinstance(got, ThreeLines)
    assert (got.confidence, got.outcome) == (confidence, outcome)
    assert text.startswith(label, got.verdict_at)
    assert got.verdict_at == len(text) - len(end) - len(close) - len(label)
    assert normalise(got.reason).text in plain.text


@given(reason=st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=60))
def test_words_are_never_a_reason_to_refuse(reason: str) -> None:
    reason = f"It says {reason} there."
    assume("\n" not in normalise(reason).text and len(normalise(reason).pieces) == 1)
    got = read_three_lines(f"{reason}\n50\nB", AB)
    assert isinstance(got, ThreeLines)
    assert got.reason == reason


PIECES = [
    "A",
    "B",
    "\n",
    " ",
    "80",
    "100",
    "101",
    "Verdict: ",
    "Line 2: ",
    "line 3",
    "[[",
    "]]",
    "**",
    ".",
    "%",
    "/100",
]
PIECES += ["<think>", "</think>", "or", "Response ", "reason", "the ", "-", "\u2028", "é", '"', "(", ")", "<|im_end|>"]
ANY = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=25).map("".join))


@given(text=ANY, labels=st.sampled_from(LABELS))
@example(text="\ud800\n1\nA", labels=AB)
def test_any_text_is_read_or_refused(text: str, labels: LabelSet) -> None:
    got = read_three_lines(text, labels)
    if isinstance(got, FormatFault):
        assert got.reason in set(FaultReason)
        return
    assert 0 <= got.confidence <= 100
    assert text.startswith(labels.by_outcome[got.outcome], got.verdict_at)
    assert str(got.confidence) in text
    # Only signs, no word, may follow the label; and nothing of the verdict's line is the other label.
    after = text[got.verdict_at + len(labels.by_outcome[got.outcome]) :]
    assert not any(letter.isalnum() for letter in after.replace("<|im_end|>", "").replace("</think>", ""))


@given(
    labels=st.sampled_from(LABELS),
    between=st.sampled_from([" ", " or ", "/", ", not ", " and ", ": ", ". ", "]] [[", " > "]),
    before=st.sampled_from(["", "Verdict: ", "[[", "Line 3: ", "the label of the better response, "]),
    after=st.sampled_from(["", ".", "]]", ", alone."]),
    turned=st.booleans(),
)
def test_two_labels_are_never_a_verdict(labels: LabelSet, between: str, before: str, after: str, turned: bool) -> None:
    one, other = (labels.second, labels.first) if turned else (labels.first, labels.second)
    got = read_three_lines(f"It is better.\n50\n{before}{one}{between}{other}{after}", labels)
    assert got == FormatFault(reason=FaultReason.TWO_LABELS)


@pytest.mark.parametrize("line", ["Line 3: " * 5000, "[" * 50_000, "A " * 30_000, "the " * 20_000, "- " * 30_000])
def test_hostile_lines_end(line: str) -> None:
    for text in (f"{line}\n1\nA", f"x\n{line}\nA", f"x\n1\n{line}"):
        read_three_lines(text, AB)
