import copy
import json
import math
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from evenhand.analysis import FindingKind
from evenhand.errors import DataError
from evenhand.records import Readout
from evenhand.report.card import build_card, card_markdown, card_schema, validate_card
from evenhand.stats import Estimate, Interval


@pytest.fixture
def card(manifest, audit, counts):
    return build_card(manifest, audit, counts=counts)


def required_paths(schema, node, path=()):
    """Every required field that the card has, as a path, found by walking schema and card together."""
    if "$ref" in schema:
        return required_paths(card_schema()["$defs"][schema["$ref"].rsplit("/", 1)[-1]], node, path)
    if "oneOf" in schema:
        defs = {"$defs": card_schema()["$defs"]}
        fit = next(s for s in schema["oneOf"] if Draft202012Validator({**defs, **s}).is_valid(node))
        return required_paths(fit, node, path)
    found = []
    if isinstance(node, dict):
        for name in schema.get("required", ()):
            found.append((*path, name))
            found += required_paths(schema["properties"][name], node[name], (*path, name))
    if isinstance(node, list) and node and "items" in schema:
        found += required_paths(schema["items"], node[0], (*path, 0))
    return found


def test_schema_is_itself_valid_and_describes_every_field():
    Draft202012Validator.check_schema(card_schema())

    def described(schema):
        for child in schema.get("properties", {}).values():
            assert child.get("description"), child
            described(child)
        for key in ("items",):
            if key in schema:
                described(schema[key])

    described(card_schema())
    assert card_schema()["$id"]


def test_card_is_valid(card):
    validate_card(card)


def test_each_missing_field_fails_and_is_named(card):
    paths = required_paths(card_schema(), card)
    assert len(paths) > 60
    for path in paths:
        broken = copy.deepcopy(card)
        node = broken
        for step in path[:-1]:
            node = node[step]
        del node[path[-1]]
        with pytest.raises(DataError) as caught:
            validate_card(broken)
        text = str(caught.value)
        assert "\n" not in text
        # inside a choice (an estimate, decoding settings) the choice is named, which no longer fits any form
        assert str(path[-1]) in text or str(path[-2]) in text, (path, text)


def test_a_top_level_field_is_named_by_its_path(card):
    del card["judge"]["revision"]
    with pytest.raises(DataError, match=r"^disclosure card, judge\.revision: is missing \(see card\.schema\.json\)$"):
        validate_card(card)


@pytest.mark.parametrize("broken", [[], None, "card", 1])
def test_what_is_no_object_is_refused(broken):
    with pytest.raises(DataError, match="disclosure card, top level"):
        validate_card(broken)


def test_unknown_field_is_refused(card):
    with pytest.raises(DataError, match="extra"):
        validate_card({**card, "extra": 1})


def test_what_a_log_does_not_say_is_said_to_be_unknown(manifest, audit, counts):
    judge = replace(manifest.judge, revision=None, engine=None, settings=())
    log = replace(manifest, kind="log", judge=judge, sampling=None, label_tokens=(), command=None, created="")
    card = build_card(log, audit, counts=counts)
    validate_card(card)
    unknown = {"unknown": "the log does not say"}
    assert card["judge"]["revision"] == card["decoding"] == card["command"] == card["created"] == unknown
    assert card["conditions"][0]["labels"]["tokens"] == unknown


def test_card_states_what_the_issue_asks_for(card, manifest):
    assert card["judge"]["revision"] == manifest.judge.revision
    assert card["conditions"][0]["prompt"]["sha256"] == manifest.conditions[0].prompt_hash
    assert card["conditions"][0]["labels"]["tokens"][1] == {"label": "A", "variant": " A", "token_id": 50}
    assert card["excluded"] == [{"why": "longer than the context of 4,096 tokens", "count": 1, "what": ["starter-061"]}]
    generated = card["conditions"][0]["readouts"][1]
    assert generated["outcomes"] == {
        "first": 74, "second": 40, "tie": 1, "refused": 1, "unparsed": 3, "truncated": 1, "error": 0,
    }  # fmt: skip
    assert generated["flip_rate"]["count"] == 26
    assert generated["flip_rate"]["interval"]["low"] == 0.32
    assert generated["repeat_flip_rate"]["value"] == 0.0
    assert "not measured" in card["conditions"][0]["readouts"][0]["repeat_flip_rate"]["refused"]


def test_single_order_has_no_flip_rate(manifest, audit, counts):
    card = build_card(replace(manifest, orders="single"), audit, counts=counts)
    validate_card(card)
    for condition in card["conditions"]:
        assert all("single order" in readout["flip_rate"]["refused"] for readout in condition["readouts"])
        assert "single order" in condition["compliance"]["pairs"]["refused"]


def test_no_nan_ever(manifest, audit, counts):
    bad = Estimate(value=math.nan, interval=Interval(low=math.nan, high=math.inf), n=4, count=math.nan)
    findings = tuple(
        replace(f, measures=tuple(replace(m, estimate=bad) for m in f.measures)) if f.kind is FindingKind.READOUT else f
        for f in audit.findings
    )
    card = build_card(manifest, replace(audit, findings=findings), counts=counts)
    validate_card(card)
    json.dumps(card, allow_nan=False)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_card_made_by_hand_with_no_number_is_refused_by_path(card, number):
    card["conditions"][0]["readouts"][1]["flip_rate"]["value"] = "here"
    read = json.loads(json.dumps(card).replace('"here"', number))  # Python reads what JSON does not have
    with pytest.raises(DataError, match=r"^disclosure card, conditions\[0\]\.readouts\[1\]\.flip_rate\.value: "):
        validate_card(read)


def test_a_hash_that_a_log_did_not_record_is_unknown(manifest, audit, counts):
    conditions = tuple(replace(c, prompt_hash="not recorded") for c in manifest.conditions)
    card = build_card(replace(manifest, kind="log", conditions=conditions), audit, counts=counts)
    validate_card(card)
    assert card["conditions"][0]["prompt"]["sha256"] == {"unknown": "the log does not say"}


def test_round_trip(card):
    assert json.loads(json.dumps(card)) == card


def test_the_schema_knows_every_readout():
    schema = card_schema()
    found = [node["enum"] for node in _nodes(schema) if isinstance(node.get("enum"), list) and "hybrid" in node["enum"]]
    assert found == [[readout.value for readout in Readout]]


def _nodes(value):
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nodes(inner)


@pytest.mark.parametrize("name", ["remedied", "budgeted", "designed"])
def test_cards_of_every_kind_of_run_are_valid(name, request):
    validate_card(request.getfixturevalue(name).card())


def test_a_card_tells_prefill_design_and_budget(remedied, budgeted, designed):
    (condition,) = remedied.card()["conditions"]
    assert condition["prefill"] == remedied.manifest.conditions[0].prefill
    assert condition["design"] == {}
    assert remedied.card()["generated_fraction"] is None
    assert designed.card()["conditions"][0]["design"] == {"criteria": "before", "labels": "A/B"}
    card = budgeted.card()
    assert card["generated_fraction"] == 0.5
    first, generated = card["conditions"][0]["readouts"]
    assert first["prediction_powered"] is None
    powered = generated["prediction_powered"]
    assert (powered["pairs"], powered["pairs_generated"]) == (60, 30)
    assert generated["flip_rate"] == powered["figures"]["pp_flip_rate"]
    assert {"pp_effective_pairs", "sample_flip_rate", "pp_accuracy_ab"} <= powered["figures"].keys()


def test_a_card_made_before_these_fields_is_valid_still(card):
    del card["generated_fraction"], card["judge"]["served"]
    for condition in card["conditions"]:
        del condition["prefill"], condition["design"]
        for readout in condition["readouts"]:
            del readout["prediction_powered"]
    validate_card(card)
    assert card_markdown(card)


def test_a_card_lists_bias_audits_with_their_main_figures_or_why_there_is_none(biased):
    card = biased.card()
    validate_card(card)
    assert [condition["id"] for condition in card["conditions"]] == ["single-character, A/B"]
    assert [entry["audit"] for entry in card["biases"]] == ["sycophancy", "rationale"]
    assert card["variants"] is None
    del card["biases"], card["variants"]
    validate_card(card)
    assert "Biases beside order" not in card_markdown(card)
