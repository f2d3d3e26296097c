"""What a mitigation buys, on tables small enough to count by hand."""

import numpy as np
import pytest

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.effect import adjusted, measure
from evenhand.mitigation.examples import judged
from evenhand.mitigation.order import BEFORE, ORDER_RULES, aggregate
from evenhand.stats import Estimate, Refusal, mcnemar


def effect_of(name, pairs, *, against=BEFORE):
    sampler = Sampler(clusters=pairs.clusters, seed=0, resamples=200, level=0.95)
    before = aggregate(ORDER_RULES[against], pairs)
    return measure(aggregate(ORDER_RULES[name], pairs), pairs, sampler=sampler, before=before, one=before)


PAIRS = judged(
    ["AA"] * 10 + ["BB"] * 4 + ["AB"] * 6 + ["AT"] * 2 + ["A-"] * 3 + ["AA"] * 5,
    gold="A" * 8 + "BB" + "B" * 3 + "A" + "AAABBB" + "AB" + "AAA" + ".....",
    tokens=[[100, 110]] * 30,
)


def test_counts_by_hand():
    tie = effect_of("tie on conflict", PAIRS)
    assert (tie.pairs, tie.decided, tie.ties, tie.missing) == (25, 14, 8, 3)
    assert (tie.accuracy.count, tie.accuracy.n) == (11, 14)
    assert (tie.share_decided.count, tie.share_decided.n) == (14, 25)
    # 11 right, 8 ties at a half, of 22 with a verdict.
    assert tie.agreement.value == pytest.approx(15 / 22)
    assert (tie.presentations, tie.tokens) == (2.0, 2.0)
    assert tie.on_flips.count == 0


def test_the_before_is_the_mean_of_both_orders():
    sampler = Sampler(clusters=PAIRS.clusters, seed=0, resamples=200, level=0.95)
    before = measure(aggregate(ORDER_RULES[BEFORE], PAIRS), PAIRS, sampler=sampler)
    assert (before.pairs, before.decided, before.ties, before.missing) == (25, 21, 1, 3)
    # AB flips are right in one order each; AT with gold A is 1 and 1/2, with gold B 0 and 1/2.
    assert before.agreement.value == pytest.approx((11 + 3 + 0.75 + 0.25) / 22)
    assert before.on_flips.value == pytest.approx(6 / 21)
    assert (before.gain, before.test, before.bought()) == (None, None, None)


def test_a_flip_tied_is_worth_what_a_coin_is():
    tie = effect_of("tie on conflict", judged(["AA"] * 8 + ["AB"] * 8, gold="A" * 12 + "B" * 4))
    assert tie.gain.value == 0
    assert (tie.test, tie.bought()) == (None, "no change")
    assert tie.notes == ("No pair's agreement differs: nothing to test.",)
    assert tie.accuracy_gain.value == pytest.approx(1 - 12 / 16)


def test_the_test_is_mcnemar_where_each_cluster_has_one_pair():
    # Order BA against order AB: 9 pairs better, 2 worse.
    pairs = judged(["BA"] * 9 + ["AB"] * 2 + ["AA"] * 9, gold="A" * 20)
    found = effect_of("order BA", pairs, against="order AB")
    assert found.gain.value == pytest.approx(7 / 20)
    assert found.test.p_value == pytest.approx(mcnemar(9, 2).p_value, rel=1e-12)
    assert "exact" in found.test.name
    assert found.test.statistic == 7.0


def test_gain_counts_pairs_with_both_verdicts_only():
    pairs = judged(["AA"] * 6 + ["A-"] * 4, gold="A" * 6 + "B" * 4)
    found = effect_of("order AB", pairs)
    assert found.gain.n == 6
    assert found.notes[0] == "4 of 10 labelled pairs have no verdict under both."


def test_clusters_and_not_pairs_are_independent():
    orders, gold = ["BA"] * 12, "A" * 12
    alone = effect_of("order BA", judged(orders, gold=gold), against="order AB")
    shared = effect_of("order BA", judged(orders, gold=gold, clusters=np.arange(12) // 2), against="order AB")
    assert alone.test.p_value == pytest.approx(2 / 2**12)
    assert shared.test.p_value == pytest.approx(2 / 2**6)
    few = judged(orders, gold=gold, clusters=np.arange(12) // 3)
    assert isinstance(effect_of("order BA", few, against="order AB").gain, Refusal)


def test_without_labels_nothing_is_measured():
    found = effect_of("tie on conflict", judged(["AA"] * 9, gold="." * 9))
    assert found.pairs == 0
    assert isinstance(found.agreement, Refusal)
    assert "no pair has a gold or human label" in found.agreement.reason
    assert isinstance(found.gain, Refusal)
    assert found.bought() is None


def test_harm_is_found_too_and_ties_in_gold_count():
    pairs = judged(["AT"] * 12, gold="T" * 12)
    found = effect_of("order AB", pairs, against="order BA")
    assert found.gain.value == -0.5
    assert found.bought() == "harms"
    assert isinstance(found.accuracy, Refusal)
    assert "judge and label both" in found.accuracy.reason


def test_adjusted_is_holm_over_the_tests_there_are():
    pairs = judged(["BA"] * 9 + ["AB"] * 2 + ["AA"] * 9, gold="A" * 20)
    one = effect_of("order BA", pairs, against="order AB")
    none = effect_of("tie on conflict", pairs)
    both = adjusted([one, none, one])
    assert both[0].test.p_value == pytest.approx(2 * one.test.p_value)
    assert both[0].test.name.endswith("Holm-adjusted over 2 mitigations")
    assert both[1].test is None
    assert isinstance(both[0].gain, Estimate)
