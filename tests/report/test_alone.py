"""A log that was graded response by response, from its file to every surface: nothing speaks of slots."""

import json
import re
import shutil
from dataclasses import replace

import pytest

import evenhand
from evenhand.analysis import FindingKind
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.records import Readout
from evenhand.report.alone import alone
from evenhand.report.card import validate_card
from evenhand.report.card_text import card_rows
from evenhand.report.scope import judged_alone, scopes_of
from evenhand.stats import Estimate, Refusal
from evenhand.store import PlanCounts
from evenhand.store.manifest_json import manifest_from_json, manifest_to_json
from evenhand.workflow.compare import compare_runs
from evenhand.workflow.humans import compare_with_humans
from evenhand.workflow.judged_run import judged_run
from evenhand.workflow.judges import report_runs
from report.findings import audit, finding

PAIRS = 90
TIES = 6
WRONG = 12


def rows():
    """Gold wins but in 12; 6 are ties, which count as wrong."""
    for i in range(PAIRS):
        chosen = 0.0 if i < TIES else 1.0 if i >= TIES + WRONG else -1.0
        yield {
            "id": i,
            "subset": "ours",
            "prompt": f"Name prime {i}.",
            "text_chosen": "Seven.",
            "text_rejected": "Nine.",
            "model": "scorer",
            "results": int(chosen > 0),
            "scores_chosen": chosen,
            "scores_rejected": 0.0,
        }


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    directory = tmp_path_factory.mktemp("alone")
    log = directory / "scores.jsonl"
    log.write_text("\n".join(map(json.dumps, rows())), encoding="utf-8")
    return evenhand.import_log("rewardbench", log, out=directory / "run", pairs="by-score")


@pytest.fixture(scope="module")
def view(run):
    return run.view()


def test_the_audit_refuses_slots_and_gives_the_accuracy_of_all_pairs(run):
    [found] = run.audit.select(FindingKind.READOUT)
    assert found.measure("first_slot_rate") == Refusal(reason=NO_SLOTS)
    assert found.measure("accuracy_ab") is None
    accuracy = found.measure("accuracy_alone")
    assert isinstance(accuracy, Estimate)
    assert (accuracy.count, accuracy.n) == (PAIRS - TIES - WRONG, PAIRS)
    assert judged_alone(scopes_of(run.audit))


def test_the_headline_tells_preferences_and_agreement_and_no_order(view):
    head = view.headline
    assert head.status == "described"
    assert head.verdict == "Each response was judged by itself: position bias can't arise, and isn't measured"
    assert head.lead.startswith(
        f"Of {PAIRS} pairs that were made of its scores, {PAIRS - TIES} have a preferred response"
    )
    assert f"{TIES} are ties" in head.lead
    assert "80.0 %" in head.lead
    assert "80.0 %" in head.trust[0].text
    assert "first slot" not in " ".join((head.lead, *head.meaning, *head.next_steps))
    assert "both orders" in head.next_steps[0]


def test_no_figure_and_no_cell_has_a_number_of_slots(view):
    assert view.outcomes == ()
    assert not any("slot" in point.label for point in view.rates)
    tables = {table.id: table for table in view.tables}
    assert "first-slot rate" not in [column.label for column in tables["summary"].columns]
    labels = [column.label for column in tables["outcomes"].columns]
    assert labels[2:4] == ["preferred", "tie"]
    assert not {"first", "second", "order"} & set(labels)
    assert [cell.text for cell in tables["outcomes"].rows[0][2:4]] == [str(PAIRS - TIES), str(TIES)]
    [row] = [row for row in tables["measures-1"].rows if row[0].text == "first-slot rate"]
    assert [cell.value for cell in row[1:]] == [None]


def test_the_card_refuses_slots_and_is_valid(view):
    validate_card(view.card)
    [readout] = view.card["conditions"][0]["readouts"]
    assert readout["outcomes"]["preferred"] == PAIRS - TIES
    assert readout["outcomes"]["first"] == readout["outcomes"]["second"] == {"refused": f"no order: {NO_SLOTS}", "n": 0}
    assert readout["flip_rate"]["refused"].startswith("no order")


def test_the_files_hold_no_rate_of_slots(run):
    written = run.write_report()
    page = written.html.read_text("utf-8")
    assert not re.search(r"first-slot rate[^—]{0,80}\d+\.\d %", re.sub(r"<[^>]+>", " ", page))
    assert "not given: judged alone | — | — |" in written.card_markdown.read_text("utf-8")


def test_beside_people_no_sentence_speaks_of_an_order(run, tmp_path):
    """It said that each pair was shown in one order, and what that order did to its verdict."""
    labels = tmp_path / "labels.csv"
    said = ["pair_id,preference,annotator"]
    said += [f"{pair},{'AB'[(i % 9) == who]},h{who}" for i, pair in enumerate(pair_ids(run)) for who in range(2)]
    labels.write_text("\n".join(said), encoding="utf-8")
    view = evenhand.open_run(run.directory, labels=labels).view()
    humans = next(iter(evenhand.open_run(run.directory, labels=labels).humans.scopes))
    assert [each.first for each in humans.judge.against_consensus] == ["its scores"]
    assert humans.by_flip is None
    assert view.humans is not None
    study = evenhand.open_run(run.directory, labels=labels).human_study()
    compared = compare_with_humans(run.directory, labels).study()
    for notes in (" ".join(study.notes), " ".join(compared.notes)):
        assert "shown in one order" not in notes
        assert "what its two scores make" in notes
    assert "one order" not in dict(card_rows(view.card))["data"]
    assert "each response judged by itself" in dict(card_rows(view.card))["data"]


def pair_ids(run):
    return sorted(run.to_polars()["pair_id"].unique().to_list())


def test_beside_other_judges_no_slot_is_counted(run, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(run.directory, other)
    [states] = [t for t in report_runs([run.directory, other]).study().tables if t.id == "states"]
    names = [column.name for column in states.columns]
    for row in states.rows:
        cells = dict(zip(names, row, strict=True))
        assert (cells["preferred"], cells["first"], cells["second"], cells["tie"]) == (PAIRS - TIES, None, None, TIES)


def test_two_of_them_are_compared_by_figures_that_name_no_order(run, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(run.directory, other)
    study = compare_runs(run.directory, other).study()
    [changes] = [t for t in study.tables if t.id == "changes"]
    known = [row for row in changes.rows if any(isinstance(cell, Estimate) for cell in row)]
    assert known
    assert not [cell for row in known for cell in row if isinstance(cell, str) and "order" in cell]


def test_a_mitigation_says_that_the_order_asked_is_none(run):
    assert any(NO_SLOTS in note and "what a pair's two scores make" in note for note in judged_run(run.directory).notes)


def test_it_is_told_by_the_manifest_which_an_older_run_hasn_t_got(run):
    assert run.manifest.slots_seen is False
    assert evenhand.open_run(run.directory).manifest.slots_seen is False
    known = json.loads(manifest_to_json(run.manifest))
    del known["slots_seen"]
    assert manifest_from_json(json.dumps(known)) == replace(run.manifest, slots_seen=True)


def test_pairs_without_a_verdict_are_counted():
    lone = finding(readout=Readout.LOGGED, first_slot_rate=Refusal(reason=NO_SLOTS))
    told = alone(scopes_of(audit(lone)), PlanCounts(planned=10, finished=8, errors=2))
    assert any("2 of 10 entries failed" in claim.text for claim in told.doubt)


@pytest.mark.parametrize("other", [Refusal(reason="no observations"), (0.4, 0.6), None])
def test_another_refusal_or_a_rate_is_no_such_log(other):
    own = {} if other is None else {"first_slot_rate": other}
    assert not judged_alone(scopes_of(audit(finding(readout=Readout.LOGGED, **own))))
    assert not judged_alone(())
