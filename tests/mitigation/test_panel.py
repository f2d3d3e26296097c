"""Panels: each judge's own order-aggregated verdict, votes, weights and cost."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.analysis.sampler import Sampler
from evenhand.errors import StatisticsError
from evenhand.mitigation.effect import measure
from evenhand.mitigation.examples import judged
from evenhand.mitigation.panel import ONE_JUDGE, accuracy_weighted, assemble, leaning, majority, one_judge, take
from evenhand.stats import Refusal


def panel_of(*orders, gold, **more):
    return assemble([judged(each, gold=gold, judge=f"j{i}", **more) for i, each in enumerate(orders)])


def test_two_orders_enter_as_one_verdict_of_each_judge():
    panel = panel_of(["AA", "AB", "A-", "AT"], ["BB", "AA", "AA", "BA"], gold="ABA.")
    assert panel.votes.tolist() == [[0, 1], [2, 0], [-1, 0], [2, 2]]
    assert panel.flips.tolist() == [[False, False], [True, False], [False, False], [False, True]]
    assert panel.names == ("j0", "j1")


def test_pairs_are_matched_by_id_and_only_shared_ones_enter():
    one, two = judged(["AA", "BB", "AB"], gold="ABA", judge="x"), judged(["BB", "AA", ".."], gold="BAA", judge="y")
    two = replace(two, ids=("p1", "p0", "p2"))
    panel = assemble([one, two])
    assert panel.pairs.ids == ("p0", "p1")
    assert panel.votes.tolist() == [[0, 0], [1, 1]]


def test_majority_ties_and_missing_votes():
    judges = ["AA", "AA", "AA", "--", "AB"], ["AA", "BB", "--", "--", "BB"], ["BB", "AB", "--", "--", "BB"]
    panel = panel_of(*judges, gold="A" * 5)
    assert majority(panel).preference[:, 0].tolist() == [0, 2, 0, -1, 1]
    assert leaning(panel)[:3].tolist() == pytest.approx([2 / 3, 0.5, 1.0])
    assert np.isnan(leaning(panel)[3])


def test_costs_are_those_of_all_judges():
    panel = panel_of(["AA"] * 6, ["BB"] * 6, ["A."] * 6, gold="A" * 6, tokens=[[10, 12]] * 6)
    way = majority(panel)
    assert (way.presentations[0], way.tokens[0]) == (5.0, 22 + 22 + 10)
    assert one_judge(panel).presentations[0] == pytest.approx(5 / 3)
    assert not way.by_order


def test_the_before_is_one_judge_at_random():
    panel = panel_of(["AA"] * 10, ["BB"] * 5 + ["AB"] * 5, gold="A" * 10)
    sampler = Sampler(clusters=panel.pairs.clusters, seed=0, resamples=100, level=0.95)
    before = one_judge(panel)
    effect = measure(before, panel.pairs, sampler=sampler)
    assert effect.mitigation == ONE_JUDGE
    assert effect.agreement.value == pytest.approx((5 * 0.5 + 5 * 0.75) / 10)
    assert effect.on_flips is None


def test_weights_are_log_odds_of_accuracy_on_other_questions():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 400)

    def judge(accuracy):
        right = rng.uniform(size=400) < accuracy
        return ["AB"[g] * 2 if r else "BA"[g] * 2 for g, r in zip(gold, right, strict=True)]

    panel = panel_of(judge(0.92), judge(0.6), judge(0.6), gold="".join("AB"[g] for g in gold))
    sampler = Sampler(clusters=panel.pairs.clusters, seed=0, resamples=100, level=0.95)
    way = accuracy_weighted(panel, sampler=sampler)
    # logit(.92) = 2.4 outweighs 2 * logit(.6) = .8: the good judge alone decides.
    assert (way.preference[:, 0] == panel.votes[:, 0]).all()
    assert (majority(panel).preference[:, 0] != panel.votes[:, 0]).mean() > 0.1


def test_a_judge_that_is_wrong_more_often_than_right_weighs_against_itself():
    gold = "AB" * 60
    contrary = ["BB" if g == "A" else "AA" for g in gold]
    panel = panel_of(contrary, contrary, gold=gold)
    sampler = Sampler(clusters=panel.pairs.clusters, seed=0, resamples=100, level=0.95)
    assert (accuracy_weighted(panel, sampler=sampler).preference[:, 0] == panel.pairs.gold).all()


def test_refusals_and_mistakes():
    one = judged(["AA"] * 9, gold="A" * 9, judge="x")
    assert "at least 2 judges" in assemble([one]).reason
    assert assemble([one], fewest=1).votes.shape == (9, 1)
    assert "no pair was asked" in assemble([one, replace(one, judge="y", ids=tuple("abcdefghi"))]).reason
    with pytest.raises(StatisticsError, match="name of its own"):
        assemble([one, one])
    with pytest.raises(StatisticsError, match="different labels"):
        assemble([one, judged(["AA"] * 9, gold="B" * 9, judge="y")])
    panel = assemble([one, replace(one, judge="y")])
    found = accuracy_weighted(panel, sampler=Sampler(clusters=one.clusters, seed=0, resamples=100, level=0.95))
    assert isinstance(found, Refusal)
    assert "50 labelled pairs" in found.reason


def test_taking_rows_takes_every_array():
    pairs = judged(["AA", "AB", "BB"], gold="AB.", tokens=[[1, 2], [3, 4], [5, 6]])
    some = take(pairs, np.array([2, 0]))
    assert (some.ids, some.gold.tolist(), some.tokens.tolist()) == (("p2", "p0"), [-1, 0], [[5, 6], [1, 2]])
