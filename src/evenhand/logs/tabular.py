"""Rows of a CSV, JSON Lines or Parquet file, for the ``table`` format."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from evenhand.errors import DataError
from evenhand.logs.documents import Document, Node, decode_text, read_bytes, read_json_lines, short

__all__ = ["csv_rows", "read_table"]

_LARGEST_FIELD = 1 << 28
"""Characters that one CSV field may have (the csv module's own limit, 131,072, is less than a long judgment)."""


def read_table(path: Path) -> Document:
    """Read a table by its suffix: ``.csv``, ``.jsonl`` or ``.ndjson``, ``.parquet``.

    Rows are counted from 1; in a CSV file the header is not counted. An empty CSV field stays an empty text.

    Raises
    ------
    DataError
        The suffix is another, or the file is damaged.
    """
    match path.suffix.lower():
        case ".csv":
            return _read_csv(path)
        case ".jsonl" | ".ndjson":
            return read_json_lines(path)
        case ".parquet":
            return _read_parquet(path)
        case suffix:
            raise DataError(f"suffix {suffix!r} is none of .csv, .jsonl, .ndjson and .parquet", path=path)


def _document(path: Path, data: bytes, records: list[dict[str, object]]) -> Document:
    if not records:
        raise DataError("has no records", path=path)
    rows = tuple(Node(path=path, row=number, field="", value=record) for number, record in enumerate(records, 1))
    return Document(path=path, sha256=hashlib.sha256(data).hexdigest(), rows=rows)


def _read_csv(path: Path) -> Document:
    data = read_bytes(path)
    rows = csv_rows(io.StringIO(decode_text(data, path), newline=""), path)
    header = next(rows)
    return _document(path, data, [dict(zip(header, fields, strict=True)) for fields in rows])


def csv_rows(lines: Iterable[str], path: Path) -> Iterator[list[str]]:
    """The header of a CSV file, then its rows, each with as many fields; blank lines are skipped.

    Raises
    ------
    DataError
        Not CSV, no header or one that names a column twice, or a row with more or fewer fields.
    """
    row = 0
    before = csv.field_size_limit(_LARGEST_FIELD)
    try:
        reader = csv.reader(lines, strict=True)
        header = next(reader, [])
        _check_header(header, path)
        yield header
        for fields in reader:
            if not fields:
                continue
            row += 1
            if len(fields) != len(header):
                problem = f"has {len(fields)} fields, the header has {len(header)}"
                raise DataError(problem, path=path, row=row, remedy="quote fields that hold commas")
            yield fields
    except csv.Error as error:
        raise DataError(f"is not CSV: {error}", path=path, row=row + 1) from error
    finally:
        csv.field_size_limit(before)


def _check_header(header: list[str], path: Path) -> None:
    if not header:
        raise DataError("has no header", path=path)
    seen: set[str] = set()
    for name in header:
        if name in seen:
            raise DataError(f"the header names {short(name)} twice", path=path)
        seen.add(name)


def _read_parquet(path: Path) -> Document:
    import polars as pl

    data = read_bytes(path)
    try:
        frame = pl.read_parquet(io.BytesIO(data))
        records = frame.to_dicts()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"is no readable Parquet file: {reason}", path=path) from error
    return _document(path, data, records)
