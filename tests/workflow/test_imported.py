import json
from pathlib import Path

import evenhand
from evenhand.analysis import FindingKind
from evenhand.records import Readout
from evenhand.stats import Estimate


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


def test_an_imported_run_opens_with_the_same_findings(tmp_path: Path) -> None:
    rows = [
        {"pair_id": f"q{i}", "order": order, "text": f"[[{'A' if i % 2 else 'B'}]]"}
        for i in range(10)
        for order in ("AB", "BA")
    ]
    run = evenhand.import_log("table", write_log(tmp_path / "log.jsonl", rows), out=tmp_path / "run")
    assert evenhand.open_run(tmp_path / "run").audit == run.audit
