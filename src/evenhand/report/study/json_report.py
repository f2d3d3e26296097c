"""A study for machines, with one published schema for every kind."""

from __future__ import annotations

from typing import Final

from evenhand.analysis.study import Study
from evenhand.errors import DataError
from evenhand.report.encode import Json
from evenhand.report.schemas import check_document, refuse_not_finite, shipped_schema
from evenhand.report.study.alike import without_repeats
from evenhand.report.study.encode import encode_study
from evenhand.report.study.methods import study_methods
from evenhand.report.study.view import evenhand_version, study_headline, study_numbers
from evenhand.report.text import visible_json

__all__ = ["STUDY_SCHEMA_VERSION", "study_json", "study_schema", "validate_study_json"]

STUDY_SCHEMA_VERSION: Final = 1
"""Version of this file's form. It grows by new keys; a key that changes its meaning raises the number."""
_SCHEMA_FILE = "study.schema.json"


def study_json(study: Study, *, command: str | None = None, created: str | None = None) -> Json:
    """Everything that the study holds, in an order of keys that never varies.

    A figure has either ``value`` (with ``interval``, ``n``, ``count``, ``clusters``, ``flags``) or ``refused`` with the
    reason. NaN and infinity never appear: a gap of a line is null. Characters that hide or redirect text appear as
    ``[U+…]``.

    The headline's sentences are there twice: plain, and under ``more`` and ``next`` with what each rests on.

    Raises
    ------
    ValueError
        Two columns of a table share a name, so that one would be lost.
    """
    tree = {
        "schema_version": STUDY_SCHEMA_VERSION,
        "evenhand_version": evenhand_version(),
        "created": created,
        "command": command,
        **encode_study(study, study_headline(study, study_numbers(study))),
        "methods": list(study_methods(study)),
    }
    return visible_json(tree)


def study_schema() -> Json:
    """The JSON Schema (Draft 2020-12) of a study's JSON, as shipped."""
    return shipped_schema("evenhand.report.study", _SCHEMA_FILE)


def validate_study_json(document: object) -> None:
    """Check a document against the schema.

    Raises
    ------
    DataError
        With the path of the first offending field, and what is wrong, in one line. NaN and infinity are refused.
    """
    refuse_not_finite(document, what="study")
    schema = study_schema()
    try:
        check_document(without_repeats(document), schema, what="study", schema_file=_SCHEMA_FILE)
    except DataError:
        check_document(document, schema, what="study", schema_file=_SCHEMA_FILE)  # for the path in the whole document
        raise
