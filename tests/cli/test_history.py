import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audits.history_examples import history
from evenhand.store.history_file import add_entry, read_history
from workflow.drift_runs import make_run

Run = Callable[..., Any]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "h.jsonl"
    for each in history(0.11, 0.2):
        add_entry(path, each)
    return path


def test_add_and_show(evenhand: Run, tmp_path: Path) -> None:
    path, run = tmp_path / "h.jsonl", make_run(tmp_path / "run", pairs=12)
    done = evenhand("history", "add", path, run, "--note", "first", "--baseline")
    assert done.code == 0, done.err
    assert "added the run of" in done.err
    assert [(entry.note, entry.baseline) for entry in read_history(path)] == [("first", True)]
    again = evenhand("history", "add", path, run)
    assert again.code == 2
    assert f"{path}, row 1: this run" in again.err
    assert evenhand("history", "add", path, run, "--replace").code == 0
    shown = evenhand("history", "show", path)
    assert shown.code == 0, shown.err
    assert "Too few runs for a control chart" in shown.out
    assert (tmp_path / "h" / "history.html").is_file()


def test_a_signal_is_exit_1_where_asked(evenhand: Run, file: Path, tmp_path: Path) -> None:
    words = ("history", "show", file, "--out", tmp_path / "out")
    shown = evenhand(*words)
    assert shown.code == 0
    assert "The newest run signals on 1 of 1 charts" in shown.out
    failed = evenhand(*words, "--fail-on-signal", "--json")
    assert failed.code == 1
    assert "the newest run signals on 1 charts" in failed.err
    assert json.loads(failed.out)["kind"] == "history"
    assert list((tmp_path / "out" / "figures").glob("history-*.svg"))
    wide = evenhand(*words, "--fail-on-signal", "--false-alarm", "0.000001")
    assert wide.code == 0


def test_a_baseline_of_other_runs(evenhand: Run, file: Path, tmp_path: Path) -> None:
    done = evenhand("history", "show", file, "--baseline", "10", "--fail-on-signal", "--out", tmp_path / "out")
    assert done.code == 0
    assert "one of the baseline" in done.out


def test_a_corrupt_line_is_named(evenhand: Run, file: Path) -> None:
    file.write_text(file.read_text() + "not json\n")
    done = evenhand("history", "show", file)
    assert done.code == 2
    assert f"{file}, row 11: not a line of JSON" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--measure", "vibes"), "no measure 'vibes'"),
        (("--readout", "vibes"), "readout 'vibes'"),
        (("--condition", "none"), "no such condition and readout"),
    ],
)
def test_mistakes(evenhand: Run, file: Path, words: tuple[str, ...], said: str) -> None:
    done = evenhand("history", "show", file, *words)
    assert done.code == 2
    assert said in done.err
    assert not file.with_suffix("").exists()


def test_what_is_no_run_and_no_file(evenhand: Run, tmp_path: Path) -> None:
    assert evenhand("history", "add", tmp_path / "h.jsonl", tmp_path).code == 3
    assert not (tmp_path / "h.jsonl").exists()
    assert evenhand("history", "show", tmp_path / "h.jsonl").code == 2
