"""Every case that the headline tells apart; each claim beside its figure and interval."""

import re
from dataclasses import replace

import pytest

from evenhand.probes import Metric, Retention
from evenhand.records import Readout
from evenhand.report.probes.headline import build_headline
from evenhand.stats import Estimate, Refusal
from report.probes.examples import (
    CONSTANT,
    TOO_FEW,
    TOO_RARE,
    changed,
    compared,
    figure,
    make_report,
    make_transfer,
    pooled,
    refused,
    shuffled,
)


def told(report):
    head = build_headline(report)
    return " ".join((head.verdict, head.lead, *head.meaning, *head.next_steps))


def test_better_than_chance_and_not_shown_against_confidence():
    head = build_headline(make_report())
    assert head.status == "described"
    assert head.verdict == (
        "The probe ranks flips better than chance, but is not shown to be better than “confidence” or “combined”"
    )
    assert "AUROC 0.664 [0.601, 0.723]" in head.lead
    assert "Against “confidence”, the AUROC of the probe differs by +0.041 [−0.021, +0.102]: not shown" in (
        " ".join(head.meaning)
    )


def test_better_than_both():
    report = compared(make_report(), "probe", "confidence", figure(0.08, 0.03, 0.13))
    report = compared(report, "probe", "combined", figure(0.06, 0.01, 0.11))
    head = build_headline(report)
    assert head.status == "steady"
    assert head.verdict.endswith("and better than “confidence” and “combined”")


def test_better_than_the_features_where_confidence_cannot_be_compared():
    report = compared(make_report(), "probe", "confidence", CONSTANT)
    report = compared(report, "probe", "combined", figure(0.06, 0.01, 0.11))
    head = build_headline(report)
    assert head.status == "described"
    assert "better than “combined”" in head.verdict
    assert "confidence" not in head.verdict
    assert "— (ranks nothing" in " ".join(head.meaning)


def test_worse_than_a_baseline():
    head = build_headline(compared(make_report(), "probe", "combined", figure(-0.11, -0.15, -0.07)))
    assert head.status == "sensitive"
    assert head.verdict.endswith("but worse than “combined”")


@pytest.mark.parametrize("auroc", [figure(0.55, 0.48, 0.62), Estimate(value=0.91, interval=None, n=579)])
def test_not_shown_better_than_chance(auroc):
    report = changed(changed(make_report(), "probe", auroc), "confidence", figure(0.6, 0.53, 0.67))
    head = build_headline(report)
    assert (head.status, head.verdict) == ("undecided", "The probe is not shown to rank flips better than chance")
    assert "does not rule out chance" in head.lead
    assert "0.600 [0.530, 0.670]" in " ".join(head.meaning), "who is better than chance is said"
    assert head.next_steps[0].startswith(
        "To choose which pairs to swap, use “probe with features” (AUROC 0.670 [0.610,"
    )
    assert "saved as beyond/probe-with-features.json beside this report, not the probe" in head.next_steps[0]
    assert "left unswapped" not in told(report)


def test_nobody_better_than_chance():
    report = make_report()
    for predictor in report.predictors[:-2]:
        report = changed(report, predictor.name, figure(0.5, 0.44, 0.56))
    assert "No other predictor is shown to rank flips better than chance either." in build_headline(report).meaning


def test_below_chance_is_pooling_in_a_fit_and_a_finding_in_a_transfer():
    below = figure(0.41, 0.34, 0.48)
    head = build_headline(changed(make_report(), "probe", below))
    assert head.verdict == "The probe is not shown to rank flips better than chance"
    assert "0.410 [0.340, 0.480]: below chance (0.5), as those are that know little" in head.lead
    head = build_headline(changed(make_transfer(), "probe", below))
    assert head.verdict == "The transferred probe ranks flips worse than chance on these pairs"


def test_a_baseline_that_pooling_pushed_down_is_not_beaten():
    report = compared(make_report(), "probe", "confidence", figure(0.2, 0.1, 0.3))
    report = replace(
        report, predictors=tuple(pooled(p, 0.65) if p.name == "confidence" else p for p in report.predictors)
    )
    head = build_headline(report)
    assert "not shown to be better than “confidence”" in head.verdict
    assert "+0.200 [+0.100, +0.300]: better, but within folds that one has 0.650, so not shown." in " ".join(
        head.meaning
    )


@pytest.mark.parametrize("refusal", [TOO_RARE, TOO_FEW], ids=["flip rate", "groups"])
def test_a_refusal_claims_nothing(refusal):
    head = build_headline(refused(make_report(), refusal))
    assert head.status == "undecided"
    assert head.verdict == f"Not judged: {refusal.reason}"
    assert f"AUROC of the probe: — ({refusal.reason})" in head.lead
    assert "better than chance" not in told(refused(make_report(), refusal))


def test_a_control_off_chance_puts_everything_in_doubt():
    report = make_report()
    report = replace(report, predictors=(*report.predictors[:-1], shuffled(0.61, 0.55, 0.68)))
    head = build_headline(report)
    assert head.status == "failed"
    assert head.verdict.startswith("Take no figure here for real")
    assert head.meaning[0].startswith("Warning: with shuffled labels the same procedure has a mean AUROC of 0.610 (20 ")
    assert "quote nothing" in head.next_steps[0]
    assert "no more than chance" not in told(report)


def test_the_control_stands_beside_the_finding():
    said = told(make_report())
    assert "mean AUROC of 0.497 (20 shuffles, 0.431 to 0.561): no more than chance. AUROC with the true labels" in said
    assert "is 0.664: 0 of 20 shuffles reach it (permutation p = 0.048; 20 shuffles can give none below 0.048)." in said
    without = replace(make_report(), predictors=make_report().predictors[:-1])
    assert "The shuffled-label control was left out" in told(without)
    assert "shuffled" not in told(make_transfer()), "nothing is fitted there that could leak"


def test_the_choice_in_ab_may_be_all_that_it_knows():
    report = make_report()
    probe = report.predictor("probe")
    metrics = tuple((m, figure(0.51, 0.45, 0.57) if m is Metric.CHOICE_MATCHED else e) for m, e in probe.metrics)
    report = replace(report, predictors=(replace(probe, metrics=metrics), *report.predictors[1:]))
    assert "not shown to rank flips (choice-matched AUROC 0.510 [0.450, 0.570])" in told(report)
    assert "it still ranks flips: choice-matched AUROC 0.654" in told(make_report())


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(-0.02, -0.004, "are better than a constant"), (0.004, 0.02, "are worse"), (-0.01, 0.01, "are not shown")],
)
def test_probabilities_against_a_constant(low, high, said):
    made = figure((low + high) / 2, low, high)
    assert said in told(compared(make_report(), "probe", "no-signal", made, Metric.BRIER))


def test_retention_stands_beside_every_headline():
    reports = [make_report(), make_transfer(), refused(make_report(), TOO_RARE), replace(make_report(), predictors=())]
    for report in reports:
        lead = build_headline(report).lead
        assert "Usable: 579 of 620 pairs (93.4 %)." in lead
        assert "579 pairs in 470 question groups, flip rate 31.4 % [27.6, 35.4]" in lead


def test_low_retention_is_warned_of():
    report = replace(make_report(), retention=Retention(planned=620, usable=300, lost=(("AB: no verdict", 320),)))
    assert "Only 48.4 % of the pairs kept the format" in told(report)
    assert "320 (AB: no verdict)" in told(report)
    assert "kept the format" not in told(make_report())


def test_a_report_without_activations_speaks_of_the_features():
    absent = Refusal(reason="no activation before the verdict was collected")
    report = make_report()
    report = replace(
        report,
        predictors=tuple(
            replace(p, metrics=tuple((m, absent) for m, _ in p.metrics)) if p.name.startswith("probe") else p
            for p in report.predictors
        ),
    )
    head = build_headline(report)
    assert head.verdict == "“combined” ranks flips better than chance"
    assert "There is no probe: no activation before the verdict was collected." in head.meaning


def test_no_predictor_no_claim():
    head = build_headline(replace(make_report(), predictors=()))
    assert (head.status, head.verdict) == ("undecided", "No predictor was evaluated")


def test_a_transfer_says_from_where_to_where():
    report = make_transfer()
    assert build_headline(report).verdict.startswith("The transferred probe")
    assert "Fitted on 534 pairs of judgebench:gpt and applied to mt_bench without fitting anything." in told(report)


def test_what_the_intervals_of_a_fit_leave_out_is_said_beside_its_claims():
    said = "Intervals hold the fitted models fixed"
    assert said in told(make_report())
    assert said not in told(make_transfer()), "a frozen probe is one model: its interval is right"
    assert said not in told(refused(make_report(), TOO_FEW)), "no interval, nothing to say of it"


def test_no_auroc_stands_without_an_interval_or_that_it_has_none():
    for report in (make_report(), make_transfer()):
        for sentence in build_headline(report).meaning:
            for match in re.finditer(r"AUROC(?: of [^.]*? is| differs by)? ([+−]?0\.[0-9]{3})(.{2})", sentence):
                assert match[2].startswith((" [", " (")), sentence


def test_flagged_confidence_is_asked_for():
    report = changed(make_report(), "confidence", CONSTANT)
    confidence = report.predictor("confidence")
    none = replace(confidence, metrics=tuple((m, CONSTANT) for m, _ in confidence.metrics))
    report = replace(report, predictors=tuple(none if p is confidence else p for p in report.predictors))
    said = "whether the probe knows more than the judge’s stated confidence can’t be told without one"
    assert said in told(report)
    assert said not in told(make_report())
    assert said not in told(changed(report, "probe", figure(0.5, 0.44, 0.56))), "the probe knows nothing to compare"


def test_nobody_to_use_instead_then_swap_every_pair():
    report = make_report()
    for predictor in report.predictors[:-2]:
        report = changed(report, predictor.name, figure(0.5, 0.44, 0.56))
    assert build_headline(report).next_steps == (
        "Collect more pairs, or swap every pair: nothing here says which pairs can be left unswapped.",
    )


def test_trees_are_not_saved_so_not_advised():
    report = make_report()
    for predictor in report.predictors[:-2]:
        if predictor.name not in ("boosted-trees", "margin"):
            report = changed(report, predictor.name, figure(0.5, 0.44, 0.56))
    report = changed(report, "boosted-trees", figure(0.9, 0.8, 0.95))
    assert "use “margin” (AUROC 0.590 [0.530, 0.650]), saved as baselines/margin.json" in told(report)


def test_a_baseline_that_beats_a_probe_that_ranks_is_advised():
    report = compared(make_report(), "probe", "combined", figure(-0.11, -0.15, -0.07))
    assert "use “combined” (AUROC 0.610 [0.550, 0.670]), saved as baselines/combined.json" in told(report)
    assert "evenhand triage on these predictions" in told(make_report())


def test_a_transfer_says_who_saves_what_it_advises():
    report = changed(make_transfer(), "probe", figure(0.5, 0.44, 0.56))
    assert "saved as beyond/probe-with-features.json by evenhand probe fit on the training set" in told(report)


def test_differences_that_pooling_spoils_are_neither_better_nor_worse():
    report = compared(make_report(), "probe", "combined", figure(-0.11, -0.15, -0.07))
    report = replace(
        report, predictors=tuple(pooled(p, 0.72) if p.name == "combined" else p for p in report.predictors)
    )
    head = build_headline(report)
    assert "worse" not in head.verdict
    assert (
        "differs by −0.110 [−0.150, −0.070]: not comparable, since pooling the folds moves the AUROC of “combined” "
        "from 0.720 within folds to 0.610."
    ) in " ".join(head.meaning)
    assert "To choose which pairs to swap" not in told(report)


@pytest.mark.parametrize("readout", [Readout.FIRST_TOKEN, Readout.PREFILLED])
def test_compliance_stands_beside_the_flip_rate_of_first_tokens(readout):
    report = make_report()
    report = replace(report, subject=replace(report.subject, readout=readout), compliance=figure(0.076, 0.055, 0.106))
    lead = build_headline(report).lead
    assert "flip rate 31.4 % [27.6, 35.4]. The judge led with a label in both orders of 7.6 % [5.5, 10.6] of" in lead
    unknown = replace(report, compliance=Refusal(reason="first tokens are not known of every pair"))
    assert "not known: first tokens are not known of every pair." in build_headline(unknown).lead
    assert "led with a label" not in told(make_report())
    low = replace(report, retention=Retention(planned=1000, usable=579))
    assert "57.9 % of the pairs gave a verdict in both orders" in told(low)


def test_an_interval_and_a_p_that_disagree_are_reconciled():
    report = replace(make_report(), predictors=(*make_report().predictors[:-1], shuffled(0.49, 0.43, 0.56, count=99)))
    assert "That p is" not in told(report)
    weak = changed(report, "probe", figure(0.57, 0.49, 0.63))
    assert "permutation p = 0.01; 99 shuffles can give none below 0.01). That p is small although the interval" in (
        told(weak)
    )
    high = replace(shuffled(0.49, 0.43, 0.7, count=99), permutation_p=0.2)
    assert "That p is not small although" in told(replace(report, predictors=(*report.predictors[:-1], high)))


def test_shuffles_below_chance_are_an_effect_of_pooling():
    report = replace(make_report(), predictors=(*make_report().predictors[:-1], shuffled(0.343, 0.3, 0.41)))
    assert "0.343 (20 shuffles, 0.300 to 0.410): below 0.5, which pooling the folds makes of" in told(report)


def test_no_other_predictor_no_sentence_of_them():
    report = changed(make_report(), "probe", figure(0.5, 0.44, 0.56))
    report = replace(report, predictors=(report.predictors[0], *report.predictors[-2:]))
    assert "other predictor" not in told(report)
