"""Checking a JSON document against its published schema, with one line that says what is wrong and where."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from evenhand.errors import DataError
from evenhand.report.text import visible

__all__ = ["check_document", "refuse_not_finite", "shipped_schema"]


def shipped_schema(package: str, file: str) -> dict[str, object]:
    """A JSON Schema that lies beside the modules of a package; a copy of its own for each caller.

    Examples
    --------
    >>> shipped_schema("evenhand.report", "card.schema.json")["$id"]
    'urn:evenhand:schema:disclosure-card:1'
    """
    schema = json.loads(_text(package, file))
    assert isinstance(schema, dict)  # noqa: S101 - a file of this package
    return schema


@cache
def _text(package: str, file: str) -> str:
    return files(package).joinpath(file).read_text(encoding="utf-8")


def check_document(document: object, schema: Mapping[str, object], *, what: str, schema_file: str) -> None:
    """Check a document.

    Parameters
    ----------
    schema
        A JSON Schema (Draft 2020-12).
    what, schema_file
        How the document is called in an error, and where its schema can be read.

    Raises
    ------
    DataError
        With the path of the first offending field, and what is wrong, in one line. NaN and infinity are refused
        wherever they stand.

    Examples
    --------
    >>> check_document({"a": 1}, {"required": ["b"]}, what="note", schema_file="note.schema.json")
    Traceback (most recent call last):
    evenhand.errors.DataError: note, b: is missing (see note.schema.json)
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    refuse_not_finite(document, what=what)
    error = best_match(Draft202012Validator(schema).iter_errors(document))
    if error is None:
        return
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    message = visible(error.message.splitlines()[0], limit=300)
    if error.validator == "required":
        missing = sorted(set(error.validator_value) - set(error.instance))
        path = ".".join(part for part in (path, missing[0]) if part)
        message = "is missing"
    raise DataError(f"{what}, {path or 'top level'}: {message}", remedy=f"see {schema_file}")


def refuse_not_finite(document: object, *, what: str) -> None:
    """A bound check lets NaN through, and JSON as Python reads it has NaN and Infinity: both are refused by path.

    Raises
    ------
    DataError
        With the path of the first such number that is found.
    """
    waiting: list[tuple[str, object]] = [("", document)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, float) and not math.isfinite(node):
            raise DataError(
                f"{what}, {visible(path.lstrip('.')) or 'top level'}: {node} is not a number that JSON has",
                remedy='give a refusal ({"refused": reason, "n": 0}) where there is no figure',
            )
        if isinstance(node, dict):
            waiting.extend((f"{path}.{name}", child) for name, child in node.items())
        elif isinstance(node, list):
            waiting.extend((f"{path}[{index}]", child) for index, child in enumerate(node))
