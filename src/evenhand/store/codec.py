"""Records to plain JSON and back: strict, driven by the records' own field types, and safe on hostile text."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from evenhand.errors import DataError, EvenhandError

__all__ = ["JsonValue", "decode", "dump", "encode", "load"]

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]

Record = TypeVar("Record")

_NON_FINITE: Mapping[str, float] = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
"""JSON has no such numbers; as these texts they survive (a log probability may be minus infinity)."""

_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    name: str
    hint: Any
    required: bool


@cache
def _fields_of(record: type) -> tuple[_Field, ...]:
    hints = get_type_hints(record)
    return tuple(
        _Field(
            name=field.name,
            hint=hints[field.name],
            required=field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(record)
    )


def encode(value: object) -> JsonValue:
    """A record, or a part of one, as plain JSON values: every field by its name, enums by value, tuples as arrays.

    Raises
    ------
    TypeError
        Something that no record holds: a programming mistake.

    Examples
    --------
    >>> from evenhand.records import TokenLogProb
    >>> encode(TokenLogProb(text="A", logprob=float("-inf")))
    {'text': 'A', 'token_id': None, 'logprob': '-inf', 'below': None}
    """
    if isinstance(value, Enum):
        return encode(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        number = float(value)  # a NumPy scalar is a float too, but prints otherwise
        return number if math.isfinite(number) else str(number)
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"a record can't hold {type(value).__name__}")


def dump(value: object, *, indent: int | None = None) -> str:
    r"""Encode to JSON text that any UTF-8 file or database column can hold.

    Text stays readable; only where it can't be UTF-8 (lone surrogates) is all beyond ASCII escaped. A high surrogate
    directly before a low one reads back as the character that the two encode: JSON can't tell them apart.

    Examples
    --------
    >>> from evenhand.records import Message
    >>> dump(Message(role="user", content="Ä\x00"))
    '{"role":"user","content":"Ä\\u0000"}'
    >>> dump(Message(role="user", content="Ä\ud800"))
    '{"role":"user","content":"\\u00c4\\ud800"}'
    """
    plain = encode(value)
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=separators, indent=indent)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(plain, ensure_ascii=True, allow_nan=False, separators=separators, indent=indent)
    return text


def load(record: type[Record], text: str, *, what: str) -> Record:
    """Read a record from the JSON text that :func:`dump` made.

    Parameters
    ----------
    record
        The dataclass to read.
    text
        The JSON text.
    what
        What errors call it, such as ``completion``.

    Raises
    ------
    DataError
        Not JSON, an unknown, missing or ill-typed field; the message names the field and its value.

    Examples
    --------
    >>> from evenhand.records import Usage
    >>> load(Usage, '{"calls": 2}', what="usage").calls
    2
    >>> load(Usage, '{"colour": 2}', what="usage")
    Traceback (most recent call last):
        ...
    evenhand.errors.DataError: usage: unknown field 'colour'
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{what}: not JSON ({str(error)[:_SHOWN]})") from error
    return decode(record, value, what=what)


def decode(record: type[Record], value: object, *, what: str) -> Record:
    """Read a record from plain JSON values; see :func:`load`."""
    return cast(Record, _decode(record, value, what))


def _decode(hint: Any, value: object, place: str) -> object:  # noqa: ANN401 - a type hint has no narrower type
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _decode_optional(get_args(hint), value, place)
    if origin is Literal:
        allowed = get_args(hint)
        if value not in allowed or not isinstance(value, str):
            raise _wrong(place, f"one of {', '.join(map(str, allowed))}", value)
        return value
    if origin is tuple:
        return _decode_tuple(get_args(hint), value, place)
    if isinstance(hint, type) and is_dataclass(hint):
        return _decode_record(hint, value, place)
    if isinstance(hint, type) and issubclass(hint, Enum):
        try:
            return hint(value)
        except ValueError:
            raise _wrong(place, f"one of {', '.join(str(member.value) for member in hint)}", value) from None
    return _decode_scalar(hint, value, place)


def _decode_optional(choices: tuple[Any, ...], value: object, place: str) -> object:
    rest = [choice for choice in choices if choice is not NoneType]
    if len(rest) != 1 or len(rest) == len(choices):
        raise TypeError(f"{place}: records use no union but X | None")
    return None if value is None else _decode(rest[0], value, place)


def _decode_tuple(items: tuple[Any, ...], value: object, place: str) -> object:
    if not isinstance(value, list):
        raise _wrong(place, "an array", value)
    if len(items) == 2 and items[1] is Ellipsis:
        return tuple(_decode(items[0], item, f"{place}[{i}]") for i, item in enumerate(value))
    if len(value) != len(items):
        raise _wrong(place, f"an array of {len(items)}", value)
    return tuple(_decode(hint, item, f"{place}[{i}]") for i, (hint, item) in enumerate(zip(items, value, strict=True)))


def _decode_record(record: type, value: object, place: str) -> object:
    if not isinstance(value, dict):
        raise _wrong(place, "an object", value)
    known = _fields_of(record)
    for name in value:
        if all(field.name != name for field in known):
            raise DataError(f"{place}: unknown field {name[:_SHOWN]!r}")
    for field in known:
        if field.required and field.name not in value:
            raise DataError(f"{place}: field {field.name!r} is missing")
    parts = {f.name: _decode(f.hint, value[f.name], f"{place}.{f.name}") for f in known if f.name in value}
    try:
        return record(**parts)
    except EvenhandError as error:  # a record that refuses its own values, such as two equal labels
        raise DataError(f"{place}: {error}") from error


def _decode_scalar(hint: Any, value: object, place: str) -> object:  # noqa: ANN401 - as above
    if hint is str:
        if isinstance(value, str):
            return value
        raise _wrong(place, "a text", value)
    if hint is bool:
        if isinstance(value, bool):
            return value
        raise _wrong(place, "true or false", value)
    if hint is int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise _wrong(place, "a whole number", value)
    if hint is float:
        if isinstance(value, str) and value in _NON_FINITE:
            return _NON_FINITE[value]
        if isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
        raise _wrong(place, "a number", value)
    raise TypeError(f"{place}: records hold no {hint!r}")


def _wrong(place: str, expected: str, value: object) -> DataError:
    shown = repr(value)
    return DataError(f"{place}: expected {expected}, got {shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '…'}")
