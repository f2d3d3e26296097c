"""``evenhand mitigate`` as a person runs it: exit codes, files, and one line for every mistake."""

import csv
import json

import pytest

from evenhand.workflow import AuditSettings, ReadoutChoice
from workflow.mitigation_runs import judged_directory

FIRST = AuditSettings(readout=ReadoutChoice.FIRST_TOKEN)
QUICK = ("--resamples", "100")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [
        judged_directory(folder / f"j{seed}", spec=f"simulated:position=1.2,noise=0.6,seed={seed}", settings=FIRST)
        for seed in (1, 2, 3)
    ]


def test_before_and_after_with_a_headline(runs, evenhand, tmp_path):
    done = evenhand("mitigate", runs[0], *QUICK, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "What each mitigation buys" in done.out
    assert "shown to help" in done.out
    assert "averaged probabilities" in done.out
    assert (tmp_path / "out/mitigation.html").is_file()
    assert (tmp_path / "out/tables/mitigation-effects.csv").is_file()
    assert (tmp_path / "out/figures/mitigation-gains.svg").is_file()
    assert not (runs[0] / "mitigation").exists()


def test_json_is_all_of_stdout_and_the_report_lies_in_the_run(runs, evenhand):
    done = evenhand("mitigate", runs[0], *QUICK, "--only", "order,selection", "--json")
    assert done.code == 0, done.err
    tree = json.loads(done.out)
    assert tree["kind"] == "mitigation"
    assert json.loads((runs[0] / "mitigation/mitigation.json").read_text()) == tree
    assert {table["id"] for table in tree["tables"]} <= {"effects", "counts", "selection", "review-queue", "not-made"}


def test_a_panel_writes_its_queue(runs, evenhand, tmp_path):
    queue = tmp_path / "q.csv"
    done = evenhand("mitigate", *runs, *QUICK, "--only", "panel", "--review-queue", queue, "--brief", "--out", tmp_path)
    assert done.code == 0, done.err
    with queue.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert f"Queue:  {queue} ({len(rows):,} pairs)" in done.out
    assert rows[0]["preference"] == ""


def test_truncated_pairs_are_only_written(runs, evenhand, tmp_path):
    path = tmp_path / "t.jsonl"
    done = evenhand("mitigate", runs[0], "--write-truncated", path)
    assert done.code == 0, done.err
    assert "of 80 pairs" in done.out
    assert len(path.read_text().splitlines()) == 80
    assert not (tmp_path / "mitigation").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--only", "magic"), "mitigation 'magic': expected one of order"),
        (("--readout", "spoken"), "readout 'spoken'"),
        (("--condition", "c"), "has no condition 'c'"),
        (("--labels", "absent.csv"), "no such file"),
        (("--review-queue", "q.xlsx"), ".csv or .jsonl"),
        (("--write-truncated", "t.csv"), ".jsonl"),
        (("--cluster", "moon"), "cluster is 'moon'"),
        (("--truncated", "nowhere"), "nowhere"),
    ],
)
def test_mistakes_are_one_line(runs, evenhand, words, message):
    done = evenhand("mitigate", runs[0], *QUICK, *words)
    assert done.code in (2, 3)
    assert done.code == 2 or words[0] == "--truncated"
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert done.out == ""


def test_a_run_that_is_none(evenhand, tmp_path):
    done = evenhand("mitigate", tmp_path / "nothing")
    assert (done.code, len(done.err.strip().splitlines())) == (3, 1)


def test_scores_of_single_responses_are_asked_and_kept(runs, evenhand, tmp_path):
    path = tmp_path / "alone.jsonl"
    done = evenhand("mitigate", runs[0], "--ask-alone", "simulated:fair", "--alone", path)
    assert done.code == 0, done.err
    # The simulated judge writes labels, which are no scores.
    assert "Scored 0 of 80 pairs (80 asked now)" in done.out
    assert "64 of 80 pairs" in done.err
    assert len(path.read_text().splitlines()) == 80
    missing = evenhand("mitigate", runs[0], "--ask-alone", "simulated:fair")
    assert (missing.code, "add --alone FILE.jsonl" in missing.err) == (2, True)
