"""CSV and JSON Lines in parts of bounded size, each as lists of values by column."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from evenhand.logs.documents import Node, decode_json, not_utf8
from evenhand.logs.tabular import csv_rows

__all__ = ["TextPart", "UnsuitedError", "csv_parts", "json_line", "json_parts"]

_ROWS = 100_000
"""Rows that are Python objects at a time."""
_BYTES = 1 << 20
_READ_AGAIN = ("text", "logprobs")


class UnsuitedError(Exception):
    """The table has to be read row by row: it has texts to read again, values that no column holds, or damage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """Some rows of a text file.

    Attributes
    ----------
    columns
        The values of the wanted columns.
    names
        Every column that these rows have.
    lines
        Number of each row in its file, as messages name it.
    """

    columns: Mapping[str, list[object]]
    names: tuple[str, ...]
    lines: Sequence[int]


def csv_parts(path: Path, wanted: Collection[str]) -> Iterator[TextPart]:
    """The rows of a CSV file; every field is a text.

    Raises
    ------
    DataError
        Not UTF-8, or not CSV.
    UnsuitedError
        The file can't be opened, or has texts or log probabilities.
    """
    _check_utf8(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv_rows(file, path)
        header = next(rows)
        places = [(name, place) for place, name in enumerate(header) if name in wanted]
        begin = 1
        while part := list(islice(rows, _ROWS)):
            columns = list(zip(*part, strict=True))
            _refuse_texts(columns[place] for name, place in places if name in _READ_AGAIN)
            yield TextPart(
                columns={name: list(columns[place]) for name, place in places},
                names=tuple(header),
                lines=range(begin, begin + len(part)),
            )
            begin += len(part)


def json_parts(path: Path, wanted: Collection[str]) -> Iterator[TextPart]:
    """The rows of a JSON Lines file.

    Raises
    ------
    DataError
        Not UTF-8, or a line is not JSON.
    UnsuitedError
        Texts or log probabilities; a line that holds no object; or only some rows have the column ``preference``, whose
        absence says something.
    """
    _check_utf8(path)
    stating = total = 0
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        numbered = ((number, line) for number, line in enumerate(file, 1) if line.strip())
        while part := list(islice(numbered, _ROWS)):
            rows = [decode_json(line.rstrip("\n"), path=path, row=number) for number, line in part]
            names: dict[str, None] = {}
            for row in rows:
                if not isinstance(row, dict):
                    raise UnsuitedError
                names |= row
                stating += "preference" in row
            total += len(rows)
            columns = {name: [row.get(name) for row in rows] for name in wanted}  # type: ignore[attr-defined]
            _refuse_texts(columns[name] for name in _READ_AGAIN if name in columns)
            yield TextPart(
                columns=columns,
                names=tuple(names),
                lines=[number for number, _ in part],
            )
    if stating not in (0, total):
        raise UnsuitedError


def _refuse_texts(columns: Iterable[Sequence[object]]) -> None:
    """Stop at the first part that has what a readout reads, rather than after ten million rows."""
    if any(any(column) for column in columns):
        raise UnsuitedError


def json_line(path: Path, number: int) -> Node:
    """One row of a JSON Lines file by its line, counted from 1."""
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        line = next(islice(file, number - 1, None), "")
    value = decode_json(line.rstrip("\n"), path=path, row=number)
    return Node(path=path, row=number, field="", value=value)


def _check_utf8(path: Path) -> None:
    """Read the whole file once, so that a wrong byte anywhere is told before anything else is."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    begin = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_BYTES):
                held = len(decoder.getstate()[0])
                _decode(decoder, chunk, begin - held, path)
                begin += len(chunk)
        _decode(decoder, b"", begin - len(decoder.getstate()[0]), path, final=True)
    except OSError as error:
        raise UnsuitedError from error


def _decode(decoder: codecs.IncrementalDecoder, chunk: bytes, begin: int, path: Path, *, final: bool = False) -> None:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError as error:
        raise not_utf8(error, path, begin) from error
