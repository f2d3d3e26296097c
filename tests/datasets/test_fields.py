from pathlib import Path

import pytest

from evenhand.datasets.fields import as_metadata, gold_of, optional_text, required_text
from evenhand.datasets.rows import Row
from evenhand.errors import DataError
from evenhand.records import Preference

ROW = {"empty": "", "null": None, "text": "x", "whole": 7, "fraction": 1.0, "truth": True, "list": ["x"]}


def row(**values):
    return Row(path=Path("p.jsonl"), number=4, values=values or ROW)


def test_required_text_takes_any_text_even_empty():
    assert (required_text(row(), "text"), required_text(row(), "empty")) == ("x", "")


@pytest.mark.parametrize(
    ("field", "shown"),
    [("null", "is null"), ("absent", "is missing"), ("whole", "is 7"), ("truth", "is True"), ("list", "is a list")],
)
def test_required_text_refuses_the_rest_and_names_the_place(field, shown):
    with pytest.raises(DataError, match=rf"^p\.jsonl, row 4, field '{field}': {shown}, expected text$"):
        required_text(row(), field)


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(DataError) as caught:
        gold_of(row(gold="z" * 10_000), "gold", {"a": Preference.A}, expected="A")
    assert len(str(caught.value)) < 200


def test_optional_text():
    assert [optional_text(row(), name) for name in ("absent", "null", "empty", "text", "whole")] == [
        None,
        None,
        None,
        "x",
        "7",
    ]
    for name in ("fraction", "truth", "list"):
        with pytest.raises(DataError, match=name):
            optional_text(row(), name)


def test_gold_takes_its_codes_and_nothing_that_merely_equals_one():
    codes = {1: Preference.A, 2: Preference.B}
    assert gold_of(row(gold=1), "gold", codes, expected="1 or 2") is Preference.A
    for near in (True, 1.0, "1", None, 0, [1]):
        with pytest.raises(DataError, match="expected 1 or 2"):
            gold_of(row(gold=near), "gold", codes, expected="1 or 2")


def test_metadata_keeps_text_and_writes_the_rest_as_json():
    assert as_metadata({"é": [1, None]}) == '{"é": [1, null]}'
    assert as_metadata("") == ""
    assert as_metadata(1.5) == "1.5"
