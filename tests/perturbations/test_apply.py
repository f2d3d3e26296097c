import pytest

from evenhand.errors import ConfigError
from evenhand.perturbations.apply import apply_changes
from evenhand.perturbations.base import NotApplicable, Place
from evenhand.perturbations.padding import pad
from evenhand.perturbations.tone import FRAMES
from evenhand.perturbations.variants import Variants
from evenhand.records import Change, LabelSet, Order, Pair, Preference, VariantsIdentity

PAIR = Pair(id="p", instruction="Which?", response_a="Seven is.", response_b="Nine is.", gold=Preference.A)
PLACE = Place(order=Order.BA, labels=LabelSet.parse("A/B"))
IDENTITY = VariantsIdentity(spec="v.jsonl", rewrites=1, sha256="0")


def change_of(name):
    factor, _, rest = name.partition("=")
    level, _, target = rest.partition(":")
    return Change(factor=factor, level=level, target=Preference(target))


def apply(*names, pair=PAIR, supplied=None):
    texts = {("p", change_of(name)): text for name, text in (supplied or {}).items()}
    variants = Variants(texts=texts, identity=IDENTITY) if supplied else None
    return apply_changes(pair, [change_of(name) for name in names], PLACE, variants=variants)


def test_no_change_gives_the_pair_back():
    assert apply() is PAIR


def test_several_changes_are_made_together_in_their_order():
    both = apply("padding=redundant:A", "tone=hedged:A", "endorsement=user:A")
    assert both.response_a == f"{pad('Seven is.')}\n\n{FRAMES['hedged']}"
    assert both.instruction == "Which?\n\nI think response B is the better one."
    other = apply("tone=hedged:A", "padding=redundant:A")
    assert other.response_a.startswith(f"Seven is.\n\n{FRAMES['hedged']}\n\nTo restate: Seven is.")


def test_one_that_can_not_be_made_is_the_answer_for_all():
    answer = apply("padding=redundant:A", "register=informal:A", "tone=hedged:A")
    assert answer == NotApplicable(reason="the response has no word pair to contract")


def test_a_supplied_level_is_never_made_by_rule():
    supplied = {"tone=hedged:B": "Perhaps nine."}
    assert apply("tone=hedged:B", supplied=supplied).response_b == "Perhaps nine."
    assert apply("tone=hedged:A", supplied=supplied).reason == "no rewrite was supplied for this pair and response"
    assert apply("tone=assertive:A", supplied=supplied).response_a.endswith(FRAMES["assertive"])


def test_what_no_rule_makes_can_be_supplied():
    supplied = {"padding=supplied:A": "Seven is, I say, seven is.", "register=non-native:B": "Nine are."}
    both = apply("padding=supplied:A", "register=non-native:B", supplied=supplied)
    assert (both.response_a, both.response_b) == ("Seven is, I say, seven is.", "Nine are.")


def test_supplied_rewrites_come_before_rules_whatever_the_order():
    supplied = {"register=non-native:A": "Seven are."}
    for names in (("padding=redundant:A", "register=non-native:A"), ("register=non-native:A", "padding=redundant:A")):
        assert apply(*names, supplied=supplied).response_a == pad("Seven are.")


def test_a_supplied_endorsement_names_the_label():
    supplied = {"endorsement=user:A": "My teacher likes {label}."}
    assert apply("endorsement=user:A", supplied=supplied).instruction == "Which?\n\nMy teacher likes B."


def test_a_rewrite_that_changes_nothing_is_none():
    assert apply("tone=hedged:A", supplied={"tone=hedged:A": "Seven is."}).reason == (
        "the supplied rewrite is the response itself"
    )
    empty = Pair(id="p", instruction="Which?", response_a="", response_b="9")
    assert apply("tone=hedged:A", pair=empty, supplied={"tone=hedged:A": "x"}).reason == "the response is empty"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["mood=good:A"], "unknown factor 'mood'.*endorsement"),
        (["tone=loud:A"], "factor 'tone' has no level 'loud'"),
        (["tone=hedged:tie"], "must be A or B"),
        (["tone=hedged:A", "tone=hedged:A"], "one of them is there twice"),
    ],
)
def test_wrong_changes_are_refused(names, message):
    with pytest.raises(ConfigError, match=message):
        apply(*names)


def test_two_rewrites_of_one_response_are_refused():
    supplied = {"tone=hedged:A": "Maybe seven.", "register=non-native:A": "Seven are."}
    with pytest.raises(ConfigError, match="can't both take the place of one response"):
        apply(*supplied, supplied=supplied)
