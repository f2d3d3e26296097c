"""Choices mean identities; names and notes are fit to be kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import ConfigError
from evenhand.records import Order, Pair, Preference
from evenhand.store.label_store_records import (
    NOTE_LIMIT,
    Choice,
    Drawn,
    LabelEvent,
    Showing,
    clean_name,
    clean_note,
    text_sha256,
)


def event(choice: Choice, order: Order) -> LabelEvent:
    showing = Showing(
        id=1,
        token="t",  # noqa: S106 - a name in an address
        annotator=1,
        pair_id="p",
        text_sha256="h",
        shown_order=order,
        repeat=False,
        drawn=Drawn.SHARED,
        created="",
    )
    return LabelEvent(
        id=1,
        showing=showing,
        annotator="Ann",
        choice=choice,
        confidence=None,
        note="",
        seconds=None,
        recorded_at="",
        session=1,
        after_results=False,
    )


@pytest.mark.parametrize("order", list(Order))
def test_a_choice_is_a_place_and_a_preference_an_identity(order: Order) -> None:
    first = Preference.A if order is Order.AB else Preference.B
    assert event(Choice.FIRST, order).preference is first
    assert event(Choice.SECOND, order).preference is first.swapped
    assert event(Choice.TIE, order).preference is Preference.TIE
    assert event(Choice.SKIP, order).preference is None


@pytest.mark.parametrize("name", ["", "   ", "=1+1", "-x", "@x", "'x", "a\x00b", "a\u202eb", "x" * 61, "a\ud800"])
def test_a_name_that_cannot_be_one(name: str) -> None:
    with pytest.raises(ConfigError, match="name"):
        clean_name(name)


@given(st.text())
def test_what_is_kept_of_a_note_is_utf_8_and_bounded(note: str) -> None:
    kept = clean_note(note)
    kept.encode("utf-8")
    assert len(kept) <= NOTE_LIMIT
    assert not set(kept) & {"\x00", "\x1b", "\r"}
    assert clean_note(kept) == kept


def test_the_hash_is_of_what_is_shown_and_of_its_places() -> None:
    pair = Pair(id="p", instruction="i", response_a="x", response_b="y")
    assert text_sha256(pair) != text_sha256(Pair(id="p", instruction="i", response_a="y", response_b="x"))
    assert text_sha256(pair) == text_sha256(Pair(id="q", instruction="i", response_a="x", response_b="y"))
