"""The label store's tables. ``docs/reference/label-store.md`` describes them for readers with sqlite3 alone."""

from __future__ import annotations

from typing import Final

__all__ = ["LABEL_APPLICATION_ID", "LABEL_SCHEMA", "LABEL_SCHEMA_VERSION"]

LABEL_APPLICATION_ID: Final = 0x4556_484C
"""``EVHL`` in ASCII, as SQLite's ``PRAGMA application_id``: it tells a label store from a run's journal."""

LABEL_SCHEMA_VERSION: Final = 1
"""``PRAGMA user_version``. A reader refuses a newer one by name."""

_APPEND_ONLY = ("annotators", "sessions", "showings", "events")

LABEL_SCHEMA: Final[tuple[str, ...]] = (
    # The seed decides every random choice, so that it stays the same for all servers of the file.
    """
    CREATE TABLE store (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        name TEXT NOT NULL,
        seed INTEGER NOT NULL,
        created TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE annotators (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL UNIQUE,
        created TEXT NOT NULL
    )
    """,
    # A browser. Its secret isn't kept, only the SHA-256 of it.
    """
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        token_sha256 TEXT NOT NULL UNIQUE,
        annotator INTEGER REFERENCES annotators (id),
        created TEXT NOT NULL
    )
    """,
    # A pair put before an annotator, in the order drawn for it.
    """
    CREATE TABLE showings (
        id INTEGER PRIMARY KEY,
        token TEXT NOT NULL UNIQUE,
        annotator INTEGER NOT NULL REFERENCES annotators (id),
        pair_id TEXT NOT NULL,
        text_sha256 TEXT NOT NULL,
        shown_order TEXT NOT NULL CHECK (shown_order IN ('AB', 'BA')),
        repeat INTEGER NOT NULL CHECK (repeat IN (0, 1)),
        drawn TEXT NOT NULL CHECK (drawn IN ('shared', 'random', 'informative', 'repeat')),
        created TEXT NOT NULL,
        UNIQUE (annotator, pair_id, text_sha256, repeat)
    )
    """,
    "CREATE INDEX showings_of_a_pair ON showings (pair_id)",
    # What somebody did, in the order in which it was recorded: a label, or a look at the results.
    """
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('label', 'results')),
        form TEXT NOT NULL UNIQUE,
        session INTEGER NOT NULL REFERENCES sessions (id),
        annotator INTEGER REFERENCES annotators (id),
        showing INTEGER REFERENCES showings (id),
        choice TEXT CHECK (choice IN ('first', 'second', 'tie', 'skip')),
        confidence INTEGER CHECK (confidence BETWEEN 1 AND 3),
        note TEXT NOT NULL DEFAULT '',
        seconds REAL CHECK (seconds >= 0),
        recorded_at TEXT NOT NULL,
        CHECK (kind <> 'label' OR (annotator IS NOT NULL AND showing IS NOT NULL AND choice IS NOT NULL))
    )
    """,
    "CREATE INDEX events_of_a_showing ON events (showing)",
    *(
        f"""
        CREATE TRIGGER {table}_keep_{word} BEFORE {word.upper()} ON {table}
        BEGIN SELECT RAISE(ABORT, 'the label store is append-only'); END
        """
        for table in _APPEND_ONLY
        for word in ("update", "delete")
    ),
    # For people: every label event with the preference it means, the latest of each showing marked.
    """
    CREATE VIEW labels AS
    SELECT
        events.id,
        annotators.name AS annotator,
        showings.pair_id,
        CASE
            WHEN events.choice = 'skip' THEN ''
            WHEN events.choice = 'tie' THEN 'tie'
            WHEN (events.choice = 'first') = (showings.shown_order = 'AB') THEN 'A'
            ELSE 'B'
        END AS preference,
        events.choice,
        showings.shown_order,
        showings.repeat,
        showings.drawn,
        events.confidence,
        events.note,
        events.seconds,
        events.recorded_at,
        showings.text_sha256,
        events.id = (SELECT MAX(id) FROM events AS later WHERE later.showing = events.showing) AS latest
    FROM events
    JOIN showings ON showings.id = events.showing
    JOIN annotators ON annotators.id = showings.annotator
    WHERE events.kind = 'label'
    """,
)
