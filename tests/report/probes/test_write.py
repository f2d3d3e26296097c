import json

import polars as pl
import pytest

from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.report.probes.json_report import validate_probe_json
from evenhand.report.probes.tables import TABLES, build_tables
from evenhand.report.probes.write import write_probe_report
from report.probes.examples import TOO_RARE, make_predictions, refused


def test_every_file_is_written_and_whole(report, predictions, tmp_path):
    written = write_probe_report(tmp_path / "out", report, predictions, command="evenhand probe fit x")
    validate_probe_json(json.loads(written.json.read_text(encoding="utf-8")))
    assert written.html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert written.markdown.read_text(encoding="utf-8").startswith("# Predicting flips")
    assert pl.read_parquet(written.predictions).equals(predictions)
    assert {p.name for p in written.figures.iterdir()} == {
        f"{n}.svg" for n in ("auroc", "calibration", "gain", "learning")
    }
    names = {table.id for table in written.view.tables}
    assert {p.name for p in written.tables.iterdir()} == {f"{n}.{e}" for n in names for e in ("csv", "tex")}
    assert not list((tmp_path / "out").rglob("*.part"))


def test_same_input_same_bytes(report, predictions, tmp_path):
    for name in "ab":
        write_probe_report(tmp_path / name, report, predictions)
    files = [p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file()]
    assert len(files) > 10
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_a_refused_report_is_written_without_curves(report, tmp_path):
    written = write_probe_report(tmp_path, refused(report, TOO_RARE), make_predictions(report))
    assert {p.name for p in written.figures.iterdir()} == {"calibration.svg"}
    assert "Not judged" in written.html.read_text(encoding="utf-8")


def test_a_hostile_report_is_written(hostile_report, tmp_path):
    written = write_probe_report(tmp_path, hostile_report, make_predictions(hostile_report))
    assert written.html.stat().st_size < 1_500_000


def test_nothing_is_written_where_a_column_is_missing_or_a_format_unknown(report, predictions, tmp_path):
    with pytest.raises(DataError, match="p_combined"):
        write_probe_report(tmp_path / "a", report, predictions.drop("p_combined"))
    with pytest.raises(ConfigError, match="'gif'"):
        write_probe_report(tmp_path / "b", report, predictions, figure_formats=("gif",))
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(report, predictions, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="can't write the report to"):
        write_probe_report(tmp_path / "file", report, predictions)


def test_nothing_of_an_earlier_report_is_left(report, predictions, tmp_path):
    write_probe_report(tmp_path, report, predictions, figure_formats=("svg", "png"))
    written = write_probe_report(tmp_path, refused(report, TOO_RARE), make_predictions(report))
    assert {p.name for p in written.figures.iterdir()} == {"calibration.svg"}
    names = {table.id for table in written.view.tables}
    assert {p.name for p in written.tables.iterdir()} == {f"{n}.{e}" for n in names for e in ("csv", "tex")}
    assert names < set(TABLES)


def test_the_ids_of_tables_are_those_that_are_known(report, transfer):
    for made in (report, transfer, refused(report, TOO_RARE)):
        ids = [table.id for table in build_tables(made)]
        assert ids == [name for name in TABLES if name in ids]
