"""What a simulated judge thinks of a response: kept through every change of dress, and other for other words."""

import pytest

from evenhand.judges.simulated_quality import Draws, Qualities, answers_in, marked_quality, opening, qualities
from evenhand.judges.simulated_shown import Shown
from evenhand.perturbations.apply import apply_changes
from evenhand.perturbations.base import NotApplicable, Place
from evenhand.records import Change, LabelSet, Message, Order, Pair, Preference

LABELS = LabelSet.parse("A/B")
PAIR = Pair(
    id="p",
    instruction="Is glass a liquid?",
    response_a="It is not so. Glass does not flow. The panes are old.\n\nThat is a fact.",
    response_b="It is. The panes sag.",
    gold=Preference.A,
)


@pytest.mark.parametrize(
    ("factor", "level"),
    [
        ("format", "bullets"),
        ("format", "markdown"),
        ("format", "code"),
        ("register", "informal"),
        ("tone", "assertive"),
        ("tone", "hedged"),
        ("padding", "redundant"),
        ("authority", "citation"),
        ("injection", "instruction"),
    ],
)
def test_a_change_of_dress_leaves_the_opening_as_it_is(factor, level):
    change = Change(factor=factor, level=level, target=Preference.A)
    changed = apply_changes(PAIR, (change,), Place(order=Order.AB, labels=LABELS))
    assert not isinstance(changed, NotApplicable)
    assert changed.response_a != PAIR.response_a
    assert opening(changed.response_a) == opening(PAIR.response_a) == "it is not so"
    assert opening(PAIR.response_b) == "it is"


def test_markers_in_the_responses_go_before_those_elsewhere():
    shown = Shown(first="<quality:2>x", second="y <quality:-1.5>", around="<quality:9> <quality:8>")
    message = [Message(role="user", content="<quality:9> <quality:8> <quality:2>x y <quality:-1.5>")]
    found = qualities(message, LABELS, shown=shown, seed=0, sd=1.0)
    assert found == Qualities(first=2.0, second=-1.5)
    assert found.difference == 3.5
    assert qualities(message, LABELS, shown=None, seed=0, sd=1.0) == Qualities(first=9.0, second=8.0)
    assert marked_quality("<quality:1e9>") is None


def test_without_headers_or_markers_both_are_worth_nothing():
    nothing = [Message(role="user", content="A or B?")]
    for by_opening in (False, True):
        assert qualities(nothing, LABELS, shown=None, seed=0, sd=1.0, by_opening=by_opening) == Qualities(
            first=0.0, second=0.0
        )


def conversation(first, last):
    return f"### User:\nOne?\n\n### Assistant:\n{first}\n\n### User:\nTwo?\n\n### Assistant:\n{last}"


def test_a_conversation_is_worth_its_mean_and_knows_whose_last_answer_is_better():
    shown = Shown(
        first=conversation("<quality:0>a", "<quality:4>b"),
        second=conversation("<quality:3>c", "<quality:-1>d"),
        around="",
    )
    found = qualities([], LABELS, shown=shown, seed=0, sd=1.0)
    assert found == Qualities(first=2.0, second=1.0, late=1)
    assert answers_in("no turns") == []


def test_draws_are_normal_and_keep():
    drawn = [Draws(key=str(i)).normal("x", 2.0) for i in range(4000)]
    mean = sum(drawn) / len(drawn)
    assert abs(mean) < 5 * 2 / 4000**0.5
    assert abs((sum((x - mean) ** 2 for x in drawn) / len(drawn)) ** 0.5 - 2) < 0.12
    assert Draws(key="7").normal("x", 2.0) == drawn[7]
    assert Draws(key="7").normal("y", 2.0) != drawn[7]
