"""What a run is about to ask, and how it takes the place of the plan that the journal has."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evenhand.errors import StoreError
from evenhand.records import Pair, Presentation, RunManifest
from evenhand.store.codec import dump
from evenhand.store.columnar_record import write_record
from evenhand.store.columns import ColumnFiles
from evenhand.store.records_json import pair_to_json, presentation_to_json
from evenhand.store.sealed import seal

__all__ = ["StagedRun", "check_plan", "replace_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedRun:
    """Manifest and pairs that take effect with the next plan; ``columns`` where a log was read as columns."""

    manifest: RunManifest
    pairs: tuple[Pair, ...]
    columns: ColumnFiles | None = None

    def write(self, connection: sqlite3.Connection) -> None:
        """Put it in the place of what the journal has, in the transaction that is open."""
        execute = connection.execute
        execute("DELETE FROM pairs")
        write_record(connection, self.columns)
        execute("INSERT OR REPLACE INTO manifest (id, record) VALUES (1, ?)", (seal(dump(self.manifest)),))
        connection.executemany(
            "INSERT INTO pairs (ordinal, record) VALUES (?, ?)",
            ((ordinal, pair_to_json(pair)) for ordinal, pair in enumerate(self.pairs)),
        )


def check_plan(planned: Sequence[Presentation], pairs: Iterable[Pair]) -> None:
    """Refuse a plan that can't be kept with these pairs.

    Raises
    ------
    StoreError
        A key occurs twice or can't be one, or a presentation names a pair that the run hasn't.
    """
    known = {pair.id for pair in pairs}
    seen: set[str] = set()
    for presentation in planned:
        key = presentation.key
        if not key or not key.isascii() or not key.isprintable():
            raise StoreError(f"presentation of pair {presentation.pair_id!r}: {key!r} can't be a key")
        if key in seen:
            raise StoreError(f"presentation of pair {presentation.pair_id!r}: its key {key} is planned twice")
        if presentation.pair_id not in known:
            raise StoreError(f"presentation {key}: the run has no pair {presentation.pair_id!r}")
        seen.add(key)


def replace_plan(connection: sqlite3.Connection, planned: Sequence[Presentation]) -> None:
    """Make these the plan, in the transaction that is open; what was asked earlier stays, with its answers."""
    connection.execute("DELETE FROM plan")
    # The key stands for all that can change the answer; what merely names it (the condition) may have changed.
    connection.executemany(
        "INSERT INTO presentations (key, record) VALUES (?, ?) "
        "ON CONFLICT (key) DO UPDATE SET record = excluded.record WHERE record <> excluded.record",
        ((presentation.key, presentation_to_json(presentation)) for presentation in planned),
    )
    connection.executemany(
        "INSERT INTO plan (ordinal, key) VALUES (?, ?)",
        ((ordinal, presentation.key) for ordinal, presentation in enumerate(planned)),
    )
    connection.execute(
        "DELETE FROM presentations WHERE key NOT IN (SELECT key FROM plan) AND key NOT IN (SELECT key FROM completions)"
    )
