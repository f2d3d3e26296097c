import polars as pl
import pytest

from evenhand.errors import DataError, StoreError
from evenhand.records import Order, Outcome, Preference, Readout, Verdict, verdict_table
from evenhand.store.parquet import read_table, read_verdicts, write_verdicts


def table():
    common = {"group": "g", "source": "s", "condition": "c", "readout": Readout.GENERATED, "repeat": 0}
    return verdict_table(
        [
            Verdict(pair_id="p\x00ä", gold=Preference.A, order=Order.AB, outcome=Outcome.FIRST, log_odds=0.1, **common),
            Verdict(pair_id="p2", gold=None, order=Order.BA, outcome=Outcome.UNPARSED, compliant=False, **common),
        ]
    )


@pytest.mark.parametrize("rows", [table(), verdict_table([])], ids=["two rows", "none"])
def test_round_trip(tmp_path, rows):
    write_verdicts(rows, tmp_path / "verdicts.parquet")
    back = read_verdicts(tmp_path / "verdicts.parquet")
    assert back.equals(rows)
    assert back.schema == rows.schema
    assert [file.name for file in tmp_path.iterdir()] == ["verdicts.parquet"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.drop("order"), "field 'order': the column of a verdict table is missing"),
        (lambda rows: rows.with_columns(pl.lit(1).alias("colour")), "field 'colour': no column"),
        (lambda rows: rows.with_columns(pl.lit("x").alias("repeat")), "field 'repeat': the column is String, expected"),
    ],
)
def test_wrong_columns_are_named_both_ways(tmp_path, change, message):
    path = tmp_path / "v.parquet"
    with pytest.raises(DataError, match=message):
        write_verdicts(change(table()), path)
    assert not path.exists()
    change(table()).write_parquet(path)
    with pytest.raises(DataError, match=message):
        read_verdicts(path)


def test_unreadable_files_are_data_errors(tmp_path):
    (tmp_path / "text.parquet").write_text("hello")
    for name in ("text.parquet", "absent.parquet"):
        with pytest.raises(DataError, match="can't be read as Parquet"):
            read_verdicts(tmp_path / name)


def test_a_missing_folder_is_a_store_error(tmp_path):
    with pytest.raises(StoreError, match="can't be written"):
        write_verdicts(table(), tmp_path / "no" / "v.parquet")


def test_a_reader_that_panics_is_a_data_error(tmp_path, monkeypatch):
    def panics(path, **_):
        raise pl.exceptions.PanicException("called `Option::unwrap()` on a `None` value")

    (tmp_path / "v.parquet").write_text("x")
    monkeypatch.setattr(pl, "read_parquet", panics)
    with pytest.raises(DataError, match=r"v\.parquet: can't be read as Parquet \(called"):
        read_table(tmp_path / "v.parquet")


def test_a_table_that_is_replaced_while_it_is_read_is_the_old_one(tmp_path, monkeypatch):
    path, reader = tmp_path / "v.parquet", pl.read_parquet
    pl.DataFrame({"x": range(5)}).write_parquet(path)

    def replaced(source, **more):
        pl.DataFrame({"x": range(50_000), "y": "z"}).write_parquet(path)
        return reader(source, **more)

    monkeypatch.setattr(pl, "read_parquet", replaced)
    assert read_table(path)["x"].to_list() == [0, 1, 2, 3, 4]
