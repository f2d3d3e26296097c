"""A plain table of verdicts: CSV, JSON Lines or Parquet, one presentation a row.

The columns are documented in ``docs/reference/log-formats.md``: ``pair_id`` and ``order``, at least one of ``text``,
``outcome`` and ``preference``, and the optional ones of :data:`OPTIONAL`.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from evenhand.errors import DataError
from evenhand.logs.base import GrammarHint, LogEntry, VerdictLog
from evenhand.logs.documents import Document, Node, short
from evenhand.logs.rows import PROMPT_NOT_RECORDED, RowLog
from evenhand.logs.table_row import COLUMNS, VERDICT_COLUMNS, TableRow, parse_row
from evenhand.logs.tabular import read_table
from evenhand.records import first_token_of
from evenhand.records.completion import Completion, FinishReason
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.outcome import Outcome
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition, Presentation

__all__ = ["TableLog"]

_PAIR_FIELDS = ("gold", "source", "group", "instruction", "response_a", "response_b")
"""Columns that say something of the pair, so that its rows must agree."""

_RULES = "The table states the outcome or the preference itself; how it was decided is not recorded."
_NO_RULES = "The table has texts only: it states no outcome of its own."


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
        seen = _columns(document)
        for column in ("pair_id", "order"):
            if column not in seen:
                raise DataError(f"has no column {column!r}", path=path, remedy=_suggest(column, seen))
        if not seen & set(VERDICT_COLUMNS):
            raise DataError("has none of the columns text, outcome and preference", path=path)
        return document

    def parse(self, row: Node) -> TableRow:
        """Check one presentation."""
        return parse_row(row)

    def assemble(self, document: Document, parsed: Sequence[TableRow]) -> VerdictLog:
        """Check what concerns several rows, and make the log."""
        _refuse_duplicates(parsed)
        judge = _constant(parsed, "judge") or self.judge
        model = _constant(parsed, "model") or self.model
        labels = _labels(parsed)
        states = any(row.outcome is not None for row in parsed)
        by_pair: dict[str, set[str]] = {}
        for row in parsed:
            by_pair.setdefault(row.pair_id, set()).add(row.order)
        unused = sorted(_columns(document) - set(COLUMNS))
        return VerdictLog(
            format=self.name,
            pairs=_pairs(parsed),
            entries=tuple(_entry(self.name, document, row, labels[row.condition]) for row in parsed),
            conditions=tuple(
                Condition(id=condition, prompt=condition, prompt_hash=PROMPT_NOT_RECORDED, labels=label)
                for condition, label in labels.items()
            ),
            judge=JudgeIdentity(spec=f"log:table:{judge or model or 'unknown'}", model=model or judge or "unknown"),
            orders="both" if any(len(orders) == 2 for orders in by_pair.values()) else "single",
            log_rules=_RULES if states else _NO_RULES,
            grammars=tuple((condition, GrammarHint(labels=label)) for condition, label in labels.items()),
            file_sha256=document.sha256,
            notes=tuple(f"column {short(name)} is not used{_meant(name)}" for name in unused),
        )


def _columns(document: Document) -> set[str]:
    return {key for row in document.rows if isinstance(row.value, dict) for key in row.value}


def _suggest(column: str, seen: set[str]) -> str:
    close = difflib.get_close_matches(column, sorted(seen), n=1)
    return f"rename {close[0]!r}?" if close else f"it has {', '.join(short(name) for name in sorted(seen)[:8])}"


def _meant(name: str) -> str:
    close = difflib.get_close_matches(name, COLUMNS, n=1)
    return f"; was {close[0]!r} meant?" if close else ""


def _refuse_duplicates(parsed: Sequence[TableRow]) -> None:
    seen: dict[tuple[str, str, str, int], TableRow] = {}
    for row in parsed:
        place = (row.pair_id, str(row.order), row.condition, row.repeat)
        earlier = seen.setdefault(place, row)
        if earlier is not row:
            raise DataError(
                f"the same pair {short(row.pair_id)}, order {row.order}, condition {short(row.condition)} and repeat "
                f"{row.repeat} as row {earlier.node.row}",
                path=row.node.path,
                row=row.node.row,
                field="pair_id",
                remedy="number repeated questions in a column 'repeat'",
            )


def _constant(parsed: Sequence[TableRow], field: str) -> str | None:
    """Take a value that the whole table shares, None where the column is absent or empty throughout."""
    stated = [row for row in parsed if getattr(row, field) is not None]
    for row in stated:
        _require_equal(row, stated[0], field, "a table is of one judge")
    value: str | None = getattr(stated[0], field) if stated else None
    return value


def _require_equal(row: TableRow, earlier: TableRow, field: str, why: str) -> None:
    mine, theirs = getattr(row, field), getattr(earlier, field)
    if mine != theirs:
        problem = f"is {short(mine)}, but row {earlier.node.row} has {short(theirs)}: {why}"
        raise DataError(problem, path=row.node.path, row=row.node.row, field=field)


def _labels(parsed: Sequence[TableRow]) -> dict[str, LabelSet]:
    """Labels of each condition, in the order of first mention; A/B where no row of a condition states them."""
    stated: dict[str, TableRow] = {}
    for row in parsed:
        if row.labels is not None:
            earlier = stated.setdefault(row.condition, row)
            if earlier.labels != row.labels:
                mine = short(row.labels.name)
                theirs = short(earlier.labels.name if earlier.labels else "")
                problem = f"is {mine}, but row {earlier.node.row} of the same condition has {theirs}"
                raise DataError(problem, path=row.node.path, row=row.node.row, field="labels")
    default = LabelSet(first="A", second="B")
    found = {condition: row.labels for condition, row in stated.items()}
    return {row.condition: found.get(row.condition) or default for row in parsed}


def _pairs(parsed: Sequence[TableRow]) -> tuple[Pair, ...]:
    """One pair per id; each fact from the first row that states it, and every row that states it agrees."""
    facts: dict[str, dict[str, TableRow]] = {}
    for row in parsed:
        known = facts.setdefault(row.pair_id, {})
        for field in _PAIR_FIELDS:
            if getattr(row, field) is not None:
                _require_equal(row, known.setdefault(field, row), field, "rows of one pair must agree")
    pairs = []
    for pair_id, known in facts.items():
        value = {field: getattr(row, field) for field, row in known.items()}
        pairs.append(
            Pair(
                id=pair_id,
                instruction=value.get("instruction", ""),
                response_a=value.get("response_a", ""),
                response_b=value.get("response_b", ""),
                gold=value.get("gold"),
                source=value.get("source", ""),
                # Without an instruction its hash would put every pair into one group.
                group=value.get("group") or ("" if value.get("instruction") else pair_id),
            )
        )
    return tuple(pairs)


def _entry(name: str, document: Document, row: TableRow, labels: LabelSet) -> LogEntry:
    failed = row.finish_reason is FinishReason.ERROR or row.outcome is Outcome.ERROR
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
            finish_reason=FinishReason.ERROR if failed else row.finish_reason,
            first_token=first_token_of(row.logprobs, labels) if row.logprobs else None,
            error="the table says error" if failed else None,
            log_outcome=row.outcome,
        ),
    )
