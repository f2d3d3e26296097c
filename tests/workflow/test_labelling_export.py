"""Exported labels are a label file: humans and mitigate read them, and no cell is a formula."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

import evenhand
from evenhand.datasets.labels import read_labels
from evenhand.errors import ConfigError, StoreError
from evenhand.records import Preference
from evenhand.store.label_store_records import Choice
from evenhand.workflow.labelling import Labelling, open_labelling
from evenhand.workflow.labelling_export import COLUMNS, export_labels
from evenhand.workflow.labelling_settings import LabelSettings
from workflow.labelled_runs import label_all, plain_pairs, prefers_a, unjudged_run
from workflow.ranked_runs import authored_pairs, ranked_run

SETTINGS = LabelSettings(seed=1, overlap=0.5, repeats=0.1)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judged run that two people labelled: Ann is always right, Bob skips every fifth pair."""
    run = ranked_run(tmp_path_factory.mktemp("labelled") / "run")
    gold = {pair.id: pair.gold for pair in authored_pairs()}
    labelling = open_labelling([run], settings=SETTINGS)

    def right(showing):
        return (
            prefers_a(showing)
            if gold[showing.pair_id] is Preference.A
            else prefers_a(replace(showing, shown_order=showing.shown_order.swapped))
        )

    label_all(labelling, "Ann", right, most=80)
    label_all(labelling, "Bob", lambda s: Choice.SKIP if int(s.pair_id[1:]) % 5 == 0 else right(s))
    return run


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_humans_and_mitigate_read_what_was_exported(judged: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"labels.{ending}"
    made = evenhand.export_labels(judged, path)
    gold = {pair.id: pair.gold for pair in authored_pairs()}
    read = read_labels(path, gold)
    assert len(read.labels) == made.labels > 100
    assert read.annotators == ("Ann", "Bob")
    assert all(label.preference == gold[label.pair_id] for label in read.labels)
    assert read.empty == sum(made.counts.values()) - made.labels > 0
    humans = evenhand.compare_with_humans(judged, path, resamples=100)
    assert humans.labelled == len({label.pair_id for label in read.labels})
    assert evenhand.mitigate(judged, labels=path, only=["order"], resamples=100).labels is not None


def test_history_adds_what_does_not_count(judged: Path, tmp_path: Path) -> None:
    plain = export_labels(judged, tmp_path / "a.csv")
    whole = export_labels(judged, tmp_path / "b.csv", history=True)
    assert whole.labels == plain.labels
    assert whole.counts["repeat"] > 0
    known = {pair.id for pair in authored_pairs()}
    a, b = (read_labels(tmp_path / name, known) for name in ("a.csv", "b.csv"))
    assert [(x.pair_id, x.annotator, x.preference) for x in a.labels] == [
        (x.pair_id, x.annotator, x.preference) for x in b.labels
    ]


def test_columns_say_how_a_label_came_about(judged: Path) -> None:
    rows = list(csv.DictReader(export_labels(judged, annotators=["Bob"], history=True).text.splitlines()))
    assert tuple(rows[0]) == COLUMNS
    assert {row["annotator"] for row in rows} == {"Bob"}
    assert {row["drawn"] for row in rows} == {"shared", "random", "repeat"}
    assert {row["shown_order"] for row in rows} == {"AB", "BA"}
    for row in rows:
        first = "A" if row["shown_order"] == "AB" else "B"
        if row["state"] == "label":
            assert (row["choice"] == "first") == (row["preference"] == first)
        else:
            assert row["preference"] == ""
    skipped = [row for row in rows if row["choice"] == "skip"]
    assert skipped
    assert {row["state"] for row in skipped} == {"skipped"}


@pytest.fixture
def hostile(tmp_path: Path) -> Labelling:
    names = ["=1+1", "-x", "@y", "+z", 'q",\n"', "'=known", "plain"]
    pairs = [replace(pair, id=name) for pair, name in zip(plain_pairs(len(names)), names, strict=True)]
    labelling = open_labelling([unjudged_run(tmp_path / "run", pairs)], settings=SETTINGS)
    session = labelling.store.enter("s", "Ann")
    assert session.annotator is not None
    for number in range(len(names)):
        showing = labelling.next(session.annotator)
        assert showing is not None
        labelling.store.label(session, showing, Choice.TIE, form=str(number), note='=HYPERLINK(1)\nline, "two"')
    return labelling


def test_no_cell_is_a_formula_and_every_id_comes_back(hostile: Labelling, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    run = tmp_path / "run"
    made = export_labels(run, path)
    cells = [cell for row in csv.reader(made.text.splitlines(keepends=True)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert {label.pair_id for label in read_labels(path, hostile.pairs.ids).labels} == set(hostile.pairs.ids)
    lines = [json.loads(line) for line in export_labels(run, form="jsonl").text.splitlines()]
    assert {line["pair_id"] for line in lines} == set(hostile.pairs.ids)
    assert {line["note"] for line in lines} == {'=HYPERLINK(1)\nline, "two"'}


def test_a_pair_that_changed_keeps_its_label_without_a_preference(tmp_path: Path) -> None:
    pairs = plain_pairs(6)
    path = tmp_path / "labels.sqlite"
    label_all(open_labelling([unjudged_run(tmp_path / "one", pairs)], path), "Ann", prefers_a)
    changed = [replace(pairs[0], instruction="other"), *pairs[1:]]
    made = export_labels(path, runs=[unjudged_run(tmp_path / "two", changed)])
    rows = {row["pair_id"]: row for row in csv.DictReader(made.text.splitlines())}
    assert (rows["id-of-0"]["state"], rows["id-of-0"]["preference"]) == ("changed", "")
    assert rows["id-of-0"]["choice"] in ("first", "second")
    assert [row["preference"] for name, row in rows.items() if name != "id-of-0"] == ["A"] * 5


def test_what_cannot_be_exported_is_said(judged: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ends in \.csv or \.jsonl"):
        export_labels(judged, tmp_path / "labels.xlsx")
    with pytest.raises(ConfigError, match=r"'Cy' labelled nothing .* it has Ann, Bob"):
        export_labels(judged, annotators=["Cy"])
    with pytest.raises(StoreError, match="no such file"):
        export_labels(unjudged_run(tmp_path / "run", plain_pairs(2)))
