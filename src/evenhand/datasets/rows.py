"""Files to rows: JSON Lines, JSON, CSV and Parquet, read strictly and one row at a time.

A row is a mapping from column to value with the number by which an error can name it. Nothing is guessed: a CSV
cell is text, ``007`` stays ``007``, and a row that doesn't fit the header is an error rather than a shifted row.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import DataError

__all__ = ["FORMATS", "Row", "read_json_lines", "read_json_list", "read_rows", "require_file"]

# The csv module stops at 131,072 characters a cell and its limit is a C long (32 bits on Windows).
_CSV_CELL_LIMIT = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a file.

    Attributes
    ----------
    path
        The file; for a row from the hub, its data set and split in words.
    number
        1-based. JSON Lines: the line. CSV: the row as a spreadsheet counts it, the header being row 1. JSON and
        Parquet: the item.
    values
        Column to value, in the file's order. CSV cells are always text; JSON and Parquet keep their types.
    """

    path: Path | str
    number: int
    values: Mapping[str, object]


def require_file(path: Path) -> None:
    """Check that a path is a file that can be opened.

    Raises
    ------
    DataError
        It is absent, a directory, or its name is one that no file can have.
    """
    try:
        if path.is_file():
            return
        is_directory = path.is_dir()
    except (OSError, ValueError) as error:  # too long, or with a null byte
        reason = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"{str(path)[:80]!r} can't be a file's name ({reason})") from error
    if is_directory:
        raise DataError("is a directory, expected a file", path=path)
    raise DataError("no such file", path=path, remedy="check the path, it is taken from the current directory")


def read_json_lines(path: Path) -> Iterator[Row]:
    """Rows of a JSON Lines file: one object a line; a BOM, CRLF ends and blank lines are allowed.

    Raises
    ------
    DataError
        A line isn't UTF-8, isn't JSON, isn't an object, or has a key twice.
    """
    for number, line in _lines(path):
        if line.strip():
            value = _parse_json(line, path=path, row=number)
            yield Row(path=path, number=number, values=_as_object(value, path=path, row=number))


def read_json_list(path: Path) -> Iterator[Row]:
    """Rows of a JSON file that holds one list of objects.

    Raises
    ------
    DataError
        The file isn't UTF-8 or JSON, isn't a list, or an item isn't an object.
    """
    text = "".join(line for _, line in _lines(path))
    if not text.strip():
        raise DataError("is empty, expected a list of objects", path=path)
    value = _parse_json(text, path=path, row=None)
    if not isinstance(value, list):
        raise DataError(
            f"holds {_json_kind(value)}, expected a list of objects",
            path=path,
            remedy="for one object a line, name the file .jsonl",
        )
    for number, item in enumerate(value, start=1):
        yield Row(path=path, number=number, values=_as_object(item, path=path, row=number))


def _read_csv(path: Path) -> Iterator[Row]:
    """Rows of a comma-separated file with a header (RFC 4180 quoting; a BOM is allowed)."""
    # The limit is the process's own. It is raised and left so: lowered again at the end, it would cut off another
    # file that is being read meanwhile.
    csv.field_size_limit(_CSV_CELL_LIMIT)
    reader = csv.reader((line for _, line in _lines(path)), strict=True)
    number = 0
    header: list[str] | None = None
    try:
        for number, cells in enumerate(reader, start=1):
            if not cells:  # a blank line
                continue
            if header is None:
                header = _csv_header(cells, path=path, row=number)
                continue
            if len(cells) != len(header):
                raise DataError(
                    f"has {len(cells)} cells, the header has {len(header)}",
                    path=path,
                    row=number,
                    remedy="quote cells that hold commas, quotes or line breaks",
                )
            yield Row(path=path, number=number, values=dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise DataError(
            f"is not valid CSV ({error}; line {reader.line_num} of the file)",
            path=path,
            row=number + 1,
            remedy="quote cells that hold commas, quotes or line breaks, and double the quotes in them",
        ) from error


def _read_parquet(path: Path) -> Iterator[Row]:
    """Rows of a Parquet file."""
    import polars as pl

    try:
        with path.open("rb") as file:  # an open file, so that no character of the name is read as a glob
            frame = pl.read_parquet(file)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"is not a readable Parquet file ({reason})", path=path) from error
    for number, values in enumerate(frame.iter_rows(named=True), start=1):
        yield Row(path=path, number=number, values=values)


FORMATS: Mapping[str, Callable[[Path], Iterator[Row]]] = {
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json_list,
    ".csv": _read_csv,
    ".parquet": _read_parquet,
}
"""File extension (lower case) to reader."""


def read_rows(path: Path) -> Iterator[Row]:
    """Rows of a file, by its extension.

    Raises
    ------
    DataError
        The file is absent, its extension is none of :data:`FORMATS`, or its content can't be read.
    """
    reader = FORMATS.get(path.suffix.lower())
    if reader is None:
        found = f"extension {path.suffix!r}" if path.suffix else "no extension"
        if path.is_dir():
            require_file(path)
        raise DataError(f"has {found}, expected one of {', '.join(FORMATS)}", path=path)
    require_file(path)
    yield from reader(path)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines with their 1-based number and their own line ends, decoded one by one so that an error can name one."""
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if number == 1 and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
                    raise DataError("is UTF-16 text, expected UTF-8", path=path, remedy="save the file as UTF-8")
                try:
                    yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise DataError(
                        f"byte {error.start + 1} of line {number} (0x{raw[error.start]:02x}) is not UTF-8 text",
                        path=path,
                        row=number,
                        remedy="save the file as UTF-8",
                    ) from error
    except OSError as error:
        raise DataError(f"can't be read ({error.strerror or error})", path=path) from error


def _csv_header(cells: list[str], *, path: Path, row: int) -> list[str]:
    seen: set[str] = set()
    for position, name in enumerate(cells, start=1):
        if not name.strip():
            raise DataError(
                f"column {position} has no name",
                path=path,
                row=row,
                remedy="name it or leave it out (pandas: to_csv(..., index=False))",
            )
        if name in seen:
            raise DataError(f"column {name!r} is there twice", path=path, row=row)
        seen.add(name)
    if len(cells) == 1 and any(mark in cells[0] for mark in ";\t|"):
        raise DataError(
            f"the header is one column, {cells[0][:60]!r}", path=path, row=row, remedy="separate columns by commas"
        )
    return cells


def _parse_json(text: str, *, path: Path, row: int | None) -> object:
    """Parse JSON; a key that is there twice, a number beyond Python's limit or a nest too deep is an error."""

    def unique(items: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in items:
            if key in found:
                raise DataError(f"key {key[:60]!r} is there twice in one object", path=path, row=row)
            found[key] = value
        return found

    try:
        value: object = json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if row is not None else f"line {error.lineno} column {error.colno}"
        raise DataError(
            f"is not valid JSON ({error.msg.removesuffix(' at')} at {where})", path=path, row=row
        ) from error
    except RecursionError as error:
        raise DataError("is JSON nested too deep to read", path=path, row=row) from error
    except ValueError as error:  # an integer with more digits than sys.get_int_max_str_digits()
        raise DataError(f"is JSON that can't be read ({str(error).partition(';')[0]})", path=path, row=row) from error
    return value


def _as_object(value: object, *, path: Path, row: int) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise DataError(f"is {_json_kind(value)}, expected an object with named fields", path=path, row=row)
    return value


def _json_kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "an object"
