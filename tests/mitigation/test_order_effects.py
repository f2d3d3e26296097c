"""All order rules at once: which are made, which are refused, and what they are compared with."""

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.examples import judged
from evenhand.mitigation.order import BEFORE, ORDER_RULES
from evenhand.mitigation.order_effects import order_effects, the_before
from evenhand.stats import Refusal


def effects_of(pairs):
    return order_effects(pairs, sampler=Sampler(clusters=pairs.clusters, seed=0, resamples=200, level=0.95))


def test_made_and_refused_are_all_the_rules():
    effects, missed = effects_of(judged(["AA"] * 6 + ["AB"] * 4, gold="A" * 10))
    names = [effect.mitigation for effect in effects] + [each.mitigation for each in missed]
    assert sorted(names) == sorted(ORDER_RULES)
    assert {each.mitigation for each in missed} == {
        "averaged probabilities",
        "confidence-weighted",
        "averaged scores",
        "independent scores",
    }
    assert {effect.mitigation: effect.against for effect in effects} == {
        "order AB": None,
        "order BA": None,
        BEFORE: None,
        "tie on conflict": BEFORE,
    }


def test_a_run_of_one_order_has_that_order_as_its_before():
    pairs = judged(["A."] * 8, gold="A" * 8, alone=[[2, 1]] * 8)
    assert the_before(pairs).name == "order AB"
    effects, missed = effects_of(pairs)
    assert [(e.mitigation, e.against) for e in effects] == [("order AB", None), ("independent scores", "order AB")]
    assert "tie on conflict" in {each.mitigation for each in missed}


def test_no_order_at_all_is_a_refusal():
    assert isinstance(the_before(judged([".."] * 3, gold="AAA")), Refusal)
