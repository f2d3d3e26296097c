"""All order rules at once: which are made, which are refused, and what they are compared with."""

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.examples import judged
from evenhand.mitigation.order import ASKED, BEFORE, ORDER_RULES
from evenhand.mitigation.order_effects import order_effects, the_before
from evenhand.stats import Refusal


def effects_of(pairs):
    return order_effects(pairs, sampler=Sampler(clusters=pairs.clusters, seed=0, resamples=200, level=0.95))


def test_made_and_refused_are_all_the_rules():
    effects, missed = effects_of(judged(["AA"] * 6 + ["AB"] * 4, gold="A" * 10))
    names = [effect.mitigation for effect in effects] + [each.mitigation for each in missed]
    assert sorted(names) == sorted(set(ORDER_RULES) - {ASKED})
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
    assert the_before(pairs).name == ASKED
    effects, missed = effects_of(pairs)
    assert [(e.mitigation, e.against) for e in effects] == [
        ("order AB", None),
        (ASKED, None),
        ("independent scores", ASKED),
    ]
    assert "tie on conflict" in {each.mitigation for each in missed}


def test_a_log_that_drew_one_order_a_pair_has_neither_order_as_its_before():
    pairs = judged(["A.", ".B"] * 6, gold="AB" * 6, tokens=[[10, float("nan")], [float("nan"), 20]] * 6)
    before = the_before(pairs)
    assert (before.preference[:, 0].tolist(), before.tokens.tolist()) == ([0, 1] * 6, [10.0, 20.0] * 6)
    effects, missed = effects_of(pairs)
    assert [effect.mitigation for effect in effects] == [ASKED]
    assert (effects[0].agreement.value, effects[0].missing) == (1.0, 0)
    assert {each.mitigation for each in missed} >= {"order AB", "order BA", BEFORE}


def test_no_order_at_all_is_a_refusal():
    assert isinstance(the_before(judged([".."] * 3, gold="AAA")), Refusal)
