"""``evenhand humans``: its report and its exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workflow.human_labels import human_labels
from workflow.ranked_runs import ranked_run

Evenhand = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("humans")
    ranked_run(folder / "run")
    human_labels(folder / "labels.jsonl")
    return folder


def test_the_report_says_how_far_people_agree(evenhand: Evenhand, folder: Path, tmp_path: Path) -> None:
    done = evenhand("humans", folder / "run", "--labels", folder / "labels.jsonl", "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "Judges beside people" in done.out
    assert "Win rates" in done.out
    assert (tmp_path / "out" / "humans.html").is_file()


def test_json_alone_is_on_stdout(evenhand: Evenhand, folder: Path, tmp_path: Path) -> None:
    done = evenhand("humans", folder / "run", "--labels", folder / "labels.jsonl", "--out", tmp_path / "out", "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["kind"] == "humans"
    assert [table["id"] for table in document["tables"]] == [
        "agreement",
        "ceiling",
        "people",
        "over-time",
        "trend",
        "win-rates",
    ]


def test_a_bad_row_is_named(evenhand: Evenhand, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("pair_id,preference\np0,A\np1,C\n", encoding="utf-8")
    done = evenhand("humans", folder / "run", "--labels", path)
    assert done.code == 2
    assert "labels.csv, row 3, field 'preference'" in done.err
