"""Tables of the pages' index: one row for each pair, condition and readout, and what finds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["INDEXES", "INDEX_VERSION", "SEARCH", "SORTS", "TABLES", "Sort"]


INDEX_VERSION: Final = 2
"""Goes into the file's name: a newer version never reads an older one's file."""

TABLES: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # `record` only for runs that keep no journal of their pairs.
    "CREATE TABLE pairs (ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL, head TEXT NOT NULL, record TEXT)",
    # Where the answers about a pair stand in the journal's plan.
    "CREATE TABLE asked (pair INTEGER NOT NULL, ordinal INTEGER NOT NULL, PRIMARY KEY (pair, ordinal)) WITHOUT ROWID",
    # `cell` stands for all facet values together (evenhand.web.cube); ab, ba: log-odds of the first slot.
    """
    CREATE TABLE rows (
        rid INTEGER PRIMARY KEY, pair INTEGER NOT NULL, cell INTEGER NOT NULL,
        ab REAL, ba REAL, name INTEGER NOT NULL, pull REAL NOT NULL, close REAL NOT NULL
    )
    """,
)

INDEXES: Final = (
    "CREATE INDEX pairs_id ON pairs (id)",
    "CREATE INDEX rows_pair ON rows (pair)",
    "CREATE INDEX rows_cell ON rows (cell)",
    "CREATE INDEX rows_name ON rows (name)",
    "CREATE INDEX rows_cell_name ON rows (cell, name)",
)
"""Made after the rows; those of the two log-odds sorts only where there are log-odds."""

SEARCH: Final = (
    "CREATE VIRTUAL TABLE search USING fts5 (words, content='', detail=full, prefix='2 3', tokenize='unicode61')"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """An order of the list: the column of ``rows`` that ascends, and the indexes of a sort that not all runs have."""

    name: str
    title: str
    column: str
    indexes: tuple[str, ...] = ()


SORTS: Final = (
    Sort(name="order", title="As in the run", column="rid"),
    Sort(name="id", title="Pair id", column="name"),
    Sort(
        name="pull",
        title="Strongest pull to a slot",
        column="pull",
        indexes=("CREATE INDEX rows_pull ON rows (pull)", "CREATE INDEX rows_cell_pull ON rows (cell, pull)"),
    ),
    Sort(
        name="close",
        title="Closest call",
        column="close",
        indexes=("CREATE INDEX rows_close ON rows (close)", "CREATE INDEX rows_cell_close ON rows (cell, close)"),
    ),
)
"""``pull`` holds minus the distance that position moved the log-odds, ``close`` how far both orders together preferred
a response; rows without log-odds come last in both."""
