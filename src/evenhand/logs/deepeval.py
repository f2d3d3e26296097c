"""Test runs of DeepEval: a judge under test, with its pair and order in each test case's metadata.

``evaluate(…, results_folder=…)`` writes ``test_run_*.json`` (``deepeval/evaluate/local_store.py``), and every run
leaves ``.deepeval/.latest_run_full.json``: an object of ``testCases`` with ``input``, ``actualOutput``, ``metadata``
and ``metricsData`` (``deepeval/test_run/test_run.py`` and ``api.py``, https://github.com/confident-ai/deepeval).

- **ArenaGEval** compares contestants, but shows them in an order drawn anew each time (``random.shuffle`` in
  ``deepeval/metrics/arena_g_eval/utils.py``) and records neither that order nor the judge's own text, only who won and
  a reason that is written over with the real names. Nothing can be said of position, and such a file is refused.
- **GEval** and the other metrics score each output by itself: the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from evenhand.errors import DataError
from evenhand.logs.column_map import ColumnMap
from evenhand.logs.documents import Document, Node, read_json_object
from evenhand.logs.mapped import MappedLog

__all__ = ["DeepEvalLog"]

_ARENA = "[Arena GEval]"
"""How ArenaGEval ends its metric's name."""


class DeepEvalLog(MappedLog):
    """Reader of a DeepEval test run whose cases are a judge's calls."""

    name: ClassVar[str] = "deepeval"
    tool: ClassVar[str] = "DeepEval"
    known: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record is a test run, or several of an arena."""
        return isinstance(record, dict) and (
            "testRuns" in record or {"testCases", "metricsScores"} <= record.keys() or "testRunData" in record
        )

    def records(self, path: Path) -> Document:
        """Read the test cases; an arena is refused with its reason."""
        document = read_json_object(path)
        top = document.rows[0]
        if "testRuns" in top.mapping():
            raise _arena(top.child("testRuns"))
        run = top.child("testRunData") if "testRunData" in top.mapping() else top
        cases = run.child("testCases").items()
        if not cases:
            talks = run.get("conversationalTestCases")
            more = "; its conversational test cases are no single answers" if talks and talks.value else ""
            raise DataError(f"has no test cases{more}", path=path)
        rows = tuple(Node(path=path, row=number, field="", value=node.value) for number, node in enumerate(cases, 1))
        for row in rows:
            if any(name.endswith(_ARENA) for name in _metrics(row)):
                raise _arena(row)
        if not self.given and self.order is None and not any(_has_order(row) for row in rows):
            names = sorted({name for row in rows for name in _metrics(row)})
            raise DataError(
                f"its metrics ({', '.join(names) or 'none'}) score each output by itself, and no case says which "
                "response was shown first",
                path=path,
                remedy="give each case metadata with pair_id and order, or map them: --map order=metadata.shown",
            )
        return replace(document, rows=rows)

    def map_columns(self, places: Sequence[str], path: Path) -> ColumnMap:
        """Find the columns in ``metadata``; what DeepEval itself writes has fixed places."""
        usable = (*self.below("metadata.", places), *self.below("additionalMetadata.", places))
        return super().map_columns(tuple(dict.fromkeys(usable)), path).completed({"text": "actualOutput"})


def _arena(node: Node) -> DataError:
    return node.error(
        "is an arena's: DeepEval shows the contestants in an order drawn anew each time and doesn't record it, so "
        "nothing can be said of position",
        remedy="call the judge in both orders as test cases, with pair_id and order in their metadata",
    )


def _metrics(row: Node) -> tuple[str, ...]:
    """The names of a case's metrics."""
    listed = row.get("metricsData") if isinstance(row.value, dict) else None
    values = listed.value if listed is not None and isinstance(listed.value, list) else []
    return tuple(str(one["name"]) for one in values if isinstance(one, Mapping) and isinstance(one.get("name"), str))


def _has_order(row: Node) -> bool:
    if not isinstance(row.value, Mapping):
        return False
    kept = [row.value.get("metadata"), row.value.get("additionalMetadata")]
    return any(isinstance(one, Mapping) and bool({"order", "swapped", "is_swapped"} & one.keys()) for one in kept)
