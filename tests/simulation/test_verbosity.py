"""Is the length effect found where it is planted, and in at most 5 % of judges that have none? Seeded.

400 audits know a false positive rate of .05 to a standard error of .011; four of these are allowed above it.
"""

import math

import numpy as np
import pytest

from audits.bias.observed import Sample, Truth, draw_pairs, judge, observed, pairs_of, sampler, verdict_frame
from evenhand.audits.bias.features import pair_features
from evenhand.audits.bias.length_model import LENGTH, SLOT, fit_length, length_rows
from evenhand.audits.bias.verbosity import _tests

pytestmark = pytest.mark.simulation

AUDITS = 400
MOST = 0.05 + 2 * 0.011


def fitted(rng, truth, *, count=200, by_quality=0.0, by_own=0.0, authors=False, orders=(0, 1), outcome="choice"):
    """The fit that VerbosityAudit makes, without the figures that the test does not look at."""
    sample = draw_pairs(rng, count, length_by_quality=by_quality, length_by_own=by_own)
    names = {"mine": "judge-1", "other": "someone"} if authors else {}
    data = observed(verdict_frame(sample, judge(rng, sample, truth), orders=orders), pairs_of(sample, **names))
    features = pair_features(data)
    rows = length_rows(data.wide.scopes[0], features)
    return fit_length(rows, features, sampler(data), outcome=outcome, quality=True).regression


@pytest.mark.parametrize(
    ("truth", "options"),
    [
        (Truth(slot=0.8), {"by_quality": 0.4}),
        (Truth(slot=0.8, own=1.2), {"by_quality": 0.3, "by_own": 0.4, "authors": True}),
        (Truth(slot=1.0, noise=1.0), {"count": 60, "by_quality": 0.4}),
    ],
    ids=["length goes with quality", "length goes with authorship too", "60 pairs in 30 questions"],
)
@pytest.mark.parametrize("outcome", ["choice", "odds"])
def test_a_judge_that_ignores_length_is_seldom_accused(truth, options, outcome):
    rng = np.random.default_rng(0)
    found = [fitted(rng, truth, outcome=outcome, **options).term(LENGTH).test.p_value <= 0.05 for _ in range(AUDITS)]
    assert np.mean(found) <= MOST


def test_where_better_is_just_better_the_weaker_of_both_tests_seldom_accuses():
    rng = np.random.default_rng(6)
    accused = []
    for _ in range(AUDITS):
        sample = draw_pairs(rng, 200, length_by_quality=0.4)
        data = observed(verdict_frame(sample, judge(rng, sample, Truth(slot=0.8))), pairs_of(sample))
        features = pair_features(data)
        rows = length_rows(data.wide.scopes[0], features)
        fits = [
            fit_length(rows, features, sampler(data), quality=True, outcome="choice"),
            fit_length(rows, features, sampler(data), quality=True, outcome="odds", latent=True),
        ]
        accused.append(_tests(*fits)[0].p_value <= 0.05)
    assert np.mean(accused) <= MOST


@pytest.mark.parametrize("correlation", [0.3, 0.6])
def test_a_fair_judge_of_longer_responses_that_are_better_by_more_is_seldom_accused(correlation):
    rng = np.random.default_rng(5)
    expected, plain = [], []
    for _ in range(AUDITS):
        quality = rng.normal(size=200)
        ratio = 0.5 * (correlation * quality + math.sqrt(1 - correlation**2) * rng.normal(size=200))
        longer = np.exp(ratio / 2)
        lengths = {"length_a": np.round(500 * longer).astype(int), "length_b": np.round(500 / longer).astype(int)}
        sample = Sample(gold=np.sign(quality), own=np.zeros(200, dtype=int), group=np.arange(200) // 2, **lengths)
        log_odds = (1.5 * quality + 0.5 * rng.normal(size=200))[:, None] + 0.5 * np.array([1, -1])
        data = observed(verdict_frame(sample, rng.random((200, 2)) < 1 / (1 + np.exp(-log_odds))), pairs_of(sample))
        features = pair_features(data)
        rows = length_rows(data.wide.scopes[0], features)
        for store, latent in ((expected, True), (plain, False)):
            fit = fit_length(rows, features, sampler(data), outcome="odds", quality=True, latent=latent)
            store.append(fit.regression.term(LENGTH).test.p_value <= 0.05)
    assert np.mean(expected) <= MOST
    assert np.mean(plain) > 2 * MOST, "what the gold side alone would do"


def test_length_that_goes_with_the_slot_of_a_single_order_is_told_apart():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(AUDITS):
        sample = draw_pairs(rng, 200)
        # One order a pair: mostly the longer response first, and the judge leans to the first slot.
        first_is_a = (sample.log_ratio > 0) ^ (rng.random(200) < 0.25)
        chose = judge(rng, sample, Truth(slot=1.0))
        frame = verdict_frame(sample, chose)
        keep = np.concatenate([first_is_a, ~first_is_a])
        data = observed(frame.filter(keep), pairs_of(sample))
        features = pair_features(data)
        rows = length_rows(data.wide.scopes[0], features)
        fit = fit_length(rows, features, sampler(data), outcome="choice", quality=True)
        found.append(fit.regression.term(LENGTH).test.p_value <= 0.05)
    assert np.mean(found) <= MOST


def test_without_author_terms_self_preference_would_pass_for_verbosity():
    rng = np.random.default_rng(2)
    truth, options = Truth(own=1.2), {"by_own": 0.4}
    accused = [fitted(rng, truth, **options).term(LENGTH).test.p_value <= 0.05 for _ in range(100)]
    assert np.mean(accused) > 0.5


@pytest.mark.parametrize("strength", [0.6, 1.2])
def test_a_planted_length_effect_is_recovered_in_log_odds(strength):
    rng = np.random.default_rng(3)
    truth = Truth(length=strength, slot=0.7, own=0.8, noise=0.0)
    options = {"by_quality": 0.3, "by_own": 0.3, "authors": True, "outcome": "odds"}
    fits = [fitted(rng, truth, **options) for _ in range(200)]
    terms = [fit.term(LENGTH) for fit in fits]
    covered = [term.estimate.interval.low <= strength <= term.estimate.interval.high for term in terms]
    assert np.mean([term.estimate.value for term in terms]) == pytest.approx(strength, abs=0.08)
    assert np.mean(covered) >= 0.91
    # Slots are half units: a lean of .7 to either side is 1.4 between them.
    assert np.mean([fit.term(SLOT).estimate.value for fit in fits]) == pytest.approx(1.4, abs=0.08)


def test_points_per_doubling_are_what_a_doubling_does():
    rng = np.random.default_rng(4)
    strength = 0.5
    effects = [
        fitted(rng, Truth(quality=0.0, length=strength, noise=0.0)).term(LENGTH).estimate.value * math.log(2)
        for _ in range(100)
    ]
    doubling = 1 / (1 + math.exp(-strength * math.log(2))) - 0.5
    assert np.mean(effects) == pytest.approx(doubling, abs=0.01)
