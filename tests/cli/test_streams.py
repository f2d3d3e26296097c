"""The command as a process of its own, with a stdout that is narrow, full, or read by nobody."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import evenhand
from evenhand.store import Journal


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "evenhand", *map(str, words)]


def environment(**extra: str) -> dict[str, str]:
    return {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **extra}


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    run = tmp_path_factory.mktemp("runs") / "run"
    return ["audit", "--judge", "simulated:position=1", "--limit", 6, "--resamples", 100, "--quiet", "--out", run]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_narrow_encoding_gets_plain_signs_instead_of_a_traceback(words: list[object], encoding: str) -> None:
    done = subprocess.run(command(*words), capture_output=True, env=environment(PYTHONIOENCODING=encoding), check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding).replace("\u00a0", " ")
    assert "Main figures" in text
    assert "pp [-" in text


def test_help_in_ascii() -> None:
    done = subprocess.run(
        command("audit", "--help"), capture_output=True, env=environment(PYTHONIOENCODING="ascii"), check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"--judge" in done.stdout


def without_reader(*words: object) -> "subprocess.CompletedProcess[bytes]":
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            command(*words), stdout=writing, stderr=subprocess.PIPE, env=environment(), timeout=120, check=False
        )
    finally:
        os.close(writing)


@pytest.mark.parametrize("more", [["--json"], []])
def test_a_reader_who_went_away_is_no_failure(words: list[object], more: list[str]) -> None:
    done = without_reader(*words, *more)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_list_for_a_reader_who_went_away() -> None:
    done = without_reader("prompts")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_who_went_away_makes_no_failed_run_a_success(tmp_path: Path) -> None:
    # No prompt fits a context of 10 tokens: every call fails.
    done = without_reader("audit", "-j", "simulated:context=10", "--limit", 2, "--quiet", "--out", tmp_path / "run")
    assert done.returncode == 3
    assert b"4 of 4 presentations failed" in done.stderr


@pytest.mark.parametrize("more", [(), ("--json",), ("--github",)])
def test_a_reader_who_went_away_lets_no_gate_pass(tmp_path: Path, more: tuple[str, ...]) -> None:
    """``evenhand gate RUN … | head`` was exit code 0 where the gate had failed, and so was a broken tolerance."""
    runs = []
    for position in (0, 3):
        runs.append(tmp_path / f"run-{position}")
        evenhand.audit(f"simulated:position={position}", "starter", limit=30, out=runs[-1])
    steady, leaning = runs
    done = without_reader("gate", leaning, "--max-flip-rate", 0.01, "--junit", tmp_path / "gate.xml", *more)
    assert done.returncode == 1, done.stderr
    assert b"gate: fail" in done.stderr
    assert (tmp_path / "gate.xml").is_file()
    if more != ("--github",):
        done = without_reader("compare", steady, leaning, "--tolerance", "flip_rate=.05", *more)
        assert done.returncode == 1, done.stderr
        assert b"tolerance broken" in done.stderr
        done = without_reader("gate", leaning, "--max-flip-rate", 1, *more)
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_reader_who_went_away_makes_no_log_importable(tmp_path: Path, more: tuple[str, ...]) -> None:
    (tmp_path / "log.jsonl").write_text("{}\n", encoding="utf-8")
    assert without_reader("import", "--inspect", tmp_path / "log.jsonl", *more).returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("asked", [["schema"], ["prompts", "mt-bench-like"]])
def test_a_full_disk_behind_stdout_is_one_line(asked: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command(*asked), stdout=full, stderr=subprocess.PIPE, env=environment(), check=False)
    assert done.returncode == 3
    assert done.stderr == b"evenhand: [Errno 28] No space left on device\n"


def test_a_width_of_0_columns_is_no_width(words: list[object]) -> None:
    done = subprocess.run(command(*words), capture_output=True, env=environment(COLUMNS="0"), check=False)
    assert b"Main figures" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="a shell that closes streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_a_reader_who_is_not_interested(words: list[object], tmp_path: Path, closed: str) -> None:
    run = tmp_path / "run"
    asked = command(*words[:-1], run, "--json")
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *asked], capture_output=True, env=environment(), check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    if ">&- 2" not in closed and closed != ">&-":
        assert json.loads(done.stdout)["schema_version"]
    else:
        assert done.stdout == b""
    # What would have been printed is in no file of the run's.
    with Journal.open(run, read_only=True) as journal:
        assert not journal.pending_keys()
