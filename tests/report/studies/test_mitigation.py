"""The headline of a mitigation study says what the labels show, and no more."""

import numpy as np
import pytest

from evenhand.mitigation.all_effects import measure_all
from evenhand.mitigation.examples import judged
from evenhand.records import Readout
from evenhand.report.studies.mitigation import MitigationFacts, mitigation_study
from evenhand.report.study.json_report import study_json
from report.studies.tied import anchors_of

FACTS = MitigationFacts(
    runs=("runs/a",),
    judges=("j",),
    condition="c, A/B",
    readout=Readout.FIRST_TOKEN,
    labels="gold of the pairs",
    annotators=(),
    clusters="question group",
    queue=(),
    seed=0,
    resamples=100,
    notes=("A note.",),
)


def study_of(*judges, only=()):
    return mitigation_study(measure_all(judges, resamples=100, only=only), FACTS)


def biased(n=200, position=1.0, noise=0.7):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, n)
    odds = np.where(gold == 0, 0.7, -0.7)[:, None] + np.array([position, -position]) + rng.normal(0, noise, (n, 2))
    return judged(
        ["".join("AB"[int(v <= 0)] for v in row) for row in odds], gold="".join("AB"[g] for g in gold), log_odds=odds
    )


def test_what_helps_is_named_with_gain_and_cost():
    study = study_of(biased(), only=["order", "selection"])
    assert study.headline.status == "good"
    assert study.headline.verdict == "Of 3 comparisons: 2 shown to help, 1 changes no agreement"
    assert "averaged probabilities helps by +" in study.headline.lead
    assert "at 2 × the calls of one order" in study.headline.lead
    assert study.headline.meaning[0].startswith("judge: confidence-weighted helps by +"), "one a sentence, best first"
    told = " ".join(study.headline.meaning)
    assert "beware of selection" in told
    assert "Tie on conflict changes no agreement" in told
    assert any("only together with the share that is decided" in step for step in study.headline.next_steps)


def test_nothing_shown_is_undecided_and_not_good():
    study = study_of(judged(["AA"] * 20 + ["AB"] * 3, gold="AB" * 11 + "A"), only=["order"])
    assert study.headline.status == "undecided"
    assert study.headline.lead == "No mitigation is shown to bring verdicts closer to the labels."


def test_harm_is_bad():
    pairs = judged(["AA"] * 30, gold="A" * 30, alone=[[1, 2]] * 30)
    study = study_of(pairs, only=["order"])
    assert study.headline.status == "bad"
    assert "1 shown to harm" in study.headline.verdict
    assert "independent scores harms by −100" in study.headline.meaning[0]


def test_without_labels_it_fails_and_says_what_to_bring():
    study = study_of(judged(["AA", "AB"] * 10, gold="." * 20))
    assert study.headline.status == "failed"
    assert "--labels FILE" in study.headline.next_steps[0]


@pytest.mark.parametrize("orders", [["AA"] * 10, ["AT"] * 10, ["A-"] * 10, ["A."] * 10, [".."] * 10, ["--"] * 10])
def test_any_run_makes_a_valid_document(orders):
    study = study_of(judged(orders, gold="A" * 10))
    tree = study_json(study, command=None, created=None)
    assert tree["kind"] == "mitigation"
    assert study.facts[0] == ("Run 1", "runs/a")
    assert study.notes == ("A note.",)


def test_what_compares_nothing_says_why():
    alone = study_of(biased(), only=["panel"])
    assert (alone.headline.status, alone.headline.verdict) == ("described", "No mitigation was compared")
    assert alone.headline.lead == "A panel needs runs of at least 2 judges, has 1."
    cut = study_of(biased(), only=["truncation"])
    assert "--write-truncated" in cut.headline.lead
    selection = study_of(biased(), only=["selection"])
    assert selection.headline.lead == "Only what was asked for is shown."
    assert "beware of selection" in selection.headline.meaning[0]


def test_a_panel_is_told_beside_its_best_judge():
    good, bad = judged(["AA"] * 20, gold="A" * 20, judge="good"), judged(["BB"] * 20, gold="A" * 20, judge="bad")
    told = " ".join(study_of(good, bad, only=["panel"]).headline.meaning)
    assert "The best judge of the panel by these labels, good, has 100 %" in told


def test_gains_are_drawn():
    [forest] = study_of(biased(), only=["order"]).figures
    assert [row.label for row in forest.rows] == ["tie on conflict", "averaged probabilities", "confidence-weighted"]


def test_every_sentence_rests_on_the_table_that_has_its_figures():
    found = anchors_of(study_of(biased()))
    assert {anchor for text, anchor in found.items() if "beware of selection" in text} == {"table-selection"}
    assert {anchor for text, anchor in found.items() if "recalibration" in text} == {"table-calibration"}
    assert {anchor for text, anchor in found.items() if text.startswith("The cheapest")} == {"table-effects"}
    assert found["Report accuracy among decided pairs only together with the share that is decided."] == (
        "table-selection"
    )
    good = judged(["AA"] * 12 + ["AB"] * 5 + ["BB"] * 3, gold="A" * 20, judge="good")
    bad = judged(["BB"] * 14 + ["AA"] * 6, gold="A" * 20, judge="bad")
    panel = anchors_of(study_of(good, bad, only=["panel"]))
    assert {anchor for text, anchor in panel.items() if text.startswith("The best judge")} == {"table-agreement"}


def test_what_could_not_be_made_rests_on_the_reasons():
    alone = study_of(biased(), only=["panel"])
    assert anchors_of(alone)[alone.headline.lead] == "table-not-made"
    unlabelled = study_of(judged(["AA", "AB"] * 10, gold="." * 20))
    assert set(anchors_of(unlabelled).values()) == {"table-effects"}
