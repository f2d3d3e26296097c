"""What a triage says: every sentence with its number, and no claim that the figures don't carry."""

from dataclasses import replace

import pytest

from evenhand.report.triage_view import build_triage_view
from evenhand.stats import Estimate
from report.triage_reports import saved_policy, triage_report


def view(policy=None, **asked):
    return build_triage_view(replace(triage_report(**asked), policy=policy))


def said(made):
    head = made.headline
    return " ".join((head.verdict, head.lead, *head.meaning, *head.next_steps, *made.notes))


def test_a_good_score_under_a_budget():
    made, report = view(budget=0.3), triage_report(budget=0.3)
    assert (made.headline.status, made.headline.verdict) == ("steady", "probe finds more flips than chance")
    missed = report.point("probe", 0.3).missed
    assert f"misses {missed.value * 100:.1f} %" in made.headline.lead
    assert "saves 35.0 % of the judgments" in made.headline.lead
    assert "a random choice of as many misses 70.0 %" in made.headline.lead


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ({"useless": True}, "sensitive", "fewer flips than chance"),
        ({"score": "random"}, "described", "Chance"),
        ({"score": "confidence"}, None, "chance"),
    ],
)
def test_other_scores_under_a_budget(asked, status, words):
    head = view(budget=0.3, **asked).headline
    assert words in head.verdict
    if status is None:
        gain = triage_report(budget=0.3, **asked).point("confidence", 0.3).against_random
        assert isinstance(gain, Estimate)
        status = "steady" if gain.interval.high < 0 else "undecided"
    assert head.status == status


def test_a_promise_names_what_it_saves_and_what_others_need():
    made, report = view(max_missed=0.2), triage_report(max_missed=0.2)
    own = report.guarantee("probe")[0]
    assert made.headline.status == "steady"
    saved = f"{report.saving * 100:.1f} % of the judgments saved with at most 20 % of the flips missed"
    assert made.headline.verdict == f"{saved}, in expectation"
    assert f"{own.mean_missed * 100:.1f} % of the flips were missed" in made.headline.lead
    assert "for the same promise: confidence" in made.headline.lead
    assert "approximate" not in said(made)


def test_a_promise_with_high_probability_says_so():
    assert view(max_missed=0.5, delta=0.2).headline.verdict.endswith("of the flips missed, with probability 80 %")


def test_what_isnt_proved_is_said():
    made = view(max_missed=0.2, exact=False)
    assert made.headline.verdict.endswith("of the flips missed: approximate, not proved")
    assert made.headline.status == "described"
    text = said(made)
    assert "The promise is approximate: see the notes." in text
    assert "Approximate, not proved: the promises of probe." in text


def test_a_useless_score_and_too_few_flips():
    assert view(max_missed=0.2, useless=True).headline.verdict == "probe saves no more than chance would"
    few = view(max_missed=0.001).headline
    assert (few.status, few.verdict) == ("undecided", "Too few flips to promise anything: every pair is swapped")


def test_time_and_leaderboard_are_told_or_refused():
    text = said(view())
    assert "Net time saved by probe, 30 % swapped, extraction included" in text
    assert "largest error of an author’s win rate" in text
    without = said(view(seconds=False, authors=False))
    assert "No net time: untold." in without
    assert "Against full swapping A’s win rate is off by" in without


def test_what_to_do_next():
    assert "--save" in view().headline.next_steps[0]
    saved = view(saved_policy()).headline.next_steps
    assert "probe score is at least 0.25" in saved[0]
    assert "in expectation, at most 10 % of the flips are missed" in saved[0]
    assert "--swap selective" in saved[1]
    assert "doesn’t take" in view(saved_policy(raw=True)).headline.next_steps[1]


def test_notes_and_tables():
    made = view()
    assert "a note of the run" in made.notes
    assert any("combined can’t be used: too few" in note for note in made.notes)
    assert made.table("budgets") is made.tables[0]
    assert made.table("nothing") is None
    assert "planted" in made.subtitle
