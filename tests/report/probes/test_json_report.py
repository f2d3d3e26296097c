import json
import re
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from evenhand.errors import DataError
from evenhand.report.probes.json_report import probe_json, probe_schema, validate_probe_json
from evenhand.report.write import json_text
from report.probes.examples import TOO_RARE, make_report, pooled, refused


def test_the_schema_is_a_schema_and_holds_the_report(report, transfer):
    Draft202012Validator.check_schema(probe_schema())
    for made in (report, transfer, refused(report, TOO_RARE), replace(report, predictors=(), differences=())):
        validate_probe_json(probe_json(made))


def test_figures_are_whole(report):
    tree = json.loads(json_text(probe_json(report, command="evenhand probe fit x", created="2026-11-30T07:10:11Z")))
    probe = tree["predictors"][0]
    assert probe["metrics"]["auroc"]["value"] == 0.664
    assert probe["metrics"]["auroc"]["interval"]["low"] == 0.601
    assert probe["selections"][1] == {"fold": 1, "candidate": "before-verdict@21", "l2": 0.01, "validation_brier": 0.22}
    assert tree["differences"][0]["reference"] == "confidence"
    assert tree["retention"] == {
        "planned": 620,
        "usable": 579,
        "lost": [
            {"why": "AB: no confidence line", "pairs": 24},
            {"why": "BA: the token budget was used up", "pairs": 17},
        ],
    }
    assert (tree["command"], tree["created"]) == ("evenhand probe fit x", "2026-11-30T07:10:11Z")
    head = tree["headline"]
    assert head["verdict"].startswith("The probe ranks flips better than chance")
    assert head["basis"] == {"name": "Table 1", "anchor": "table-summary"}
    assert [claim["text"] for claim in head["more"]] == head["meaning"]
    assert [claim["text"] for claim in head["next"]] == head["next_steps"]
    assert all(claim["basis"]["anchor"] for claim in (*head["more"], *head["next"]))


def test_controls_and_pooling_are_figures(report):
    noted = replace(report, predictors=(pooled(report.predictors[0], 0.69), *report.predictors[1:]))
    tree = probe_json(noted)
    validate_probe_json(tree)
    probe, control = tree["predictors"][0], tree["predictors"][-1]
    assert probe["within_folds"]["value"] == 0.69
    assert (probe["shuffles"], probe["permutation_p"]) == ([], None)
    assert control["within_folds"] is None
    assert len(control["shuffles"]) == 20
    assert control["permutation_p"] == 1 / 21


def test_no_penalty_is_null_and_no_figure_is_a_refusal(report):
    tree = probe_json(refused(report, TOO_RARE))
    trees = next(p for p in tree["predictors"] if p["name"] == "boosted-trees")
    assert trees["selections"][0]["l2"] is None
    assert trees["metrics"]["auroc"] == {"refused": TOO_RARE.reason, "n": 579}
    assert "NaN" not in json_text(tree)


def test_same_report_same_text(report):
    assert json_text(probe_json(report)) == json_text(probe_json(make_report()))


def test_hostile_text_is_visible_and_valid(hostile_report):
    tree = probe_json(hostile_report)
    validate_probe_json(tree)
    text = json.dumps(tree, ensure_ascii=False)
    text.encode("utf-8")
    assert not re.search("[\u202a-\u202e\ud800-\udfff]", text)
    assert len(text) < 2_000_000


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("task",), "guess", "probe report, task:"),
        (("flip_rate",), {"value": 0.3}, "probe report, flip_rate:"),
        (("predictors", 0, "metrics", "auroc"), {"value": 0.5, "refused": "both"}, "metrics.auroc:"),
        (("predictors", 0, "kind"), "magic", "predictors\\[0\\].kind:"),
        (("differences", 0, "metric"), "accuracy", "differences\\[0\\].metric:"),
        (("procedure", "level"), float("nan"), "nan is not a number that JSON has"),
    ],
)
def test_what_is_no_report_is_refused_by_its_path(report, path, value, message):
    tree = json.loads(json_text(probe_json(report)))
    *parents, last = path
    node = tree
    for part in parents:
        node = node[part]
    node[last] = value
    with pytest.raises(DataError, match=message):
        validate_probe_json(tree)


def test_a_missing_key_is_named(report):
    tree = probe_json(report)
    del tree["retention"]
    with pytest.raises(DataError, match="retention: is missing"):
        validate_probe_json(tree)
