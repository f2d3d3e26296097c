"""Reading the pages' index: every question is answered by following an index, and answers are bounded."""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from evenhand.errors import EvenhandError, StoreError
from evenhand.web.cube import COLUMNS, Cube
from evenhand.web.index_build import search_words
from evenhand.web.index_schema import SORTS, Sort

__all__ = ["FOUND", "PAGE", "Cursor", "IndexRow", "ListQuery", "RunIndex", "TooBroadError"]

PAGE: Final = 50
"""Rows of a page."""

FOUND: Final = 5_000
"""Pairs that a search looks at; with more, the page says so."""

_MOST_ROWS: Final = 2_000
"""Of one pair: 100 conditions, 6 readouts, and room."""

_STEPS: Final = 200_000_000
"""SQLite instructions after which a question is given up: some seconds."""

_KEPT: Final = 32
"""Searches whose pairs are remembered."""

_NEAR: Final = 5_000
"""Rows read one after another before a filter's cells are asked one by one."""


class TooBroadError(EvenhandError):
    """A search or filter that would take too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """A place in a sorted list: the sort's value and the row's number."""

    key: float
    rid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """What a list shows.

    Attributes
    ----------
    chosen
        Codes per facet.
    words
        Search terms, all of which must be there; empty: no search.
    sort
        One of :data:`evenhand.web.index_schema.SORTS`.
    """

    chosen: Mapping[str, Sequence[int]]
    words: tuple[str, ...] = ()
    sort: Sort = SORTS[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """A pair under one condition and readout.

    Attributes
    ----------
    rid
        Its number, in the run's order.
    pair, pair_id, head
        Position and id of the pair, and the beginning of its instruction.
    codes
        Per facet.
    ab, ba
        Log-odds of the first slot in each order; None where unknown.
    cursor
        Its place in the list that it comes from.
    """

    rid: int
    pair: int
    pair_id: str
    head: str
    codes: Mapping[str, int]
    ab: float | None
    ba: float | None
    cursor: Cursor


class RunIndex:
    """One index file, open for any number of threads.

    Parameters
    ----------
    path
        From :func:`evenhand.web.index_build.build_index`.

    Raises
    ------
    StoreError
        The file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._searches: dict[tuple[str, ...], tuple[int, ...]] = {}
        with self._open() as connection:
            self.meta: dict[str, Any] = json.loads(connection.execute("SELECT value FROM meta").fetchone()[0])
            cells = connection.execute(f"SELECT count, {', '.join(COLUMNS)} FROM cells ORDER BY cell").fetchall()  # noqa: S608
        table = np.asarray(cells, dtype=np.int64).reshape(-1, len(COLUMNS) + 1)
        self.cube = Cube(counts=table[:, 0], values={name: table[:, n + 1] for n, name in enumerate(COLUMNS)})

    @cached_property
    def sorts(self) -> tuple[Sort, ...]:
        """Those that this run has values for."""
        return tuple(sort for sort in SORTS if not sort.indexes or self.meta["log_odds"])

    # -- lists ---------------------------------------------------------------------------------------------------

    def counted(self, query: ListQuery) -> Cube:
        """The cube of the rows that the search found; all of them without one."""
        if not query.words:
            return self.cube
        with self._open() as connection:
            found = json.dumps(self._found(connection, query.words))
            sql = "SELECT r.cell, COUNT(*) FROM json_each(?) f CROSS JOIN rows r ON r.pair = f.value GROUP BY r.cell"
            counts = connection.execute(sql, (found,)).fetchall()
        return self.cube.recounted(dict(counts))

    def found_all(self, query: ListQuery) -> bool:
        """Whether the search saw every pair that has its words."""
        if not query.words:
            return True
        with self._open() as connection:
            return len(self._found(connection, query.words)) < FOUND

    def rows(
        self, query: ListQuery, *, after: Cursor | None = None, before: Cursor | None = None, limit: int = PAGE
    ) -> tuple[IndexRow, ...]:
        """Rows of the list in its order: the first, those after a place, or those just before one."""
        backwards = before is not None
        place = before if backwards else after
        with self._open() as connection:
            if query.words:
                found = self._searched(connection, query, place, backwards=backwards, limit=limit)
            else:
                found = self._filtered(connection, query, place, backwards=backwards, limit=limit)
            rows = [self._row(connection, query.sort, rid) for rid in found]
        return tuple(reversed(rows)) if backwards else tuple(rows)

    def _filtered(
        self, connection: sqlite3.Connection, query: ListQuery, place: Cursor | None, *, backwards: bool, limit: int
    ) -> list[int]:
        cells = self.cube.cells(query.chosen)
        if not cells:
            return []
        every = len(cells) == len(self.cube.counts)
        column = query.sort.column
        near = _ids(connection, *_near(column, None if every else cells, place, backwards=backwards, limit=limit))
        if len(near) == limit or every:
            return near
        return _ids(connection, *_merged(column, cells, place, backwards=backwards, limit=limit))

    def _searched(
        self, connection: sqlite3.Connection, query: ListQuery, place: Cursor | None, *, backwards: bool, limit: int
    ) -> list[int]:
        column = query.sort.column
        past, values = _past(f"r.{column}", place, backwards=backwards)
        direction = "DESC" if backwards else "ASC"
        sql = (
            "SELECT r.rid FROM json_each(:found) f CROSS JOIN rows r ON r.pair = f.value "  # noqa: S608 - no values in it
            f"WHERE r.cell IN (SELECT value FROM json_each(:cells)) AND {past} "
            f"ORDER BY r.{column} {direction}, r.rid {direction} LIMIT :limit"
        )
        found = json.dumps(self._found(connection, query.words))
        cells = json.dumps(self.cube.cells(query.chosen))
        return _ids(connection, sql, {**values, "found": found, "cells": cells, "limit": limit})

    def _found(self, connection: sqlite3.Connection, words: tuple[str, ...]) -> tuple[int, ...]:
        """The pairs that a search finds, in the run's order, :data:`FOUND` at most; kept for the next page."""
        kept = self._searches.get(words)
        if kept is not None:
            return kept
        if self.meta["searchable"]:
            sql = "SELECT rowid FROM search WHERE search MATCH :words ORDER BY rowid LIMIT :found"
            values: dict[str, object] = {"words": _match(words), "found": FOUND}
        else:
            sql = "SELECT ordinal FROM pairs WHERE id >= :words AND id < :beyond LIMIT :found"
            begins = " ".join(words)
            values = {"words": begins, "beyond": begins + "\U0010ffff", "found": FOUND}
        found = tuple(sorted(_ids(connection, sql, values)))
        with self._lock:
            while len(self._searches) >= _KEPT:
                del self._searches[next(iter(self._searches))]
            self._searches[words] = found
        return found

    # -- single rows and pairs -----------------------------------------------------------------------------------

    def rows_of(self, pair: int) -> tuple[IndexRow, ...]:
        """Every row of a pair."""
        with self._open() as connection:
            found = _ids(
                connection,
                "SELECT rid FROM rows WHERE pair = :pair ORDER BY rid LIMIT :most",
                {"pair": pair, "most": _MOST_ROWS},
            )
            return tuple(self._row(connection, SORTS[0], rid) for rid in found)

    def place(self, rid: int, sort: Sort) -> Cursor:
        """Where a row stands in a list."""
        with self._open() as connection:
            sql = f"SELECT {sort.column} FROM rows WHERE rid = ?"  # noqa: S608 - a column
            return Cursor(key=connection.execute(sql, (rid,)).fetchone()[0], rid=rid)

    def find(self, pair_id: str) -> int | None:
        """The position of a pair; None where the run hasn't got it."""
        name = pair_id.encode("utf-8", "backslashreplace").decode("utf-8")
        with self._open() as connection:
            row = connection.execute("SELECT ordinal FROM pairs WHERE id = ? LIMIT 1", (name,)).fetchone()
        return None if row is None else int(row[0])

    def record(self, pair: int) -> str | None:
        """The pair as JSON, where the run itself keeps none."""
        with self._open() as connection:
            row = connection.execute("SELECT record FROM pairs WHERE ordinal = ?", (pair,)).fetchone()
        return None if row is None else row[0]

    def asked(self, pair: int) -> tuple[int, ...]:
        """Positions in the plan of the presentations of a pair."""
        with self._open() as connection:
            rows = connection.execute(
                "SELECT ordinal FROM asked WHERE pair = ? ORDER BY ordinal LIMIT ?", (pair, 4 * _MOST_ROWS)
            )
            return tuple(int(row[0]) for row in rows)

    def _row(self, connection: sqlite3.Connection, sort: Sort, rid: int) -> IndexRow:
        found = connection.execute(
            f"SELECT r.pair, p.id, p.head, r.cell, r.ab, r.ba, r.{sort.column} FROM rows r "  # noqa: S608 - a column
            "JOIN pairs p ON p.ordinal = r.pair WHERE r.rid = ?",
            (rid,),
        ).fetchone()
        pair, pair_id, head, cell, ab, ba, key = found
        codes = {name: int(self.cube.values[name][cell]) for name in COLUMNS}
        return IndexRow(
            rid=rid, pair=pair, pair_id=pair_id, head=head, codes=codes, ab=ab, ba=ba, cursor=Cursor(key=key, rid=rid)
        )

    # -- the file ------------------------------------------------------------------------------------------------

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection for one question, which is given up after :data:`_STEPS`."""
        spent = 0

        def tick() -> int:
            nonlocal spent
            spent += 1
            return int(spent * 10_000 > _STEPS)

        try:
            # Nobody writes to the file after it has got its name, so it needs no locks.
            with closing(
                sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
            ) as connection:
                connection.set_progress_handler(tick, 10_000)
                yield connection
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise TooBroadError("This search takes too long: add a word or a filter.") from error
            raise StoreError(f"{self.path}: the index can't be read ({error}): start evenhand serve again") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path}: the index is damaged ({error}): delete it and start again") from error


def _near(
    column: str, cells: list[int] | None, place: Cursor | None, *, backwards: bool, limit: int
) -> tuple[str, dict[str, object]]:
    """The neighbourhood alone, along the sort's own index: most filters find a page in it, whatever their cells."""
    past, values = _past(column, place, backwards=backwards)
    direction = "DESC" if backwards else "ASC"
    by = f"rid {direction}" if column == "rid" else f"{column} {direction}, rid {direction}"
    where = "" if cells is None else "WHERE +cell IN (SELECT value FROM json_each(:cells))"
    sql = (
        f"SELECT rid FROM (SELECT rid, cell, {column} FROM rows WHERE {past} ORDER BY {by} LIMIT :near) "  # noqa: S608
        f"{where} ORDER BY {by} LIMIT :limit"
    )
    return sql, {
        **values,
        "near": limit if cells is None else _NEAR,
        "limit": limit,
        **({} if cells is None else {"cells": json.dumps(cells)}),
    }


def _past(column: str, place: Cursor | None, *, backwards: bool) -> tuple[str, dict[str, object]]:
    """The condition for rows beyond a place (None: the beginning), and its values."""
    sign = "<" if backwards else ">"
    place = Cursor(key=-sys.float_info.max, rid=0) if place is None else place
    rid = column.replace(column.rpartition(".")[2], "rid")
    if column == rid:
        return f"{rid} {sign} :rid", {"rid": place.rid}
    return f"({column}, {rid}) {sign} (:key, :rid)", {"key": place.key, "rid": place.rid}


def _merged(
    column: str, cells: list[int], place: Cursor | None, *, backwards: bool, limit: int
) -> tuple[str, dict[str, object]]:
    """The first rows of each cell along its index, merged: however rare the matches, no other row is read."""
    past, values = _past(column, place, backwards=backwards)
    direction = "DESC" if backwards else "ASC"
    by = f"rid {direction}" if column == "rid" else f"{column} {direction}, rid {direction}"
    sql = (
        "SELECT r.rid FROM json_each(:cells) m CROSS JOIN rows r ON r.rid IN ("  # noqa: S608 - no values in it
        f"SELECT rid FROM rows WHERE cell = m.value AND {past} ORDER BY {by} LIMIT :limit) "
        f"ORDER BY r.{column} {direction}, r.rid {direction} LIMIT :limit"
    )
    return sql, {**values, "cells": json.dumps(cells), "limit": limit}


def _ids(connection: sqlite3.Connection, sql: str, values: Mapping[str, object]) -> list[int]:
    return [int(row[0]) for row in connection.execute(sql, dict(values))]


def _match(words: Sequence[str]) -> str:
    """A search for FTS5: each term a phrase, whose last word may go on; whatever the words are, they are no syntax."""
    terms = []
    for word in words:
        plain = search_words(word).replace('"', " ").replace("\x00", " ").strip()
        if any(character.isalnum() for character in plain):
            terms.append(f'"{plain}"' + ("*" if len(plain) > 1 else ""))
    return " ".join(terms) or '""'
