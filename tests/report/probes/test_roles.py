from dataclasses import replace

import pytest

from evenhand.probes import Metric, PredictorKind
from evenhand.probes.predictors import PREDICTORS
from evenhand.report.probes.roles import (
    Claim,
    claim,
    difference,
    drawn,
    label,
    main,
    noun,
    own_notes,
    shuffles,
    within_folds,
)
from evenhand.stats import Estimate, Interval, Refusal
from report.probes.examples import CONSTANT, changed, figure, make_report, pooled, shuffled


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
    assert {noun(name) for name in PREDICTORS} == {"the probe"} | {f"“{label(n)}”" for n in PREDICTORS if n != "probe"}
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
        (0.6, 0.45, 0.7, 20, True),
        (0.6, 0.45, 0.7, 4, False),
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
    untold = replace(shuffled(0.5, 0.4, 0.6), shuffles=(), permutation_p=None)
    plain = shuffles(with_control(untold))
    assert (plain.text, plain.against, plain.leaks) == ("0.500", "", False)


def test_the_true_labels_stand_against_the_shuffles():
    control = replace(shuffled(0.55, 0.4, 0.7, count=4), permutation_p=2 / 5)
    assert shuffles(with_control(control)).against == (
        "AUROC with the true labels is 0.664: 1 of 4 shuffles reach it (permutation p = 0.4; 4 shuffles can give "
        "none below 0.2, --shuffles 99 one of 0.01)."
    )


def test_the_auroc_within_folds_is_told_where_pooling_moves_it(report):
    first = report.predictors[0]
    assert within_folds(first) is None
    assert within_folds(pooled(first, 0.67)) is None, "by less than .02"
    assert within_folds(pooled(first, 0.69)) == 0.69
    assert within_folds(replace(first, within_folds=Refusal(reason="no pair to compare"))) is None
    assert own_notes(replace(pooled(first, 0.69), notes=("mine", "mine"))) == (
        "mine",
        "AUROC within the outer folds: 0.690",
    )
