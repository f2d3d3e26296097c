import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenhand.cli.compare import complete_tolerance
from workflow.drift_runs import failed, make_run

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs")
    make_run(root / "old", "simulated:position=0.2", pairs=40)
    make_run(root / "new", "simulated:position=2.5", pairs=40)
    failed(root / "new", root / "failed")
    return root


def test_it_describes_where_no_tolerance_is_declared(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    done = evenhand("compare", runs / "old", runs / "new", "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "no tolerance was declared" in done.out
    assert "By the manifests one thing differs: judge." in done.out
    assert (tmp_path / "out" / "comparison.html").is_file()
    assert (tmp_path / "out" / "tables" / "comparison-changes.csv").is_file()


def test_a_broken_tolerance_is_exit_1_and_the_report_lies_in_the_new_run(evenhand: Run, runs: Path) -> None:
    done = evenhand("compare", runs / "old", runs / "new", "--tolerance", "flip_rate=.1", "--json")
    assert done.code == 1
    assert "tolerance broken: flip rate up by at most 10 points" in done.err
    tree = json.loads(done.out)
    assert tree["kind"] == "comparison"
    assert json.loads((runs / "new" / "comparison" / "comparison.json").read_text()) == tree


def test_undecided_is_exit_0_and_with_strict_exit_1(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    words = ("compare", runs / "old", runs / "old", "--tolerance", "flip_rate=.001", "--out", tmp_path, "--brief")
    assert evenhand(*words).code == 0
    strict = evenhand(*words, "--strict")
    assert strict.code == 1
    assert "tolerance undecided" in strict.err


def test_kept_is_exit_0(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    words = ("--tolerance", "flip_rate=.3", "--tolerance", "verdict_rate=.3", "--strict", "--out", tmp_path)
    assert evenhand("compare", runs / "old", runs / "old", *words).code == 0


def test_what_could_not_be_measured_is_exit_1(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    one = make_run(tmp_path / "one", pairs=3)
    words = ("--tolerance", "flip_rate=1", "--out", tmp_path / "out")
    done = evenhand("compare", one, one, *words)
    assert done.code == 1
    assert "tolerance not measured" in done.err


def test_a_run_whose_calls_all_failed_is_exit_3(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    words = ("compare", runs / "old", runs / "failed", "--out", tmp_path)
    for done in (evenhand(*words), evenhand(*words, "--tolerance", "flip_rate=1")):
        assert done.code == 3
        assert "nothing to compare" in done.err
        assert "new run is incomplete: of 80 presentations 80 failed" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--strict",), "--strict wants every tolerance decided: declare one"),
        (("--tolerance", "vibes=.1"), "no measure 'vibes'"),
        (("--tolerance", "flip_rate"), "expected MEASURE=CHANGE"),
        (("--condition", "none"), "no condition 'none'"),
        (("--readout", "vibes"), "readout 'vibes'"),
        (("--cluster", "vibes"), "cluster is 'vibes'"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(
    evenhand: Run, runs: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = evenhand("compare", runs / "old", runs / "new", *words, "--out", tmp_path / "out")
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_no_run_is_exit_3(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    assert evenhand("compare", runs / "old", tmp_path).code == 3


def test_completion() -> None:
    assert complete_tolerance("flip") == ["flip_rate="]
