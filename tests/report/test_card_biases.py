from __future__ import annotations

from dataclasses import replace

from evenhand.analysis import Measure
from evenhand.report.card_biases import NOT_ANALYSED, card_biases
from report.studies.bias_examples import LACKING, SHOWN, finding, p_values, result, run_of
from report.studies.bias_examples import estimate as made


def test_each_audit_has_its_findings_with_the_main_figure_first() -> None:
    run = run_of(SHOWN)
    [entry] = card_biases(run.manifest, run.audit)
    assert (entry["audit"], entry["without"]) == ("sycophancy", None)
    [found] = entry["findings"]  # type: ignore[misc]
    assert (found["comparison"], found["condition"], found["readout"]) == ("endorsement=user", "p, A/B", "generated")
    assert (found["pairs"], found["presentations"]) == (100, 400)
    assert list(found["figures"]) == ["net_shift", "toward_beyond_noise"]
    assert found["figures"]["net_shift"]["value"] == 0.12
    assert (found["test"]["p_value"], found["test_adjusted"]["p_value"]) == (1e-5, 2e-5)


def test_the_main_figure_is_the_one_that_is_tested() -> None:
    joint = finding(
        "order x length",
        made(0.4, 0.3, 0.5),
        p_values(0.5),
        audit="interaction",
        measure="joint_shift",
        more=(Measure(name="excess_shift", estimate=made(0.01, -0.1, 0.12)),),
    )
    run = run_of(joint)
    [found] = card_biases(run.manifest, run.audit)[1]["findings"]  # type: ignore[misc]
    assert list(found["figures"]) == ["excess_shift"]


def test_an_unadjusted_test_is_no_adjusted_one() -> None:
    run = run_of(finding("x", made(0.1, 0.0, 0.2), p_values(0.03)))
    [found] = card_biases(run.manifest, run.audit)[0]["findings"]  # type: ignore[misc]
    assert found["test_adjusted"] is None


def test_an_audit_without_findings_says_why() -> None:
    run = run_of(replace(LACKING, measures=(), notes=("The audit found nothing to look at in this run.",)))
    asked, looked = card_biases(run.manifest, run.audit)
    assert asked == {"audit": "sycophancy", "findings": [], "without": NOT_ANALYSED}
    assert looked == {
        "audit": "tone",
        "findings": [],
        "without": "The audit found nothing to look at in this run.",
    }


def test_a_refusal_is_a_figure_that_says_so() -> None:
    run = run_of(LACKING)
    [found] = card_biases(run.manifest, run.audit)[1]["findings"]  # type: ignore[misc]
    assert found["figures"]["net_shift"] == {"refused": "needs at least 5 clusters, has 3", "n": 0}
    assert (found["test"], found["test_adjusted"]) == (None, None)


def test_a_run_without_bias_audits_has_an_empty_list() -> None:
    run = run_of()
    assert card_biases(replace(run.manifest, biases=()), None) == []
    assert card_biases(run.manifest, result()) == [{"audit": "sycophancy", "findings": [], "without": NOT_ANALYSED}]
