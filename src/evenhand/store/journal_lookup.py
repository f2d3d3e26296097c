"""Single pairs and presentations of a run, by their position: what a page over a large run reads, and nothing more."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from evenhand.errors import DataError, StoreError
from evenhand.records import Pair
from evenhand.store.connection import JOURNAL, connect_reader, told_plainly
from evenhand.store.entries import JournalEntry
from evenhand.store.records_json import completion_from_json, pair_from_json, presentation_from_json

__all__ = ["JournalLookup", "NumberedEntry"]

_ENTRY = """
    SELECT plan.ordinal, presentations.record, completions.record FROM plan
    JOIN presentations ON presentations.key = plan.key
    LEFT JOIN completions ON completions.key = plan.key
        AND completions.attempt = (SELECT MAX(attempt) FROM completions AS later WHERE later.key = plan.key)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedEntry:
    """A planned presentation with its position in the plan and its latest completion."""

    ordinal: int
    entry: JournalEntry


class JournalLookup:
    """A journal open for looking up, all as of the moment of opening. A context manager; for one thread.

    Every method but the two iterators costs the same whatever the size of the run: each of its queries follows an
    index that the journal has anyway.

    Parameters
    ----------
    directory
        The run.
    check
        Whether every page of the file is checked first.

    Raises
    ------
    StoreError
        Not a run, written by a newer version, or damaged.
    """

    def __init__(self, directory: Path, *, check: bool = False) -> None:
        self._path = directory / JOURNAL
        self._reader = connect_reader(directory, check=check)

    @property
    def copied(self) -> bool:
        """Whether the journal had to be copied to be read: its folder can't be written, and it has an open log."""
        return self._reader.copied

    def close(self) -> None:
        """Close the database. Closing twice is harmless."""
        self._reader.close()

    def __enter__(self) -> JournalLookup:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def version(self) -> str:
        """A hash that changes with what the run was asked and with every answer; other files don't matter to it."""
        digest = hashlib.sha256()
        for query in (
            "SELECT record FROM manifest",
            "SELECT MAX(ordinal) FROM pairs",
            "SELECT MAX(ordinal) FROM plan",
            "SELECT key FROM plan ORDER BY ordinal LIMIT 1",
            "SELECT key FROM plan ORDER BY ordinal DESC LIMIT 1",
            # Attempts are only ever added, so the last row stands for all before it.
            "SELECT rowid, key, recorded_at FROM completions ORDER BY rowid DESC LIMIT 1",
        ):
            digest.update(repr(next(self._rows(query), None)).encode("utf-8", "backslashreplace"))
        return digest.hexdigest()

    def pairs(self) -> Iterator[Pair]:
        """All pairs in order, one at a time in memory."""
        for (record,) in self._rows("SELECT record FROM pairs ORDER BY ordinal"):
            yield self._pair(record)

    def pair(self, ordinal: int) -> Pair | None:
        """The pair at a position, from 0; None where there is none."""
        row = next(self._rows("SELECT record FROM pairs WHERE ordinal = ?", ordinal), None)
        return None if row is None else self._pair(row[0])

    def entries(self) -> Iterator[NumberedEntry]:
        """The plan in order, each with its latest completion, one at a time in memory."""
        for row in self._rows(f"{_ENTRY} ORDER BY plan.ordinal"):
            yield self._numbered(*row)

    def entries_at(self, ordinals: Sequence[int]) -> tuple[NumberedEntry, ...]:
        """The presentations at some positions of the plan, in the order given; those that aren't there are left out."""
        found = []
        for ordinal in ordinals:
            row = next(self._rows(f"{_ENTRY} WHERE plan.ordinal = ?", ordinal), None)
            if row is not None:
                found.append(self._numbered(*row))
        return tuple(found)

    def planned(self) -> int:
        """Presentations of the plan (positions are contiguous: it is the last one's and one more)."""
        return int(next(self._rows("SELECT COALESCE(MAX(ordinal) + 1, 0) FROM plan"))[0])

    def _rows(self, query: str, *values: int) -> Iterator[tuple[Any, ...]]:
        with told_plainly(self._path):
            cursor: sqlite3.Cursor = self._reader.connection.execute(query, values)
            for row in cursor:  # noqa: UP028 - see Journal._rows
                yield row

    def _pair(self, record: str) -> Pair:
        try:
            return pair_from_json(record)
        except DataError as error:
            raise self._damaged(error) from error

    def _numbered(self, ordinal: int, presentation: str, completion: str | None) -> NumberedEntry:
        try:
            entry = JournalEntry(
                presentation=presentation_from_json(presentation),
                completion=None if completion is None else completion_from_json(completion),
            )
        except DataError as error:
            raise self._damaged(error) from error
        return NumberedEntry(ordinal=ordinal, entry=entry)

    def _damaged(self, error: DataError) -> StoreError:
        return StoreError(f"{self._path}: {error.problem}: the journal is damaged, or was changed by another program")
