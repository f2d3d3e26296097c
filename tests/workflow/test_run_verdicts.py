from pathlib import Path

import pytest

import evenhand
from evenhand.errors import StoreError
from evenhand.records import Readout
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
