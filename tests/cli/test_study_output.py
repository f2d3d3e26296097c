import json
from pathlib import Path

import pytest

from evenhand.cli.study_output import finish_study
from evenhand.errors import StoreError
from evenhand.report.study.json_report import validate_study_json
from report.study.examples import COMMAND, make_study

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")


def test_the_study_is_printed_and_its_paths_come_last_and_whole(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / ("long" * 30)
    written = finish_study(make_study(), directory=folder, as_json=False, command=COMMAND)
    out, err = capsys.readouterr()
    assert "Length sways this judge" in out
    assert "Rank of each author" in out
    assert out.rstrip("\n").splitlines()[-2:] == [
        f"Report: {folder / 'biases.html'}",
        f"JSON:   {folder / 'biases.json'}",
    ]
    assert err == ""
    assert written.html.is_file()


def test_brief_prints_less_and_writes_all(tmp_path: Path, capsys: Capture) -> None:
    written = finish_study(make_study(), directory=tmp_path, as_json=False, brief=True, command=None)
    out = capsys.readouterr().out
    assert "Rank of each author" not in out
    assert "2 tables" not in out
    assert len(written.tables) == 4


def test_json_alone_is_on_stdout_and_is_what_was_written(tmp_path: Path, capsys: Capture) -> None:
    written = finish_study(make_study(), directory=tmp_path, as_json=True, command=COMMAND)
    document = json.loads(capsys.readouterr().out)
    validate_study_json(document)
    assert document["command"] == COMMAND
    assert document == json.loads(written.json.read_text(encoding="utf-8"))


def test_a_folder_that_cannot_be_made_is_an_error_before_anything_is_printed(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError):
        finish_study(make_study(), directory=tmp_path / "file", as_json=True, command=None)
    assert capsys.readouterr().out == ""
