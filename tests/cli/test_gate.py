import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from evenhand.cli.gate import complete_requirement
from workflow.drift_runs import failed, make_run

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs")
    make_run(root / "fair", "simulated:position=0.1", pairs=60)
    failed(root / "fair", root / "failed")
    return root


@pytest.fixture(autouse=True)
def no_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests may run in GitHub Actions themselves."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def test_every_option_is_a_requirement(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    words = [
        *("--max-flip-rate", ".9", "--min-compliance", ".5", "--min-verdict-rate", ".5", "--max-position-bias", ".6"),
        *("--min-accuracy", ".1", "--max-failures", ".02", "--require", "first_slot_rate>=.2"),
    ]
    done = evenhand("gate", runs / "fair", *words, "--readout", "generated", "--json", "--out", tmp_path)
    assert done.code == 0, done.err
    (table,) = [table for table in json.loads(done.out)["tables"] if table["id"] == "requirements"]
    assert len(table["rows"]) == 6
    assert "::" not in done.out.replace("urn:evenhand", "")


def test_a_failed_requirement_is_exit_1(evenhand: Run, runs: Path) -> None:
    done = evenhand("gate", runs / "fair", "--min-accuracy", "1", "--brief")
    assert done.code == 1
    assert "gate: fail" in done.err
    assert "Gate failed" in done.out
    assert (runs / "fair" / "gate" / "gate.html").is_file()


def test_undecided_stops_the_run_unless_allowed(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    words = ("gate", runs / "fair", "--min-verdict-rate", ".99", "--out", tmp_path, "--brief")
    stopped = evenhand(*words)
    assert stopped.code == 1
    assert "gate: undecided" in stopped.err
    assert evenhand(*words, "--allow-undecided").code == 0


def test_calls_that_all_failed_never_pass(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    words = ("--max-flip-rate", "1", "--max-failures", "1", "--allow-undecided", "--out", tmp_path)
    assert evenhand("gate", runs / "failed", *words).code == 1


def test_a_file_of_requirements(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    path = tmp_path / "evenhand-gates.toml"
    path.write_text("max_flip_rate = 0.9\n[[require]]\nmeasure = 'accuracy'\nmin = 1.0\n")
    done = evenhand("gate", runs / "fair", "--gates", path, "--out", tmp_path / "out")
    assert done.code == 1
    assert "accuracy>=1" in done.out
    path.write_text("max_flip = 0.9\n")
    done = evenhand("gate", runs / "fair", "--gates", path, "--out", tmp_path / "out")
    assert done.code == 2
    assert f"{path}, field 'max_flip': unknown key" in done.err


def test_junit(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    words = ("--min-accuracy", "1", "--max-flip-rate", ".9", "--readout", "generated", "--out", tmp_path / "out")
    path = tmp_path / "reports" / "gate.xml"
    assert evenhand("gate", runs / "fair", *words, "--junit", path).code == 1
    suite = ET.fromstring(path.read_bytes())[0]  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert [case.get("name") for case in suite] == ["answers", "flip_rate@generated<=0.9", "accuracy@generated>=1"]


def test_github(evenhand: Run, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("gate", runs / "fair", "--min-accuracy", "1", "--readout", "generated", "--out", tmp_path / "out")
    assert "::error" not in evenhand(*words).out
    assert "\n::error title=evenhand gate%3A accuracy@generated>=1::FAIL: " in evenhand(*words, "--github").out
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    told = evenhand(*words)
    assert "\n::error title=evenhand gate%3A accuracy@generated>=1::FAIL: " in told.out
    assert (tmp_path / "summary.md").read_text().startswith("# Gate")
    silent = evenhand(*words, "--no-github")
    assert "::error" not in silent.out
    as_json = evenhand(*words, "--json")
    json.loads(as_json.out)
    assert "::error title=evenhand gate%3A accuracy" in as_json.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "a gate needs a requirement"),
        (("--require", "flip_rate"), "expected MEASURE<=VALUE"),
        (("--require", "vibes<=.1"), "no measure 'vibes'"),
        (("--gates", "none.toml"), "can't be read"),
        (("--max-flip-rate", ".1", "--junit", "."), "--junit"),
        (("--max-flip-rate", ".1", "--readout", "vibes"), "readout 'vibes'"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(
    evenhand: Run, runs: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = evenhand("gate", runs / "fair", *words, "--out", tmp_path / "out")
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_no_run_is_exit_3(evenhand: Run, tmp_path: Path) -> None:
    assert evenhand("gate", tmp_path, "--max-flip-rate", ".1").code == 3


def test_completion() -> None:
    assert "flip_rate" in complete_requirement("flip")
    assert "net_shift" in complete_requirement("net")
