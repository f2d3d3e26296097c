"""Rows of a label store as records."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from evenhand.records import Order
from evenhand.store.label_store_records import (
    Annotator,
    Choice,
    Drawn,
    LabelEvent,
    LabelSession,
    Showing,
    ShowingState,
)

__all__ = ["KnownStates", "digest", "read_events", "read_session", "read_showing", "to_showing"]

_SHOWING: Final = (
    "showings.id, token, showings.annotator, pair_id, text_sha256, shown_order, repeat, drawn, showings.created"
)
_ONE_SHOWING: Final = f"SELECT {_SHOWING} FROM showings WHERE token = ?"  # noqa: S608 - our own column names
_LABELS: Final = f"""
SELECT events.id, kind, session, events.annotator, name, choice, confidence, note, seconds, recorded_at, {_SHOWING}
FROM events
LEFT JOIN showings ON showings.id = events.showing
LEFT JOIN annotators ON annotators.id = events.annotator
WHERE :annotator IS NULL OR kind = 'results' OR events.annotator = :annotator
ORDER BY events.id
"""  # noqa: S608 - our own column names
_NEW_SHOWINGS: Final = f"SELECT {_SHOWING} FROM showings WHERE id > ? ORDER BY id"  # noqa: S608 - our own column names
_NEW_EVENTS: Final = "SELECT id, showing, choice FROM events WHERE id > ? AND kind = 'label' ORDER BY id"


def read_events(connection: sqlite3.Connection, *, annotator: Annotator | None = None) -> tuple[LabelEvent, ...]:
    """Every label that a connection sees, in the order of recording."""
    rows = connection.execute(_LABELS, {"annotator": None if annotator is None else annotator.id})
    return tuple(_labels(rows))


def _labels(rows: Iterable[Any]) -> Iterator[LabelEvent]:
    seen: set[tuple[str, int]] = set()  # browsers and annotators that results were shown to so far
    for number, kind, session, annotator, name, choice, confidence, note, seconds, recorded, *showing in rows:
        if kind == "results":
            seen |= {("session", session)} | ({("annotator", annotator)} if annotator is not None else set())
            continue
        with _row_of("event", number):
            shown = to_showing(showing)
            chosen = Choice(choice)
            datetime.fromisoformat(recorded)
            _texts(name, note)
            _numbers(confidence, seconds)
        yield LabelEvent(
            id=number,
            showing=shown,
            annotator=name,
            choice=chosen,
            confidence=confidence,
            note=note,
            seconds=seconds,
            recorded_at=recorded,
            session=session,
            after_results=("session", session) in seen or ("annotator", annotator) in seen,
        )


def read_session(connection: sqlite3.Connection, secret: str) -> LabelSession | None:
    """The browser that holds a secret."""
    row = connection.execute(
        "SELECT sessions.id, annotators.id, annotators.name FROM sessions "
        "LEFT JOIN annotators ON annotators.id = sessions.annotator WHERE token_sha256 = ?",
        (digest(secret),),
    ).fetchone()
    if row is None:
        return None
    number, annotator, name = row
    return LabelSession(id=number, annotator=None if annotator is None else Annotator(id=annotator, name=name))


def to_showing(row: Any) -> Showing:  # noqa: ANN401 - a row of SQLite
    """A showing from its columns."""
    number, token, annotator, pair_id, text, order, repeat, drawn, created = row
    with _row_of("showing", number):
        _texts(token, pair_id, text, created)
        return Showing(
            id=number,
            token=token,
            annotator=annotator,
            pair_id=pair_id,
            text_sha256=text,
            shown_order=Order(order),
            repeat=bool(repeat),
            drawn=Drawn(drawn),
            created=created,
        )


@contextmanager
def _row_of(what: str, number: object) -> Iterator[None]:
    """A value that no store of ours holds is damage, as SQLite's own checks report it: the file may be anybody's."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        damage = sqlite3.DatabaseError(f"{what} {number}: {str(error)[:80]}")
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage from error


def _texts(*values: object) -> None:
    strange = next((value for value in values if not isinstance(value, str)), "")
    if strange != "":
        raise TypeError(f"a {type(strange).__name__} in the place of a text")


def _numbers(*values: object) -> None:
    strange = next((value for value in values if value is not None and not isinstance(value, int | float)), None)
    if strange is not None:
        raise TypeError(f"a {type(strange).__name__} in the place of a number")


def digest(secret: str) -> str:
    """What the store keeps of a browser's secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def read_showing(connection: sqlite3.Connection, token: str) -> Showing | None:
    """A showing by its name in an address."""
    row = connection.execute(_ONE_SHOWING, (token,)).fetchone()
    return None if row is None else to_showing(row)


class KnownStates:
    """Every showing with what came of it, in the order in which they were drawn.

    Rows are only ever added, in the order of their ids. So what was read once stays right, and only what is new is
    read: a label costs the same with a hundred thousand before it. Safe to use from several threads, and beside other
    servers.
    """

    def __init__(self) -> None:
        self._states: dict[int, ShowingState] = {}
        self._last_event = 0
        self._lock = threading.Lock()

    def read(self, connection: sqlite3.Connection) -> tuple[ShowingState, ...]:
        """The states as the connection sees them, before it adds any itself."""
        with self._lock:
            last = next(reversed(self._states), 0)
            for row in connection.execute(_NEW_SHOWINGS, (last,)):
                self._states[row[0]] = ShowingState(showing=to_showing(row))
            for number, showing, choice in connection.execute(_NEW_EVENTS, (self._last_event,)):
                with _row_of("event", number):
                    before, chosen = self._states[showing], Choice(choice)
                self._states[showing] = ShowingState(
                    showing=before.showing,
                    first_event=before.first_event or number,
                    last_event=number,
                    choice=chosen,
                )
                self._last_event = number
            return tuple(self._states.values())
