from dataclasses import replace

from evenhand.probes import Metric
from evenhand.report.probes import sentences
from evenhand.report.probes.roles import Claim
from evenhand.stats import Estimate, Refusal
from report.probes.examples import TOO_FEW, changed, compared, figure, make_report


def probe(report):
    return report.predictor("probe")


def test_beyond_names_clear_differences_and_the_rest(report):
    added, beyond = sentences.beyond(report, probe(report))
    assert added.endswith("+0.030 [−0.010, +0.070]: activations are not shown to add to them.")
    assert beyond.startswith("Beyond the paper (“Will the Judge Flip?”, 2026), AUROC of the probe: minus ")
    assert "minus “boosted trees” +0.044 [+0.004, +0.081]" in beyond
    assert "not shown to differ from “probe with features”" in beyond
    assert "not adjusted for their number" in beyond


def test_activations_can_add_to_the_features(report):
    more = compared(report, "probe-with-features", "combined", figure(0.05, 0.01, 0.09))
    assert sentences.beyond(more, probe(more))[0].endswith("activations add to them.")
    assert sentences.beyond(replace(report, differences=()), probe(report)) == []


def test_learning_gives_both_ends_in_order_of_pairs(report):
    shuffled = replace(report, learning_curve=report.learning_curve[::-1])
    (sentence,) = sentences.learning_curve(shuffled, probe(report))
    assert sentence == "Fitted on 58 pairs its AUROC is 0.560 [0.500, 0.620], on 463 pairs 0.664 [0.604, 0.724]."
    one = replace(report, learning_curve=report.learning_curve[:1])
    assert sentences.learning_curve(one, probe(report)) == []


def test_refused_points_are_no_ends_of_the_curve(report):
    first = replace(report.learning_curve[0], metrics=((Metric.AUROC, TOO_FEW),))
    (sentence,) = sentences.learning_curve(
        replace(report, learning_curve=(first, *report.learning_curve[1:])), probe(report)
    )
    assert sentence.startswith("Fitted on 116 pairs")


def test_all_others_that_are_better_are_named(report):
    weak = changed(report, "probe", figure(0.5, 0.44, 0.56))
    (sentence,) = sentences.others_better(weak, probe(weak), probe(weak).metric(Metric.AUROC))
    assert sentence.startswith("Better than chance, each by its own interval: “confidence” 0.580 [0.520")
    assert sentence.count("“") == 6
    assert "“AB choice” 0.600 [0.540, 0.660], “combined” 0.610" in sentence


def test_why_there_is_no_figure():
    assert sentences.why(None) == "it was not computed"
    assert sentences.why(Estimate(value=float("nan"), interval=None, n=1)) == "not a finite number"
    assert sentences.why(Refusal(reason="a\x1b[0m")) == "a[U+001B][0m"


def test_claims_without_a_difference_are_refused(report):
    assert sentences.auroc_claim(report, probe(report), "nobody") is Claim.REFUSED


def test_nothing_lost_nothing_said():
    report = make_report()
    none = replace(report, retention=replace(report.retention, lost=()))
    assert sentences.lost_pairs(none) == []
    assert sentences.lost_pairs(report)[0].startswith("Not usable: 24 (AB: no confidence line), 17 (BA: ")


def test_leak_is_silent_at_chance(report):
    assert sentences.leak_warning(report) == ""
    assert sentences.retention_sentence(report) == "Usable: 579 of 620 pairs (93.4 %)."
