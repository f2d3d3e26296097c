"""A variant file to rows: JSON Lines, CSV or Parquet, read strictly, once, with the hash of what was read.

Pair files have a reader of their own in :mod:`evenhand.datasets`; neither layer may import the other.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import DataError
from evenhand.records.regular_file import why_never

__all__ = ["VariantFile", "VariantRow", "read_variant_file"]

# The csv module stops at 131,072 characters a cell, which a long response can have; its limit is a C long.
_CSV_CELL_LIMIT = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantRow:
    """One row. ``number`` counts from 1: JSON Lines by lines, CSV with the header as row 1, Parquet by items."""

    number: int
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantFile:
    """A file that was read. ``sha256`` is of its bytes, the very ones that the rows come from."""

    path: Path
    sha256: str
    rows: tuple[VariantRow, ...]


def read_variant_file(path: Path) -> VariantFile:
    """Read a file by its extension: ``.jsonl`` or ``.ndjson``, ``.csv``, ``.parquet``.

    Raises
    ------
    DataError
        The file is absent or damaged, or its extension is another.
    """
    readers = {".jsonl": _json_lines, ".ndjson": _json_lines, ".csv": _csv, ".parquet": _parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"has extension {path.suffix!r}, expected one of {', '.join(readers)}", path=path)
    if (problem := why_never(path)) is not None:
        raise DataError(problem, path=path)
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise DataError(f"can't be read ({reason})", path=path) from error
    return VariantFile(path=path, sha256=hashlib.sha256(data).hexdigest(), rows=tuple(reader(data, path)))


def _text_of(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise DataError("is not UTF-8 text", path=path, row=row, remedy="save the file as UTF-8") from error


def _json_lines(data: bytes, path: Path) -> Iterator[VariantRow]:
    # Split at line feeds alone: str.splitlines would cut a text at U+2028 too.
    for number, line in enumerate(_text_of(data, path).split("\n"), start=1):
        if not line.strip():
            continue
        yield VariantRow(number=number, values=_object(line, path, number))


def _object(line: str, path: Path, number: int) -> Mapping[str, object]:
    def unique(items: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(items)
        if len(found) != len(items):
            raise DataError("has a key twice in one object", path=path, row=number)
        return found

    try:
        value: object = json.loads(line, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:  # ValueError: no JSON, or an integer of too many digits
        reason = "a value that is too deep or too long"
        if isinstance(error, json.JSONDecodeError):
            reason = f"{error.msg.removesuffix(' at')} at column {error.colno}"  # some of its messages end so
        raise DataError(f"is not valid JSON ({reason})", path=path, row=number) from error
    if not isinstance(value, dict):
        raise DataError("is not an object with named fields", path=path, row=number)
    return value


def _csv(data: bytes, path: Path) -> Iterator[VariantRow]:
    csv.field_size_limit(_CSV_CELL_LIMIT)
    reader = csv.reader(io.StringIO(_text_of(data, path), newline=""), strict=True)
    header: list[str] | None = None
    number = 0
    try:
        for number, cells in enumerate(reader, start=1):
            if not cells:
                continue
            if header is None:
                header = cells
                if len(set(header)) != len(header):
                    raise DataError("a column is there twice", path=path, row=number)
                continue
            if len(cells) != len(header):
                raise DataError(f"has {len(cells)} cells, the header has {len(header)}", path=path, row=number)
            yield VariantRow(number=number, values=dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise DataError(
            f"is not valid CSV ({error})",
            path=path,
            row=number + 1,
            remedy="quote cells that hold commas, quotes or line breaks, and double the quotes in them",
        ) from error


def _parquet(data: bytes, path: Path) -> Iterator[VariantRow]:
    import polars as pl

    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"is not a readable Parquet file ({reason})", path=path) from error
    for number, values in enumerate(frame.iter_rows(named=True), start=1):
        yield VariantRow(number=number, values=values)
