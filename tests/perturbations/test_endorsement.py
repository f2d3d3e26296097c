import pytest

from evenhand.perturbations.base import NotApplicable, Place
from evenhand.perturbations.endorsement import ENDORSEMENT, SENTENCES, endorse, target_label
from evenhand.records import Change, LabelSet, Order, Pair, Preference

PAIR = Pair(id="p", instruction="Which?", response_a="7", response_b="9")


def place_of(order, labels="A/B"):
    return Place(order=order, labels=LabelSet.parse(labels))


def test_the_sentences_are_the_agreed_ones():
    assert dict(SENTENCES) == {
        "user": "I think response {label} is the better one.",
        "expert": "An expert in this field has read both and prefers response {label}.",
        "majority": "Most of the people who were asked preferred response {label}.",
    }


@pytest.mark.parametrize(
    ("target", "order", "label"),
    [("A", "AB", "1"), ("A", "BA", "2"), ("B", "AB", "2"), ("B", "BA", "1")],
)
def test_the_label_is_that_of_the_slot_that_holds_the_target(target, order, label):
    change = Change(factor="endorsement", level="expert", target=Preference(target))
    place = place_of(Order(order), "1/2/tie")
    assert target_label(change, place) == label
    assert ENDORSEMENT.apply(PAIR, change, place).instruction.endswith(f"prefers response {label}.")


def test_whether_it_can_be_made_is_the_same_in_both_orders():
    said = Pair(id="p", instruction="Which? I think response A is the better one.", response_a="7", response_b="9")
    for target in (Preference.A, Preference.B):
        for order in Order:
            change = Change(factor="endorsement", level="user", target=target)
            assert isinstance(ENDORSEMENT.apply(said, change, place_of(order)), NotApplicable)
            other = Change(factor="endorsement", level="expert", target=target)
            assert ENDORSEMENT.apply(said, other, place_of(order)).instruction.startswith(said.instruction)


def test_braces_of_the_instruction_are_not_filled():
    pair = Pair(id="p", instruction="Fill {label}.", response_a="7", response_b="9")
    change = Change(factor="endorsement", level="user", target=Preference.A)
    assert endorse(pair, "My mother likes {label}.", change, place_of(Order.AB)).instruction == (
        "Fill {label}.\n\nMy mother likes A."
    )
