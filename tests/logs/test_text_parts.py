import json

import pytest

from evenhand.errors import DataError
from evenhand.logs import text_parts
from evenhand.logs.text_parts import UnsuitedError, csv_parts, json_line, json_parts

WANTED = ("pair_id", "outcome", "text")


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(text_parts, "_ROWS", 2)
    monkeypatch.setattr(text_parts, "_BYTES", 7)


def test_csv_comes_in_parts(tmp_path, small_parts):
    path = tmp_path / "t.csv"
    path.write_text('\ufeffpair_id,note,outcome\n1,é,"fir\nst"\n\n2,,tie\n3,x,\n', encoding="utf-8")
    first, second = csv_parts(path, WANTED)
    assert first.columns == {"pair_id": ["1", "2"], "outcome": ["fir\nst", "tie"]}
    assert (first.names, list(first.lines), list(second.lines)) == (("pair_id", "note", "outcome"), [1, 2], [3])
    assert second.columns == {"pair_id": ["3"], "outcome": [""]}


def test_json_lines_keep_their_numbers(tmp_path, small_parts):
    path = tmp_path / "t.jsonl"
    rows = [{"pair_id": 1}, {"pair_id": "\u2028", "note": 2}, {"outcome": None}]
    path.write_text("\n\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    first, second = json_parts(path, WANTED)
    assert first.columns == {"pair_id": [1, "\u2028"], "outcome": [None, None], "text": [None, None]}
    assert (list(first.lines), list(second.lines)) == ([1, 3], [5])
    assert (first.names, second.names) == (("pair_id", "note"), ("outcome",))
    assert json_line(path, 3).value == rows[1]


def test_texts_stop_the_reading_at_their_part(tmp_path, small_parts):
    path = tmp_path / "t.csv"
    path.write_text("pair_id,text\n1,\n2,\n3,A\n4,B\n", encoding="utf-8")
    parts = csv_parts(path, WANTED)
    assert next(parts).columns["text"] == ["", ""]
    with pytest.raises(UnsuitedError):
        next(parts)


def test_a_preference_that_only_some_rows_have_is_for_the_row_wise_reader(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"preference": "A"}\n{"outcome": "first"}\n', encoding="utf-8")
    with pytest.raises(UnsuitedError):
        list(json_parts(path, WANTED))


@pytest.mark.parametrize(("data", "byte"), [(b"a" * 20 + b"\xff", 20), (b"a" * 6 + "é".encode() + b"\xc3", 8)])
def test_a_wrong_byte_beyond_the_first_chunk_is_counted_from_the_beginning(tmp_path, small_parts, data, byte):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(DataError, match=f"is not UTF-8: byte {byte} is {data[byte]:#04x}"):
        list(csv_parts(path, WANTED))
