"""Recalibration: slot bias and temperature are found, nothing leaks between folds, and little data is refused."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.effect import measure
from evenhand.mitigation.examples import judged
from evenhand.mitigation.fractional_logit import logistic
from evenhand.mitigation.order import BEFORE, ORDER_RULES, aggregate
from evenhand.mitigation.recalibrate import Recalibration, recalibrate
from evenhand.stats import Refusal


def simulated(*, bias=0.0, sharpness=1.0, n=300, seed=0, gold=None):
    """Log-odds that are right with the chance they say, then made too sure and biased to the first slot."""
    rng = np.random.default_rng(seed)
    honest = rng.normal(0, 1.5, n)  # of A
    label = np.where(rng.uniform(size=n) < logistic(honest), "A", "B") if gold is None else np.array(list(gold))
    a = np.column_stack([honest * sharpness + bias, honest * sharpness - bias])
    orders = ["".join("AB"[int(value <= 0)] for value in row) for row in a]
    return judged(orders, gold="".join(label), log_odds=a)


def recalibrated(pairs):
    return recalibrate(pairs, sampler=Sampler(clusters=pairs.clusters, seed=0, resamples=200, level=0.95))


def scores(found):
    return {each.method: each.scores for each in found.maps}


def test_a_biased_and_too_sure_judge_is_put_right():
    found = recalibrated(simulated(bias=2.0, sharpness=3.0, n=600))
    assert isinstance(found, Recalibration)
    bias, slope = found.regression.term("intercept"), found.regression.term("log-odds of the first slot")
    # logit P(first right) = (x - 2) / 3.
    assert bias.estimate.value == pytest.approx(-2 / 3, abs=0.2)
    assert slope.estimate.value == pytest.approx(1 / 3, abs=0.08)
    by_method = scores(found)
    assert set(by_method) == {"temperature", "slot bias", "isotonic"}
    for method in ("slot bias", "isotonic"):
        assert by_method[method].brier_gain.interval.high < -0.04
        assert by_method[method].log_loss_gain.value < -0.3
        assert by_method[method].ece_gain.value < -0.1
        assert by_method[method].test.p_value < 0.001
    assert by_method["slot bias"].brier_after.value < by_method["temperature"].brier_after.value - 0.005


def test_the_slot_bias_turns_verdicts_of_one_order_at_no_further_call():
    pairs = simulated(bias=2.0, n=400)
    sampler = Sampler(clusters=pairs.clusters, seed=0, resamples=200, level=0.95)
    before = aggregate(ORDER_RULES[BEFORE], pairs)
    slot = next(each for each in recalibrated(pairs).maps if each.method == "slot bias")
    effect = measure(slot.one_order, pairs, sampler=sampler, before=before, one=before)
    assert effect.presentations == 1.0
    assert effect.bought() == "helps"
    assert effect.gain.value > 0.08
    both = measure(slot.both_orders, pairs, sampler=sampler, before=before, one=before)
    assert both.presentations == 2.0
    temperature = next(each for each in recalibrated(pairs).maps if each.method == "temperature")
    assert (temperature.one_order, temperature.both_orders) == (None, None)


def test_pairs_whose_label_is_a_tie_have_a_verdict_and_are_not_fitted_on():
    pairs = simulated(bias=1.0, n=120)
    gold = pairs.gold.copy()
    gold[:10] = 2
    found = recalibrated(replace(pairs, gold=gold))
    assert found.labelled == 110
    sampler = Sampler(clusters=pairs.clusters, seed=0, resamples=200, level=0.95)
    for each in found.maps:
        assert each.scores.presentations == 220
        for way in (each.one_order, each.both_orders):
            if way is not None:
                assert (way.preference >= 0).all()
                effect = measure(way, replace(pairs, gold=gold), sampler=sampler)
                assert (effect.missing, effect.pairs) == (0.0, 120)


def test_a_cluster_s_own_labels_don_t_move_its_own_probabilities():
    pairs = simulated(bias=1.0, n=120)
    verdicts = {each.method: each.one_order for each in recalibrated(pairs).maps if each.one_order is not None}
    for row in (0, 60, 119):
        gold = pairs.gold.copy()
        gold[row] = 1 - gold[row]
        for each in recalibrated(replace(pairs, gold=gold)).maps:
            if each.one_order is not None:
                assert (each.one_order.preference[row] == verdicts[each.method].preference[row]).all()


def test_exchanging_a_and_b_exchanges_verdicts_and_no_score():
    pairs = simulated(bias=1.0, n=120)
    other = np.array([1, 0, 2, -1], dtype=np.int8)
    turned = replace(
        pairs,
        gold=other[pairs.gold],
        preference=other[pairs.preference][:, ::-1],
        log_odds=-pairs.log_odds[:, ::-1],
    )
    for one, two in zip(recalibrated(pairs).maps, recalibrated(turned).maps, strict=True):
        assert one.scores.brier_after.value == pytest.approx(two.scores.brier_after.value, abs=1e-9)
        if one.both_orders is not None:
            assert (one.both_orders.preference == other[two.both_orders.preference]).all()


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (simulated(n=49), "50 labelled pairs to recalibrate, has 49"),
        (simulated(n=60, gold="T" * 60), "has 0"),
        (replace(simulated(n=60), log_odds=np.full((60, 2), np.nan)), "read the first token"),
        (replace(simulated(n=60, gold="A" * 60), log_odds=np.full((60, 2), [1.0, np.nan])), "nothing to fit"),
    ],
)
def test_refusals(pairs, words):
    found = recalibrated(pairs)
    assert isinstance(found, Refusal)
    assert words in found.reason


def test_isotonic_needs_more_and_says_so():
    found = recalibrated(simulated(n=200))
    assert [(method, refusal.reason) for method, refusal in found.refused] == [
        ("isotonic", "needs at least 500 labelled pairs, has 200")
    ]


def test_log_odds_that_separate_right_from_wrong_stay_finite():
    pairs = simulated(n=100, gold="AB" * 50)
    sure = np.where(pairs.gold == 0, 9.0, -9.0)
    found = recalibrated(replace(pairs, log_odds=np.column_stack([sure, sure])))
    assert scores(found)["slot bias"].log_loss_after.value < 0.1
