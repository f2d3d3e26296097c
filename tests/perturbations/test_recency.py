from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.datasets import load_pairs
from evenhand.perturbations.base import NotApplicable, Place
from evenhand.perturbations.recency import RECENCY, partner_of
from evenhand.records import Change, LabelSet, Order, Pair, Preference

A, B, TIE = Preference.A, Preference.B, Preference.TIE


def pair_of(name, gold, group=""):
    return Pair(id=name, instruction=f"{name}?", response_a=f"{name}-a", response_b=f"{name}-b", gold=gold, group=group)


def late(pair, target, partner, order=Order.AB):
    change = Change(factor="recency", level="late", target=target)
    return RECENCY.apply(pair, change, Place(order=order, labels=LabelSet.parse("A/B"), partner=partner))


def turns_of(conversation):
    """(question, answer) of each turn."""
    parts = [part.strip() for part in conversation.split("###")][1:]
    texts = [part.partition(":\n")[2].strip() for part in parts]
    return list(zip(texts[::2], texts[1::2], strict=True))


@pytest.mark.parametrize("target", [A, B])
@pytest.mark.parametrize("gold", [A, B])
@pytest.mark.parametrize("other", [A, B])
def test_the_targets_better_answer_comes_late_and_the_others_early(target, gold, other):
    pair, partner = pair_of("p", gold), pair_of("q", other)
    shown = late(pair, target, partner)
    better = {"p?": f"p-{gold.value.lower()}", "q?": f"q-{other.value.lower()}"}
    for side, conversation in ((A, shown.response_a), (B, shown.response_b)):
        (first, answer), (second, last) = turns_of(conversation)
        assert (last == better[second]) is (side is target)
        assert (answer == better[first]) is (side is not target)
    assert shown.gold is gold
    assert shown.instruction.index(f"{turns_of(shown.response_a)[0][0]}") < shown.instruction.index(
        f"{turns_of(shown.response_a)[1][0]}"
    )


def test_both_targets_show_the_same_exchanges_in_the_other_order():
    pair, partner = pair_of("p", B), pair_of("q", A)
    one, two = late(pair, A, partner), late(pair, B, partner)
    assert turns_of(one.response_a) == turns_of(two.response_a)[::-1]
    assert turns_of(one.response_b) == turns_of(two.response_b)[::-1]
    assert sorted(one.instruction) == sorted(two.instruction)
    assert len(one.response_a) == len(two.response_a)


def test_the_partners_side_names_do_not_matter():
    pair = pair_of("p", A)
    one = Pair(id="q", instruction="q?", response_a="good", response_b="bad", gold=A)
    two = Pair(id="q", instruction="q?", response_a="bad", response_b="good", gold=B)
    assert late(pair, A, one) == late(pair, A, two)


@pytest.mark.parametrize(
    ("pair", "partner"),
    [
        (pair_of("p", None), pair_of("q", A)),
        (pair_of("p", TIE), pair_of("q", A)),
        (pair_of("p", A), None),
        (pair_of("p", A), pair_of("q", TIE)),
        (pair_of("p", A), pair_of("p", A)),
        (pair_of("p", A, group="g"), pair_of("q", A, group="g")),
        (pair_of("p", A), Pair(id="q", instruction="q?", response_a="", response_b="x", gold=B)),
    ],
)
def test_without_two_decided_questions_there_is_no_conversation(pair, partner):
    assert isinstance(late(pair, A, partner), NotApplicable)


def test_starter_pairs_have_partners_in_even_shares():
    pairs = load_pairs("starter")
    partners = partner_of(pairs)
    assert set(partners) == {pair.id for pair in pairs}
    assert max(Counter(partner.id for partner in partners.values()).values()) <= 2


PAIRS = st.lists(st.tuples(st.sampled_from("uvwxyz"), st.sampled_from([A, B, TIE, None])), max_size=12).map(
    lambda rows: [pair_of(f"p{i}", gold, group) for i, (group, gold) in enumerate(rows)]
)


@given(PAIRS)
def test_partners_are_of_another_group_decided_and_there_wherever_one_exists(pairs):
    partners = partner_of(pairs)
    for pair in pairs:
        possible = [one for one in pairs if one.group != pair.group and one.gold in (A, B)]
        assert (pair.id in partners) is bool(possible)
        assert not possible or partners[pair.id] in possible
    assert partner_of(pairs[::-1]) == partners


@given(st.integers(min_value=2, max_value=12))
def test_with_one_pair_a_group_each_is_partner_once(count):
    pairs = [pair_of(f"p{i}", A) for i in range(count)]
    assert sorted(partner.id for partner in partner_of(pairs).values()) == sorted(pair.id for pair in pairs)
