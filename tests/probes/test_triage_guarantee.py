"""Calibrate here, test there: the same splits for every score, no question on both sides, and the promise kept."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import StatisticsError
from evenhand.probes.predictors import PROBE, predictors
from evenhand.probes.triage_guarantee import calibrate, largest_group, realised, split_groups
from evenhand.probes.triage_scores import MARGIN, RANDOM, RiskScore, ScoreKind, raw_scores, refitter
from evenhand.stats import Refusal, control_risk
from probes.triage_examples import triage_data

DATA = triage_data(600)
ALPHAS = (0.1, 0.2)


def keep(score, data=DATA, *, splits=40, delta=None, alphas=ALPHAS):
    return realised(score, data, alphas=alphas, delta=delta, splits=splits, seed=7)


def frozen(values, kind=ScoreKind.FROZEN):
    return RiskScore(name="frozen", kind=kind, values=values)


def test_splits_keep_questions_whole_and_dont_see_the_order_of_rows():
    rng = np.random.default_rng
    part = split_groups(DATA.groups, (0.5, 0.25, 0.25), rng=rng(1))
    of = {g: {int(p) for p, name in zip(part, DATA.groups, strict=True) if name == g} for g in set(DATA.groups)}
    assert all(len(parts) == 1 for parts in of.values())
    counts = np.bincount([min(parts) for parts in of.values()]) / len(of)
    assert counts == pytest.approx([0.5, 0.25, 0.25], abs=0.01)
    rows = rng(0).permutation(len(DATA))
    again = split_groups([DATA.groups[i] for i in rows], (0.5, 0.25, 0.25), rng=rng(1))
    assert (again == part[rows]).all()
    assert (split_groups(DATA.groups, (0.0, 0.5, 0.5), rng=rng(1)) > 0).all()
    with pytest.raises(StatisticsError, match="add up to 1"):
        split_groups(["a"], (0.5, 0.4), rng=rng(0))


def test_the_first_split_is_calibrated_as_risk_control_says():
    score = raw_scores(DATA, seed=0)[MARGIN]
    found = keep(score, splits=1)[0]
    part = split_groups(DATA.groups, (0.0, 0.5, 0.5), rng=np.random.default_rng([7, 0]))
    known = part == 1
    expected = control_risk(
        score.values[known],
        DATA.flips[known],
        [g for g, k in zip(DATA.groups, known, strict=True) if k],
        alpha=0.1,
        largest_group=largest_group(DATA.groups),
    )
    assert found.first == expected
    new = part == 2
    left = score.values[new] < expected.threshold
    assert found.missed.count == (DATA.flips[new] & left).sum()
    assert found.swapped == pytest.approx(1 - left.mean())
    assert found.mean_missed == pytest.approx(found.missed.value)
    assert found.above in (0.0, 1.0)


def test_the_promise_is_kept_in_the_mean_over_splits():
    for score in (raw_scores(DATA, seed=0)[MARGIN], frozen(DATA.activations[next(iter(DATA.activations))][:, 0])):
        for found in keep(score):
            assert found.mean_missed <= found.alpha + 0.02
            assert found.mean_missed >= found.alpha / 3
            assert found.proved
            assert found.text.startswith("in expectation")


def test_a_better_score_swaps_less_for_the_same_promise():
    good = keep(frozen(DATA.activations[next(iter(DATA.activations))][:, 0].astype(float)))
    chance = keep(raw_scores(DATA, seed=0)[RANDOM])
    for better, worse in zip(good, chance, strict=True):
        assert better.mean_swapped < worse.mean_swapped - 0.2


def test_a_refitted_probe_is_exact_and_held_out_scores_are_not():
    probe = next(each for each in predictors(DATA) if each.name == PROBE)
    values = np.zeros(len(DATA))
    refitted = RiskScore(name="probe", kind=ScoreKind.HELD_OUT, values=values, refit=refitter(probe, DATA))
    exact = keep(refitted, splits=8)
    assert all(found.proved and not found.text.startswith("approximate") for found in exact)
    assert exact[1].mean_swapped < 0.75
    assert exact[1].mean_missed <= 0.25
    approximate = keep(frozen(values, ScoreKind.HELD_OUT), splits=2)
    assert all(not found.proved for found in approximate)
    assert approximate[0].text.startswith("approximate, not proved, because the held-out scores come from several")


def test_with_high_probability_swaps_more():
    score = raw_scores(DATA, seed=0)[MARGIN]
    for sure, plain in zip(keep(score, delta=0.1), keep(score), strict=True):
        assert sure.mean_swapped >= plain.mean_swapped
        assert sure.above <= plain.above


def test_promises_that_cant_be_made_swap_everything():
    data = triage_data(30)
    found = keep(raw_scores(data, seed=0)[MARGIN], data, alphas=(0.01,))[0]
    assert (found.infeasible, found.mean_swapped, found.mean_missed) == (1.0, 1.0, 0.0)
    assert "swapping every pair, since it needs at least" in found.text


def test_refusals():
    few = DATA.rows(np.flatnonzero(np.isin(DATA.groups, sorted(set(DATA.groups))[:7])))
    refused = keep(raw_scores(few, seed=0)[MARGIN], few)
    assert isinstance(refused, Refusal)
    assert refused.reason == "needs at least 8 questions to calibrate and test, has 7"
    steady = replace(DATA, flips=np.zeros(len(DATA), dtype=bool))
    assert keep(raw_scores(steady, seed=0)[MARGIN], steady, splits=2)[0].missed.reason == "no test pair flips"
    probe = next(each for each in predictors(steady) if each.name == PROBE)
    score = RiskScore(name="probe", kind=ScoreKind.HELD_OUT, values=np.zeros(len(DATA)), refit=refitter(probe, steady))
    assert "too few to fit on" in keep(score, steady, splits=2).reason


def test_calibration_on_all_pairs():
    score = raw_scores(DATA, seed=0)[MARGIN]
    found = calibrate(score.values, DATA, alpha=0.1, delta=None, largest=9)
    assert (found.rows, found.largest_group) == (len(DATA), 9)
    assert largest_group([]) == 1
