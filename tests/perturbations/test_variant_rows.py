import hashlib

import polars as pl
import pytest

from evenhand.errors import DataError
from evenhand.perturbations.variant_rows import read_variant_file

ROW = {"pair_id": "p", "factor": "tone", "level": "hedged", "target": "A", "text": 'One,\n"two" \u2028 é'}


def test_json_lines(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_bytes('\ufeff{"a": "x\u2028y"}\r\n\n{"a": "\\ud800"}'.encode())
    file = read_variant_file(path)
    assert [(row.number, row.values) for row in file.rows] == [(1, {"a": "x\u2028y"}), (3, {"a": "\ud800"})]
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_csv_and_parquet_hold_the_same(tmp_path):
    frame = pl.DataFrame([ROW, ROW])
    frame.write_csv(tmp_path / "v.csv")
    frame.write_parquet(tmp_path / "v.parquet")
    from_csv, from_parquet = (read_variant_file(tmp_path / f"v.{kind}") for kind in ("csv", "parquet"))
    assert [row.values for row in from_csv.rows] == [row.values for row in from_parquet.rows] == [ROW, ROW]
    assert [row.number for row in from_csv.rows] == [2, 3]
    assert [row.number for row in from_parquet.rows] == [1, 2]


def test_csv_cells_stay_text_and_may_be_long(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text(f"pair_id,text\n007,{'x' * 200_000}\n\nNA,=1+1\n")
    assert [row.values["pair_id"] for row in read_variant_file(path).rows] == ["007", "NA"]
    assert len(read_variant_file(path).rows[0].values["text"]) == 200_000


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("v.txt", b"", r"v\.txt: has extension '\.txt', expected one of \.jsonl"),
        ("v.jsonl", b'{"a": 1}\n{"a": \n', r"v\.jsonl, row 2: is not valid JSON \(Expecting value at column 7\)"),
        ("v.jsonl", b'{"a": "', r"row 1: is not valid JSON \(Unterminated string starting at column 7\)"),
        ("v.jsonl", b"[1]", "row 1: is not an object"),
        ("v.jsonl", b'{"a": 1, "a": 2}', "row 1: has a key twice"),
        ("v.jsonl", b"[" * 100_000, "row 1: is not valid JSON"),
        ("v.jsonl", b'{"a": "b"}\n"\xff"', "row 2: is not UTF-8 text"),
        ("v.csv", b"a,b\n1\n", "row 2: has 1 cells, the header has 2"),
        ("v.csv", b"a,a\n1,2\n", "row 1: a column is there twice"),
        ("v.csv", b'a,b\n"x"y,2\n', r"row 2: is not valid CSV"),
        ("v.csv", b'a,b\n"x,2\n', r"row 2: is not valid CSV"),
        ("v.parquet", b"PAR1", "is not a readable Parquet file"),
    ],
)
def test_what_can_not_be_read_is_named(tmp_path, name, data, message):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DataError, match=message) as caught:
        read_variant_file(path)
    assert "\n" not in str(caught.value)


def test_an_absent_file(tmp_path):
    with pytest.raises(DataError, match=r"can't be read \(No such file"):
        read_variant_file(tmp_path / "v.csv")
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(DataError, match=r"can't be read \(Is a directory"):
        read_variant_file(tmp_path / "d.csv")
    with pytest.raises(DataError, match=r"can't be a file's name \(null byte\)"):
        read_variant_file(tmp_path / "\x00.csv")
