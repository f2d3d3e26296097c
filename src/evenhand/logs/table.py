"""A plain table of verdicts: CSV, JSON Lines or Parquet, one presentation a row.

The columns are documented in ``docs/reference/log-formats.md``: ``pair_id`` and ``order``, at least one of ``text``,
``outcome`` and ``preference``, and the optional ones of :data:`OPTIONAL`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from evenhand.logs.base import ColumnarLog, GrammarHint, LogEntry, VerdictLog
from evenhand.logs.documents import Document, Node
from evenhand.logs.rows import RowLog
from evenhand.logs.table_checks import (
    conditions_of,
    constant,
    judge_of,
    labels_by_condition,
    log_rules,
    pairs_of,
    refuse_duplicates,
    require_columns,
    unused_columns,
)
from evenhand.logs.table_row import TableRow, parse_row
from evenhand.logs.tabular import read_table
from evenhand.records import first_token_of
from evenhand.records.columnar import FAILED
from evenhand.records.completion import Completion, FinishReason
from evenhand.records.labels import LabelSet
from evenhand.records.presentation import Presentation

__all__ = ["TableLog"]


class TableLog(RowLog[TableRow]):
    """Reader of a plain table of verdicts.

    Parameters
    ----------
    judge, model
        Who answered, where the columns ``judge`` and ``model`` are absent.
    """

    name: ClassVar[str] = "table"

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record has the two columns that every table needs."""
        return isinstance(record, dict) and {"pair_id", "order"} <= record.keys()

    def load(self, path: Path) -> Document:
        """Read the rows and check that the columns needed are there."""
        document = read_table(path)
        require_columns(_columns(document), path)
        return document

    def read_columns(self, path: Path) -> ColumnarLog | None:
        """Read the whole log as columns; None where it has texts or log probabilities that are to be read again.

        What it says, and what it refuses in which words, is the same as :meth:`read`'s.

        Raises
        ------
        DataError
            As :meth:`read`.
        """
        from evenhand.logs.table_columns import read_columns

        return read_columns(path, judge=self.judge, model=self.model)

    def parse(self, row: Node) -> TableRow:
        """Check one presentation."""
        return parse_row(row)

    def assemble(self, document: Document, parsed: Sequence[TableRow]) -> VerdictLog:
        """Check what concerns several rows, and make the log."""
        refuse_duplicates(parsed)
        judge = constant(parsed, "judge") or self.judge
        model = constant(parsed, "model") or self.model
        labels = labels_by_condition(parsed)
        states = any(row.outcome is not None for row in parsed)
        by_pair: dict[str, set[str]] = {}
        for row in parsed:
            by_pair.setdefault(row.pair_id, set()).add(row.order)
        return VerdictLog(
            format=self.name,
            pairs=pairs_of(parsed),
            entries=tuple(_entry(self.name, document, row, labels[row.condition]) for row in parsed),
            conditions=conditions_of(labels),
            judge=judge_of(judge, model),
            orders="both" if any(len(orders) == 2 for orders in by_pair.values()) else "single",
            log_rules=log_rules(states=states),
            grammars=tuple((condition, GrammarHint(labels=label)) for condition, label in labels.items()),
            file_sha256=document.sha256,
            notes=unused_columns(_columns(document)),
        )


def _columns(document: Document) -> set[str]:
    return {key for row in document.rows if isinstance(row.value, dict) for key in row.value}


def _entry(name: str, document: Document, row: TableRow, labels: LabelSet) -> LogEntry:
    finish = row.answer_finish
    failed = finish is FinishReason.ERROR
    return LogEntry(
        presentation=Presentation(
            key=document.key(name, row.pair_id, row.order, row.condition, row.repeat),
            pair_id=row.pair_id,
            condition=row.condition,
            order=row.order,
            repeat=row.repeat,
        ),
        completion=Completion(
            text=None if failed else row.text,
            finish_reason=finish,
            first_token=first_token_of(row.logprobs, labels) if row.logprobs else None,
            error=FAILED if failed else None,
            log_outcome=row.outcome,
        ),
    )
