"""Decisions in JSON objects inside a judge's text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["JsonField", "JsonObject", "json_fields", "json_objects"]

_MAX_OBJECTS: Final = 50
_MAX_LENGTH: Final = 10_000
_MAX_DEPTH: Final = 40
_KEYS: Final = frozenset(
    [
        "winner",
        "verdict",
        "answer",
        "choice",
        "decision",
        "preferred",
        "preference",
        "better",
        "best",
        "finalverdict",
        "finalanswer",
        "finaldecision",
        "finalchoice",
        "preferredresponse",
        "betterresponse",
        "bestresponse",
        "preferredoutput",
        "betteroutput",
        "bestoutput",
        "betteranswer",
        "bestanswer",
        "betterassistant",
        "selection",
        "selected",
        "selectedresponse",
        "chosen",
        "judgment",
        "judgement",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonField:
    """A value under a key that names a decision; offsets are of the whole object in the raw text."""

    key: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonObject:
    """A top-level object, and where it stands in the raw text."""

    fields: dict[str, object]
    start: int
    end: int


def json_fields(raw: str, pieces: tuple[tuple[int, int], ...]) -> Iterator[JsonField]:
    """Yield the decision fields of the top-level objects in some parts of a text.

    Examples
    --------
    >>> [(f.key, f.value) for f in json_fields('I say {"winner": "A", "score": 1}', ((0, 33),))]
    [('winner', 'A')]
    """
    for found in json_objects(raw, pieces):
        yield from _fields(found)


def json_objects(raw: str, pieces: tuple[tuple[int, int], ...]) -> Iterator[JsonObject]:
    """Yield the top-level objects in some parts of a text.

    At most 50 objects of at most 10,000 characters are read: a hostile text costs bounded time.
    """
    decoder = json.JSONDecoder()
    left = _MAX_OBJECTS
    for begin, stop in pieces:
        at = raw.find("{", begin, stop)
        while at >= 0 and left:
            left -= 1
            chunk = raw[at : min(stop, at + _MAX_LENGTH)]
            length = 1
            # The decoder recurses once per bracket: refuse nesting that no verdict needs.
            if not chunk[:_MAX_DEPTH].count("{") + chunk[:_MAX_DEPTH].count("[") >= _MAX_DEPTH:
                try:
                    value, length = decoder.raw_decode(chunk)
                except (ValueError, RecursionError):
                    pass
                else:
                    if isinstance(value, dict):
                        yield JsonObject(fields=value, start=at, end=at + length)
            at = raw.find("{", at + length, stop)


def _fields(found: JsonObject) -> Iterator[JsonField]:
    for key, item in found.fields.items():
        name = "".join(letter for letter in key.casefold() if letter.isalpha())
        if name in _KEYS and isinstance(item, str | int) and not isinstance(item, bool):
            text = item if isinstance(item, str) else (str(item) if abs(item) < 1000 else "")
            yield JsonField(key=key, value=text.strip(), start=found.start, end=found.end)
