"""The JSON holds every figure or its refusal, reads back, and has no control characters."""

import json
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from evenhand.errors import DataError
from evenhand.report.triage_json import triage_json, triage_schema, validate_triage_json
from report.triage_reports import saved_policy, triage_report


def document(**asked):
    tree = triage_json(triage_report(**asked), command="evenhand triage RUN", created="2026")
    return json.loads(json.dumps(tree, allow_nan=False))


def test_every_figure_is_there():
    tree, report = document(), triage_report()
    assert (tree["schema_version"], tree["command"]) == (1, "evenhand triage RUN")
    assert len(tree["budgets"]) == len(report.budgets)
    assert tree["budgets"][0]["missed"]["value"] == report.budgets[0].missed.value
    levels = {each["score"]: each for each in tree["guarantees"]}
    assert levels["combined"] == {"score": "combined", "refused": "too few", "n": 240}
    first = levels["probe"]["levels"][0]
    assert first["exact"] is True
    assert first["first_split"]["calibration"]["events"] == report.guarantee("probe")[0].first.events
    assert tree["leaderboard"][0]["kendall_tau"]["value"] == report.leaderboard[0].kendall.value
    assert tree["times"][0]["overhead_seconds"] == {"writing": 3.0, "reading": 1.0, "scoring": 0.01}
    assert tree["policy"] is None
    assert tree["headline"]["basis"] == {"name": "Table 2", "anchor": "table-guarantees"}
    assert [claim["basis"]["anchor"] for claim in tree["headline"]["more"]] == ["table-time", "table-leaderboard"]
    assert tree["question"]["splits"] == 4


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"budget": 0.3},
        {"max_missed": 0.2, "delta": 0.2},
        {"max_missed": 0.001},
        {"seconds": False, "authors": False},
        {"hostile": True, "exact": False},
    ],
)
def test_what_is_written_is_valid(asked):
    validate_triage_json(document(**asked))


@pytest.mark.parametrize("raw", [True, False])
def test_a_policy_is_valid_too(raw):
    for threshold in (0.25, float("-inf")):
        policy = replace(saved_policy(raw=raw), threshold=threshold)
        validate_triage_json(triage_json(replace(triage_report(max_missed=0.2), policy=policy)))


def test_the_schema_is_a_schema_and_knows_every_key():
    schema = triage_schema()
    Draft202012Validator.check_schema(schema)
    assert set(document()) == set(schema["properties"])
    # What came later is not required: a document that was written before stays valid.
    assert set(schema["properties"]) - set(schema["required"]) == {"headline"}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("pairs",), -1, "triage, pairs:"),
        (("budgets", 0, "missed"), {"value": 0.3}, r"triage, budgets\[0\]\.missed:"),
        (("scores", 0, "kind"), "guessed", r"scores\[0\]\.kind:"),
        (("guarantees", 0, "levels", 0, "alpha"), 2, r"alpha: 2 is greater"),
        (("question", "level"), float("nan"), "nan is not a number that JSON has"),
        (("times",), None, "triage, times"),
    ],
)
def test_what_is_no_triage_is_refused_by_its_path(path, value, message):
    tree = document()
    *parents, last = path
    node = tree
    for part in parents:
        node = node[part]
    node[last] = value
    with pytest.raises(DataError, match=message):
        validate_triage_json(tree)


def test_refusals_stay_refusals():
    tree = document(seconds=False, authors=False)
    assert tree["times"] == {"refused": "untold", "n": 0}
    assert tree["authors"] == []
    assert "refused" in tree["leaderboard"][1]["largest_error"]


def test_infinite_thresholds_and_hostile_names_are_texts():
    tree = document(max_missed=0.001)
    found = {each["score"]: each for each in tree["guarantees"]}["probe"]["levels"][0]
    assert found["first_split"]["calibration"]["threshold"] == "-inf"
    assert "\x1b" not in json.dumps(document(hostile=True), ensure_ascii=False)
