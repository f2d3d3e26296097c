"""``evenhand labels``: export and status."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenhand.report.study.json_report import validate_study_json
from evenhand.workflow.labelling import open_labelling
from evenhand.workflow.labelling_settings import LabelSettings
from workflow.labelled_runs import label_all, plain_pairs, prefers_a, unjudged_run

Evenhand = Callable[..., Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = unjudged_run(tmp_path_factory.mktemp("labels") / "run", plain_pairs(40))
    labelling = open_labelling([run], settings=LabelSettings(seed=1, overlap=0.5, repeats=0.25))
    for name in ("Ann", "Bob"):
        label_all(labelling, name, prefers_a, most=25)
    return run


def test_labels_go_to_stdout_or_a_file(evenhand: Evenhand, run: Path, tmp_path: Path) -> None:
    done = evenhand("labels", "export", run)
    assert done.code == 0, done.err
    rows = list(csv.DictReader(done.out.splitlines()))
    assert {row["annotator"] for row in rows} == {"Ann", "Bob"}
    path = tmp_path / "labels.jsonl"
    done = evenhand("labels", "export", run / "labels.sqlite", "--run", run, "--annotator", "Ann", "-o", path)
    assert (done.code, done.out) == (0, "")
    count = sum(row["annotator"] == "Ann" for row in rows)
    assert f"wrote {count} labels to {path}" in done.err
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert {line["annotator"] for line in lines} == {"Ann"}
    history = evenhand("labels", "export", run, "--history", "--format", "jsonl")
    assert "repeat" in {json.loads(line)["state"] for line in history.out.splitlines()}


def test_status_shows_people_and_their_agreement(evenhand: Evenhand, run: Path) -> None:
    done = evenhand("labels", "status", run, "--resamples", "200")
    assert done.code == 0, done.err
    assert "Two people agree on 100 %" in done.out
    assert "shown first" in done.out
    document = json.loads(evenhand("labels", "status", run, "--resamples", "200", "--json").out)
    assert document["kind"] == "labels"
    assert [table["id"] for table in document["tables"]] == ["among", "annotators", "twos"]


def test_status_of_several_runs_is_one_block_each(
    evenhand: Evenhand, run: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = unjudged_run(tmp_path_factory.mktemp("labels") / "other", plain_pairs(12))
    label_all(open_labelling([other], settings=LabelSettings(seed=2)), "Cy", prefers_a, most=6)
    few = ("--resamples", "100")
    done = evenhand("labels", "status", run, other, *few)
    assert done.code == 0, done.err
    assert done.out.count("Labels of people: ") == 2
    assert done.out.index("people: run ") < done.out.index("Two people agree") < done.out.index("people: other ")
    assert done.out.index("people: other ") < done.out.index("Nothing tells yet")
    documents = json.loads(evenhand("labels", "status", run, other, *few, "--json").out)
    alone = json.loads(evenhand("labels", "status", run, *few, "--json").out)
    assert [document["kind"] for document in documents] == ["labels", "labels"]
    for document in (*documents, alone):
        validate_study_json(document)
    for document in (documents[0], alone):
        del document["command"], document["created"]
    assert documents[0] == alone
    named = [next(fact["text"] for fact in each["facts"] if fact["name"] == "Labels of") for each in documents]
    assert named == [str(run), str(other)]
    twice = evenhand("labels", "status", run, other, run / ".." / run.name)
    assert (twice.code, "is named twice" in twice.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("export", "{run}", "-o", "{tmp}/l.xlsx"), 2, "ends in .csv or .jsonl"),
        (("export", "{run}", "-o", "{run}/labels.sqlite"), 2, "would replace the file that is read"),
        (("export", "{run}", "--annotator", "Cy"), 2, "'Cy' labelled nothing"),
        (("status", "{run}/labels.sqlite"), 2, "--run"),
        (("status", "{tmp}"), 3, "there are no labels"),
        (("export", "{run}/journal.sqlite"), 3, "no file of labels"),
    ],
)
def test_what_goes_wrong_is_one_line(
    evenhand: Evenhand, run: Path, tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    done = evenhand("labels", *(word.format(run=run, tmp=tmp_path) for word in words))
    assert done.code == code
    assert said in done.err
    assert len(done.err.splitlines()) == 1
