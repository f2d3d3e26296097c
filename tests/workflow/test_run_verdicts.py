import json
from pathlib import Path

import pytest

import evenhand
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.audits.drift.levels import measure_levels
from evenhand.errors import StoreError
from evenhand.records import Readout
from evenhand.stats import Estimate, Refusal
from evenhand.store import PlanCounts
from evenhand.workflow.run_verdicts import count_sentences, read_run
from workflow.drift_runs import failed, make_run


def test_a_run_is_read_as_the_audit_reads_it(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    read, opened = read_run(run), evenhand.open_run(run)
    assert read.table.equals(opened.to_polars())
    assert read.counts == opened.counts
    assert [pair.id for pair in read.pairs] == [pair.id for pair in evenhand.load_pairs("starter")[:24]]
    assert (read.orders, read.readouts) == ("both", tuple(Readout(name) for name in opened.manifest.readouts))
    assert read.condition("none") is None
    assert read_run(opened).table.equals(read.table)


def test_the_generated_readout_of_a_sample_stands_for_no_pairs(tmp_path: Path) -> None:
    run = read_run(make_run(tmp_path / "run", budget=0.5))
    assert Readout.GENERATED not in run.readouts
    assert Readout.FIRST_TOKEN in run.readouts


def test_what_is_missing_is_said() -> None:
    assert count_sentences(PlanCounts(planned=4, finished=4), which="run") == ()
    assert count_sentences(PlanCounts(planned=9, finished=5, pending=4), which="run") == (
        "The run is incomplete: of 9 presentations 4 were not asked.",
    )


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a run directory"):
        read_run(tmp_path)


def test_failed_calls_have_rows(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", pairs=3)
    read = read_run(failed(run, tmp_path / "failed"))
    assert read.counts == PlanCounts(planned=6, finished=0, errors=6)
    assert set(read.table["outcome"]) == {"error"}


def scores(path: Path, *, shift: float) -> Path:
    rows = [
        {"results": 1, "model": "scorer", "scores_chosen": (i * 7) % 5 + shift, "scores_rejected": (i * 3) % 5}
        for i in range(40)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_a_log_of_scores_was_shown_in_no_order_and_no_workflow_speaks_of_slots(tmp_path: Path) -> None:
    runs = []
    for shift in (0.5, 1.5):
        log = scores(tmp_path / f"{shift}.jsonl", shift=shift)
        evenhand.import_log("rewardbench", log, out=tmp_path / f"run{shift}", pairs="by-score")
        runs.append(tmp_path / f"run{shift}")
    assert [(run.orders, run.measured) for run in map(read_run, runs)] == [("single", "none")] * 2
    assert read_run(make_run(tmp_path / "live", pairs=3)).measured == "both"
    changes = evenhand.compare_runs(*runs).comparison.scopes[0]
    assert changes.measure("first_slot_rate").difference == Refusal(reason=NO_SLOTS)
    assert isinstance(changes.measure("verdict_rate").difference, Estimate)
    judges = evenhand.report_runs(runs)
    [figures] = judges.runs[0].figures.scopes
    assert figures.measure("first_slot_rate") == Refusal(reason=NO_SLOTS)
    assert any("Nothing tells how it would compare two responses" in note for note in judges.notes)
    assert NO_SLOTS in repr(measure_levels(read_run(runs[0]).table, orders=read_run(runs[0]).measured))
