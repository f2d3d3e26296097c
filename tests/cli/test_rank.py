"""``evenhand rank``: its report, its exit codes."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workflow.ranked_runs import authored_pairs, ranked_run

Evenhand = Callable[..., Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ranked_run(tmp_path_factory.mktemp("ranked") / "run")


def test_the_report_names_who_moves(evenhand: Evenhand, run: Path, tmp_path: Path) -> None:
    done = evenhand("rank", run, "--resamples", 100, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "What position bias does to the leaderboard" in done.out
    assert "AB only ranks gamma 2 ranks higher" in " ".join(done.out.replace("│", " ").split())
    assert (tmp_path / "out" / "ranking.html").is_file()


def test_json_alone_is_on_stdout(evenhand: Evenhand, run: Path, tmp_path: Path) -> None:
    done = evenhand("rank", run, "--resamples", 100, "--out", tmp_path / "out", "--json", "--readout", "first-token")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["kind"] == "ranking"
    [standings] = [table for table in document["tables"] if table["id"] == "standings"]
    assert len(standings["rows"]) == 5 * 4


def test_a_run_without_authors_is_bad_input(evenhand: Evenhand, tmp_path: Path) -> None:
    nameless = [replace(pair, author_a=None) for pair in authored_pairs(12)]
    run = ranked_run(tmp_path / "run", pairs=nameless)
    done = evenhand("rank", run, "--resamples", 100)
    assert done.code == 2
    assert "nothing to rank: needs pairs" in done.err
    assert "author_a and author_b" in done.err, "and what to do"
    assert not (run / "ranking").exists()


def test_no_run_there_is_bad_input(evenhand: Evenhand, tmp_path: Path) -> None:
    assert evenhand("rank", tmp_path / "none").code in (2, 3)
