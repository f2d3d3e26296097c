import json
from pathlib import Path

import pytest

import evenhand
from evenhand.cli.takeover import another_run
from evenhand.workflow import AuditSettings
from workflow.capturing_judge import CapturingDouble, pairs

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
def test_only_another_run_is_noted(run: Path, judge: str | None, data: str, noted: bool) -> None:
    said = another_run(run, judge=judge, data=data)
    assert (f"holds a run of {JUDGE} on starter" in (said or "")) is noted
    assert (said is not None) is noted


def test_columns_that_are_replaced_are_not_said_to_be_kept(evenhand, tmp_path: Path) -> None:
    """A run of columns has its verdicts in files of its own, which the next run in its directory removes."""
    rows = [f"p{i},{order},A" for i in range(6) for order in ("AB", "BA")]
    log, other = tmp_path / "log.csv", tmp_path / "other.csv"
    log.write_text("\n".join(["pair_id,order,preference", *rows]), encoding="utf-8")
    other.write_text("\n".join(["pair_id,order,preference,text", *(f"{row},[[A]]" for row in rows)]), encoding="utf-8")
    run = tmp_path / "run"
    said = {}
    for path in (log, other, log):
        had_columns = bool(list(run.glob("*.parquet")))
        done = evenhand("import", "table", path, "--out", run, "--resamples", 100, "--brief")
        assert done.code == 0, done.err
        said[had_columns] = done.err
    assert "importing the log again brings them back" in said[True]
    assert "kept" not in said[True]
    assert "its answers are kept" in said[False]


def test_no_directory_no_run_and_a_damaged_one_are_left_to_the_command(
    tmp_path: Path,
) -> None:
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "journal.sqlite").write_bytes(b"\xff" * 5000)
    for directory in (None, tmp_path, tmp_path / "absent", tmp_path / "damaged"):
        assert another_run(directory, judge=JUDGE, data="starter") is None


def test_other_conditions_in_the_default_directory_are_noted(evenhand, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ("audit", "--judge", "simulated:fair", "--limit", 3, "--quiet")
    assert evenhand(*command).err == ""
    assert evenhand(*command, "--limit", 4).err == ""
    done = evenhand(*command, "--labels", "X/Y")
    assert done.code == 0
    assert "holds a run under single-character, A/B" in done.err
    assert "under single-character, X/Y" in done.err


@pytest.mark.parametrize("command", ["audit", "import", "collect"])
def test_a_command_that_refuses_says_nothing_of_replacing(evenhand, tmp_path, command):
    run = tmp_path / "run"
    assert evenhand("audit", "--judge", "simulated:fair", "--limit", 3, "--quiet", "--out", run).code == 0
    kept = {path: path.read_bytes() for path in run.rglob("*.json")}
    assert kept
    refused = {
        "audit": ("audit", "--judge", "simulated:fair", "--pairs", tmp_path / "absent.jsonl"),
        "import": ("import", "table", tmp_path / "absent.csv"),
        "collect": ("probe", "collect", "--judge", "simulated:position=1", "--pairs", "starter"),
    }[command]
    done = evenhand(*refused, "--out", run)
    assert done.code == 2
    assert "holds a run" not in done.err
    assert "replaced" not in done.err
    assert {path: path.read_bytes() for path in run.rglob("*.json")} == kept


def test_a_collection_of_other_layers_is_refused_without_a_note(evenhand, tmp_path, monkeypatch):
    double = CapturingDouble()
    monkeypatch.setattr("evenhand.workflow.opened.load_judge", lambda spec, **options: double)
    one = tmp_path / "one"
    collect = ("probe", "collect", "--judge", "double:x", "--quiet")
    for name, count in (("few", 4), ("more", 6)):
        rows = [
            {"id": p.id, "instruction": p.instruction, "response_a": p.response_a, "response_b": p.response_b}
            for p in pairs(count)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert evenhand(*collect, "--pairs", tmp_path / "few.jsonl", "--out", one).code == 0
    more = (*collect, "--pairs", tmp_path / "more.jsonl", "--out", one)
    refused = evenhand(*more, "--layers", "2")
    assert refused.code == 2
    assert "its plan and report are replaced" not in refused.err
    taken = evenhand(*more)
    assert taken.code == 0
    assert "its plan and report are replaced by this run's" in taken.err


def test_bias_audits_that_a_run_drops_are_noted_and_others_are_not(evenhand, tmp_path):
    command = ("audit", "--judge", "simulated:fair", "--limit", 3, "--quiet", "--out", tmp_path / "run")
    assert "holds a run" not in evenhand(*command).err
    assert "holds a run" not in evenhand(*command, "--bias", "tone,recency").err
    done = evenhand(*command, "--bias", "tone")
    assert "holds a run with the bias audits recency: their answers are kept, and --bias recency brings" in done.err
    dropped = evenhand(*command)
    assert "holds a run with the bias audits tone" in dropped.err
