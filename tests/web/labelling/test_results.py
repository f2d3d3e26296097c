"""Results stand behind a step, and a look at them is remembered."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from evenhand.datasets.labels import read_labels
from evenhand.store.label_store import LabelStore
from evenhand.workflow.humans import compare_with_humans
from evenhand.workflow.labelling import open_labelling
from evenhand.workflow.labelling_settings import LabelSettings
from web.labelling.served import Annotator, annotator, served
from workflow.labelled_runs import label_all, prefers_a
from workflow.ranked_runs import ranked_run

RESULTS = (
    "/label/agreement",
    "/label/agreement/judges",
    "/label/agreement/live",
    "/label/labels.csv",
    "/label/labels.jsonl",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = ranked_run(tmp_path_factory.mktemp("results") / "run")
    labelling = open_labelling([run], settings=LabelSettings(seed=1, overlap=0.5, repeats=0.1))
    for name in ("Ann", "Bob"):
        label_all(labelling, name, prefers_a, most=60)
    return run


@pytest.fixture
def app(run: Path, tmp_path: Path) -> Any:
    """The same run, with labels of its own."""
    labels = tmp_path / "labels.sqlite"
    labels.write_bytes((run / "labels.sqlite").read_bytes())
    made = served(run, labels=labels)
    made.state.labels = labels
    return made


@pytest.mark.parametrize("path", RESULTS)
def test_nobody_sees_results_by_accident(app: Any, path: str) -> None:
    one = annotator(app)
    for name in (None, "Ann", "Newcomer"):  # nobody yet, somebody with labels, somebody without
        if name is not None:
            one.get("/label/")
            one.enter(name)
        text = one.get(path)
        assert "May you see results?" in text
        assert "simulated" not in text
        assert "Krippendorff" not in text
        if name is not None:
            one.post("/label/leave")


def test_a_look_is_recorded_and_marks_what_comes_after(app: Any) -> None:
    store = LabelStore(app.state.labels)
    before = len(store.events())
    ann = annotator(app)
    ann.enter("Cy")
    assert "left for you" in ann.get("/label/agreement")
    ann.post("/label/results")
    assert ann.address == "/label/agreement"
    assert "Krippendorff" in ann.page.text
    ann.post("/label/next")
    ann.say("first")
    after = store.events()[before:]
    assert [event.after_results for event in after] == [True]
    assert not any(event.after_results for event in store.events()[:before])
    assert "not blind: 1." in ann.get("/label/agreement")


def test_whoever_looks_without_a_name_and_labels_at_the_same_browser_is_marked_too(app: Any) -> None:
    one = annotator(app)
    one.get("/label/agreement")
    one.post("/label/results")
    assert "How far people agree" in one.page.text
    one.get("/label/")
    one.enter("Dee")
    one.say("first")
    assert LabelStore(app.state.labels).events()[-1].after_results


def seen(app: Any) -> Annotator:
    one = annotator(app)
    one.get("/label/agreement")
    one.post("/label/results")
    return one


def test_the_page_has_the_figures_of_the_labels(app: Any) -> None:
    text = seen(app).page.text
    assert "pairs have a label that counts, by 2 annotators" in text
    for title in ("People among themselves", "Each annotator", "Every two annotators", "chose the one shown first"):
        assert title in text
    assert ">100 %" in text  # both always prefer A


def test_figures_follow_the_labels(app: Any) -> None:
    one, other = seen(app), annotator(app)
    before = json.loads(one.get("/label/agreement/live"))["version"]
    assert f'data-version="{before}"' in one.get("/label/agreement")
    other.enter("Eve")
    other.say("tie")
    assert json.loads(one.get("/label/agreement/live"))["version"] > before
    assert ">Eve<" in one.get("/label/agreement")


def test_judges_beside_people_are_those_of_humans(app: Any, run: Path, tmp_path: Path) -> None:
    one = seen(app)
    text = one.get("/label/agreement/judges")
    path = tmp_path / "labels.csv"
    path.write_text(one.get("/label/labels.csv"), encoding="utf-8", newline="")
    study = compare_with_humans(run, path).study()
    assert f"<h1>{study.headline.verdict}</h1>" in text
    assert study.headline.lead in text
    for index, table in enumerate(study.tables, start=1):
        assert f">Table {index}. {table.title}<" in text
    said = 1 + len(study.headline.more)
    links = re.findall(r' <a href="#((?:table-)?[a-z-]+)">(?:Table \d+|Notes)</a></', text)
    assert len(links) == said >= 2  # each sentence is tied to a table
    for anchor in links:
        assert f'id="{anchor}"' in text


def test_without_labels_no_judge_is_compared_and_no_file_named(run: Path, tmp_path: Path) -> None:
    one = seen(served(run, labels=tmp_path / "none.sqlite"))
    text = one.get("/label/agreement/judges")
    assert "No judge can be compared" in text
    assert "/tmp" not in text  # noqa: S108 - looked for


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_the_download_is_a_label_file(app: Any, run: Path, tmp_path: Path, form: str) -> None:
    one = seen(app)
    text = one.get(f"/label/labels.{form}")
    assert one.page.headers["content-disposition"] == f'attachment; filename="labels.{form}"'
    path = tmp_path / f"labels.{form}"
    path.write_bytes(one.page.content)
    known = open_labelling([run], app.state.labels).pairs.ids
    assert len(read_labels(path, known).labels) > 100
    rows = list(csv.DictReader(text.splitlines())) if form == "csv" else [json.loads(x) for x in text.splitlines()]
    assert {row["annotator"] for row in rows} == {"Ann", "Bob"}


def test_a_server_of_labelling_alone_shows_no_verdict_to_anybody(run: Path, tmp_path: Path) -> None:
    one = seen(served(run, labels=tmp_path / "l.sqlite", label_only=True))
    assert "/label/agreement/judges" not in one.page.text
    one.get("/label/agreement/judges")
    assert one.page.status_code == 404
