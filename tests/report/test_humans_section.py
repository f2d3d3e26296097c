"""A run beside people as a study: what it says first, its states, and nothing that a name could do."""

from dataclasses import replace

import pytest

from evenhand.audits.humans.beside import RunBesidePeople
from evenhand.records import RunManifest
from evenhand.report.humans_section import beside_study
from evenhand.report.study.html import render_study_html
from evenhand.report.study.json_report import study_json, validate_study_json
from evenhand.report.study.markdown import study_markdown
from evenhand.report.study.view import build_study_view
from evenhand.store import PlanCounts
from report.conftest import HOSTILE
from report.humans_examples import AS_GOOD, BELOW, FEW, OPEN, beside, scope, split
from report.studies.tied import anchors_of

DONE = PlanCounts(planned=40, finished=40)


@pytest.mark.parametrize(("gap", "status"), [(BELOW, "bad"), (AS_GOOD, "good"), (OPEN, "undecided")])
def test_the_status_is_what_the_interval_decides(manifest: RunManifest, gap: object, status: str) -> None:
    study = beside_study(manifest, beside(scope(gap=gap, by_flip=split(-0.4, -0.1))), counts=DONE)  # type: ignore[arg-type]
    assert study.headline.status == status
    assert study.headline.verdict.startswith("Agreement with people: 70.0 % [60.0, 80.0]; judge − person is ")
    assert study.headline.lead == "83 judged pairs have labels, by 3 annotators; 60 have labels of two or more."
    validate_study_json(study_json(study))
    # Every sentence rests on the table that has its figures.
    assert set(anchors_of(study).values()) == {"table-agreement", "table-people", "table-by-flip"}


@pytest.mark.parametrize(("gap", "status"), [(BELOW, "bad"), (AS_GOOD, "undecided")])
def test_nothing_is_good_while_presentations_have_no_answer(manifest: RunManifest, gap: object, status: str) -> None:
    """On the report the claim gave way to the failures, on the study's page the judge was still found good."""
    counts = PlanCounts(planned=40, finished=24, errors=16)
    study = beside_study(manifest, beside(scope(gap=gap)), counts=counts)  # type: ignore[arg-type]
    assert study.headline.status == status
    assert study.headline.meaning[0] == (
        "16 of 40 presentations of the run have no answer; the figures are of the others."
    )
    assert dict(study.facts)["Answered"] == "24 of 40 presentations"


def test_too_few_labels_say_so(manifest: RunManifest) -> None:
    study = beside_study(manifest, beside(scope(rate=FEW)), counts=DONE)
    assert study.headline.verdict == "The judge can't be held beside people yet, although they labelled"
    own = scope(rate=FEW)
    few = replace(own, people=replace(own.people, labelled=4, several=0))
    study = beside_study(manifest, beside(few), counts=DONE)
    assert study.headline.status == "failed"
    assert study.headline.verdict == "Too few labels to hold the judge beside people"
    assert any("needs at least 10 pairs rated by both, has 4" in text for text in study.headline.meaning)


def test_labels_that_cannot_be_read_are_a_sentence_and_no_table(manifest: RunManifest) -> None:
    study = beside_study(manifest, RunBesidePeople(unread="labels.sqlite: is damaged: restore it"), counts=DONE)
    assert (study.headline.status, study.tables, study.figures) == ("failed", (), ())
    assert study.headline.lead == "labels.sqlite: is damaged: restore it."
    validate_study_json(study_json(study))


def test_labels_without_a_verdict_wait(manifest: RunManifest) -> None:
    study = beside_study(manifest, beside(annotators=1), counts=DONE)
    assert study.headline.lead == "150 labels by 1 annotator wait for verdicts."


def test_what_does_not_enter_is_counted_in_the_notes(manifest: RunManifest) -> None:
    made = beside(scope(gap=OPEN), changed=2, elsewhere=5, empty=4, after_results=3, informative=6, blind=False)
    notes = " ".join(beside_study(manifest, made, counts=DONE).notes)
    for said in (
        "“can’t tell”: 7.",
        "without a preference: 4.",
        "other texts by now: 2.",
        "not judged in this run: 5.",
        "not blind: 3.",
        "flip or disagree there: 6.",
        "whether they were given blind it does not say",
        "with these annotators: other people may agree more or less",
    ):
        assert said in notes


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_names_are_shown_and_never_obeyed(manifest: RunManifest, text: str) -> None:
    own = scope(condition=text, gap=BELOW, by_flip=split(-0.4, -0.1), names=(text, f"{text}2"))
    study = beside_study(manifest, beside(own), counts=DONE)
    view = build_study_view(study)
    page, document = render_study_html(view), study_markdown(view)
    for shown in (page, document):
        assert "<script>alert" not in shown
        assert "<img src=x" not in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert len(page) < 400_000
    validate_study_json(study_json(study))
