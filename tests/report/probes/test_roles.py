from dataclasses import replace

import numpy as np
import pytest

from evenhand.probes import Metric, PredictorKind
from evenhand.probes.evaluate import HeldOut, evaluate
from evenhand.probes.predictors import PREDICTORS
from evenhand.probes.shuffled import shuffled_result
from evenhand.report.probes.roles import (
    Claim,
    claim,
    difference,
    drawn,
    folds_note,
    label,
    main,
    noun,
    shuffles,
    within_folds,
)
from evenhand.stats import Estimate, Interval, Refusal
from report.probes.examples import CONSTANT, around, changed, figure, make_report, shuffled


@pytest.mark.parametrize(
    ("estimate", "null", "less", "expected"),
    [
        (figure(0.66, 0.6, 0.72), 0.5, False, Claim.BETTER),
        (figure(0.66, 0.49, 0.72), 0.5, False, Claim.NOT_SHOWN),
        (figure(0.66, 0.5, 0.72), 0.5, False, Claim.NOT_SHOWN),
        (figure(0.41, 0.33, 0.49), 0.5, False, Claim.WORSE),
        (figure(-0.02, -0.03, -0.01), 0.0, True, Claim.BETTER),
        (figure(0.02, 0.01, 0.03), 0.0, True, Claim.WORSE),
        (Estimate(value=0.99, interval=None, n=9), 0.5, False, Claim.NOT_SHOWN),
        (Estimate(value=0.9, interval=Interval(low=0.9, high=0.9), n=9), 0.5, False, Claim.NOT_SHOWN),
        (Estimate(value=float("nan"), interval=None, n=9), 0.5, False, Claim.REFUSED),
        (Refusal(reason="no flips"), 0.5, False, Claim.REFUSED),
        (None, 0.5, False, Claim.REFUSED),
    ],
)
def test_a_claim_needs_an_interval_that_leaves_the_null_out(estimate, null, less, expected):
    assert claim(estimate, null=null, less_is_better=less) is expected


def test_the_report_is_about_the_probe_then_the_combined_features(report):
    assert main(report).name == "probe"
    absent = Refusal(reason="no activation before the verdict was collected")
    without = replace(
        report,
        predictors=tuple(
            replace(p, metrics=tuple((m, absent) for m, _ in p.metrics)) if p.name.startswith("probe") else p
            for p in report.predictors
        ),
    )
    assert main(without).name == "combined"
    assert main(replace(report, predictors=report.predictors[1:3])).name == "confidence"
    controls = tuple(p for p in report.predictors if p.kind is PredictorKind.CONTROL)
    assert main(replace(report, predictors=controls)) is None


def test_a_refused_ranking_is_still_about_the_probe(report):
    assert main(changed(report, "probe", CONSTANT)).name == "probe"


def test_differences_are_found_by_direction(report):
    assert difference(report, "probe", "confidence", Metric.AUROC).value == 0.041
    assert difference(report, "confidence", "probe", Metric.AUROC) is None
    assert difference(report, "probe", "confidence", Metric.AUPRC) is None


def test_drawn_gives_the_main_predictor_first_and_each_once(report):
    assert [p.name for p in drawn(report, ("combined", "probe", "nobody"))] == ["probe", "combined"]


def test_every_known_predictor_has_a_name_that_can_wrap():
    assert all("-" not in label(name) for name in PREDICTORS if name != "no-signal")
    assert noun("a\x1b]0;b") == "“a[U+001B]]0;b”"


def with_control(control):
    report = make_report()
    return replace(report, predictors=(*(p for p in report.predictors if p.name != "shuffled-labels"), control))


@pytest.mark.parametrize(
    ("mean", "low", "high", "count", "leaks"),
    [
        (0.497, 0.431, 0.561, 20, False),
        (0.531, 0.502, 0.56, 20, True),
        (0.531, 0.502, 0.56, 4, False),
        (0.6, 0.45, 0.7, 4, True),
        (0.44, 0.4, 0.48, 20, False),
    ],
)
def test_shuffled_labels_leak_where_all_shuffles_rank_or_their_mean_is_high(mean, low, high, count, leaks):
    found = shuffles(with_control(shuffled(mean, low, high, count=count)))
    assert found.leaks is leaks
    assert found.text == f"{mean:.3f} ({count} shuffles, {low:.3f} to {high:.3f})"


def test_no_control_no_shuffles(report):
    assert shuffles(replace(report, predictors=report.predictors[:3])) is None
    assert shuffles(changed(report, "shuffled-labels", CONSTANT)) is None
    plain = shuffles(changed(report, "shuffled-labels", around(0.5)))
    assert (plain.count, plain.text, plain.leaks) == (None, "0.500", False)


def test_the_control_of_the_probes_package_is_understood():
    """Its range is told in a flag: a change of its words must be seen here."""
    rng = np.random.default_rng(1)
    flips = rng.random(200) < 0.4
    made = shuffled_result(
        lambda label_sets: rng.random(label_sets.shape),
        flips,
        choices=np.zeros(200, dtype=np.int8),
        groups=[str(i) for i in range(200)],
        features=(),
        repeats=6,
        rng=rng,
    )
    found = shuffles(with_control(made))
    assert found.count == 6
    assert found.low <= round(found.mean, 3) <= found.high


def test_the_note_of_pooled_folds_is_understood():
    """A predictor that ranks well within folds whose levels run against their flip rates."""
    rng = np.random.default_rng(2)
    folds = np.repeat([0, 1], 100)
    flips = rng.random(200) < np.where(folds == 0, 0.7, 0.3)
    p = np.clip(0.5 * rng.random(200) + 0.1 * flips + np.where(folds == 0, 0.0, 0.3), 0, 1)
    held = HeldOut(name="probe", kind=PredictorKind.PROBE, features=(), probabilities=p)
    made = evaluate(
        [held],
        flips=flips,
        choices=np.zeros(200, dtype=np.int8),
        groups=[str(i) for i in range(200)],
        folds=folds,
        rng=rng,
        resamples=100,
    ).predictor("probe")
    assert within_folds(made) > made.metric(Metric.AUROC).value + 0.02
    assert within_folds(replace(made, notes=("without confidence: none asked",))) is None
    assert folds_note("a" * 10_000) is None
