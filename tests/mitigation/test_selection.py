"""The selection effect by hand, and its identity."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.examples import judged
from evenhand.mitigation.selection import selection_effect
from evenhand.stats import Estimate, Refusal


def effect(pairs):
    return selection_effect(pairs, sampler=Sampler(clusters=pairs.clusters, seed=0, resamples=200, level=0.95))


def test_by_hand():
    found = effect(judged(["AA"] * 12 + ["AB"] * 8 + ["AT", "A-"], gold="A" * 9 + "BBB" + "AAABBBBB" + "AA"))
    assert (found.pairs, found.consistent_pairs, found.flipped_pairs) == (20, 12, 8)
    assert found.consistent.value == 9 / 12
    assert found.one_order.value == pytest.approx((9 + 4) / 20)
    assert (found.flipped_ab.value, found.flipped_ba.value) == (3 / 8, 5 / 8)
    assert found.apparent_gain.value == pytest.approx(0.75 - 0.65)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.text("AB", min_size=2, max_size=2), st.sampled_from("AB")), min_size=5, max_size=40))
def test_one_order_is_a_mixture_of_consistent_pairs_and_a_coin(rows):
    found = effect(judged([codes for codes, _ in rows], gold="".join(gold for _, gold in rows)))
    share = found.share_consistent.value
    consistent = found.consistent.value if isinstance(found.consistent, Estimate) else 0.0
    if isinstance(found.consistent, Estimate) or share == 0:
        assert found.one_order.value == pytest.approx(share * consistent + (1 - share) / 2)
    if isinstance(found.flipped_ab, Estimate):
        assert found.flipped_ab.value + found.flipped_ba.value == pytest.approx(1)


def test_nothing_decided_is_a_refusal():
    assert isinstance(effect(judged(["AT", "--"], gold="AA")), Refusal)
    assert isinstance(effect(judged(["AA"] * 9, gold="T" * 9)), Refusal)


def test_no_flip_leaves_its_accuracies_refused():
    found = effect(judged(["AA"] * 9, gold="A" * 9))
    assert found.flipped_ab.reason == "no pair flips"
    assert found.apparent_gain.value == 0
