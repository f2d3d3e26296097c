import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def run(evenhand: Run, tmp_path: Path) -> Path:
    """A finished run."""
    done = evenhand("audit", "--judge", "simulated:position=1.5", "--limit", 6, "--out", tmp_path / "run", "--quiet")
    assert done.code == 0
    return tmp_path / "run"


def test_the_report_is_written_again_into_the_run(evenhand: Run, run: Path) -> None:
    before = json.loads((run / "audit.json").read_text(encoding="utf-8"))
    (run / "report.html").unlink()
    done = evenhand("report", run, "--json")
    assert done.code == 0
    assert (run / "report.html").is_file()
    assert json.loads(done.out)["findings"] == before["findings"]


def test_or_elsewhere_and_then_the_run_is_left_alone(evenhand: Run, run: Path, tmp_path: Path) -> None:
    (run / "report.html").unlink()
    done = evenhand("report", run, "--out", tmp_path / "elsewhere")
    assert done.code == 0
    assert (tmp_path / "elsewhere" / "report.html").is_file()
    assert not (run / "report.html").exists()
    assert f"Report: {tmp_path / 'elsewhere' / 'report.html'}" in done.out


def test_level_and_resamples_may_be_others(evenhand: Run, run: Path) -> None:
    done = evenhand("report", run, "--json", "--level", 0.8, "--resamples", 150)
    assert done.code == 0
    audit = json.loads(done.out)
    assert (audit["intervals"]["level"], audit["intervals"]["resamples"]) == (0.8, 150)


def test_brief_is_shorter(evenhand: Run, run: Path) -> None:
    whole, brief = evenhand("report", run), evenhand("report", run, "--brief")
    assert 0 < len(brief.out) < len(whole.out)


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_what_is_no_run_is_one_clear_line(evenhand: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    done = evenhand("report", tmp_path / name)
    assert done.code in (2, 3)
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert name in done.err
