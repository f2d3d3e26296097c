from dataclasses import replace

from evenhand.analysis import FindingKind
from evenhand.records import Outcome
from evenhand.report.cells import info_of
from evenhand.report.scope import POSITION_MEASURES
from evenhand.report.view import build_view
from evenhand.store import PlanCounts
from report.humans_examples import BELOW, beside, scope, split


def test_every_position_figure_stands_beside_compliance_and_repeat(view):
    labels = [column.label for column in view.table("summary").columns]
    assert labels[:5] == ["condition", "readout", "compliance, pairs", "flip rate", "repeat flip rate"]


def test_every_state_is_counted(view):
    table = view.table("outcomes")
    labels = [column.label for column in table.columns]
    assert labels[3:] == [*(outcome.value for outcome in Outcome), "all"]
    for row in table.rows:
        assert sum(cell.value for cell in row[3:-1]) == row[-1].value


def test_flags_refusals_and_caveats_are_notes_with_letters(view):
    notes = dict(view.table("measures-1").notes)
    assert set(notes.values()) == {"fewer than 30 clusters (12)", "needs at least 5 clusters, has 3"}
    flip = next(row for row in view.table("measures-1").rows if row[0].text == "flip rate")
    assert [notes[mark] for mark in flip[2].marks] == ["fewer than 30 clusters (12)"]
    assert any("treats pairs as independent" in text for _, text in view.table("tests").notes)


def test_conditions_that_differ_by_labels_alone_are_named_by_them(view):
    assert [row[0].text for row in view.table("summary").rows] == ["A/B"] * 3 + ["X/Y"] * 3
    assert view.table("conditions").rows[0][0].text == "A/B | X/Y"


def test_overlap_is_told_not_ranked(view):
    assert any("don't rank" in note for note in view.notes)


def test_unmeasured_noise_is_told(manifest, audit, counts):
    findings = tuple(f for f in audit.findings if f.kind is not FindingKind.REPEAT)
    view = build_view(manifest, replace(audit, findings=findings), counts=counts)
    assert any("Noise was not measured" in note for note in view.notes)
    assert all(row[4].detail == "noise not measured" for row in view.table("summary").rows)


def test_single_order_shows_no_position_figure(manifest, audit, counts):
    view = build_view(replace(manifest, orders="single"), audit, counts=counts)
    assert view.single_order
    assert "one order" in view.subtitle
    assert view.notes[0].startswith("Single order")
    assert len([note for note in view.notes if "osition figure" in note]) == 1
    forbidden = {info_of(name).label for name in POSITION_MEASURES}
    shown = {column.label for table in view.tables for column in table.columns}
    shown |= {row[0].text for table in view.tables for row in table.rows}
    assert not shown & forbidden
    assert not view.locks
    assert not view.differences


def test_counts_are_taken_over(manifest, audit):
    counts = PlanCounts(planned=250, finished=200, errors=20, pending=30)
    view = build_view(manifest, audit, counts=counts)
    assert view.counts == counts
    assert dict(view.setup)["presentations"] == "250 planned, 200 finished, 20 failed, 30 pending"


def test_an_empty_audit_is_a_report_too(manifest, audit):
    view = build_view(manifest, replace(audit, findings=()), counts=PlanCounts(planned=0, finished=0))
    assert view.headline.status == "failed"
    assert view.tables == ()


def test_a_figure_of_many_designs_is_not_drawn(many_designs, designed, view_of):
    many, few = view_of(many_designs), view_of(designed)
    assert not many.rates
    assert not many.differences
    assert not many.locks
    assert not many.outcomes
    assert many.effects
    assert few.rates
    assert few.effects
    assert ("prompt", "9 designs; baseline criteria=before, labels=A/B, separators=brackets") in many.setup
    assert [name for name, _ in many.reproduce].count("more prompts") == 1


def test_what_was_put_in_the_judge_s_mouth_is_said(remedied, budgeted, view_of):
    prefill = remedied.manifest.conditions[0].prefill
    assert ("prefill", f"“{prefill}”") in view_of(remedied).setup
    assert ("text asked of", "50.0 % of the pairs, drawn at random") in view_of(budgeted).setup


def test_every_new_kind_is_told_at_the_top(remedied, designed, view_of):
    told = " ".join(view_of(remedied).headline.meaning)
    assert "A prefill makes the judge" in told
    assert "Held to a label" in told
    assert "the labels have less than half of the probability" in told
    grid = view_of(designed).headline
    assert sum("move compliance" in sentence for sentence in grid.meaning) == 1
    assert sum("move flips" in sentence for sentence in grid.meaning) == 1
    assert any(step.startswith("Highest compliance seen among 6 designs") for step in grid.next_steps)


def test_people_are_a_section_with_numbered_tables_that_the_headline_rests_on(manifest, audit, counts):
    names = [condition.id for condition in manifest.conditions]
    made = beside(*(scope(condition=name, gap=BELOW, by_flip=split(-0.4, -0.1)) for name in names))
    view = build_view(manifest, audit, counts=counts, humans=made)
    assert view.humans is not None
    assert [table.id for table in view.humans.tables] == [
        f"judge-and-humans-{name}" for name in ("agreement", "people", "by-flip")
    ]
    # Conditions are called what the rest of the report calls them.
    assert [row[0].text for row in view.humans.tables[0].rows] == ["A/B", "X/Y"]
    said = next(claim for claim in (*view.headline.doubt, *view.headline.more) if "one more person" in claim.text)
    assert said.basis is not None
    assert (said.basis.name, said.basis.anchor) == ("Table H1", "table-judge-and-humans-agreement")
    assert {claim.basis.name for claim in view.humans.headline.more if claim.basis} == {
        "Table H1",
        "Table H2",
        "Table H3",
    }


def test_a_run_without_labels_has_no_such_section(view):
    assert view.humans is None
    assert not any("human" in anchor for anchor in view.numbers)
