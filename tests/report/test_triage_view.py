"""What a triage says: every sentence with its number, and no claim that the figures don't carry."""

from dataclasses import replace

import pytest

from evenhand.report.triage_view import build_triage_view
from evenhand.stats import Estimate, Interval, Refusal
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
    useless = view(max_missed=0.2, useless=True).headline
    assert useless.verdict == "probe is not shown to save more than chance", "four splits tell little"
    assert "Swap every pair" in useless.next_steps[0], "no policy is advised that is worth nothing"
    few = view(max_missed=0.001).headline
    assert (few.status, few.verdict) == ("undecided", "Too few flips to promise anything: every pair is swapped")
    saved = view(saved_policy(), max_missed=0.001).headline
    assert saved.verdict.startswith(
        "Too few flips in the splits to test a promise; the saved policy, calibrated on all 9"
    )


def test_a_score_that_is_worse_than_chance_is_called_so():
    report = triage_report(max_missed=0.2)
    (own,) = dict(report.guarantees)["probe"]
    worse = replace(own, against_chance=replace(own.against_chance, low=0.01, high=0.2))
    others = tuple((name, found) for name, found in report.guarantees if name != "probe")
    head = build_triage_view(replace(report, guarantees=(("probe", (worse,)), *others))).headline
    assert (head.status, head.verdict) == ("sensitive", "probe saves less than chance would")


def test_a_saving_over_chance_is_claimed_only_where_it_is_clear():
    report = triage_report(max_missed=0.2)
    promises = dict(report.guarantees)
    (own,) = promises["probe"]
    unclear = replace(own, against_chance=replace(own.against_chance, high=0.01))
    head = build_triage_view(
        replace(report, guarantees=tuple({**promises, "probe": (unclear,)}.items()), policy=None)
    ).headline
    assert (head.status, head.verdict) == ("undecided", "probe is not shown to save more than chance")
    assert "Swap every pair" in head.next_steps[0]
    refused = replace(own, against_chance=Refusal(reason="one split has no spread", n=1))
    head = build_triage_view(replace(report, guarantees=tuple({**promises, "probe": (refused,)}.items()))).headline
    assert head.status == "undecided"


def test_a_better_score_in_the_table_is_named():
    said_of = said(view(score="small-margin", budget=0.3))
    better = triage_report(score="small-margin", budget=0.3).point("probe", 0.3).missed.value
    assert f"probe misses fewer flips with 30 % swapped: {better * 100:.1f} %" in said_of
    assert "probe swaps fewer for the same promise" in said(view(score="small-margin", max_missed=0.2))
    assert "misses fewer flips with" not in said(view(budget=0.3))


def test_nothing_discriminative_is_said_at_an_extreme_flip_rate():
    for asked in ({"budget": 0.3}, {"max_missed": 0.2}, {}):
        report = triage_report(**asked)
        few = build_triage_view(replace(report, flips=7, unranked="the flip rate is 0.029: nothing")).headline
        assert (few.status, few.verdict) == ("undecided", "Too few pairs flip (2.9 %) to say that probe finds flips")
        many = build_triage_view(replace(report, flips=236, unranked="the flip rate is .983")).headline
        assert many.verdict == "Nearly every pair flips: 98.3 %, too many to say that probe finds flips"


def test_small_margins_that_flip_less_are_a_lean():
    report = triage_report(score="random", budget=0.3)
    worse = Estimate(value=0.1, interval=Interval(low=0.02, high=0.2), n=9)
    budgets = tuple(replace(p, against_random=worse) if p.score == "small-margin" else p for p in report.budgets)
    made = build_triage_view(replace(report, budgets=budgets))
    assert "Small margins flip less than large ones here: a large margin is this judge’s lean to a slot." in said(made)


def test_nothing_is_said_of_a_probe_on_its_own_questions():
    report = triage_report(max_missed=0.2)
    scores = tuple(
        replace(s, kind="overlapping", refusal="in-sample") if s.name == "probe" else s for s in report.scores
    )
    head = build_triage_view(replace(report, scores=scores)).headline
    assert head.verdict == "Nothing can be said of this probe on the questions it was trained on"
    assert "Leave --probe out" in head.next_steps[0]
    assert "% of the judgments" not in " ".join((head.lead, *head.meaning))


def test_compliance_stands_in_the_subtitle():
    assert "7.5 % of the pairs led with a label in both orders" in (
        build_triage_view(replace(triage_report(), led=0.075)).subtitle
    )
    assert "led" not in view().subtitle


def test_pairs_of_the_probes_own_questions_are_not_called_unusable():
    report = triage_report()
    assert f"{report.pairs} usable pairs of {report.retention.planned} planned, " in view().subtitle
    some = build_triage_view(replace(report, pairs=100)).subtitle
    assert f"{report.pairs} usable pairs of" in some
    assert "100 of them of questions that didn’t train the probe" in some


def test_time_and_leaderboard_are_told_or_refused():
    text = said(view())
    assert "probe, 30 % swapped: 35.0 % of the judgments and " in text
    assert "of the time saved, extraction included; a random choice of as many saves 35.0 %." in text
    assert "largest error of an author’s win rate" in text
    without = said(view(seconds=False, authors=False))
    assert "No net time: untold." in without
    assert "Against full swapping agreement with gold differs by" in without, "A and B are arbitrary names"


def test_what_to_do_next():
    assert "--save" in view(budget=0.3).headline.next_steps[0]
    # Four splits can't tell the promise of 10 % from chance; the budget is clear.
    assert "a budget may be: with 30 % swapped probe misses fewer flips than chance" in view().headline.next_steps[0]
    report = replace(
        triage_report(budget=0.3), policy=saved_policy(), policy_swaps=0.4, use="evenhand audit --probe 'a b'"
    )
    head = build_triage_view(report).headline
    told = " ".join(head.meaning)
    assert (
        "The saved policy swaps every pair whose probe score is at least 0.25, 40.0 % of its calibration pairs." in told
    )
    assert "It missed 0 of 5 flips of these 9 pairs (in-sample: they set its threshold)." in told
    assert "Its promise: in expectation, at most 10 % of the flips are missed." in told
    assert head.next_steps == ("Use it: evenhand audit --probe 'a b'",)
    useless = replace(triage_report(budget=0.3, useless=True), policy=saved_policy())
    assert "not shown to be worth using" in build_triage_view(useless).headline.next_steps[0]


def test_notes_and_tables():
    made = view()
    assert "a note of the run" in made.notes
    assert any("combined can’t be used: too few" in note for note in made.notes)
    assert made.table("budgets") is made.tables[0]
    assert made.table("nothing") is None
    assert "planted" in made.subtitle
