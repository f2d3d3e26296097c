"""Rows as records: events in the order of recording, whatever the clock says."""

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.errors import StoreError
from evenhand.records import Order
from evenhand.store.label_store import LabelStore
from evenhand.store.label_store_records import Choice, Drawn, NewShowing
from evenhand.store.label_store_rows import KnownStates, digest, read_events, read_session, read_showing


def test_rows_are_what_was_recorded(tmp_path: Path) -> None:
    store = LabelStore(tmp_path / "labels.sqlite")
    ann = store.enter("secret", "Ann")
    assert ann.annotator is not None
    for number in range(3):
        new = NewShowing(
            pair_id=f"é{number}", text_sha256="t", shown_order=Order.BA, repeat=False, drawn=Drawn.INFORMATIVE
        )
        showing = store.show(ann.annotator, lambda _, new=new: new)
        assert showing is not None
        if number < 2:
            store.label(ann, showing, list(Choice)[number], form=str(number))
    with closing(sqlite3.connect(store.path)) as connection:
        assert [event.showing.pair_id for event in read_events(connection)] == ["é0", "é1"]
        assert [state.choice for state in KnownStates().read(connection)] == [Choice.FIRST, Choice.SECOND, None]
        assert read_session(connection, "secret") == ann
        assert read_session(connection, "Secret") is None
        assert read_showing(connection, showing.token) == showing
        assert read_showing(connection, showing.token[:-1]) is None


def test_the_secret_of_a_browser_is_nowhere_in_the_file(tmp_path: Path) -> None:
    store = LabelStore(tmp_path / "labels.sqlite")
    store.enter("a very particular secret", "Ann")
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"a very particular secret" not in kept
    assert digest("a very particular secret").encode() in kept


def test_what_is_known_is_what_is_there_whoever_adds(tmp_path: Path) -> None:
    """One store reads on, others write; a reading from the start says the same each time."""
    watching = LabelStore(tmp_path / "labels.sqlite")
    chance = random.Random(4)  # noqa: S311 - no secret
    for step in range(60):
        store = LabelStore(watching.path)
        browser = store.enter(f"s{step}", f"Ann {step % 3}")
        assert browser.annotator is not None
        new = NewShowing(pair_id=f"p{step}", text_sha256="t", shown_order=Order.AB, repeat=False, drawn=Drawn.RANDOM)
        showing = store.show(browser.annotator, lambda _, new=new: new)
        assert showing is not None
        own = [state.showing for state in store.states() if state.showing.annotator == browser.annotator.id]
        for _ in range(chance.randrange(3)):
            store.label(browser, chance.choice(own), chance.choice(list(Choice)), form=str(chance.random()))
        if chance.random() < 0.3:
            store.look_at_results(browser)
        if chance.random() < 0.5:
            assert watching.states() == LabelStore(watching.path).states()
    assert watching.states() == LabelStore(watching.path).states()
    last = {event.showing.id: event for event in watching.events()}
    for state in watching.states():
        event = last.get(state.showing.id)
        assert state.choice == (None if event is None else event.choice)
        assert state.last_event == (None if event is None else event.id)


def test_a_showing_that_was_not_committed_is_not_known(tmp_path: Path) -> None:
    store = LabelStore(tmp_path / "labels.sqlite")
    ann = store.enter("s", "Ann")
    assert ann.annotator is not None
    new = NewShowing(pair_id="p", text_sha256="t", shown_order=Order.AB, repeat=False, drawn=Drawn.RANDOM)
    store.show(ann.annotator, lambda _: new)
    with pytest.raises(StoreError):
        store.show(ann.annotator, lambda _: new)  # the same pair again: the database refuses
    assert len(store.states()) == 1
    other = replace(new, pair_id="q")
    store.show(ann.annotator, lambda _: other)
    assert [state.showing.pair_id for state in store.states()] == ["p", "q"]


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("events", "recorded_at", "not a date"),
        ("events", "recorded_at", b"\x00\xff"),
        ("events", "choice", "evil"),
        ("events", "note", b"\xff"),
        ("events", "seconds", "abc"),
        ("events", "showing", 99),
        ("events", "annotator", 99),
        ("showings", "shown_order", "XX"),
        ("showings", "drawn", "zzz"),
        ("showings", "pair_id", b"\xff"),
        ("annotators", "name", b"\xff\x00"),
    ],
)
def test_a_file_that_somebody_else_filled_is_damaged_and_no_traceback(
    tmp_path: Path, table: str, column: str, value: str | bytes
) -> None:
    store = LabelStore(tmp_path / "labels.sqlite")
    ann = store.enter("secret", "Ann")
    new = NewShowing(pair_id="p", text_sha256="t", shown_order=Order.BA, repeat=False, drawn=Drawn.RANDOM)
    assert ann.annotator is not None
    showing = store.show(ann.annotator, lambda _: new)
    assert showing is not None
    store.label(ann, showing, Choice.FIRST, form="f")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(f"UPDATE {table} SET {column} = ?", (value,))  # noqa: S608 - our own names
    with pytest.raises(StoreError, match=r"labels\.sqlite: the labels are damaged or no label store \("):
        LabelStore(store.path, create=False).events()
