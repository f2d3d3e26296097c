from pathlib import Path

import pytest

import evenhand
from evenhand.cli.takeover import note_another_run
from evenhand.workflow import AuditSettings

JUDGE = "simulated:position=1"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("runs") / "run"
    evenhand.audit(JUDGE, "starter", settings=AuditSettings(resamples=100), limit=2, out=directory)
    return directory


@pytest.mark.parametrize(
    ("judge", "data", "noted"),
    [
        (JUDGE, "starter", False),
        (None, "starter", False),
        ("simulated:fair", "starter", True),
        (JUDGE, "mine.jsonl", True),
        (None, "table:log.csv", True),
    ],
)
def test_only_another_run_is_noted(
    run: Path, capsys: pytest.CaptureFixture[str], judge: str | None, data: str, noted: bool
) -> None:
    note_another_run(run, judge=judge, data=data)
    said = capsys.readouterr()
    assert said.out == ""
    assert (f"holds a run of {JUDGE} on starter" in said.err) is noted


def test_no_directory_no_run_and_a_damaged_one_are_left_to_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "journal.sqlite").write_bytes(b"\xff" * 5000)
    for directory in (None, tmp_path, tmp_path / "absent", tmp_path / "damaged"):
        note_another_run(directory, judge=JUDGE, data="starter")
    assert capsys.readouterr() == ("", "")


def test_other_conditions_in_the_default_directory_are_noted(evenhand, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ("audit", "--judge", "simulated:fair", "--limit", 3, "--quiet")
    assert evenhand(*command).err == ""
    assert evenhand(*command, "--limit", 4).err == ""
    done = evenhand(*command, "--labels", "X/Y")
    assert done.code == 0
    assert "holds a run under single-character, A/B" in done.err
    assert "under single-character, X/Y" in done.err
