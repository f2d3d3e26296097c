"""A run beside people in ``audit.json``."""

import json

from evenhand.audits.humans.beside import RunBesidePeople
from evenhand.report.encode_humans import encode_humans
from report.humans_examples import ALONE, BELOW, beside, scope, split


def test_every_figure_is_a_number_or_a_reason() -> None:
    made = encode_humans(beside(scope(gap=BELOW, by_flip=split(-0.4, -0.1), names=("secret", "names")), scope()))
    assert made is not None
    first, second = made["scopes"]  # type: ignore[misc]
    assert first["agreement"]["value"] == 0.7
    assert first["judge_minus_person"]["interval"] == {"low": -0.3, "high": -0.1, "level": 0.95, "method": "by hand"}
    assert (first["pairs"], first["without_verdict"], first["unlabelled"]) == (80, 3, 12)
    assert first["by_flip"]["flips"] == 30
    assert first["by_flip"]["difference"]["value"] == -0.25
    assert second["judge_minus_person"] == {"refused": ALONE.reason, "n": 0}
    assert second["by_flip"] is None
    assert made["labels"]["skipped"] == 7  # type: ignore[index]
    text = json.dumps(made, allow_nan=False)
    assert "secret" not in text


def test_no_labels_are_null_and_unread_ones_say_why() -> None:
    assert encode_humans(None) is None
    made = encode_humans(RunBesidePeople(unread="damaged"))
    assert made is not None
    assert (made["unread"], made["labels"], made["scopes"]) == ("damaged", None, [])
