import json
import os
import re
from dataclasses import replace

import pytest

from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.report.study.json_report import validate_study_json
from evenhand.report.study.write import remove_study, write_study
from report.study.examples import COMMAND, CONTROL, CREATED, EFFECTS, LEADERBOARD, make_empty, make_study


def files_of(directory):
    return {path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()}


EVERY = {
    "biases.json",
    "biases.html",
    "biases.md",
    *(f"tables/biases-{table}.{form}" for table in ("summary", "leaderboard") for form in ("csv", "tex")),
    *(f"figures/biases-{figure}.svg" for figure in ("effects", "control", "swaps")),
}
PLAIN = replace(make_study(), figures=())
PLAIN_FILES = {name for name in EVERY if not name.startswith("figures/")}


def test_every_file_is_written_and_whole(tmp_path):
    written = write_study(tmp_path / "out", make_study(), command=COMMAND, created=CREATED)
    assert files_of(tmp_path / "out") == EVERY
    document = json.loads(written.json.read_text(encoding="utf-8"))
    validate_study_json(document)
    assert (document["command"], document["created"]) == (COMMAND, CREATED)
    assert written.html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert written.markdown.read_text(encoding="utf-8").startswith("# simulated:verbosity=1")
    assert len(written.tables) == 4
    assert len(written.figures) == 3
    assert written.tables[0].read_bytes().startswith(b"audit,effect,effect_low")
    assert r"\toprule" in written.tables[1].read_text(encoding="utf-8")


def test_same_input_same_bytes(tmp_path):
    for name in "ab":
        write_study(tmp_path / name, make_study(), command=COMMAND, created=CREATED)
    for file in files_of(tmp_path / "a"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_studies_of_several_kinds_share_a_folder(tmp_path):
    write_study(tmp_path, PLAIN)
    write_study(tmp_path, replace(PLAIN, kind="ranking"))
    write_study(tmp_path, make_empty())
    assert files_of(tmp_path) > PLAIN_FILES | {"ranking.json", "gate.html", "tables/gate-summary.csv"}


def test_files_of_an_earlier_study_of_the_kind_go_and_nothing_else(tmp_path):
    write_study(tmp_path, replace(make_study(), figures=(CONTROL, EFFECTS)), figure_formats=("svg", "png"))
    write_study(tmp_path, replace(make_study(), kind="ranking", figures=(EFFECTS,)))
    mine = ("tables/biases-mine.csv", "figures/biases-mine.svg", "tables/notes.txt", "figures/biases-effects.ai")
    for name in mine:
        (tmp_path / name).write_text("mine", encoding="utf-8")
    ranking = {name for name in files_of(tmp_path) if "ranking" in name}
    write_study(tmp_path, replace(make_study(), tables=(LEADERBOARD,), figures=(CONTROL,)))
    assert files_of(tmp_path) == {
        *mine,
        *ranking,
        "biases.json",
        "biases.html",
        "biases.md",
        "tables/biases-leaderboard.csv",
        "tables/biases-leaderboard.tex",
        "figures/biases-control.svg",
    }


@pytest.mark.parametrize(
    "earlier",
    [
        "not json",
        "[1, 2]",
        '{"kind": "ranking", "schema_version": 1, "tables": [{"id": "mine"}]}',
        '{"kind": "biases", "tables": [{"id": "mine"}]}',
        '{"kind": "biases", "schema_version": 1, "tables": {"id": "mine"}}',
        '{"kind": "biases", "schema_version": 1, "tables": [{"id": 3}, "mine"]}',
        "[" * 100_000,
    ],
)
def test_a_file_that_is_no_study_of_the_kind_removes_nothing(tmp_path, earlier):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "biases-mine.csv").write_text("mine", encoding="utf-8")
    (tmp_path / "biases.json").write_text(earlier, encoding="utf-8")
    write_study(tmp_path, PLAIN)
    assert files_of(tmp_path) == PLAIN_FILES | {"tables/biases-mine.csv"}


def test_an_earlier_study_s_ids_reach_no_other_folder(tmp_path):
    (tmp_path / "precious.csv").write_text("mine", encoding="utf-8")
    hostile = {"kind": "biases", "schema_version": 1, "tables": [{"id": "/../../../precious"}, {"id": "../precious"}]}
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "biases.json").write_text(json.dumps(hostile), encoding="utf-8")
    write_study(tmp_path / "out", PLAIN)
    assert (tmp_path / "precious.csv").read_text(encoding="utf-8") == "mine"


def test_an_empty_study_is_written_without_figures(tmp_path):
    written = write_study(tmp_path, make_empty())
    assert written.figures == ()
    assert files_of(tmp_path) == {
        "gate.json",
        "gate.html",
        "gate.md",
        "tables/gate-summary.csv",
        "tables/gate-summary.tex",
    }
    assert "It has no rows" in written.html.read_text(encoding="utf-8")
    bare = write_study(tmp_path / "bare", replace(make_empty(), tables=(), figures=()))
    assert bare.tables == ()
    assert bare.html.is_file()


def test_hostile_text_names_no_path_and_runs_nowhere(hostile_study, tmp_path):
    written = write_study(tmp_path / "out", hostile_study)
    assert files_of(tmp_path) == {f"out/{name}" for name in files_of(tmp_path / "out")}
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert re.fullmatch(r"[a-z0-9._-]+", path.name)
            assert path.stat().st_size < 1_500_000
            text = path.read_bytes().decode("utf-8")
            assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text), path
    latex = written.tables[1].read_text(encoding="utf-8")
    assert "\\input" not in latex
    assert latex.count(r"\begin{") == latex.count(r"\end{") == 2


def test_nothing_is_written_where_something_is_wrong_before(tmp_path):
    with pytest.raises(ConfigError, match="'gif'"):
        write_study(tmp_path / "a", make_study(), figure_formats=("gif",))
    with pytest.raises(DataError, match="kind"):
        write_study(tmp_path / "b", replace(make_study(), kind=""))
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="can't write the study to"):
        write_study(tmp_path / "file", make_study())


def test_no_half_file_is_left(tmp_path, monkeypatch):
    write_study(tmp_path, PLAIN)
    before = {name: (tmp_path / name).read_bytes() for name in files_of(tmp_path)}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        write_study(tmp_path, replace(PLAIN, title="another"))
    assert {name: (tmp_path / name).read_bytes() for name in files_of(tmp_path)} == before


def test_an_earlier_study_is_removed_by_its_own_names(tmp_path):
    write_study(tmp_path, make_study(), figure_formats=("svg", "png"))
    write_study(tmp_path, replace(PLAIN, kind="ranking"))
    (tmp_path / "tables" / "biases-mine.csv").write_text("a user's own", encoding="utf-8")
    remove_study(tmp_path, "biases")
    left = files_of(tmp_path)
    assert "tables/biases-mine.csv" in left
    assert {name for name in left if "biases" in name} == {"tables/biases-mine.csv"}
    assert {"ranking.json", "ranking.html", "ranking.md", "tables/ranking-summary.csv"} <= left


@pytest.mark.parametrize("text", ["{", "[]", '{"kind": "other", "schema_version": "1"}', '{"kind": "biases"}'])
def test_what_is_no_study_of_that_kind_is_left(tmp_path, text):
    remove_study(tmp_path, "biases")
    for name in ("biases.json", "biases.html"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    remove_study(tmp_path, "biases")
    assert files_of(tmp_path) == {"biases.json", "biases.html"}


def test_a_study_of_a_command_that_is_spared_is_left(tmp_path):
    write_study(tmp_path, PLAIN, command="evenhand biases r -o r")
    remove_study(tmp_path, "biases", spare="evenhand biases")
    assert files_of(tmp_path) == PLAIN_FILES
    remove_study(tmp_path, "biases", spare="evenhand compare")
    assert files_of(tmp_path) == set()
