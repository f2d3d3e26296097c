"""JSON in a judge's text: which keys count, and that hostile text costs bounded work."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.readouts.json_fields import json_fields


def found(raw: str) -> list[tuple[str, str]]:
    return [(field.key, field.value) for field in json_fields(raw, ((0, len(raw)),))]


@pytest.mark.parametrize(
    ("raw", "fields"),
    [
        ('{"winner": "A"}', [("winner", "A")]),
        ('{"Final Verdict": " B "}', [("Final Verdict", "B")]),
        ('{"better_response": 2}', [("better_response", "2")]),
        ('{"winner": "A", "verdict": "B"}', [("winner", "A"), ("verdict", "B")]),
        ('I say {"winner": "A"} and {"winner": "B"}', [("winner", "A"), ("winner", "B")]),
        ('{"scores": {"A": 1}, "winner": "A"}', [("winner", "A")]),
        ('{"result": {"winner": "A"}}', []),  # only an object's own keys, not a nested one's
        ('{{"winner": "A"}}', [("winner", "A")]),
        ('{"winner": "a } brace"}', [("winner", "a } brace")]),
        ('{"winner": true}', []),
        ('{"winner": null}', []),
        ('{"winner": ["A"]}', []),
        ('{"winner": 1.5}', []),
        ('{"winner": 123456789}', [("winner", "")]),
        ('{"score": "A"}', []),
        ('{"winner": "A"', []),
        ("{'winner': 'A'}", []),
        ("{" * 5, []),
        ('["winner", "A"]', []),
        ("no JSON", []),
    ],
)
def test_fields(raw: str, fields: list[tuple[str, str]]) -> None:
    assert found(raw) == fields


def test_offsets_are_of_the_whole_object_in_the_raw_text() -> None:
    raw = 'I say {"score": 1, "winner": "A"}.'
    (field,) = json_fields(raw, ((0, len(raw)),))
    assert json.loads(raw[field.start : field.end]) == {"score": 1, "winner": "A"}


def test_only_the_given_parts_are_read() -> None:
    raw = '{"winner": "A"} {"winner": "B"}'
    assert [f.value for f in json_fields(raw, ((16, len(raw)),))] == ["B"]
    assert list(json_fields(raw, ((0, 10),))) == []  # an object that the part cuts off
    assert list(json_fields(raw, ())) == []


def test_at_most_fifty_objects_are_tried() -> None:
    assert len(found('{"winner": "A"}' * 60)) == 50
    assert found("{" * 50 + '{"winner": "A"}') == []


def test_an_object_of_more_than_ten_thousand_characters_is_not_read() -> None:
    assert found(json.dumps({"why": "x" * 9_000, "winner": "A"})) == [("winner", "A")]
    assert found(json.dumps({"why": "x" * 10_000, "winner": "A"})) == []


@pytest.mark.parametrize("opening", ['{"a":', "[", '{"a":['])
def test_deep_nesting_is_no_crash(opening: str) -> None:
    assert found("{" + opening * 20_000) == []
    assert found('{"a": ' + opening * 3_000) == []


@given(st.text(alphabet='{}[]":,AB\\u0 \ud800\n', max_size=120))
def test_never_raises_and_stays_inside(raw: str) -> None:
    for field in json_fields(raw, ((0, len(raw)),)):
        assert 0 <= field.start < field.end <= len(raw)
