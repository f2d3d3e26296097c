"""What must hold for any text: invariants of the parser, and exactness of the watcher's SETTLED."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evenhand.readouts import DecisionGrammar, DecisionWatcher, parse_decision, read_generated
from evenhand.readouts.normalise import WINDOW
from evenhand.records import Completion, FinishReason, LabelSet, Outcome, TextStatus

LABELS = [LabelSet.parse(name) for name in ("A/B", "X/Y", "Red/Blue", "P/Q", "K/L")]
AB = DecisionGrammar.of(LABELS[0])
ARENA = DecisionGrammar(labels=LABELS[0], comparison=True)

PIECES = [
    "{1}",
    "{2}",
    "\n{1}\n",
    "\n{2}\n",
    "[[{1}]]",
    "[[{2}]]",
    "**{1}**",
    "Final verdict: {1}\n",
    "Final verdict: {2}\n",
    "My final verdict is [[{2}]].\n",
    "Verdict: {1}. ",
    "The answer is {2}. ",
    "Response {1} is better. ",
    "Response {2} is better than Response {1}. ",
    "{2} is not as good as {1}. ",
    "Overall, Response {2} is better.\n",
    "I choose {1}. ",
    "I'd say {2}. ",
    "[RESPONSE {1}]\n",
    "The response that is better is {1}. ",
    '{{"winner": "{1}"}}',
    '{{"winner": "',
    "{1} or {2} ",
    "if ",
    "not ",
    "I cannot judge. ",
    "It is a tie. ",
    "Both are equally good. ",
    '"',
    "\n",
    "? ",
    "> ",
    "<think>",
    "</think>",
    "<thinking>",
    "```\n",
    "because it is long. ",
    " and ",
    "/",
    "\u00e9",
]
SWAP = {Outcome.FIRST: Outcome.SECOND, Outcome.SECOND: Outcome.FIRST, Outcome.TIE: Outcome.TIE, None: None}

scripts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
any_text = st.text(max_size=200) | st.lists(
    st.sampled_from([*(p.format("", "A", "B") for p in PIECES), "\ud800", "\0", "\r", "{", "]]"]), max_size=12
).map("".join)


def write(script: str, labels: LabelSet) -> str:
    return script.format("", labels.first, labels.second)


@settings(deadline=None)
@given(any_text, st.booleans())
def test_never_raises_and_spans_stay_inside(text: str, complete: bool) -> None:
    for grammar in (AB, ARENA):
        decision = parse_decision(text, grammar, complete=complete)
        assert (decision.status == "found") == (decision.outcome is not None)
        if decision.span is not None:
            begin, end = decision.span
            assert 0 <= begin < end <= len(text)
        assert decision.excerpt is None or len(decision.excerpt) <= 120


@settings(deadline=None)
@given(scripts, st.sampled_from(LABELS))
def test_renaming_the_labels_changes_nothing(script: str, labels: LabelSet) -> None:
    first = parse_decision(write(script, LABELS[0]), AB)
    renamed = parse_decision(write(script, labels), DecisionGrammar.of(labels))
    assert (first.status, first.outcome, first.rule) == (renamed.status, renamed.outcome, renamed.rule)


@settings(deadline=None)
@given(scripts)
def test_swapping_the_labels_roles_swaps_the_outcome(script: str) -> None:
    text = write(script, LABELS[0])
    straight = parse_decision(text, AB)
    swapped = parse_decision(text, DecisionGrammar.of(LabelSet.parse("B/A")))
    assert straight.status == swapped.status
    assert SWAP[straight.outcome] == swapped.outcome


@settings(deadline=None)
@given(scripts)
def test_line_ends_and_white_space_change_nothing(script: str) -> None:
    text = write(script, LABELS[0])
    plain = parse_decision(text, AB)
    for variant in (text.replace("\n", "\r\n"), text.replace(" ", "   "), f"\n\n {text} \t\n"):
        other = parse_decision(variant, AB)
        assert (plain.status, plain.outcome, plain.rule) == (other.status, other.outcome, other.rule)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["Both are long.\n", "A seems good, B too.\n", "Let me compare.\n\n", "B cites A.\n"])),
    st.sampled_from(
        ["[[{2}]]", "Final verdict: {1}", "Response {2} is better.", "I choose {1}.", "The answer is {2}."]
    ),
)
def test_neutral_text_before_changes_nothing(neutral: list[str], script: str) -> None:
    text = write(script, LABELS[0])
    alone = parse_decision(text, AB)
    assert alone.outcome is not None
    assert parse_decision("".join(neutral) + text, AB).outcome == alone.outcome


CONTRADICTION = "<think>hm</think>\nFinal verdict: A\nVerdict: B\n"


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Final verdict: A\n", "My final verdict is [[B]].\n", "[[A]]\n", "Verdict: B.\n", "So\n"])
    ),
    any_text,
    st.sampled_from(list(FinishReason)),
)
@example([], "", FinishReason.STOP)
@example([], "</think>[[A]]", FinishReason.STOP)
@example([], "My final verdict is [[B]].", FinishReason.LENGTH)
@example([], '{"winner": "B"}', FinishReason.STOP)
@example([], " or B" * (WINDOW // 2), FinishReason.STOP)
def test_nothing_changes_a_settled_reading(middle: list[str], continuation: str, reason: FinishReason) -> None:
    watcher = DecisionWatcher(grammar=AB)
    text = CONTRADICTION + "".join(middle)
    assert watcher.status(text) is TextStatus.SETTLED
    settled = read_generated(Completion(text=text, finish_reason=FinishReason.SETTLED), LABELS[0])
    assert settled is not None
    assert (settled.outcome, settled.rule) == (Outcome.UNPARSED, "contradictory")
    if reason in (FinishReason.STOP, FinishReason.LENGTH, FinishReason.UNKNOWN, FinishReason.SETTLED):
        assert read_generated(Completion(text=text + continuation, finish_reason=reason), LABELS[0]) == settled


@settings(max_examples=200, deadline=None)
@given(any_text, any_text)
def test_every_settled_prefix_stays_as_it_is(text: str, continuation: str) -> None:
    if DecisionWatcher(grammar=ARENA).status(text) is TextStatus.SETTLED:
        before = parse_decision(text, ARENA, complete=False)
        assert parse_decision(text + continuation, ARENA) == before


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Let me compare A and B", TextStatus.OPEN),
        ("<think>[[A]]", TextStatus.OPEN),
        ("[[A]]", TextStatus.READ),
        ("A", TextStatus.READ),
        ("A\nbecause", TextStatus.READ),
        ("[[A]] then [[B]]", TextStatus.OPEN),  # a decision marked as final may still come
        (CONTRADICTION.partition("\n")[2], TextStatus.OPEN),  # a closing tag may still make it all a thought
        (CONTRADICTION, TextStatus.SETTLED),
        (CONTRADICTION.rstrip("\n"), TextStatus.READ),  # the last line may go on, so that it is not read yet
        (CONTRADICTION + "{", TextStatus.OPEN),
    ],
)
def test_status(text: str, status: TextStatus) -> None:
    assert DecisionWatcher.of(LABELS[0]).status(text) is status


UNITS = [
    *(
        "A",
        "[[",
        "**",
        "A ",
        "A\n",
        "{",
        '{"a":',
        '["',
        '"',
        "(",
        "if ",
        "\0",
        "\ud800",
        "<think>",
        "</think>",
        "[[A]] ",
    ),
    *(
        "I would ",
        "the answer is ",
        "Response A is better. ",
        "I'm sorry, I'm ",
        "As an AI ",
        "the Response ",
        "clearly, ",
    ),
    "\\boxed{",
]


@pytest.mark.parametrize("unit", UNITS)
def test_a_million_characters_of_anything_are_read(unit: str) -> None:
    # The suite's own timeout fails a pattern that backtracks: quadratic work here would take hours.
    text = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    decision = parse_decision(text, ARENA)
    assert decision.outcome is not Outcome.SECOND


def test_ten_million_characters_are_read() -> None:
    assert parse_decision("word " * 2_000_000 + "\nFinal verdict: B", ARENA).outcome is Outcome.SECOND


def test_the_middle_of_an_enormous_text_is_not_read() -> None:
    padding = "word " * (WINDOW // 5 + 10)
    assert parse_decision(f"{padding}[[A]] {padding}", AB).outcome is None
    assert parse_decision(f"{padding}{padding}\n[[A]]", AB).outcome is Outcome.FIRST
    assert parse_decision(f"[[B]] {padding}{padding}", AB).outcome is Outcome.SECOND
