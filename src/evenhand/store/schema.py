"""The journal's tables. ``docs/reference/run-format.md`` describes them for readers with sqlite3 alone."""

from __future__ import annotations

__all__ = ["APPLICATION_ID", "SCHEMA"]

APPLICATION_ID = 0x4556_4844
"""``EVHD`` in ASCII, as SQLite's ``PRAGMA application_id``: it tells a journal from another program's database."""

SCHEMA: tuple[str, ...] = (
    # The truth that run.json is a copy of: it changes in one transaction with the pairs.
    """
    CREATE TABLE manifest (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        record TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE pairs (
        ordinal INTEGER PRIMARY KEY,
        record TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE presentations (
        key TEXT NOT NULL PRIMARY KEY,
        record TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE plan (
        ordinal INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE REFERENCES presentations (key)
    )
    """,
    """
    CREATE TABLE completions (
        key TEXT NOT NULL REFERENCES presentations (key),
        attempt INTEGER NOT NULL CHECK (attempt >= 1),
        recorded_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
        finish_reason TEXT NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (key, attempt)
    )
    """,
    # A presentation may fail many times but is answered once: the database itself holds to it.
    "CREATE UNIQUE INDEX one_answer ON completions (key) WHERE finish_reason <> 'error'",
    """
    CREATE TRIGGER no_attempt_after_the_answer BEFORE INSERT ON completions
    WHEN EXISTS (SELECT 1 FROM completions WHERE key = NEW.key AND finish_reason <> 'error')
    BEGIN SELECT RAISE(ABORT, 'already answered'); END
    """,
    # For people: the plan in order, each with its latest attempt.
    """
    CREATE VIEW answers AS
    SELECT
        plan.ordinal,
        plan.key,
        json_extract(presentations.record, '$.pair_id') AS pair_id,
        json_extract(presentations.record, '$.condition') AS condition,
        json_extract(presentations.record, '$.order') AS shown_order,
        json_extract(presentations.record, '$.repeat') AS repeat,
        json_extract(presentations.record, '$.messages') AS messages,
        completions.attempt,
        completions.recorded_at,
        completions.finish_reason,
        json_extract(completions.record, '$.text') AS text,
        json_extract(completions.record, '$.first_token.argmax.text') AS first_token,
        json_extract(completions.record, '$.error') AS error
    FROM plan
    JOIN presentations ON presentations.key = plan.key
    LEFT JOIN completions ON completions.key = plan.key
        AND completions.attempt = (SELECT MAX(attempt) FROM completions AS later WHERE later.key = plan.key)
    """,
    """
    CREATE VIEW pair_texts AS
    SELECT
        ordinal,
        json_extract(record, '$.id') AS id,
        json_extract(record, '$.source') AS source,
        json_extract(record, '$.gold') AS gold,
        json_extract(record, '$.instruction') AS instruction,
        json_extract(record, '$.response_a') AS response_a,
        json_extract(record, '$.response_b') AS response_b
    FROM pairs
    """,
)
