from dataclasses import replace

import polars as pl
import pytest

from evenhand.audits.swap_design import PairRisk, SwapStratum, draw_swaps
from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.records import SwapRecord
from evenhand.workflow.swap_file import FILE, design_key, read_design, write_design
from store.examples import manifest

RECORD = SwapRecord(
    probe="probe.json",
    probe_sha256="0" * 64,
    predictor="probe",
    rule="the 30 % of the pairs with the highest probe risk",
    share=0.3,
    threshold=None,
    guarantee=None,
    floor=0.2,
    floor_pairs=3,
)
MANIFEST = manifest(swap=RECORD, seed=7)
RISKS = [
    *(PairRisk(pair_id=f"p{i}", risk=i / 20) for i in range(20)),
    PairRisk(pair_id="odd \ud800", risk=None),
    PairRisk(pair_id="none", risk=None, decided=False),
]
DESIGN = draw_swaps(RISKS, share=0.3, floor=0.2, minimum=3, seed=7, rule=RECORD.rule)


def test_a_design_comes_back_as_it_was(tmp_path):
    write_design(tmp_path, DESIGN, MANIFEST)
    found = read_design(tmp_path, MANIFEST)
    as_table = tuple(replace(p, pair_id=p.pair_id.replace("\ud800", "\\ud800")) for p in DESIGN.pairs)
    assert found == replace(DESIGN, pairs=as_table, why_empty="")
    assert found.drawn() == tuple(name.replace("\ud800", "\\ud800") for name in DESIGN.drawn())
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_no_design_yet_and_one_of_another_plan_have_no_pairs(tmp_path):
    assert "isn't there" in read_design(tmp_path, MANIFEST).why_empty
    write_design(tmp_path, DESIGN, MANIFEST)
    for other in (
        replace(MANIFEST, seed=8),
        replace(MANIFEST, swap=replace(RECORD, floor=0.3)),
        replace(MANIFEST, data=replace(MANIFEST.data, sha256="11")),
        replace(MANIFEST, judge=replace(MANIFEST.judge, revision="2")),
    ):
        assert design_key(other) != design_key(MANIFEST)
        found = read_design(tmp_path, other)
        assert found.pairs == ()
        assert "another plan" in found.why_empty
    assert read_design(tmp_path, replace(MANIFEST, created="later", command="x")).pairs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.drop("risk"), "columns"),
        (lambda table: table.with_columns(pl.col("place").cast(pl.Int32)), "other types"),
        (lambda table: table.with_columns(stratum=pl.lit("sure")), "damaged"),
        (lambda table: table.with_columns(drawn=pl.lit(None, dtype=pl.Boolean)), "without a value"),
        (lambda table: table.with_columns(drawn=pl.lit(True)), "checksum"),
        (lambda table: table.with_columns(pair_id="x" + pl.col("pair_id")), "checksum"),
        (lambda table: table.with_columns(risk=pl.lit(1e308)), "checksum"),
        (lambda table: table.with_columns(risk=pl.lit(float("nan"))), "damaged"),
        (lambda table: table.head(10), "checksum"),
        (lambda table: pl.concat([table, table]), "checksum"),
    ],
)
def test_a_damaged_file_is_one_clear_line(tmp_path, change, message):
    write_design(tmp_path, DESIGN, MANIFEST)
    change(pl.read_parquet(tmp_path / FILE)).write_parquet(tmp_path / FILE)
    with pytest.raises(DataError, match=message):
        read_design(tmp_path, MANIFEST)


def test_something_else_in_its_place(tmp_path):
    (tmp_path / FILE).write_text("no Parquet")
    with pytest.raises(DataError, match="can't be read as Parquet"):
        read_design(tmp_path, MANIFEST)
    with pytest.raises(ConfigError, match="both orders"):
        read_design(tmp_path, manifest())


def test_a_folder_that_can_not_be_written(tmp_path):
    with pytest.raises(StoreError, match="can't be written"):
        write_design(tmp_path / "nowhere", DESIGN, MANIFEST)


def test_unknown_risks_stay_unknown(tmp_path):
    write_design(tmp_path, DESIGN, MANIFEST)
    parts = {p.pair_id: p for p in read_design(tmp_path, MANIFEST).pairs}
    assert parts["none"].risk is None
    assert parts["none"].stratum is SwapStratum.UNDECIDED
