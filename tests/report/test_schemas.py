import math

import pytest
from jsonschema import Draft202012Validator

from evenhand.errors import DataError
from evenhand.report.schemas import check_document, shipped_schema

SCHEMA = {
    "type": "object",
    "required": ["rows"],
    "properties": {"rows": {"type": "array", "items": {"type": "object", "required": ["value"]}}},
}


def check(document: object) -> None:
    check_document(document, SCHEMA, what="probe report", schema_file="probes.schema.json")


def test_a_valid_document_passes():
    check({"rows": [{"value": 0.5}]})


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, r"probe report, rows: is missing"),
        ({"rows": [{"value": 1}, {}]}, r"probe report, rows\[1\]\.value: is missing"),
        ({"rows": 3}, r"probe report, rows: 3 is not of type"),
        ([], r"probe report, top level: "),
        ({"rows": [{"value": math.nan}]}, r"rows\[0\]\.value: nan is not a number that JSON has"),
        ({"rows": [], "more": math.inf}, r"more: inf is not a number that JSON has"),
    ],
)
def test_the_first_fault_is_named_by_its_path(document, message):
    with pytest.raises(DataError, match=message):
        check(document)


@pytest.mark.parametrize(
    ("package", "file"),
    [
        ("evenhand.report", "card.schema.json"),
        ("evenhand.report.probes", "probes.schema.json"),
        ("evenhand.report", "triage.schema.json"),
    ],
)
def test_shipped_schemas_are_schemas_and_their_copies_are_ones_own(package, file):
    schema = shipped_schema(package, file)
    Draft202012Validator.check_schema(schema)
    schema.clear()
    assert shipped_schema(package, file)


def test_hostile_keys_stay_on_one_line():
    with pytest.raises(DataError) as caught:
        check({"rows": [], "a\x1b]0;b\nc": math.nan})
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)
