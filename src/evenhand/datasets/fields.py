"""Rows to values: the checks on single fields that every data set shares."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from evenhand.datasets.rows import Row
from evenhand.errors import DataError
from evenhand.records import Preference

__all__ = [
    "as_metadata",
    "gold_of",
    "optional_text",
    "plain_name",
    "printable_name",
    "refuse_near_names",
    "required_text",
    "wrong_value",
]

_SHOWN = 40
"""Characters of an offending value that an error shows."""


def wrong_value(row: Row, field: str, expected: str, *, remedy: str | None = None) -> DataError:
    """The error for a field whose value is not what was expected; raise it."""
    value = row.values.get(field)
    match value:
        case None:
            shown = "null" if field in row.values else "missing"
        case str():
            shown = repr(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")
        case bool() | int() | float():
            shown = str(value)
        case _:
            shown = f"a {type(value).__name__}"
    return DataError(f"is {shown}, expected {expected}", path=row.path, row=row.number, field=field, remedy=remedy)


def required_text(row: Row, field: str) -> str:
    """A field that must be there and be text; empty text is text.

    Raises
    ------
    DataError
        The field is missing, null or another type.
    """
    value = row.values.get(field)
    if not isinstance(value, str):
        raise wrong_value(row, field, "text")
    return value


def optional_text(row: Row, field: str) -> str | None:
    """A field that may be missing, null or empty (then None), text, or a whole number (then its digits).

    Raises
    ------
    DataError
        The field holds anything else.
    """
    match row.values.get(field):
        case None | "":
            return None
        case str() as text:
            return text
        case int() as number if not isinstance(number, bool):
            return str(number)
        case _:
            raise wrong_value(row, field, "text")


def gold_of(row: Row, field: str, codes: Mapping[object, Preference | None], *, expected: str) -> Preference | None:
    """The gold preference by a table of codes; text is compared without case and outer spaces.

    Raises
    ------
    DataError
        The value is not among the codes. Nothing is read as "no preference" unless a code says so.
    """
    value = row.values.get(field)
    key = value.strip().casefold() if isinstance(value, str) else value
    # A bool equals 0 or 1 in Python, and 1.0 equals 1: neither is a code.
    if isinstance(key, (bool, float)) or not isinstance(key, (str, int, type(None))) or key not in codes:
        raise wrong_value(row, field, expected)
    return codes[key]


def plain_name(name: str) -> str:
    """A column's name without what people add to it: case, outer spaces, dashes or spaces for underscores.

    Examples
    --------
    >>> plain_name(" Author-A"), plain_name("author a")
    ('author_a', 'author_a')
    """
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


def printable_name(name: str) -> str:
    """A column's name fit for one line of text: quoted where spaces around it or hidden characters would deceive."""
    return name if name.isprintable() and name == name.strip() else repr(name)


def refuse_near_names(row: Row, names: Iterable[str]) -> None:
    """Refuse a row with a column that is an optional one but for case, outer spaces or dashes.

    Columns are read by their exact names, so ``Group`` would be left aside in silence, and every interval be made of
    other clusters. Where the exact name is there too, the other column is meant to be another.

    Raises
    ------
    DataError
        There is such a column.
    """
    for wanted in names:
        if wanted in row.values:
            continue
        for name in row.values:
            if plain_name(name) == wanted:
                shown = printable_name(name)
                raise DataError(
                    f"there is no field {wanted}, but {shown}, which would be ignored",
                    path=row.path,
                    row=row.number,
                    remedy=f"rename {shown} to {wanted}, or add an empty field {wanted} to keep it aside",
                )


def as_metadata(value: object) -> str | None:
    """A further column's value as text: text as it is, the rest as JSON; None for null.

    Examples
    --------
    >>> as_metadata("007"), as_metadata(True), as_metadata([1, "é"]), as_metadata(None)
    ('007', 'true', '[1, "é"]', None)
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float, list, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)  # dates, decimals and the like, from Parquet
