"""The JSON holds every figure or its refusal, reads back, and has no control characters."""

import json

from evenhand.report.triage_json import triage_json
from report.triage_reports import triage_report


def document(**asked):
    tree = triage_json(triage_report(**asked), command="evenhand triage RUN", created="2026")
    return json.loads(json.dumps(tree, allow_nan=False))


def test_every_figure_is_there():
    tree, report = document(), triage_report()
    assert (tree["format"], tree["version"], tree["command"]) == ("evenhand triage", 1, "evenhand triage RUN")
    assert len(tree["budgets"]) == len(report.budgets)
    assert tree["budgets"][0]["missed"]["value"] == report.budgets[0].missed.value
    levels = {each["score"]: each for each in tree["guarantees"]}
    assert levels["combined"] == {"score": "combined", "refused": "too few"}
    first = levels["probe"]["levels"][0]
    assert first["exact"] is True
    assert first["first_split"]["calibration"]["events"] == report.guarantee("probe")[0].first.events
    assert tree["leaderboard"][0]["kendall_tau"]["value"] == report.leaderboard[0].kendall.value
    assert tree["times"][0]["overhead_seconds"] == {"writing": 3.0, "reading": 1.0, "scoring": 0.01}
    assert tree["policy"] is None
    assert tree["question"]["splits"] == 4


def test_refusals_stay_refusals():
    tree = document(seconds=False, authors=False)
    assert tree["times"] == {"refused": "untold"}
    assert tree["authors"] == []
    assert "refused" in tree["leaderboard"][1]["largest_error"]


def test_infinite_thresholds_and_hostile_names_are_texts():
    tree = document(max_missed=0.001)
    found = {each["score"]: each for each in tree["guarantees"]}["probe"]["levels"][0]
    assert found["first_split"]["calibration"]["threshold"] == "-inf"
    assert "\x1b" not in json.dumps(document(hostile=True), ensure_ascii=False)
