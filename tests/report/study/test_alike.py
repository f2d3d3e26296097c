import copy
from collections.abc import Iterator

import hypothesis.strategies as st
import jsonschema
import pytest
from hypothesis import given

from evenhand.errors import DataError
from evenhand.report.study.alike import shape_of, without_repeats
from evenhand.report.study.json_report import study_json, study_schema, validate_study_json
from report.study.examples import make_study

_BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
_WORDS = {"type", "properties", "required", "additionalProperties", "anyOf", "oneOf", "items", "$ref", "description"}


def keywords(schema: object, definitions: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Of what a cell may be, with what the references lead to."""
    if isinstance(schema, list):
        for each in schema:
            yield from keywords(each, definitions)
    if not isinstance(schema, dict):
        return
    for name, value in schema.items():
        yield name, value
        if name == "properties":
            for child in value.values():
                yield from keywords(child, definitions)
        elif name == "$ref":
            yield from keywords(definitions[value.rpartition("/")[2]], definitions)
        elif name in ("anyOf", "oneOf", "items"):
            yield from keywords(value, definitions)


def test_the_schema_of_cells_asks_nothing_that_shapes_do_not_keep() -> None:
    definitions = study_schema()["$defs"]
    found = list(keywords(definitions["value"], definitions))
    assert {name for name, _ in found} <= _BOUNDS | _WORDS
    assert {value for name, value in found if name in _BOUNDS} == {0, 1}


_NUMBER = st.sampled_from([-1, 0, 1, 2, 3.0, -0.5, 0.5, 1.0, 1.5, True, None, "x"])
_CELL = st.fixed_dictionaries(
    {"name": _NUMBER, "p_value": _NUMBER, "log10_p": _NUMBER, "n": _NUMBER, "statistic": _NUMBER, "caveat": _NUMBER}
)


@given(_CELL, _CELL)
def test_cells_of_one_shape_are_valid_together(first: dict[str, object], second: dict[str, object]) -> None:
    test = jsonschema.Draft202012Validator({"$ref": "#/$defs/test", "$defs": study_schema()["$defs"]})
    if shape_of(first) == shape_of(second):
        assert test.is_valid(first) == test.is_valid(second)


def test_a_wrong_cell_among_many_alike_is_found_where_it_is() -> None:
    document = copy.deepcopy(study_json(make_study()))
    table = document["tables"][0]
    row, column = next(
        (row, name) for row in table["rows"] for name, cell in row.items() if isinstance(cell, dict) and "value" in cell
    )
    table["rows"] += [copy.deepcopy(row) for _ in range(200)]
    validate_study_json(document)
    assert len(without_repeats(document)["tables"][0]["rows"]) < len(table["rows"]) - 150
    table["rows"][-3][column]["n"] = -1
    with pytest.raises(DataError, match=rf"rows\[{len(table['rows']) - 3}\]\.{column}"):
        validate_study_json(document)


@pytest.mark.parametrize("wrong", [None, [], {"tables": 3}, {"tables": [3]}, {"tables": [{"rows": [3]}]}])
def test_what_is_no_study_is_left_to_be_refused(wrong: object) -> None:
    assert without_repeats(wrong) == wrong
    with pytest.raises(DataError):
        validate_study_json(wrong)
