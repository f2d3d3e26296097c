import polars as pl
import pytest

from evenhand.errors import DataError
from evenhand.logs import text_parts
from evenhand.logs.columns import UnsuitedError, open_columns

WANTED = ("pair_id", "outcome")


def test_a_parquet_column_is_read_alone_and_a_row_with_its_number(tmp_path):
    path = tmp_path / "t[1].parquet"
    pl.DataFrame({"pair_id": ["p", "q"], "other": [1, 2], "outcome": ["tie", None]}).write_parquet(path)
    with open_columns(path, wanted=WANTED) as table:
        assert (table.names, table.height) == (("pair_id", "other", "outcome"), 2)
        assert table.column("pair_id").to_list() == ["p", "q"]
        assert table.column("source") is None
        node = table.node(1, only=WANTED)
        assert (node.row, node.value, node.path) == (2, {"pair_id": "q", "outcome": None}, path)


@pytest.mark.parametrize(
    ("name", "text", "row"),
    [
        ("t.csv", "pair_id,x,outcome\np,1,tie\nq,2,\nr,3,first\n", {"pair_id": "r", "outcome": "first"}),
        ("t.jsonl", '{"pair_id": "p"}\n{"pair_id": "q", "x": 1}\n{"pair_id": "r", "outcome": "first"}\n', None),
    ],
)
def test_text_files_are_staged_in_parts(tmp_path, monkeypatch, name, text, row):
    monkeypatch.setattr(text_parts, "_ROWS", 2)
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with open_columns(path, wanted=WANTED) as table:
        assert table.height == 3
        assert set(table.names) == {"pair_id", "x", "outcome"}
        assert table.column("pair_id").to_list() == ["p", "q", "r"]
        assert table.column("outcome").to_list()[2] == "first"
        assert table.node(2, only=WANTED).value == (row or {"pair_id": "r", "outcome": "first"})
        staged = [part.parent for part in table._parts]
        assert staged[0].is_dir()
    assert not staged[0].exists()


def test_what_no_column_holds_is_left_to_the_row_wise_reader(tmp_path):
    path = tmp_path / "t.jsonl"
    for value in ("1.5", "[1]", '"\\ud800"', "99999999999999999999", "true"):
        path.write_text(f'{{"pair_id": "p", "outcome": {value}}}\n', encoding="utf-8")
        with pytest.raises(UnsuitedError):
            open_columns(path, wanted=WANTED)
    path.write_text('{"pair_id": "p"}\n{"pair_id": 1}\n', encoding="utf-8")
    with pytest.raises(UnsuitedError):
        open_columns(path, wanted=WANTED)


def test_a_table_without_rows_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame(schema={"pair_id": pl.String}).write_parquet(path)
    with pytest.raises(DataError, match="has no records"):
        open_columns(path, wanted=WANTED)


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.xlsx"])
def test_what_can_not_be_opened_is_left_to_the_row_wise_reader(tmp_path, name):
    with pytest.raises(UnsuitedError):
        open_columns(tmp_path / name, wanted=WANTED)
