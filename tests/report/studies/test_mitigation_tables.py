"""The tables of a mitigation study: what stands in them, and that none is empty."""

import numpy as np

from evenhand.mitigation.all_effects import MitigationResults, measure_all
from evenhand.mitigation.examples import judged
from evenhand.mitigation.panel import assemble
from evenhand.mitigation.review_queue import review_queue
from evenhand.report.studies.mitigation_tables import mitigation_tables
from evenhand.stats import Estimate, Refusal, TestResult


def judges(count=3, n=90):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, n)
    made = []
    for index in range(count):
        quality = np.where(gold == 0, 0.8, -0.8)[:, None]
        odds = quality + rng.normal(0, 1, (n, 1)) + np.array([0.9, -0.9]) + rng.normal(0, 0.4, (n, 2))
        made.append(
            judged(
                ["".join("AB"[int(v <= 0)] for v in row) for row in odds],
                gold="".join("AB"[g] for g in gold),
                judge=f"=j{index}",
                log_odds=odds,
                tokens=np.full((n, 2), 100.0),
                length_a=np.random.default_rng(5).integers(50, 900, n),
                length_b=np.random.default_rng(6).integers(50, 900, n),
                authors=[("x", "y")] * n,
            )
        )
    return made


def tables():
    made = judges()
    return {
        table.id: table for table in mitigation_tables(measure_all(made, resamples=100), review_queue(assemble(made)))
    }


def test_every_table_is_there_once_and_has_rows():
    found = tables()
    assert list(found) == [
        "effects",
        "counts",
        "selection",
        "length-control",
        "length-penalty",
        "calibration",
        "slot-bias",
        "agreement",
        "review-queue",
        "not-made",
    ]
    assert all(table.rows for table in found.values())
    assert all(column.label for table in found.values() for column in table.columns)


def test_the_main_table_holds_what_was_measured():
    table = tables()["effects"]
    names = [column.name for column in table.columns]
    row = next(dict(zip(names, row, strict=True)) for row in table.rows if row[1] == "averaged probabilities")
    assert isinstance(row["gain"], Estimate)
    assert isinstance(row["p"], TestResult)
    assert row["finding"] in ("helps", "not shown")
    assert (row["presentations"], row["tokens"]) == (2.0, 2.0)
    before = next(dict(zip(names, row, strict=True)) for row in table.rows if row[1] == "order AB")
    assert (before["gain"], before["p"], before["finding"]) == (None, None, None)
    assert any("Compared with “one order, drawn at random”: tie on conflict" in note for note in table.notes)


def test_the_panel_s_judges_are_columns_of_the_queue():
    table = tables()["review-queue"]
    assert [column.label for column in table.columns[3:]] == ["=j0", "=j1", "=j2"]
    assert len(table.rows) == 20
    assert "20 of" in table.caption


def test_nothing_measured_leaves_nothing_but_reasons():
    found = mitigation_tables(MitigationResults(effects=(), not_made=()), ())
    assert found == ()


def test_refusals_stand_where_the_number_would():
    results = measure_all(judges(1, n=20), resamples=100)
    found = {table.id: table for table in mitigation_tables(results, ())}
    assert isinstance(found["length-control"].rows[0][3], Refusal)
    assert {row[1] for row in found["not-made"].rows} >= {"length penalty", "recalibration"}
