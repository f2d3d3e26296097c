import json
import tracemalloc
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.analysis import FindingKind
from evenhand.errors import DataError
from evenhand.logs.table import TableLog
from evenhand.records import COLUMNS_VERSION, ROWS_VERSION, Readout
from evenhand.stats import Estimate
from evenhand.store import Journal
from evenhand.workflow.judged_run import judged_run
from evenhand.workflow.run_verdicts import read_run


def write_log(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def both_orders(n: int, **more: object) -> list[dict[str, object]]:
    return [
        {"pair_id": f"q{i}", "order": order, "text": "Response A is better.", **more}
        for i in range(n)
        for order in ("AB", "BA")
    ]


def test_raw_text_is_read_by_our_parser(tmp_path: Path) -> None:
    run = evenhand.import_log("table", write_log(tmp_path / "log.jsonl", both_orders(8)), out=tmp_path / "run")
    assert run.manifest.kind == "log"
    assert run.manifest.readouts == ("generated",)
    flips = run.audit.select(FindingKind.READOUT)[0].measure("flip_rate")
    assert isinstance(flips, Estimate)
    assert (flips.value, flips.n) == (1.0, 8)
    assert flips.interval is not None
    assert flips.interval.low < 1.0


def test_the_logs_own_reading_stands_beside_ours(tmp_path: Path) -> None:
    rows = both_orders(8, outcome="first")
    rows[0]["outcome"] = "second"
    run = evenhand.import_log("table", write_log(tmp_path / "log.jsonl", rows), out=tmp_path / "run")
    assert run.manifest.readouts == ("generated", "logged")
    disagreement = run.audit.select(FindingKind.LOG)[0].measure("log_disagreement")
    assert isinstance(disagreement, Estimate)
    assert (disagreement.count, disagreement.n) == (1, 16)
    logged = run.to_polars().filter(readout="logged")
    assert logged["outcome"].to_list().count("second") == 1


def test_outcomes_alone_are_the_logs_and_nobody_elses(tmp_path: Path) -> None:
    rows = [{"pair_id": f"q{i}", "order": o, "outcome": "first"} for i in range(6) for o in ("AB", "BA")]
    run = evenhand.import_log("table", write_log(tmp_path / "log.jsonl", rows), out=tmp_path / "run")
    assert run.manifest.readouts == ("logged",)
    assert {f.readout for f in run.audit.select(FindingKind.READOUT)} == {Readout.LOGGED}


def test_one_order_claims_no_position_figure(tmp_path: Path) -> None:
    rows = [row for row in both_orders(8) if row["order"] == "AB"]
    run = evenhand.import_log("table", write_log(tmp_path / "log.jsonl", rows), out=tmp_path / "run")
    finding = run.audit.select(FindingKind.READOUT)[0]
    assert run.manifest.orders == "single"
    assert finding.measure("flip_rate") is None
    assert finding.measure("first_slot_rate") is not None


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", both_orders(6))
    first = evenhand.import_log("table", log, out=tmp_path / "run")
    again = evenhand.import_log("table", log, out=tmp_path / "run")
    assert again.audit == first.audit
    assert again.counts == first.counts


def test_the_same_file_read_in_another_way_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    """Under other options the same place of a file says something else; the answers of the first import stayed."""
    rows = [{"pair_id": f"q{i}", "order": order, "winner": "A"} for i in range(6) for order in ("AB", "BA")]
    log = write_log(tmp_path / "log.jsonl", rows)
    shown = {}
    for turn, column in enumerate(("preference", "outcome", "preference", "outcome", "outcome")):
        run = evenhand.import_log("trace_csv", log, out=tmp_path / "run", resamples=100, map=f"{column}=winner")
        assert run.audit == evenhand.open_run(tmp_path / "run", resamples=100).audit
        figures = shown.setdefault(column, run.audit.findings)
        assert (run.audit.findings, run.complete, run.counts.planned) == (figures, True, 12), turn
        flips = run.audit.select(FindingKind.READOUT)[0].measure("flip_rate").value
        assert flips == {"preference": 0.0, "outcome": 1.0}[column], turn


def test_a_failed_call_is_recorded_once_and_an_answer_may_follow_or_precede_it(tmp_path: Path) -> None:
    rows = [
        {**row, "said": "A" if i else "", "failure": "" if i else "timed out"} for i, row in enumerate(both_orders(6))
    ]
    log = write_log(tmp_path / "log.jsonl", rows)
    for mapped in ("text=text", "text=said,error=failure", "text=said,error=failure", "text=text"):
        run = evenhand.import_log("trace_csv", log, out=tmp_path / "run", resamples=100, map=mapped)
        assert run.counts.errors == ("failure" in mapped), mapped
        with Journal.open(tmp_path / "run", read_only=True) as journal:
            assert [len(journal.attempts(p.key)) for p in journal.plan()] == [1] * 12, mapped


def test_an_imported_run_opens_with_the_same_findings(tmp_path: Path) -> None:
    rows = [
        {"pair_id": f"q{i}", "order": order, "text": f"[[{'A' if i % 2 else 'B'}]]"}
        for i in range(10)
        for order in ("AB", "BA")
    ]
    run = evenhand.import_log("table", write_log(tmp_path / "log.jsonl", rows), out=tmp_path / "run")
    assert evenhand.open_run(tmp_path / "run").audit == run.audit


def verdict_file(path: Path, pairs: int, *, conditions: int = 1, repeated: float = 0.0) -> Path:
    """A table of outcomes with question groups, sources, gold preferences and every state."""
    rng = np.random.default_rng(pairs)
    states = np.array(["first", "second", "tie", "refused", "unparsed", "truncated", "error"])
    frames = []
    for condition in range(conditions):
        for order in ("AB", "BA"):
            frame = pl.DataFrame({"pair": np.arange(pairs)}).select(
                pl.format("pair-{}", "pair").alias("pair_id"),
                order=pl.lit(order),
                condition=pl.lit(f"prompt {condition}"),
                repeat=pl.lit(0),
                outcome=pl.Series(states[rng.choice(7, pairs, p=[0.5, 0.3, 0.1, 0.04, 0.03, 0.02, 0.01])]),
                gold=pl.when(pl.col("pair") % 2 == 0).then(pl.lit("A")).otherwise(pl.lit("B")),
                source=pl.format("source {}", pl.col("pair") % 40),
                group=pl.format("question {}", pl.col("pair") // 3),
            )
            frames.append(frame)
            frames.append(frame.filter(pl.Series(rng.random(pairs) < repeated)).with_columns(repeat=pl.lit(1)))
    pl.concat(frames).sample(fraction=1.0, shuffle=True, seed=1).write_parquet(path)
    return path


def by_rows(monkeypatch: pytest.MonkeyPatch, log: Path, out: Path) -> evenhand.AuditRun:
    with monkeypatch.context() as patched:
        patched.setattr(TableLog, "read_columns", lambda self, path: None)
        return evenhand.import_log("table", log, out=out)


def test_columns_and_rows_make_the_same_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = verdict_file(tmp_path / "log.parquet", 120, conditions=2, repeated=0.2)
    ours = evenhand.import_log("table", log, out=tmp_path / "columns")
    theirs = by_rows(monkeypatch, log, tmp_path / "rows")
    assert ours.audit == theirs.audit
    assert ours.to_polars().equals(theirs.to_polars())
    assert (ours.counts, ours.answers) == (theirs.counts, theirs.answers)
    assert (ours.manifest.schema_version, theirs.manifest.schema_version) == (COLUMNS_VERSION, ROWS_VERSION)
    same = {"schema_version": 0, "created": ""}
    assert replace(ours.manifest, **same) == replace(theirs.manifest, **same)
    assert ours.pairs_worth_reading() == theirs.pairs_worth_reading()
    told = [json.loads(json.dumps(run.to_json())) for run in (ours, theirs)]
    for each in told:
        del each["manifest"]["created"], each["manifest"]["schema_version"]
    assert told[0] == told[1]
    again = evenhand.open_run(tmp_path / "columns")
    assert (again.audit, again.answers) == (ours.audit, ours.answers)


def test_whatever_opens_runs_opens_both_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = verdict_file(tmp_path / "log.parquet", 60, conditions=2)
    runs = tmp_path / "columns", tmp_path / "rows"
    evenhand.import_log("table", log, out=runs[0])
    by_rows(monkeypatch, log, runs[1])
    one, two = (read_run(run) for run in runs)
    assert (one.pairs, one.counts, one.answers) == (two.pairs, two.counts, two.answers)
    assert one.table.equals(two.table)
    judged = [judged_run(run, condition="prompt 1") for run in runs]
    assert judged[0].records == judged[1].records
    assert (judged[0].clusters, judged[0].notes) == (judged[1].clusters, judged[1].notes)
    for field in fields(judged[0].judged):
        ours, theirs = (getattr(each.judged, field.name) for each in judged)
        np.testing.assert_array_equal(ours, theirs, err_msg=field.name)


def test_importing_columns_again_changes_nothing(tmp_path: Path) -> None:
    log = verdict_file(tmp_path / "log.parquet", 20)
    run = tmp_path / "run"
    evenhand.import_log("table", log, out=run)
    before = {path.name: path.read_bytes() for path in run.glob("*.parquet")}
    evenhand.import_log("table", log, out=run)
    assert {path.name: path.read_bytes() for path in run.glob("*.parquet")} == before
    assert len(before) == 2


def test_a_table_that_is_refused_leaves_no_run_and_no_change(tmp_path: Path) -> None:
    log = verdict_file(tmp_path / "log.parquet", 20)
    pl.read_parquet(log).with_columns(outcome=pl.lit("draw")).write_parquet(tmp_path / "bad.parquet")
    with pytest.raises(DataError, match="row 1, field 'outcome': is 'draw'"):
        evenhand.import_log("table", tmp_path / "bad.parquet", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    first = evenhand.import_log("table", log, out=tmp_path / "run")
    with pytest.raises(DataError, match="is 'draw'"):
        evenhand.import_log("table", tmp_path / "bad.parquet", out=tmp_path / "run")
    assert evenhand.open_run(tmp_path / "run").audit == first.audit


def test_memory_grows_with_the_rows_and_no_row_is_an_object(tmp_path: Path) -> None:
    def peak_a_row(rows: int) -> float:
        log = verdict_file(tmp_path / f"{rows}.parquet", rows // 2)
        tracemalloc.start()
        try:
            evenhand.import_log("table", log, out=tmp_path / str(rows), resamples=200)
            return tracemalloc.get_traced_memory()[1] / rows
        finally:
            tracemalloc.stop()

    evenhand.import_log("table", verdict_file(tmp_path / "warm.parquet", 50), out=tmp_path / "warm")
    small, large = peak_a_row(50_000), peak_a_row(200_000)
    # A record of a presentation alone takes about 2,000 bytes; arrays of codes take some dozens.
    assert large < 400
    assert large < 1.5 * small
