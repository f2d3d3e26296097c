"""Reading JSON and JSON Lines that strangers wrote: every failure is one DataError with file, row and field."""

from __future__ import annotations

import codecs
import hashlib
import json
import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from evenhand.errors import DataError
from evenhand.records.hashing import content_hash
from evenhand.records.outcome import Order
from evenhand.records.regular_file import why_never

__all__ = [
    "Document",
    "Node",
    "decode_json",
    "decode_text",
    "not_utf8",
    "read_bytes",
    "read_json",
    "read_json_array",
    "read_json_lines",
    "read_json_lines_of",
    "read_json_object",
    "short",
]

_SHOWN = 60
"""Characters of an offending value that a message shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value inside a record, with its place: what typed access and error messages need."""

    path: Path
    row: int
    field: str
    value: object

    def error(self, problem: str, *, remedy: str | None = None) -> DataError:
        """Make the error that names this place."""
        return DataError(problem, path=self.path, row=self.row, field=self.field or None, remedy=remedy)

    def get(self, key: str) -> Node | None:
        """Take a key of an object; None where it is absent or null."""
        mapping = self.mapping()
        value = mapping.get(key)
        return None if value is None else self._at(f"{self.field}.{key}" if self.field else key, value)

    def child(self, key: str) -> Node:
        """Take a key of an object that must be there."""
        found = self.get(key)
        if found is None:
            absent = "null" if key in self.mapping() else "missing"
            field = f"{self.field}.{key}" if self.field else key
            raise DataError(absent, path=self.path, row=self.row, field=field)
        return found

    def mapping(self) -> Mapping[str, object]:
        """Return the value as a JSON object."""
        if not isinstance(self.value, dict):
            raise self.error(f"expected an object, got {short(self.value)}")
        return cast("Mapping[str, object]", self.value)

    def items(self) -> tuple[Node, ...]:
        """Return the elements of a JSON array."""
        if not isinstance(self.value, list):
            raise self.error(f"expected a list, got {short(self.value)}")
        return tuple(self._at(f"{self.field}[{index}]", value) for index, value in enumerate(self.value))

    def text(self) -> str:
        """Return the value as text."""
        if not isinstance(self.value, str):
            raise self.error(f"expected text, got {short(self.value)}")
        return self.value

    def name(self) -> str:
        """Return the value as an identifier: text that is not blank and has no control or unpaired characters."""
        text = self.text()
        if not text.strip():
            raise self.error("is empty")
        if any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
            raise self.error(f"{short(text)} has control characters or unpaired surrogates")
        return text

    def name_or_integer(self) -> str:
        """Return the value as an identifier; an integer is taken as its digits."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        return self.name()

    def number(self) -> float:
        """Return the value as a finite number; true and false are none."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.error(f"expected a number, got {short(self.value)}")
        try:
            number = float(self.value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.error(f"expected a finite number, got {short(self.value)}")
        return number

    def _at(self, field: str, value: object) -> Node:
        return Node(path=self.path, row=self.row, field=field, value=value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file's records in order, and the hash of its bytes."""

    path: Path
    sha256: str
    rows: tuple[Node, ...]

    def key(self, log_format: str, pair_id: str, order: Order, condition: str, repeat: int = 0) -> str:
        """Key of an imported presentation: the file and its place in it."""
        return content_hash([log_format, self.sha256, pair_id, order, condition, repeat])


def short(value: object) -> str:
    """Describe a value in a few printable characters, whatever it is.

    Examples
    --------
    >>> short({"a": 1}), len(short("x" * 100)), short(None)
    ('an object', 62, 'null')
    """
    match value:
        case None:
            return "null"
        case dict():
            return "an object"
        case list() | tuple():
            return "a list"
        case str():
            cut = value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
            return repr(str(cut)).encode("utf-8", "backslashreplace").decode("utf-8")
        case _:
            return str(value)[:_SHOWN]


def read_bytes(path: Path) -> bytes:
    """Read a file's bytes, a failure being a DataError."""
    if (problem := why_never(path)) is not None:
        raise DataError(problem, path=path, remedy="check the path")
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror or error}", path=path) from error
    except ValueError as error:  # a null byte in the path itself
        raise DataError(f"is no usable path: {error}") from error


def decode_json(text: str, *, path: Path, row: int | None = None, field: str | None = None) -> object:
    """Parse JSON text.

    Raises
    ------
    DataError
        It is empty, not JSON, nested too deeply, or an object names a key twice (one of the two would vanish silently).
    """
    if not text.strip():
        raise DataError("is empty, expected JSON", path=path, row=row, field=field)
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if row is None else f"column {error.colno}"
        problem = f"is not JSON: {error.msg.removesuffix(' at')} at {place}"
        raise DataError(problem, path=path, row=row, field=field, remedy="is the file complete?") from error
    except RecursionError as error:
        raise DataError("is nested too deeply to be a verdict log", path=path, row=row, field=field) from error
    except ValueError as error:  # a key twice, or an integer of thousands of digits
        raise DataError(f"is not usable JSON: {error}", path=path, row=row, field=field) from error


def read_json(path: Path) -> object:
    """Parse a whole JSON file."""
    return decode_json(decode_text(read_bytes(path), path), path=path)


def read_json_array(path: Path) -> Document:
    """Parse a JSON file that is one array; rows are its elements, counted from 1."""
    data = read_bytes(path)
    values = decode_json(decode_text(data, path), path=path)
    if not isinstance(values, list):
        raise DataError(f"expected a list of records, got {short(values)}", path=path)
    if not values:
        raise DataError("has no records", path=path)
    rows = tuple(Node(path=path, row=number, field="", value=value) for number, value in enumerate(values, 1))
    return Document(path=path, sha256=hashlib.sha256(data).hexdigest(), rows=rows)


def read_json_lines(path: Path) -> Document:
    """Parse a JSON Lines file; rows are its lines, counted from 1, blank ones skipped."""
    data = read_bytes(path)
    # Not splitlines: U+2028 and other separators may stand inside a JSON string.
    lines = decode_text(data, path).split("\n")
    rows = tuple(
        Node(path=path, row=number, field="", value=decode_json(line, path=path, row=number))
        for number, line in enumerate(lines, 1)
        if line.strip()
    )
    if not rows:
        raise DataError("has no records", path=path)
    return Document(path=path, sha256=hashlib.sha256(data).hexdigest(), rows=rows)


def read_json_lines_of(path: Path) -> Document:
    """Parse a JSON Lines file, or every ``.jsonl`` file of a folder by their names; a row knows its file."""
    if not path.is_dir():
        return read_json_lines(path)
    files = sorted(path.glob("*.jsonl"))
    if not files:
        raise DataError("has no .jsonl file", path=path)
    documents = [read_json_lines(file) for file in files]
    return Document(
        path=path,
        sha256=content_hash([[document.path.name, document.sha256] for document in documents]),
        rows=tuple(row for document in documents for row in document.rows),
    )


def read_json_object(path: Path) -> Document:
    """Parse a JSON file that is one object; it is the only row."""
    data = read_bytes(path)
    value = decode_json(decode_text(data, path), path=path)
    if not isinstance(value, dict):
        raise DataError(f"expected an object, got {short(value)}", path=path)
    return Document(
        path=path, sha256=hashlib.sha256(data).hexdigest(), rows=(Node(path=path, row=1, field="", value=value),)
    )


def decode_text(data: bytes, path: Path) -> str:
    """Decode UTF-8, with or without a byte-order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from behind the mark.
        raise not_utf8(error, path, len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0) from error


def not_utf8(error: UnicodeDecodeError, path: Path, begin: int = 0) -> DataError:
    """The error that names a file's first wrong byte; what was decoded began at byte ``begin``."""
    return DataError(f"is not UTF-8: byte {begin + error.start} is {error.object[error.start]:#04x}", path=path)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"an object has the key {short(key)} twice")
            seen.add(key)
    return record
