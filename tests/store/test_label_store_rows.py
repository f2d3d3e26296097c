"""Rows as records: events in the order of recording, whatever the clock says."""

import sqlite3
from contextlib import closing
from pathlib import Path

from evenhand.records import Order
from evenhand.store.label_store import LabelStore
from evenhand.store.label_store_records import Choice, Drawn, NewShowing
from evenhand.store.label_store_rows import digest, read_events, read_session, read_showing, read_states


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
        assert [state.choice for state in read_states(connection)] == [Choice.FIRST, Choice.SECOND, None]
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
