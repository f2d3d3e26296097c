"""The tables hold to append-only by themselves, and the view says what a label means."""

import sqlite3
from pathlib import Path

import pytest

from evenhand.records import Order
from evenhand.store.label_store import LabelStore
from evenhand.store.label_store_records import Choice, Drawn, NewShowing


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = LabelStore(tmp_path / "labels.sqlite", seed=1)
    browser = store.enter("s", "Ann")
    assert browser.annotator is not None
    for number, (order, choice) in enumerate([(o, c) for o in Order for c in Choice]):
        new = NewShowing(
            pair_id=f"{order}-{choice}", text_sha256="t", shown_order=order, repeat=False, drawn=Drawn.RANDOM
        )
        showing = store.show(browser.annotator, lambda _, new=new: new)
        assert showing is not None
        store.label(browser, showing, choice, form=str(number))
    return store.path


@pytest.mark.parametrize("table", ["annotators", "sessions", "showings", "events"])
def test_nothing_is_changed_or_deleted(path: Path, table: str) -> None:
    connection = sqlite3.connect(path)
    for statement in (f"UPDATE {table} SET id = id + 100", f"DELETE FROM {table}"):  # noqa: S608
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
    connection.close()


def test_the_view_names_identities(path: Path) -> None:
    connection = sqlite3.connect(path)
    found = dict(connection.execute("SELECT pair_id, preference FROM labels"))
    connection.close()
    events = LabelStore(path, create=False).events()
    assert found == {event.showing.pair_id: str(event.preference or "") for event in events}
    assert found["AB-first"] == found["BA-second"] == "A"
    assert found["BA-first"] == found["AB-second"] == "B"
    assert found["AB-tie"] == "tie"
    assert found["BA-skip"] == ""


@pytest.mark.parametrize(
    "values",
    [
        "('label', 'x', 1, 1, 1, NULL, NULL, '', NULL, '')",  # a label without a choice
        "('label', 'x', 1, 1, 1, 'third', NULL, '', NULL, '')",
        "('label', 'x', 1, 1, 1, 'first', 4, '', NULL, '')",
        "('label', 'x', 1, 1, 1, 'first', NULL, '', -1, '')",
        "('guess', 'x', 1, 1, 1, 'first', NULL, '', NULL, '')",
    ],
)
def test_a_row_that_means_nothing_is_refused(path: Path, values: str) -> None:
    connection = sqlite3.connect(path)
    columns = "kind, form, session, annotator, showing, choice, confidence, note, seconds, recorded_at"
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(f"INSERT INTO events ({columns}) VALUES {values}")  # noqa: S608
    connection.close()
