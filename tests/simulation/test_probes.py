"""Probes where the answer is known: a planted direction, none, one within groups, and one of the choice alone."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from evenhand.probes import Metric
from evenhand.probes.candidates import Candidate
from evenhand.probes.evaluate import evaluate
from evenhand.probes.fitting import Folding, held_out
from evenhand.probes.folds import grouped_folds
from evenhand.probes.nested_cv import nested_predictions, nested_predictions_of
from evenhand.probes.predictors import COMBINED, PREDICTORS, PROBE, SHUFFLED, Feature, predictors
from evenhand.probes.results import PredictorKind
from evenhand.probes.shuffled import shuffle_labels
from evenhand.stats import Refusal, auroc, bootstrap_scores, choice_matched_auroc
from evenhand.workflow.probe_fit import fit_probes
from evenhand.workflow.probe_settings import FitSettings
from probes.planted import Plant, planted

pytestmark = pytest.mark.simulation

PENALTIES = (1e-3, 1e-1, 1.0)


def bayes_brier(delta, rate):
    def squares(x):
        p = 1 / (1 + np.exp(-(delta * x - delta**2 / 2 + np.log(rate / (1 - rate)))))
        return rate * stats.norm.pdf(x - delta) * (1 - p) ** 2 + (1 - rate) * stats.norm.pdf(x) * p**2

    return quad(squares, -9, 9 + delta)[0]


def nested(x, flips, groups, *, folds=5, seed=0, penalties=PENALTIES):
    outer = grouped_folds(groups, folds=folds, seed=seed)
    found = nested_predictions(
        [Candidate(name="x", features=x)], flips, groups, outer=outer, seed=seed, penalties=penalties
    )
    return found.probabilities, outer


@pytest.mark.parametrize("delta", [0.5, 1.0, 2.0])
def test_a_planted_direction_is_recovered_up_to_what_is_possible(delta):
    # Many pairs and few dimensions: the fit is near the best rule, the rest is sampling error.
    data = planted(Plant(n=3000, groups=2500, size=8, delta=delta, seed=1))
    probe = next(each for each in predictors(data) if each.name == PROBE)
    folding = Folding(groups=data.groups, outer=grouped_folds(data.groups, folds=5, seed=0), penalties=PENALTIES)
    found = held_out(probe, data.flips, folding)
    figures = evaluate(
        [found],
        flips=data.flips,
        choices=data.choice_ab,
        groups=data.groups,
        folds=folding.outer,
        rng=np.random.default_rng(0),
        resamples=300,
    ).predictor(PROBE)
    best = stats.norm.cdf(delta / np.sqrt(2))
    recovered = figures.metric(Metric.AUROC)
    # Three standard errors of 3,000 pairs, read from the interval, and a little for the directions not known exactly.
    error = (recovered.interval.high - recovered.interval.low) / 3.92
    assert best - 3 * error - 0.01 <= recovered.value <= best + 3 * error
    brier = figures.metric(Metric.BRIER)
    error = (brier.interval.high - brier.interval.low) / 3.92
    assert brier.value == pytest.approx(bayes_brier(delta, 0.4), abs=3 * error + 0.002)
    # No choice was planted: matching it changes nothing.
    assert figures.metric(Metric.CHOICE_MATCHED).value == pytest.approx(recovered.value, abs=0.01)
    assert {each.candidate for each in found.selections} == {"before-verdict@4"}


def test_where_nothing_is_planted_folds_are_at_chance_and_pooled_below_it():
    """Intervals hold the fits fixed, so that they hold .5 less often than they say; the p of shuffled labels is exact.

    Measured with 150 to 300 sets of 120 to 500 pairs and 1 to 256 dimensions: AUROC within folds averages .49 to .50
    and its 95 % interval holds .5 in .82 to .88 of the sets; over all folds together it averages .43 (one dimension,
    120 pairs) to .49, and the interval lies above .5 in .01 to .06. With a signal (AUROC .57 to .72) the interval holds
    the mean in .81 to .87: the AUROC varies 1.3 to 1.6 times as much as the interval says.
    """
    rng = np.random.default_rng(0)
    within, pooled, covered, above = [], [], [], []
    for seed in range(300):
        groups = [f"q{i % 90}" for i in range(120)]
        flips = rng.random(120) < 0.4
        probabilities, outer = nested(rng.normal(size=(120, 3)), flips, groups, seed=seed, penalties=(1e-1,))
        found = bootstrap_scores({"null": probabilities}, flips, groups, choices=outer, rng=rng, resamples=200)
        matched, over_all = (found.score("null", score) for score in ("choice-matched-auroc", "auroc"))
        within.append(matched.value)
        pooled.append(over_all.value)
        covered.append(matched.interval.low <= 0.5 <= matched.interval.high)
        above.append(over_all.interval.low > 0.5)
    # A standard deviation of .08 each: .005 for the mean of 300.
    assert np.mean(within) == pytest.approx(0.5, abs=0.015)
    assert np.mean(pooled) < 0.46
    # Standard errors of .02 and .01.
    assert 0.75 <= np.mean(covered) <= 0.92
    assert np.mean(above) <= 0.06


def test_the_p_of_shuffled_labels_is_right_where_nothing_is_planted():
    rng = np.random.default_rng(1)
    first = []
    for seed in range(150):
        groups = [f"q{i % 60}" for i in range(80)]
        flips = (rng.random(60) < 0.4)[np.arange(80) % 60]
        sets = np.array([flips, *(shuffle_labels(flips, groups, rng=rng) for _ in range(9))])
        fitted = nested_predictions_of(
            [Candidate(name="x", features=rng.normal(size=(80, 3)))],
            sets,
            groups,
            outer=grouped_folds(groups, folds=5, seed=seed),
            penalties=(1e-1,),
        )
        aurocs = [auroc(each.probabilities, labels).value for each, labels in zip(fitted, sets, strict=True)]
        first.append(aurocs[0] > max(aurocs[1:]))
    # The true labels are the best of ten in one set of ten: a standard error of .024.
    assert 0.03 <= np.mean(first) <= 0.18


def test_pairs_of_one_question_leak_only_where_folds_split_questions():
    """Each question has a direction and a label of its own: known elsewhere in the question, they give it away."""
    rng = np.random.default_rng(2)
    questions = np.repeat(np.arange(60), 4)
    flips = (rng.random(60) < 0.5)[questions]
    x = 2 * rng.normal(size=(60, 100))[questions] + rng.normal(size=(240, 100))
    grouped, _ = nested(x, flips, [f"q{each}" for each in questions])
    # A group for each pair: the grouping is gone, all else is the same.
    split, _ = nested(x, flips, [f"p{i}" for i in range(240)])
    assert auroc(split, flips).value > 0.9
    assert auroc(grouped, flips).value < 0.65


def test_what_only_knows_the_choice_is_unmasked_by_matching_it():
    data = planted(Plant(n=1500, groups=1500, delta=0.0, by_choice=(0.2, 0.6), seed=3))
    folding = Folding(groups=data.groups, outer=grouped_folds(data.groups, folds=5, seed=0), penalties=PENALTIES)
    choice, combined = (
        held_out(each, data.flips, folding) for each in predictors(data) if each.name in (Feature.AB_CHOICE, COMBINED)
    )
    figures = evaluate(
        [choice, combined],
        flips=data.flips,
        choices=data.choice_ab,
        groups=data.groups,
        folds=folding.outer,
        rng=np.random.default_rng(0),
        resamples=200,
    )
    # P(B | flip) = .75, P(B | no flip) = 1/3: an AUROC of .5 + (.75 - 1/3) / 2 = .708.
    for name in (Feature.AB_CHOICE, COMBINED):
        assert figures.predictor(name).metric(Metric.AUROC).value == pytest.approx(0.708, abs=0.04)
    # The choice by itself ranks nothing within a choice; beside noise it ranks no better than chance.
    assert isinstance(figures.predictor(Feature.AB_CHOICE).metric(Metric.CHOICE_MATCHED), Refusal)
    assert figures.predictor(COMBINED).metric(Metric.CHOICE_MATCHED).value == pytest.approx(0.5, abs=0.06)


def test_shuffled_labels_bring_the_planted_direction_to_chance():
    data = planted(Plant(n=300, groups=60, size=6, delta=2.0, seed=4))
    rng = np.random.default_rng(5)
    outer = grouped_folds(data.groups, folds=5, seed=0)
    label_sets = np.array([shuffle_labels(data.flips, data.groups, rng=rng) for _ in range(40)])
    candidates = next(each for each in predictors(data) if each.name == PROBE).build()
    fitted = nested_predictions_of(candidates, label_sets, data.groups, outer=outer, penalties=PENALTIES)
    aurocs = [auroc(each.probabilities, labels).value for each, labels in zip(fitted, label_sets, strict=True)]
    within = [
        choice_matched_auroc(each.probabilities, labels, outer).value
        for each, labels in zip(fitted, label_sets, strict=True)
    ]
    # 40 shuffles with a standard deviation of .035: .006.
    assert np.mean(within) == pytest.approx(0.5, abs=0.02)
    assert np.mean(aurocs) == pytest.approx(0.48, abs=0.03)
    assert max(aurocs) < 0.65


def test_a_whole_fit_tells_signal_from_none():
    """Where only the activations know, the probe is above each baseline, and its interval above chance."""
    data = planted(Plant(n=400, groups=350, size=16, delta=1.5, seed=6))
    settings = FitSettings(penalties=PENALTIES, resamples=300, shuffles=5, learning_curve=False)
    report = fit_probes(data, settings=settings).report
    assert report.predictor(PROBE).metric(Metric.AUROC).interval.low > 0.75
    for name in PREDICTORS:
        if report.predictor(name).kind is PredictorKind.BASELINE:
            assert report.predictor(name).metric(Metric.AUROC).interval.low < 0.55
    gaps = [
        d.estimate
        for d in report.differences
        if d.predictor == PROBE
        and d.metric is Metric.AUROC
        and report.predictor(d.reference).kind is PredictorKind.BASELINE
    ]
    assert len(gaps) == 8
    assert all(gap.interval.low > 0 for gap in gaps)
    assert report.predictor(SHUFFLED).metric(Metric.AUROC).value == pytest.approx(0.48, abs=0.06)
