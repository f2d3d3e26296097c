import copy
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from evenhand.errors import DataError
from evenhand.report.study.json_report import study_json, study_schema, validate_study_json
from evenhand.report.write import json_text
from report.study.examples import COMMAND, CREATED, make_empty, make_study

EXPECTED = Path(__file__).parent / "expected"


def test_the_sample_study_as_it_is_written():
    document = study_json(make_study(), command=COMMAND, created=CREATED) | {"evenhand_version": "VERSION"}
    assert json_text(document) == (EXPECTED / "biases.json").read_text(encoding="utf-8")


def test_the_schema_is_valid_and_accepts_every_kind():
    jsonschema.Draft202012Validator.check_schema(study_schema())
    assert study_schema()["$id"] == "urn:evenhand:schema:study:1"
    kinds = "biases mitigation ranking comparison judges gate history humans labels power simulation"
    for kind in kinds.split():
        validate_study_json(study_json(replace(make_study(), kind=kind)))
    validate_study_json(study_json(make_empty()))


ADDED_LATER = {"y_names"}
"""Documents that were written before stay valid: what came later is never required."""

HEADLINE_LATER = {"basis", "more", "next"}


def test_every_object_that_the_schema_closes_lists_what_it_requires():
    waiting = [study_schema()]
    seen = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if node.get("additionalProperties") is False:
                seen += 1
                later = ADDED_LATER | (HEADLINE_LATER if "verdict" in node["properties"] else set())
                assert sorted(node["required"]) == sorted(node["properties"].keys() - later)
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    assert seen > 10


def test_a_document_written_before_sentences_had_bases_stays_valid():
    document = copy.deepcopy(study_json(make_study()))
    for key in HEADLINE_LATER:
        del document["headline"][key]
    validate_study_json(document)


@pytest.mark.parametrize(
    ("break_it", "place"),
    [
        (lambda d: d.pop("headline"), "headline: is missing"),
        (lambda d: d["headline"].update(status="splendid"), "headline.status"),
        (lambda d: d["tables"][0]["columns"][0].update(unit="furlongs"), "unit"),
        (lambda d: d["tables"][0]["rows"][0].update(effect={"value": 1.0}), "rows"),
        (lambda d: d["tables"][0]["rows"][0].update(effect=math.nan), "nan is not a number that JSON has"),
        (lambda d: d["figures"][1]["series"][0].update(y=[math.inf]), "inf is not a number that JSON has"),
        (lambda d: d["figures"][0].update(figure="pie"), "figures"),
        (lambda d: d.update(schema_version=2), "schema_version"),
    ],
)
def test_what_is_not_valid_is_refused_with_its_place(break_it, place):
    document = copy.deepcopy(study_json(make_study()))
    break_it(document)
    with pytest.raises(DataError, match=place) as caught:
        validate_study_json(document)
    assert "\n" not in str(caught.value)


def test_hostile_text_is_whole_json(hostile, hostile_study):
    document = study_json(hostile_study, command=hostile, created=hostile)
    validate_study_json(document)
    text = json_text(document)
    assert not re.search("[\u202a-\u202e\ud800-\udfff]", text)
    assert json.loads(text)["schema_version"] == 1
    assert len(text) < 1_500_000
