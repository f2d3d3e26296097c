"""Do mitigations find what is planted, recover closed forms, and claim nothing where there is nothing?"""

import numpy as np
import pytest

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.wide import widen
from evenhand.judges.simulated import AuditParameters, simulate_audit_table
from evenhand.mitigation.all_effects import measure_all
from evenhand.mitigation.effect import adjusted, measure
from evenhand.mitigation.examples import judged
from evenhand.mitigation.fractional_logit import logistic
from evenhand.mitigation.length_control import length_controlled_win_rate
from evenhand.mitigation.length_penalty import length_penalty
from evenhand.mitigation.order import BEFORE, ORDER_RULES, aggregate
from evenhand.mitigation.panel import accuracy_weighted, assemble, majority, one_judge
from evenhand.mitigation.recalibrate import recalibrate
from evenhand.mitigation.selection import selection_effect
from evenhand.records import Readout
from evenhand.stats import Estimate

pytestmark = pytest.mark.simulation

SETS = 400
"""A false-positive rate of .05 then has a standard error of .011."""


def letters(codes):
    return ["".join("AB"[int(c)] for c in row) for row in np.atleast_2d(codes)]


def sampler_of(pairs, *, resamples=100, seed=0):
    return Sampler(clusters=pairs.clusters, seed=seed, resamples=resamples, level=0.95)


def simulated(
    rng, *, n=120, groups=None, quality=0.0, position=0.0, noise=0.6, beta2=0.0, spread=1.0, judge="j", gold=None
):
    """Log-odds of A: quality towards gold, a pair's own part, length, position and noise; clusters share a part."""
    clusters = np.arange(n) if groups is None else np.arange(n) % groups
    gold = rng.integers(0, 2, n) if gold is None else gold
    shared = rng.normal(0, 0.7, clusters.max() + 1)[clusters] if groups is not None else 0.0
    ratio = rng.normal(0, 0.8, n)
    own = np.where(gold == 0, quality, -quality) + rng.normal(0, spread, n) + shared + beta2 * ratio
    odds = own[:, None] + np.array([position, -position]) + rng.normal(0, noise, (n, 2))
    return judged(
        letters(odds <= 0),
        gold="".join("AB"[g] for g in gold),
        judge=judge,
        clusters=clusters,
        log_odds=odds,
        length_a=400 * np.exp(ratio),
        length_b=np.full(n, 400.0),
    )


def test_helps_is_claimed_in_at_most_one_set_of_twenty_where_gold_is_a_coin():
    """The family of all order rules, penalties and recalibrations of a judge whose verdicts know nothing of gold."""
    claims = 0
    for seed in range(SETS):
        pairs = simulated(np.random.default_rng([seed, 1]), n=100, groups=40, position=0.7)
        found = measure_all([pairs], resamples=100, seed=seed, only=["order", "length-penalty", "recalibration"])
        claims += any(effect.bought() == "helps" for effect in found.effects)
    assert claims / SETS <= 0.05 + 2 * 0.011


def test_votes_that_know_nothing_help_in_at_most_one_set_of_twenty():
    claims = 0
    for seed in range(SETS):
        rng = np.random.default_rng([seed, 2])
        gold = rng.integers(0, 2, 80)
        panel = assemble([simulated(rng, n=80, judge=f"j{i}", gold=gold, position=0.5) for i in range(3)])
        sampler, before = sampler_of(panel.pairs, seed=seed), one_judge(panel)
        ways = (majority(panel), accuracy_weighted(panel, sampler=sampler))
        effects = adjusted([measure(way, panel.pairs, sampler=sampler, before=before) for way in ways])
        claims += any(effect.bought() == "helps" for effect in effects)
    assert claims / SETS <= 0.05 + 2 * 0.011


@pytest.mark.parametrize("tie", [0.0, 0.15])
def test_order_rules_agree_with_the_simulator_s_closed_forms(tie):
    settings = {"position": 0.9, "noise": 0.6, "tie": tie, "unparsed": 0.05}
    made = simulate_audit_table(n_pairs=40_000, n_groups=40_000, rng=np.random.default_rng(0), **settings)
    assert made.parameters == AuditParameters(**settings)
    wide = widen(made.table)
    scope = wide.find("simulated, A/B", Readout.GENERATED)
    codes = np.array(list("ABT-"))
    pairs = judged(["".join(codes[row]) for row in scope.preference], gold="".join(codes[wide.facts.gold[scope.pairs]]))
    sampler = sampler_of(pairs)

    def truth(name):
        return made.true(name, readout=Readout.GENERATED)

    one, both = (
        measure(aggregate(ORDER_RULES[name], pairs), pairs, sampler=sampler) for name in (BEFORE, "tie on conflict")
    )
    ab = measure(aggregate(ORDER_RULES["order AB"], pairs), pairs, sampler=sampler)
    # A tie is worth a half here, and nothing in the simulator's accuracy.
    share_tied = ab.ties / (ab.ties + ab.decided)
    assert ab.agreement.value == pytest.approx(truth("accuracy_ab") + share_tied / 2, abs=0.01)
    assert one.agreement.value == pytest.approx(ab.agreement.value, abs=0.01)
    selection = selection_effect(pairs, sampler=sampler)
    assert 1 - selection.share_consistent.value == pytest.approx(truth("flip_rate"), abs=0.01)
    if tie == 0:
        assert both.accuracy.value == pytest.approx(truth("accuracy_consistent"), abs=0.01)
        assert selection.consistent.value == pytest.approx(truth("accuracy_consistent"), abs=0.01)
        assert both.agreement.value == pytest.approx(one.agreement.value, abs=1e-12)


def test_position_bias_is_mitigated_and_the_more_the_stronger_it_is():
    gains = []
    for position in (0.0, 1.0, 3.0):
        pairs = simulated(np.random.default_rng(0), n=4000, quality=0.6, position=position)
        before = aggregate(ORDER_RULES[BEFORE], pairs)
        way = aggregate(ORDER_RULES["averaged probabilities"], pairs)
        gains.append(measure(way, pairs, sampler=sampler_of(pairs), before=before).gain.value)
    assert gains[0] < gains[1] < gains[2]
    assert gains[2] > 0.12


@pytest.mark.parametrize("phi", [0.0, 1.5])
def test_the_controlled_win_rate_is_covered_and_no_length_effect_is_made_up(phi):
    theta, sets, covered, found_length, shifts = -0.5, 200, 0, 0, []
    for seed in range(sets):
        rng = np.random.default_rng([seed, 3])
        d = rng.normal(350, 400, 250)
        p = logistic(theta + phi * np.tanh(d / d.std(ddof=1)))
        found = length_controlled_win_rate(
            (rng.uniform(size=250) < p).astype(float), d, np.arange(250), rng=rng, resamples=200
        )
        covered += found.controlled.interval.low <= logistic(np.array([theta]))[0] <= found.controlled.interval.high
        found_length += not found.length.interval.low <= 0 <= found.length.interval.high
        shifts.append(found.shift.value)
    assert 0.9 <= covered / sets <= 0.99
    if phi == 0:
        assert found_length / sets <= 0.1
        assert abs(np.mean(shifts)) < 4 * np.std(shifts) / sets**0.5
    else:
        assert found_length / sets > 0.95
        # The raw rate is far off: .62 where equal lengths give .38.
        assert np.mean(shifts) < -0.1


def test_the_penalty_takes_planted_length_off_and_leaves_an_unbiased_judge_alone():
    gains = {}
    for beta2 in (0.0, 1.5):
        values = []
        for seed in range(60):
            pairs = simulated(np.random.default_rng([seed, 4]), n=200, quality=0.8, beta2=beta2)
            found = length_penalty(pairs, sampler=sampler_of(pairs, seed=seed))
            effect = measure(found.after, pairs, sampler=sampler_of(pairs), before=found.before)
            values.append(effect.gain.value)
        gains[beta2] = np.array(values)
    assert gains[1.5].mean() > 0.05
    assert (gains[1.5] > 0).mean() > 0.9
    assert abs(gains[0.0].mean()) < 0.008


def calibrated(rng, *, n=200, bias=0.0, sharpness=1.0):
    honest = rng.normal(0, 1.5, n)
    gold = (rng.uniform(size=n) > logistic(honest)).astype(int)
    odds = honest[:, None] * sharpness + np.array([bias, -bias])
    return judged(letters(odds <= 0), gold="".join("AB"[g] for g in gold), log_odds=odds)


def test_recalibration_improves_a_miscalibrated_judge_and_does_no_harm_to_a_calibrated_one():
    good, improved, bad = [], 0, []
    sets = 80
    for seed in range(sets):
        rng = np.random.default_rng([seed, 5])
        pairs = calibrated(rng)
        for each in recalibrate(pairs, sampler=sampler_of(pairs, seed=seed)).maps:
            if each.method == "slot bias":
                scores = each.scores
                good.append(scores.brier_gain.value)
                improved += scores.brier_gain.value < 0 and scores.test.p_value < 0.05
        pairs = calibrated(rng, bias=1.5, sharpness=2.5)
        bad += [
            m.scores.brier_gain.value
            for m in recalibrate(pairs, sampler=sampler_of(pairs)).maps
            if m.method == "slot bias"
        ]
    # Two coefficients from 160 pairs cost next to nothing out of sample.
    assert 0 <= np.mean(good) < 0.004
    assert improved / sets <= 0.05
    assert max(bad) < 0
    assert np.mean(bad) < -0.03


def test_dawid_skene_is_unbiased_for_planted_accuracies():
    pytest.importorskip("crowdkit")
    from evenhand.mitigation.dawid_skene import dawid_skene

    planted, found = np.array([0.85, 0.75, 0.65, 0.7]), []
    for seed in range(8):
        rng = np.random.default_rng([seed, 6])
        gold = rng.integers(0, 2, 1000)
        votes = [np.where(rng.uniform(size=1000) < accuracy, gold, 1 - gold) for accuracy in planted]
        panel = assemble(
            [judged(letters(np.column_stack([v, v])), gold="." * 1000, judge=f"j{i}") for i, v in enumerate(votes)]
        )
        found.append(dawid_skene(panel).accuracy)
    assert np.mean(found, axis=0) == pytest.approx(planted, abs=0.025)


def test_selection_looks_like_a_gain_whatever_the_judge():
    pairs = simulated(np.random.default_rng(0), n=5000, quality=0.6, position=1.0)
    found = selection_effect(pairs, sampler=sampler_of(pairs))
    assert isinstance(found.apparent_gain, Estimate)
    assert found.apparent_gain.interval.low > 0.03
    # The better response is known on consistent pairs only: on flipped ones each order is right half the time.
    assert found.flipped_ab.value == pytest.approx(0.5, abs=0.04)
