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


def test_figures_come_in_the_formats_that_are_named(evenhand: Run, run: Path, tmp_path: Path) -> None:
    done = evenhand("report", run, "--out", tmp_path / "out", "--figures", "pdf,png,svg", "--quiet")
    assert done.code == 0
    names = {path.name for path in (tmp_path / "out" / "figures").iterdir()}
    stems = {name.rsplit(".", 1)[0] for name in names}
    assert {"rates", "slots", "flow", "outcomes"} <= stems
    assert names == {f"{stem}.{form}" for stem in stems for form in ("svg", "pdf", "png")}


def test_an_unknown_format_is_bad_usage_and_writes_nothing(evenhand: Run, run: Path, tmp_path: Path) -> None:
    done = evenhand("report", run, "--out", tmp_path / "out", "--figures", "svg,gif")
    assert (done.code, done.out) == (2, "")
    assert "figure format 'gif': expected svg, pdf or png" in done.err
    assert not (tmp_path / "out").exists()


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


@pytest.fixture
def two(evenhand: Run, tmp_path: Path) -> tuple[Path, Path]:
    """Two finished runs of judges with and without a lean, on the same pairs."""
    for name, position in (("even", 0.0), ("lean", 3.0)):
        words = ("--judge", f"simulated:position={position}", "--limit", 24, "--out", tmp_path / name, "--quiet")
        assert evenhand("audit", *words).code == 0
    return tmp_path / "even", tmp_path / "lean"


def test_of_several_runs_the_judges_are_compared(evenhand: Run, two: tuple[Path, Path]) -> None:
    done = evenhand("report", *two, "--quiet")
    assert done.code == 0, done.err
    assert "more order-consistent than simulated (lean), beyond chance" in " ".join(done.out.split())
    assert (two[0] / "judges" / "judges.html").is_file()
    assert (two[0] / "judges" / "tables" / "judges-flip-differences.csv").is_file()


def test_of_several_runs_json_is_the_document_alone(evenhand: Run, two: tuple[Path, Path], tmp_path: Path) -> None:
    done = evenhand("report", *two, "--json", "--readout", "first-token", "--out", tmp_path / "out")
    assert done.code == 0
    tree = json.loads(done.out)
    assert tree["kind"] == "judges"
    assert json.loads((tmp_path / "out" / "judges.json").read_text(encoding="utf-8")) == tree
    assert "first-token readout" in tree["subtitle"]


def test_runs_that_share_nothing_are_exit_3(evenhand: Run, run: Path, tmp_path: Path) -> None:
    other = tmp_path / "few"
    words = ("--judge", "simulated:position=0.1", "--limit", 4, "--out", other, "--quiet")
    assert evenhand("audit", *words).code == 0
    done = evenhand("report", run, other, "--out", tmp_path / "out", "--quiet")
    assert done.code == 3
    assert "nothing to compare" in done.err


def test_a_run_named_twice_is_bad_usage(evenhand: Run, run: Path) -> None:
    done = evenhand("report", run, run)
    assert done.code == 2
    assert "is named twice" in done.err
    assert "Traceback" not in done.err


def test_an_option_of_several_runs_has_no_effect_on_one_and_says_so(evenhand: Run, run: Path) -> None:
    done = evenhand("report", run, "--readout", "generated", "--brief")
    assert done.code == 0
    assert "--readout had no effect" in done.err
