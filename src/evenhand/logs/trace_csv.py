"""Runs exported from a tracing tool as a table: LangSmith, Phoenix and the like.

LangSmith's export has a column a field (``inputs.…``, ``outputs.…``, ``feedback.…``, ``reference_outputs.…``,
``metadata.…``); Phoenix's span table has ``attributes.input.value``, ``attributes.output.value`` and
``attributes.metadata.…`` (``get_spans_dataframe``, https://github.com/Arize-ai/phoenix). Neither has columns for a
pair, an order or a verdict of its own: they are what the user recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from evenhand.logs.documents import Document
from evenhand.logs.mapped import MappedLog
from evenhand.logs.tabular import read_table

__all__ = ["TraceCsvLog"]

_MARKS = ("inputs", "outputs", "reference_outputs", "feedback", "metadata")
"""First parts of the column names of such exports: what went in, beside at least one other."""


class TraceCsvLog(MappedLog):
    """Reader of exported runs: CSV, JSON Lines or Parquet, one judge call a row."""

    name: ClassVar[str] = "trace_csv"
    tool: ClassVar[str] = "exported"
    known: ClassVar[Mapping[str, str]] = {
        "text": "attributes.output.value",
        "error": "status_message",
    }

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record has a tracing tool's columns."""
        if not isinstance(record, dict):
            return False
        heads = {str(key).partition(".")[0] for key in record}
        return "attributes" in heads or ("inputs" in heads and len(heads & set(_MARKS)) > 1)

    def records(self, path: Path) -> Document:
        """Read the rows."""
        return read_table(path)
