"""The watcher: OPEN, READ and SETTLED, and that nothing can be written that unsettles what it calls settled."""

from __future__ import annotations

import pytest

from evenhand.readouts import DecisionGrammar, DecisionWatcher, parse_decision
from evenhand.readouts.normalise import WINDOW
from evenhand.records import LabelSet, TextStatus

LABELS = LabelSet.parse("A/B")
GRAMMAR = DecisionGrammar.of(LABELS)
WATCHER = DecisionWatcher.of(LABELS)

THOUGHT = "<think>Hm.</think>\n"


def test_of_takes_the_default_grammar() -> None:
    assert DecisionWatcher(grammar=GRAMMAR) == WATCHER


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", TextStatus.OPEN),
        ("Both are good.", TextStatus.OPEN),
        ("I cannot judge these.", TextStatus.OPEN),  # it may yet
        ("It's a tie.", TextStatus.OPEN),  # none was offered
        ("[RESPONSE A]", TextStatus.OPEN),  # the copied response may follow
        ("The answer is A", TextStatus.OPEN),  # … "/B"
        ("The answer is A.", TextStatus.READ),
        (THOUGHT + "Final verdict: A\n", TextStatus.READ),
    ],
)
def test_status(text: str, status: TextStatus) -> None:
    assert WATCHER.status(text) is status


SETTLED = [
    THOUGHT + "Final verdict: A\nVerdict: B\n",
    THOUGHT + "Verdict: B\nMy final verdict is [[A]].\n[[B]]\n",
    THOUGHT + "Final verdict: A. Final verdict: B.\n",
    "So I think.</think>\nFinal verdict: A\nFinal verdict: B\n",
    THOUGHT + "<verdict>B</verdict>\nIn conclusion, [[A]]\n<verdict>B</verdict>\n",
]
NOT_SETTLED = [
    "Final verdict: A\nVerdict: B\n",  # "</think>" may still come
    THOUGHT + "Verdict: A\nVerdict: B\n",  # none is final yet
    THOUGHT + "Verdict: B\nFinal verdict: A\n",  # the final one has dropped the other
    THOUGHT + "Final verdict: A\nVerdict: B",  # the last line may go on: " or A"
    THOUGHT + "Final verdict: A\nB\n",  # the bare line is the last one only if nothing follows
    THOUGHT + "Final verdict: A\nResponse B is better.\n",  # of a lower tier
    THOUGHT + "Final verdict: A\nVerdict: B\n{",  # may become a JSON object
    THOUGHT + "Final verdict: A\nVerdict: B\n<think>",  # opened again
    THOUGHT + "Final verdict: A\nVerdict: B\n" + "x" * WINDOW,  # the middle may drop out of the window
]
ENDINGS = [
    "",
    "\n",
    " or A",
    "I change my mind. Final verdict: A\n",
    "</think>\n[[B]]",
    "<think>x</think>[[A]]",
    "<think>",
    '\n{"final verdict": "A"}',
    "\n\nA",
    '"',
    "? I cannot judge.",
    "x" * (3 * WINDOW),
]


@pytest.mark.parametrize("text", SETTLED)
def test_a_settled_contradiction_is_exact(text: str) -> None:
    assert WATCHER.status(text) is TextStatus.SETTLED
    settled = parse_decision(text, GRAMMAR, complete=False)
    assert settled.status == "contradictory"
    for ending in ENDINGS:
        assert parse_decision(text + ending, GRAMMAR) == settled, ending[:40]


@pytest.mark.parametrize("text", NOT_SETTLED)
def test_what_may_still_change_is_not_settled(text: str) -> None:
    assert WATCHER.status(text) is not TextStatus.SETTLED


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        (NOT_SETTLED[0], "</think>\n[[B]]"),
        (NOT_SETTLED[1], "Final verdict: A\n"),
        (NOT_SETTLED[3], " or A"),
        (NOT_SETTLED[4], "is what some would say.\n"),
    ],
)
def test_and_indeed_it_changes(text: str, ending: str) -> None:
    assert parse_decision(text + ending, GRAMMAR) != parse_decision(text, GRAMMAR)


@pytest.mark.parametrize("text", SETTLED)
@pytest.mark.parametrize("more", ["<THINK>0", "<think>so", "\n<think>\nA"])
def test_thinking_that_is_cut_after_whole_lines_does_not_undo_what_was_settled(text: str, more: str) -> None:
    """Found by the property test: the last decision's line was taken for cut when thinking began below it."""
    assert parse_decision(text + more, GRAMMAR, complete=False) == parse_decision(text, GRAMMAR)
