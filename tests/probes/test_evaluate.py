"""What may be said of held-out predictions."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.probes import Metric, PredictorKind, Selection
from evenhand.probes.evaluate import POOLING_GAP, RANKING, HeldOut, evaluate, moved_by_pooling, unranked
from evenhand.probes.predictors import COMBINED, NO_SIGNAL, PROBE, SHUFFLED, TREES, WITH_FEATURES
from evenhand.stats import Estimate, Refusal, bootstrap_scores, choice_matched_auroc, cluster_rate, reliability_curve

N = 200
GROUPS = [f"q{i % 150}" for i in range(N)]
FOLDS = np.arange(N) % 150 % 5
RNG = np.random.default_rng(0)
FLIPS = RNG.random(N) < 0.4
CHOICES = (RNG.random(N) < 0.5).astype(np.int8)


def predictor(name, *, kind=PredictorKind.BASELINE, probabilities=None, signal=1.0, seed=0, **fields):
    if probabilities is None:
        noise = np.random.default_rng([seed, *name.encode()]).normal(size=N)
        probabilities = 1 / (1 + np.exp(0.4 - signal * (FLIPS - 0.4) - noise))
    return HeldOut(name=name, kind=kind, features=(name,), probabilities=probabilities, **fields)


RATES = np.array([FLIPS[fold != FOLDS].mean() for fold in range(5)])[FOLDS]
NOTHING = predictor(NO_SIGNAL, kind=PredictorKind.CONTROL, probabilities=RATES)
ALL = [
    predictor(PROBE, kind=PredictorKind.PROBE, signal=2.0),
    predictor("margin"),
    predictor(COMBINED),
    predictor(WITH_FEATURES, kind=PredictorKind.BEYOND),
    NOTHING,
]


def evaluated(found, *, flips=FLIPS, folds=FOLDS, **options):
    return evaluate(
        found,
        flips=flips,
        choices=CHOICES,
        groups=GROUPS,
        folds=folds,
        rng=np.random.default_rng(7),
        resamples=200,
        **options,
    )


def test_metrics_are_those_of_one_paired_bootstrap_over_groups() -> None:
    found = evaluated(ALL)
    expected = bootstrap_scores(
        {each.name: each.probabilities for each in ALL},
        FLIPS,
        GROUPS,
        choices=CHOICES,
        differences=[(PROBE, "margin")],
        rng=np.random.default_rng(7),
        resamples=200,
    )
    for metric in Metric:
        assert found.predictor(PROBE).metric(metric) == expected.score(PROBE, metric.value)
    by_key = {(d.predictor, d.reference, d.metric): d.estimate for d in found.differences}
    assert by_key[PROBE, "margin", Metric.AUROC] == expected.difference(PROBE, "margin", "auroc")
    assert found.flip_rate == cluster_rate(FLIPS, None, GROUPS, rng=np.random.default_rng(0))


def test_differences_are_with_no_signal_in_brier_and_from_the_probe_in_everything() -> None:
    asked = {(d.predictor, d.reference): [] for d in evaluated(ALL).differences}
    for d in evaluated(ALL).differences:
        asked[d.predictor, d.reference].append(d.metric)
    brier, everything = [Metric.BRIER], list(Metric)
    assert asked == {
        (PROBE, NO_SIGNAL): brier,
        ("margin", NO_SIGNAL): brier,
        (COMBINED, NO_SIGNAL): brier,
        (WITH_FEATURES, NO_SIGNAL): brier,
        (PROBE, "margin"): everything,
        (PROBE, COMBINED): everything,
        (PROBE, WITH_FEATURES): everything,
        (WITH_FEATURES, COMBINED): everything,
    }
    assert evaluated(ALL, compare=False).differences == ()


def test_a_predictor_that_is_the_same_within_folds_ranks_nothing() -> None:
    found = evaluated(ALL)
    reason = "ranks nothing: every pair of a fold has the same probability"
    for metric in RANKING:
        assert found.predictor(NO_SIGNAL).metric(metric) == Refusal(reason=reason, n=N)
    assert found.predictor(NO_SIGNAL).metric(Metric.BRIER).interval is not None
    # Ranked all the same it would look worse than chance, for no other reason than the folds.
    forced = bootstrap_scores({"n": RATES}, FLIPS, GROUPS, rng=np.random.default_rng(0), resamples=100)
    assert forced.score("n", "auroc").value < 0.5
    flat = predictor("flat", probabilities=np.full(N, 0.3))
    one = evaluated([flat, *ALL], folds=None)
    assert one.predictor("flat").metric(Metric.AUROC).reason == "ranks nothing: every pair has the same probability"
    gaps = [d for d in one.differences if d.reference == "flat"]
    assert [isinstance(d.estimate, Refusal) for d in gaps] == [metric in RANKING for metric in Metric]


@pytest.mark.parametrize(("folds", "where"), [(FOLDS, "every pair of a fold"), (None, "every pair")])
def test_the_choice_alone_ranks_nothing_among_pairs_of_the_same_choice(folds, where: str) -> None:
    # Its rates of the training folds: lower where the held-out fold flips more, so that folds together rank backwards.
    rates = RATES + 0.2 * CHOICES if folds is not None else 0.3 + 0.2 * CHOICES
    found = evaluated([*ALL, predictor("ab-choice", probabilities=rates)], folds=folds)
    own = dict(found.predictor("ab-choice").metrics)
    assert isinstance(own[Metric.AUROC], Estimate)
    refusal = own[Metric.CHOICE_MATCHED]
    assert isinstance(refusal, Refusal)
    assert refusal.reason == f"ranks nothing: {where} with the same choice in AB has the same probability"
    by_metric = {d.metric: d.estimate for d in found.differences if d.reference == "ab-choice"}
    assert by_metric[Metric.CHOICE_MATCHED] == refusal
    assert isinstance(by_metric[Metric.AUROC], Estimate)


@pytest.mark.parametrize(("rate", "reported"), [(0.04, False), (0.05, True), (0.95, True), (0.96, False)])
def test_nothing_discriminative_where_nearly_all_or_nearly_none_flip(rate: float, reported: bool) -> None:
    flips = np.arange(N) < rate * N
    found = evaluated(ALL, flips=flips)
    assert (unranked(flips) is None) is reported
    for each in found.predictors:
        assert isinstance(each.metric(Metric.BRIER), Estimate)
        if each.name != NO_SIGNAL:
            assert {isinstance(each.metric(metric), Estimate) for metric in RANKING} == {reported}
    for difference in found.differences:
        assert isinstance(difference.estimate, Refusal) is (difference.metric in RANKING and not reported)
    if not reported:
        assert found.predictor(PROBE).metric(Metric.AUROC).reason == (
            f"the flip rate is {rate:.3f}: nothing discriminative is reported outside of 0.05 to 0.95"
        )


def test_a_refused_predictor_is_shown_with_its_reason_and_compared_with_nothing() -> None:
    refusal = Refusal(reason="the prompt asks for no confidence", n=N)
    found = evaluated([*ALL, predictor("confidence", probabilities=refusal, notes=("a note",))])
    assert {figure for _, figure in found.predictor("confidence").metrics} == {refusal}
    assert found.predictor("confidence").calibration == refusal
    assert found.predictor("confidence").notes == ("a note",)
    assert not any("confidence" in (d.predictor, d.reference) for d in found.differences)
    nobody = evaluated([predictor(PROBE, kind=PredictorKind.PROBE, probabilities=refusal), NOTHING])
    assert nobody.differences == ()


def test_calibration_is_a_curve_of_equal_bins() -> None:
    found = evaluated(ALL).predictor(PROBE)
    assert found.calibration == reliability_curve(ALL[0].probabilities, FLIPS, bins=10, strategy="quantile")
    assert [each.n for each in found.calibration.bins] == [20] * 10


def test_what_was_selected_is_kept() -> None:
    selections = (Selection(fold=0, candidate="before-verdict@2", l2=0.1, validation_brier=0.2),)
    found = evaluated([predictor(TREES, selections=selections, notes=("a note",))]).predictor(TREES)
    assert found.selections == selections
    assert found.notes[0] == "a note"


def test_the_auroc_within_folds_is_untouched_by_their_levels() -> None:
    # Folds with more flips start lower, as fits on the other folds do.
    shifted = predictor("shifted", signal=0.2, seed=1)
    lower = np.array([FLIPS[fold == FOLDS].mean() for fold in range(5)])[FOLDS]
    moved = np.clip(shifted.probabilities - 2 * (lower - FLIPS.mean()), 0, 1)
    found = evaluated([predictor("shifted", probabilities=moved)]).predictor("shifted")
    assert found.within_folds == choice_matched_auroc(moved, FLIPS, FOLDS)
    assert found.within_folds.value > found.metric(Metric.AUROC).value + 0.02
    assert evaluated([predictor("shifted", probabilities=moved)], folds=None).predictor("shifted").within_folds is None
    assert evaluated(ALL).predictor(NO_SIGNAL).within_folds is None, "it ranks nothing"


def test_differences_that_pooling_moves_far_are_flagged() -> None:
    lower = np.array([FLIPS[fold == FOLDS].mean() for fold in range(5)])[FOLDS]
    moved = predictor("margin", signal=2.0).probabilities * 0.01 + 0.5 - (lower - FLIPS.mean())
    found = evaluated([predictor(PROBE, kind=PredictorKind.PROBE), predictor("margin", probabilities=moved)])
    margin = found.predictor("margin")
    assert abs(margin.within_folds.value - margin.metric(Metric.AUROC).value) >= POOLING_GAP
    assert moved_by_pooling(margin)
    assert not moved_by_pooling(found.predictor(PROBE))
    flagged = {d.metric: any("not comparable" in flag for flag in d.estimate.flags) for d in found.differences}
    assert flagged == {metric: metric in RANKING for metric in Metric}
    plain = evaluated(
        [predictor(PROBE, kind=PredictorKind.PROBE), predictor("margin", probabilities=moved)], folds=None
    )
    assert not any("comparable" in flag for d in plain.differences for flag in d.estimate.flags), "no folds, no pooling"


def test_shuffled_labels_are_no_predictor_to_compare_with() -> None:
    control = predictor(SHUFFLED, kind=PredictorKind.CONTROL)
    pairs = {(d.predictor, d.reference) for d in evaluated([*ALL, control]).differences}
    assert (PROBE, SHUFFLED) not in pairs
