"""What a journal's own tables tell of its run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.errors import DataError, StoreError
from evenhand.records import Completion, FinishReason, Pair, Presentation, RunManifest
from evenhand.store.connection import told_plainly
from evenhand.store.entries import JournalEntry, PlanCounts, TokenTotals
from evenhand.store.manifest_json import manifest_from_json
from evenhand.store.records_json import completion_from_json, pair_from_json, presentation_from_json
from evenhand.store.sealed import unseal

__all__ = ["RecordedAnswers"]

_CHANGED = "the journal is damaged, or was changed by another program: restore the run directory from a copy"


class RecordedAnswers:
    """Pairs, plan and answers in the journal's own tables; :class:`ColumnarAnswers` tells them of a columnar run."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def manifest(self) -> RunManifest:
        """The manifest of the current plan, of a columnar run too."""
        rows = self.rows("SELECT record FROM manifest")
        row = next(rows, None)
        if row is None:
            raise StoreError(f"{self._path}: the journal is empty: its run was stopped before it began")
        try:
            return manifest_from_json(unseal(str(row[0]), what="manifest"))
        except DataError as error:
            raise self.damaged(error) from error

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs in the order they were given."""
        try:
            return tuple(pair_from_json(row[0]) for row in self.rows("SELECT record FROM pairs ORDER BY ordinal"))
        except DataError as error:
            raise self.damaged(error) from error

    def plan(self) -> Iterator[Presentation]:
        """The planned presentations, in order."""
        query = "SELECT record FROM plan JOIN presentations USING (key) ORDER BY ordinal"
        for (record,) in self.rows(query):
            yield self._presentation(record)

    def presentation(self, key: str) -> Presentation | None:
        """One presentation, planned now or asked earlier; None where the journal hasn't the key."""
        row = next(self.rows("SELECT record FROM presentations WHERE key = ?", key), None)
        return None if row is None else self._presentation(row[0])

    def completions(self) -> Iterator[JournalEntry]:
        """The plan in order, each with its latest completion (all as of one moment)."""
        query = """
            SELECT presentations.record, completions.record FROM plan
            JOIN presentations ON presentations.key = plan.key
            LEFT JOIN completions ON completions.key = plan.key
                AND completions.attempt = (SELECT MAX(attempt) FROM completions AS later WHERE later.key = plan.key)
            ORDER BY plan.ordinal
        """
        for presentation, completion in self.rows(query):
            yield JournalEntry(
                presentation=self._presentation(presentation),
                completion=None if completion is None else self._completion(completion),
            )

    def attempts(self, key: str) -> tuple[Completion, ...]:
        """Every attempt at one presentation, oldest first."""
        query = "SELECT record FROM completions WHERE key = ? ORDER BY attempt"
        return tuple(self._completion(record) for (record,) in self.rows(query, key))

    def finished_keys(self) -> frozenset[str]:
        """Keys of the plan that have an answer (a completion that is not an ERROR)."""
        query = "SELECT plan.key FROM plan JOIN completions USING (key) WHERE finish_reason <> 'error'"
        return frozenset(key for (key,) in self.rows(query))

    def answered_keys(self) -> frozenset[str]:
        """Keys that have an answer, whether planned now or asked earlier."""
        query = "SELECT key FROM completions WHERE finish_reason <> 'error'"
        return frozenset(key for (key,) in self.rows(query))

    def attempted_keys(self) -> frozenset[str]:
        """Keys that have an attempt, a failed one too, whether planned now or asked earlier."""
        return frozenset(key for (key,) in self.rows("SELECT DISTINCT key FROM completions"))

    def pending_keys(self) -> tuple[str, ...]:
        """Keys of the plan that have none, in order: never asked, or failed whenever they were."""
        finished = self.finished_keys()
        return tuple(key for (key,) in self.rows("SELECT key FROM plan ORDER BY ordinal") if key not in finished)

    def counts(self) -> PlanCounts:
        """How far the plan is."""
        query = """
            SELECT COUNT(*), COALESCE(SUM(state = 1), 0), COALESCE(SUM(state = 0), 0), COALESCE(SUM(state IS NULL), 0)
            FROM (SELECT (SELECT MAX(finish_reason <> ?) FROM completions WHERE key = plan.key) AS state FROM plan)
        """
        row = next(self.rows(query, FinishReason.ERROR.value))
        planned, finished, errors, pending = (int(number) for number in row)
        return PlanCounts(planned=planned, finished=finished, errors=errors, pending=pending)

    def token_totals(self) -> TokenTotals:
        """Tokens over every attempt, of earlier plans too."""
        query = """
            SELECT
                COALESCE(SUM(told), 0), COALESCE(SUM(prompt), 0), COALESCE(SUM(written), 0),
                COALESCE(SUM(NOT told AND finish_reason <> ?), 0)
            FROM (
                SELECT
                    finish_reason,
                    json_extract(record, '$.usage.prompt_tokens') AS prompt,
                    json_extract(record, '$.usage.completion_tokens') AS written,
                    json_extract(record, '$.usage.prompt_tokens') IS NOT NULL
                        AND json_extract(record, '$.usage.completion_tokens') IS NOT NULL AS told
                FROM completions
            )
        """
        answers, prompt, written, untold = (int(n) for n in next(self.rows(query, FinishReason.ERROR.value)))
        return TokenTotals(answers=answers, prompt_tokens=prompt, completion_tokens=written, untold=untold)

    def rows(self, query: str, *values: str) -> Iterator[tuple[Any, ...]]:
        """Rows of a query, with SQLite's complaints in plain words."""
        with told_plainly(self._path):
            # Not ``yield from``: that would close the cursor of an abandoned iterator, whose journal may be closed.
            for row in self._connection.execute(query, values):  # noqa: UP028
                yield row

    def damaged(self, error: DataError) -> DataError:
        """What to raise where a record can't be read: the error with the file and what to do."""
        return DataError(error.problem, path=self._path, remedy=_CHANGED)

    def _presentation(self, record: str) -> Presentation:
        try:
            return presentation_from_json(record)
        except DataError as error:
            raise self.damaged(error) from error

    def _completion(self, record: str) -> Completion:
        try:
            return completion_from_json(record)
        except DataError as error:
            raise self.damaged(error) from error
