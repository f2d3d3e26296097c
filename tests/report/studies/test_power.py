"""A power plan as a study: its numbers are the plan's, and where the audit needs more than the formula it says so."""

from dataclasses import replace

import pytest

from evenhand.report.studies.power import power_study, scaled_pairs
from evenhand.report.studies.power_plan import QUESTIONS, SimulatedCheck
from evenhand.report.study.json_report import study_json, validate_study_json
from evenhand.report.study.markdown import study_markdown
from evenhand.report.study.view import build_study_view
from evenhand.stats import Estimate, Interval, Refusal
from evenhand.workflow.simulate_power import simulate_power
from evenhand.workflow.simulate_settings import PowerSettings
from report.studies.tied import anchors_of


def plan(question="shift", **settings):
    return simulate_power(PowerSettings(**{"question": question, "effect": 0.1, **settings}))


def estimate(value, low, high):
    return Estimate(value=value, interval=Interval(low=low, high=high), n=200, clusters=200)


def checked(made, found, *, width=None):
    half = estimate(0.1, 0.099, 0.101) if width is None else width
    check = SimulatedCheck(
        pairs=made.at,
        runs=200,
        found=found,
        false=estimate(0.04, 0.02, 0.07),
        estimate=half,
        truth=0.1,
        test="it rejects",
    )
    return replace(made, simulated=check)


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_makes_a_valid_study_that_can_be_printed(question):
    made = plan(question)
    study = power_study(made)
    validate_study_json(study_json(study))
    text = study_markdown(build_study_view(study))
    assert f"{made.needed.pairs:,} pairs" in text
    answer = study.table("answer")
    assert answer.rows[0][:3] == ("pairs needed", made.needed.pairs, made.needed.pairs * made.judgments_per_pair)
    assert study.headline.status == "described"


def test_a_check_within_its_own_error_changes_nothing():
    made = checked(plan(), estimate(0.77, 0.71, 0.83))
    assert scaled_pairs(made) is None
    assert scaled_pairs(plan()) is None
    assert any(
        "Of 200 simulated audits of that size 77.0 % [71.0, 83.0] found it." in m
        for m in power_study(made).headline.meaning
    )


def test_a_check_below_the_power_asks_for_more():
    made = checked(plan(), estimate(0.6, 0.53, 0.67))
    more = scaled_pairs(made)
    # (1.96 + .84)² / (1.96 + .25)²
    assert more / made.at == pytest.approx(1.604, abs=0.03)
    assert any(f"Plan for {more:,} pairs" in step for step in power_study(made).headline.next_steps)


def test_a_flip_rate_is_scaled_by_the_width_of_its_intervals():
    made = checked(plan("flip-rate"), estimate(0.1, 0.06, 0.15), width=estimate(0.12, 0.118, 0.122))
    assert scaled_pairs(made) == round(made.at * 1.44)
    narrow = checked(plan("flip-rate"), estimate(0.6, 0.5, 0.7), width=estimate(0.1, 0.099, 0.101))
    assert scaled_pairs(narrow) is None


def test_no_number_of_pairs_is_a_failure_that_is_said():
    made = replace(plan(), needed=Refusal(reason="needs more than 1,000,000,000 pairs"), at=None, detectable=None)
    study = power_study(made)
    assert study.headline.status == "failed"
    assert "1,000,000,000" in study.headline.lead
    assert study.table("answer").rows == (("pairs needed", made.needed, None, 0.1, 0.8),)


def test_several_tests_and_clusters_are_explained():
    study = power_study(plan(tests=5, pairs_per_question=3, icc=0.5))
    assert any("5 tests share the level: each is planned at 99 %" in note for note in study.notes)
    assert any("3 pairs a question with a correlation of 0.5 tell as much as 50 %" in m for m in study.headline.meaning)


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_sentence_rests_on_the_plan_the_check_or_the_assumptions(question):
    made = plan(question, pairs_per_question=3.0, icc=0.5)
    found = anchors_of(power_study(checked(made, estimate(0.5, 0.45, 0.55))))
    assert set(found.values()) <= {"table-answer", "table-simulated", "reproduce"}
    assert [found[text] for text in found if text.startswith("3 pairs a question")] == ["reproduce"]
    assert [found[text] for text in found if text.startswith("Of ")] == ["table-simulated"]
