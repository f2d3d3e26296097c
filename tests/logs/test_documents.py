import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import DataError
from evenhand.logs.documents import (
    Node,
    decode_json,
    read_bytes,
    read_json_array,
    read_json_lines,
    read_json_lines_of,
    read_json_object,
    short,
)
from evenhand.records import Order


def node(value):
    return Node(path=Path("log.json"), row=3, field="", value=value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1', "is not JSON"),
        ('{"a": "', "is not JSON: Unterminated string starting at column 7"),
        ("[" * 200_000, "is nested too deeply"),
        ('{"winner": "1", "winner": "2"}', "the key 'winner' twice"),
        ("1" * 5000, "is not usable JSON"),
        ("\x00", "is not JSON"),
        (" \n", "is empty, expected JSON"),
    ],
)
def test_unusable_json_is_one_clear_error(text, problem):
    with pytest.raises(DataError, match=problem) as caught:
        decode_json(text, path=Path("log.json"), row=1)
    assert "\n" not in str(caught.value)


def test_a_place_is_named_down_to_the_field():
    with pytest.raises(DataError) as caught:
        node({"a": [{"b": 1}]}).child("a").items()[0].child("b").text()
    assert str(caught.value) == "log.json, row 3, field 'a[0].b': expected text, got 1"


def test_missing_and_null_are_told_apart():
    with pytest.raises(DataError, match="field 'a': missing"):
        node({}).child("a")
    with pytest.raises(DataError, match="field 'a': null"):
        node({"a": None}).child("a")


@pytest.mark.parametrize("value", [True, "1", None, [], float("nan"), float("inf"), 10**400])
def test_only_finite_numbers_are_numbers(value):
    with pytest.raises(DataError, match="expected a"):
        node(value).number()


@pytest.mark.parametrize("value", ["", " ", "a\x00", "a\nb", "\ud800"])
def test_names_are_printable(value):
    with pytest.raises(DataError):
        node(value).name()


@given(
    st.text()
    | st.integers()
    | st.floats()
    | st.none()
    | st.lists(st.text())
    | st.text(st.characters(categories=["Cs"]))
)
def test_any_value_is_shown_short_and_encodable(value):
    shown = short(value)
    assert len(shown) <= 640
    shown.encode("utf-8")


def test_files_that_are_no_text_say_so(tmp_path):
    file = tmp_path / "log.json"
    file.write_bytes(b'[{"a": "\xff"}]')
    with pytest.raises(DataError, match="byte 8 is 0xff"):
        read_json_array(file)
    with pytest.raises(DataError, match="can't be read"):
        read_bytes(tmp_path)
    with pytest.raises(DataError, match="can't be read"):
        read_bytes(tmp_path / "absent")


def test_a_byte_order_mark_is_no_content(tmp_path):
    file = tmp_path / "log.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps([1]).encode())
    assert [row.value for row in read_json_array(file).rows] == [1]


@pytest.mark.parametrize(("text", "problem"), [("{}", "expected a list"), ("[]", "no records")])
def test_an_array_of_records_is_expected(tmp_path, text, problem):
    file = tmp_path / "log.json"
    file.write_text(text)
    with pytest.raises(DataError, match=problem):
        read_json_array(file)


def test_lines_are_counted_with_the_blank_ones(tmp_path):
    file = tmp_path / "log.jsonl"
    file.write_text('{"a": 1}\n\n{"a": 2}\r\n')
    assert [(row.row, row.value) for row in read_json_lines(file).rows] == [(1, {"a": 1}), (3, {"a": 2})]
    file.write_text("\n\n")
    with pytest.raises(DataError, match="no records"):
        read_json_lines(file)


def test_keys_tell_every_part_of_a_place_apart(tmp_path):
    file = tmp_path / "log.jsonl"
    file.write_text("1\n")
    document = read_json_lines(file)
    file.write_text("2\n")
    other = read_json_lines(file)
    keys = {
        document.key("table", "p", Order.AB, "c"),
        document.key("llmbar", "p", Order.AB, "c"),
        document.key("table", "q", Order.AB, "c"),
        document.key("table", "p", Order.BA, "c"),
        document.key("table", "p", Order.AB, "d"),
        document.key("table", "p", Order.AB, "c", 1),
        other.key("table", "p", Order.AB, "c"),
    }
    assert len(keys) == 7


def test_a_folder_of_lines_is_one_document_whose_rows_know_their_file(tmp_path):
    (tmp_path / "b.jsonl").write_text('{"a": 2}\n')
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n\n{"a": 3}\n')
    (tmp_path / "notes.txt").write_text("{")
    document = read_json_lines_of(tmp_path)
    assert [(row.path.name, row.row, row.value) for row in document.rows] == [
        ("a.jsonl", 1, {"a": 1}),
        ("a.jsonl", 3, {"a": 3}),
        ("b.jsonl", 1, {"a": 2}),
    ]
    (tmp_path / "b.jsonl").rename(tmp_path / "c.jsonl")
    assert read_json_lines_of(tmp_path).sha256 != document.sha256
    assert read_json_lines_of(tmp_path / "a.jsonl") == read_json_lines(tmp_path / "a.jsonl")


def test_an_object_is_one_row(tmp_path):
    file = tmp_path / "log.json"
    file.write_text('\ufeff{"a": [1]}', encoding="utf-8")
    assert [row.value for row in read_json_object(file).rows] == [{"a": [1]}]
    file.write_text("[1]")
    with pytest.raises(DataError, match="expected an object, got a list"):
        read_json_object(file)
