"""The labels that people gave, in one SQLite file: append-only, durable before confirmed, safe for several servers."""

from __future__ import annotations

import secrets
import sqlite3
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Final

from evenhand.errors import ConfigError
from evenhand.store.connection import number_of
from evenhand.store.label_store_file import LabelFile, now
from evenhand.store.label_store_records import (
    Annotator,
    Choice,
    LabelEvent,
    LabelSession,
    NewShowing,
    Showing,
    ShowingState,
    StoreFacts,
    clean_name,
    clean_note,
)
from evenhand.store.label_store_rows import KnownStates, digest, read_events, read_session, read_showing, to_showing
from evenhand.store.label_store_schema import LABEL_APPLICATION_ID

__all__ = ["LABELS", "LabelStore", "is_label_store"]

LABELS: Final = "labels.sqlite"
"""Name of the file in a run's directory."""

_LONGEST: Final = 86_400.0
"""Seconds for one label beyond which the clock, or the lunch, has been measured."""


class LabelStore:
    """A file of labels. Each method is one transaction on a connection of its own, so any thread may call it.

    Parameters
    ----------
    path
        The file.
    create
        Make it where it is missing.
    seed
        Of every random choice; kept in a new file, without effect on one that is there. None: drawn.

    Raises
    ------
    StoreError
        There is none, it is no label store, a newer version wrote it, it is damaged, or it can't be written.

    Examples
    --------
    >>> import tempfile
    >>> from evenhand.records import Order
    >>> from evenhand.store.label_store_records import Drawn
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = LabelStore(Path(folder) / "labels.sqlite", seed=1)
    ...     browser = store.enter("secret", "Ann")
    ...     new = NewShowing(pair_id="p", text_sha256="…", shown_order=Order.BA, repeat=False, drawn=Drawn.SHARED)
    ...     showing = store.show(browser.annotator, lambda states: new)
    ...     event = store.label(browser, showing, Choice.FIRST, form="f1")
    ...     [(event.annotator, event.preference) for event in store.events()]
    [('Ann', <Preference.B: 'B'>)]
    """

    def __init__(self, path: Path, *, create: bool = True, seed: int | None = None) -> None:
        self.path = path
        self._known = KnownStates()
        self._file = LabelFile(path, create=create, seed=seed)

    # -- who -----------------------------------------------------------------------------------------------------

    def facts(self) -> StoreFacts:
        """What the store is known by."""
        with self._file.reading() as connection:
            name, seed, created = connection.execute("SELECT name, seed, created FROM store").fetchone()
        return StoreFacts(name=name, seed=seed, created=created)

    def session(self, secret: str) -> LabelSession | None:
        """The browser that holds the secret; None where it never entered."""
        with self._file.reading() as connection:
            return read_session(connection, secret)

    def enter(self, secret: str, name: str | None) -> LabelSession:
        """Somebody begins or goes on in the browser that holds the secret; a known name goes on with that one's work.

        Parameters
        ----------
        secret
            New for each person in each browser; another name under a secret that is known is refused.
        name
            None: somebody who looks at results and labels nothing.

        Raises
        ------
        ConfigError
            The name is empty, too long, or begins with what a spreadsheet takes for a formula; or the secret belongs to
            somebody else.
        """
        shown = None if name is None else clean_name(name)
        with self._file.writing() as connection:
            annotator = None if shown is None else _annotator(connection, shown)
            known = read_session(connection, secret)
            if known is not None:
                if known.annotator != annotator:
                    raise ConfigError("this browser session belongs to another annotator: leave it first")
                return known
            done = connection.execute(
                "INSERT INTO sessions (token_sha256, annotator, created) VALUES (?, ?, ?)",
                (digest(secret), None if annotator is None else annotator.id, now()),
            )
            return LabelSession(id=int(done.lastrowid or 0), annotator=annotator)

    def annotators(self) -> tuple[Annotator, ...]:
        """Everybody who entered, in that order."""
        with self._file.reading() as connection:
            rows = connection.execute("SELECT id, name FROM annotators ORDER BY id")
            return tuple(Annotator(id=number, name=name) for number, name in rows)

    # -- what is shown -------------------------------------------------------------------------------------------

    def show(
        self, annotator: Annotator, choose: Callable[[tuple[ShowingState, ...]], Showing | NewShowing | None]
    ) -> Showing | None:
        """What to put before an annotator next: one that is there, or a new one, which is recorded; None: no more.

        ``choose`` sees every showing under the writer's lock: no other server gives the same pair away meanwhile.
        """
        with self._file.writing() as connection:
            chosen = choose(self._known.read(connection))
            return _add(connection, annotator, chosen) if isinstance(chosen, NewShowing) else chosen

    def states(self) -> tuple[ShowingState, ...]:
        """Every showing with what came of it."""
        with self._file.reading() as connection:
            return self._known.read(connection)

    def showing(self, token: str) -> Showing | None:
        """A showing by its name in an address; None where there is none."""
        with self._file.reading() as connection:
            return read_showing(connection, token)

    # -- what was said -------------------------------------------------------------------------------------------

    def label(
        self,
        session: LabelSession,
        showing: Showing,
        choice: Choice,
        *,
        form: str,
        confidence: int | None = None,
        note: str = "",
        seconds: float | None = None,
    ) -> bool:
        """Record a label; it is on the disk when this returns.

        Parameters
        ----------
        form
            Names the page that it was given on. The page's answer sent twice is recorded once; another answer from the
            same page (one that the browser kept, and showed again on the way back) is a change, never dropped.

        Returns
        -------
        bool
            False where this form said the same before.

        Raises
        ------
        ConfigError
            The pair wasn't shown to this annotator.
        """
        if session.annotator is None or showing.annotator != session.annotator.id:
            raise ConfigError("this pair was shown to another annotator")
        if confidence is not None and confidence not in (1, 2, 3):
            raise ConfigError(f"confidence is {confidence}: expected 1, 2 or 3")
        took = seconds if seconds is not None and 0 <= seconds <= _LONGEST else None
        said = (choice.value, confidence, clean_note(note))
        with self._file.writing() as connection:
            again = f"{form}:"
            before = connection.execute(
                "SELECT choice, confidence, note FROM events "
                "WHERE showing = ? AND (form = ? OR substr(form, 1, ?) = ?) ORDER BY id DESC LIMIT 1",
                (showing.id, form, len(again), again),
            ).fetchone()
            if before == said:
                return False
            known = connection.execute("SELECT 1 FROM events WHERE form = ?", (form,)).fetchone()
            if known is not None:  # the page was delivered for another answer: its clock tells nothing of this one
                form, took = again + secrets.token_urlsafe(6), None
            connection.execute(
                "INSERT INTO events "
                "(kind, form, session, annotator, showing, choice, confidence, note, seconds, recorded_at) "
                "VALUES ('label', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (form, session.id, showing.annotator, showing.id, *said, took, now()),
            )
            return True

    def look_at_results(self, session: LabelSession) -> None:
        """Record that whoever sits at this browser looks at results: later labels of theirs are no longer blind."""
        with self._file.writing() as connection:
            connection.execute(
                "INSERT INTO events (kind, form, session, annotator, recorded_at) VALUES ('results', ?, ?, ?, ?)",
                (secrets.token_urlsafe(12), session.id, session.annotator and session.annotator.id, now()),
            )

    def has_seen_results(self, session: LabelSession) -> bool:
        """Whether somebody at this browser, or this annotator anywhere, has looked at results."""
        annotator = None if session.annotator is None else session.annotator.id
        with self._file.reading() as connection:
            return (
                number_of(
                    connection,
                    "SELECT COUNT(*) FROM events WHERE kind = 'results' AND (session = ? OR annotator = ?)",
                    session.id,
                    annotator,
                )
                > 0
            )

    def events(self, *, annotator: Annotator | None = None) -> tuple[LabelEvent, ...]:
        """Every label in the order of recording, also those that a later one took the place of."""
        with self._file.reading() as connection:
            return read_events(connection, annotator=annotator)

    def version(self) -> int:
        """Grows with every event: tells whether there is something new."""
        with self._file.reading() as connection:
            return number_of(connection, "SELECT COALESCE(MAX(id), 0) FROM events")


def is_label_store(path: Path) -> bool:
    """Whether a file says of itself that it is a label store; whether it can be read is another question."""
    try:
        with path.open("rb") as file:
            head = file.read(72)
    except OSError:
        return False
    # https://www.sqlite.org/fileformat.html: the application id is the 4 bytes at 68
    return head[:16] == b"SQLite format 3\x00" and head[68:72] == LABEL_APPLICATION_ID.to_bytes(4, "big")


def _add(connection: sqlite3.Connection, annotator: Annotator, new: NewShowing) -> Showing:
    values = (
        secrets.token_urlsafe(12),
        annotator.id,
        new.pair_id,
        new.text_sha256,
        new.shown_order.value,
        int(new.repeat),
        new.drawn.value,
        now(),
    )
    done = connection.execute(
        "INSERT INTO showings (token, annotator, pair_id, text_sha256, shown_order, repeat, drawn, created) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        values,
    )
    return to_showing((done.lastrowid, *values))


def _annotator(connection: sqlite3.Connection, name: str) -> Annotator:
    key = unicodedata.normalize("NFKC", name).casefold()
    connection.execute(
        "INSERT INTO annotators (name, name_key, created) VALUES (?, ?, ?) ON CONFLICT (name_key) DO NOTHING",
        (name, key, now()),
    )
    number, shown = connection.execute("SELECT id, name FROM annotators WHERE name_key = ?", (key,)).fetchone()
    return Annotator(id=number, name=shown)
