"""Records to plain JSON and back: strict, driven by the records' own field types, and safe on hostile text."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
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
        return {field.name: encode(getattr(value, field.name)) for field in _fields_of(type(value))}
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
    try:
        hint: Any = record
        return cast(Record, _decoder(hint)(value))
    except _WrongError as error:
        raise DataError(f"{what}{error.place}: {error.problem}") from error.__cause__


class _WrongError(Exception):
    """What is wrong; each level that it passes on its way out adds to its place."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.place = ""

    def under(self, part: str) -> _WrongError:
        self.place = part + self.place
        return self


def _expected(what: str, value: object) -> _WrongError:
    shown = repr(value)
    return _WrongError(f"expected {what}, got {shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '…'}")


@cache
def _decoder(hint: Any) -> Callable[[object], object]:  # noqa: ANN401 - a type hint has no narrower type
    """The function that reads one field type. Built once a type: a journal has many records."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        rest = [choice for choice in arguments if choice is not NoneType]
        if len(rest) == 1 < len(arguments):
            return _optional(_decoder(rest[0]))
    elif origin is Literal:
        return _choice({name: name for name in arguments})
    elif origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return _sequence(_decoder(arguments[0]))
        return _fixed([_decoder(item) for item in arguments])
    elif isinstance(hint, type) and is_dataclass(hint):
        return _object(hint)
    elif isinstance(hint, type) and issubclass(hint, Enum):
        return _choice({member.value: member for member in hint})
    elif hint is float:
        return _number
    elif hint in _SCALARS:
        return _scalar(hint, _SCALARS[hint])
    raise TypeError(f"records hold no {hint!r}")


_SCALARS: Mapping[type, str] = {str: "a text", bool: "true or false", int: "a whole number"}


def _scalar(kind: type, name: str) -> Callable[[object], object]:
    def read(value: object) -> object:
        if type(value) is kind:  # exactly: true is no whole number
            return value
        raise _expected(name, value)

    return read


def _number(value: object) -> float:
    if isinstance(value, str) and value in _NON_FINITE:
        return _NON_FINITE[value]
    if isinstance(value, float | int) and not isinstance(value, bool):
        with suppress(OverflowError):  # a whole number may be larger than any float
            if math.isfinite(value):
                return float(value)
    raise _expected("a number", value)


def _choice(values: Mapping[str, object]) -> Callable[[object], object]:
    def read(value: object) -> object:
        if isinstance(value, str) and value in values:
            return values[value]
        raise _expected(f"one of {', '.join(values)}", value)

    return read


def _optional(inner: Callable[[object], object]) -> Callable[[object], object]:
    return lambda value: None if value is None else inner(value)


def _sequence(inner: Callable[[object], object]) -> Callable[[object], object]:
    def read(value: object) -> object:
        if not isinstance(value, list):
            raise _expected("an array", value)
        items: list[object] = []
        try:
            items.extend(map(inner, value))
        except _WrongError as error:
            raise error.under(f"[{len(items)}]") from error.__cause__
        return tuple(items)

    return read


def _fixed(inner: Sequence[Callable[[object], object]]) -> Callable[[object], object]:
    def read(value: object) -> object:
        if not isinstance(value, list) or len(value) != len(inner):
            raise _expected(f"an array of {len(inner)}", value)
        items: list[object] = []
        try:
            for item, decoder in zip(value, inner, strict=True):
                items.append(decoder(item))
        except _WrongError as error:
            raise error.under(f"[{len(items)}]") from error.__cause__
        return tuple(items)

    return read


def _object(record: type) -> Callable[[object], object]:
    known = {field.name: field for field in _fields_of(record)}
    required = tuple(field.name for field in known.values() if field.required)
    decoders = {field.name: _decoder(field.hint) for field in known.values()}

    def read(value: object) -> object:
        if not isinstance(value, dict):
            raise _expected("an object", value)
        for name in required:
            if name not in value:
                raise _WrongError(f"field {name!r} is missing")
        parts: dict[str, object] = {}
        for name, item in value.items():
            decoder = decoders.get(name)
            if decoder is None:
                raise _WrongError(f"unknown field {name[:_SHOWN]!r}")
            try:
                parts[name] = decoder(item)
            except _WrongError as error:
                raise error.under(f".{name}") from error.__cause__
        try:
            return record(**parts)
        except EvenhandError as error:  # a record that refuses its own values, such as two equal labels
            raise _WrongError(str(error)) from error

    return read
