"""Cells of a study's tables that its schema can't tell apart: one of each is enough to check."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Shape", "shape_of", "without_repeats"]

Shape: TypeAlias = tuple[object, ...]
"""What a schema of cells can ask of a value: its type, its keys, and where numbers lie beside 0 and 1."""


def shape_of(value: object) -> Shape:
    """The shape of a JSON value.

    Texts are all alike, and so are numbers of one type between, below and above the bounds 0 and 1: the schema of cells
    has no other bound and asks nothing of a text (``tests/report/study/test_alike.py`` holds it to that).

    Examples
    --------
    >>> shape_of({"value": 0.2, "n": 3}) == shape_of({"n": 80, "value": 0.9}) != shape_of({"value": 1.2, "n": 3})
    True
    """
    match value:
        case dict():
            return ("object", frozenset((name, shape_of(child)) for name, child in value.items()))
        case list():
            return ("array", frozenset(map(shape_of, value)))
        case bool() | None:
            return (type(value),)
        case int() | float():
            # A float without a fraction is a whole number to JSON Schema.
            return (isinstance(value, int) or value.is_integer(), value < 0, value == 0, value < 1, value == 1)
        case _:
            return (type(value),)


def without_repeats(document: object) -> object:
    """The document with one row for each shape of cell in a table, in place of all its rows.

    It is valid where the document is. What has another form than a study's tables is left as it is, to be found.
    """
    if not isinstance(document, dict) or not isinstance(document.get("tables"), list):
        return document
    return {**document, "tables": [_of_table(table) for table in document["tables"]]}


def _of_table(table: object) -> object:
    if not isinstance(table, dict):
        return table
    rows = table.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return table
    cells: dict[Shape, object] = {}
    for row in rows:
        for value in row.values():
            cells.setdefault(shape_of(value), value)
    return {**table, "rows": [{"cell": value} for value in cells.values()]}
