"""Binding an endpoint to the labels."""

import json

import pytest

from evenhand.errors import ConfigError
from evenhand.judges.openai.constraint import constraint_for, method_for
from evenhand.judges.openai.server import Server, ServerKind
from evenhand.records import LabelSet

LABELS = LabelSet.parse("A/B/tie")
ODD = LabelSet(first='"\\', second="\N{LARGE BLUE CIRCLE}")


def test_the_method_follows_the_server_unless_it_is_named():
    found = {kind: method_for(Server(kind=kind, root="x"), "auto") for kind in ServerKind}
    assert found == {
        ServerKind.LLAMA_CPP: "grammar",
        ServerKind.VLLM: "choice",
        ServerKind.OTHER: "response_format",
    }
    assert method_for(Server(kind=ServerKind.VLLM, root="x"), "logit_bias") == "logit_bias"


def test_fields():
    schema = constraint_for("response_format", LABELS).fields["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["properties"]["verdict"]["enum"] == ["A", "B", "tie"]
    assert constraint_for("choice", LABELS).fields == {"structured_outputs": {"choice": ["A", "B", "tie"]}}
    assert constraint_for("grammar", ODD).fields == {"grammar": 'root ::= "\\"\\\\" | "\N{LARGE BLUE CIRCLE}"'}
    bias = constraint_for("logit_bias", LABELS, ids=[[7], [8], [9]])
    assert (bias.fields, bias.max_tokens) == ({"logit_bias": {"7": 100, "8": 100, "9": 100}}, 1)


def test_there_is_room_for_any_label():
    for method in ("choice", "grammar"):
        assert constraint_for(method, LABELS).max_tokens >= 4
    assert constraint_for("response_format", LABELS).max_tokens >= len('{"verdict": "tie"}')


@pytest.mark.parametrize("method", ["choice", "grammar"])
def test_bare_labels(method):
    constraint = constraint_for(method, LABELS)
    assert [constraint.label(text) for text in ("A", " tie\n", "C", "", "A.")] == ["A", "tie", None, None, None]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('{"verdict": "A"}', "A"),
        ('\n{ "verdict":"tie" }\n\n', "tie"),
        ('{"verdict": "C"}', None),
        ('{"verdict": ["A"]}', None),
        ('{"verdict": "A", "why": ""}', None),
        ('"A"', None),
        ("A", None),
        ('{"verdict": "A', None),
        ("[" * 100_000, None),
    ],
)
def test_labels_in_json(text, label):
    assert constraint_for("response_format", LABELS).label(text) == label


def test_odd_labels_come_back():
    for label in ODD.by_outcome.values():
        assert constraint_for("response_format", ODD).label(json.dumps({"verdict": label})) == label
        assert constraint_for("grammar", ODD).label(label) == label


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([[7], None, [9]], "no /tokenize"),
        ([[7], [8, 9], [9]], "'B' is 2 tokens"),
        ([[7], [], [9]], "'B' is 0 tokens"),
        ([[7], [7], [9]], "the same token"),
    ],
)
def test_a_bias_needs_single_tokens(ids, message):
    with pytest.raises(ConfigError, match=message):
        constraint_for("logit_bias", LABELS, ids=ids)


def test_unknown_method():
    with pytest.raises(ConfigError, match="expected response_format"):
        constraint_for("prayer", LABELS)
