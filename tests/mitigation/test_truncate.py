"""Truncation: where it cuts, and that nothing else of a pair changes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.mitigation.truncate import NEAR_ENOUGH, truncate_pair
from evenhand.records import Pair, Preference

PLAIN = Pair(
    id="p", instruction="i", response_a="", response_b="", gold=Preference.B, author_a="m", metadata=(("k", "v"),)
)


def cut(long, short):
    found = truncate_pair(Pair(id="p", instruction="i", response_a=long, response_b=short))
    return found.pair.response_a, found.at


@pytest.mark.parametrize(
    ("long", "short", "kept", "at"),
    [
        ("One. Two. Three. Four.", "x" * 12, "One. Two.", "sentence"),
        ("One. Two. Three. Four.", "x" * 9, "One. Two.", "sentence"),
        ("One. Two. Three. Four.", "x" * 8, "One.", "sentence"),
        ('He said "No." Then he left.', "x" * 15, 'He said "No."', "sentence"),
        ("- first item\n- second item\n- third item", "x" * 20, "- first item", "sentence"),
        ("Version 3.5 is out now, as of today", "x" * 15, "Version 3.5 is", "word"),
        ("abcdefghijkl", "xxxx", "abcd", "character"),
        ("これは長い。もっと長い文です。", "x" * 8, "これは長い。", "sentence"),
        ("Anything at all.", "", "", "character"),
    ],
)
def test_where_it_cuts(long, short, kept, at):
    assert cut(long, short) == (kept, at)


def test_near_enough_is_left_alone():
    found = truncate_pair(Pair(id="p", instruction="i", response_a="x" * 100, response_b="y" * 96))
    assert (found.cut, found.characters, found.pair.response_a) == (None, 0, "x" * 100)
    assert dict(found.pair.metadata) == {"truncated": "none", "truncated_characters": "0", "truncated_at": "nothing"}


TEXT = st.text(st.sampled_from('ab c.!\n"é。'), max_size=60)


@given(TEXT, TEXT)
def test_the_longer_one_becomes_a_beginning_of_itself_no_longer_than_the_other(a, b):
    pair = replace(PLAIN, response_a=a, response_b=b)
    found = truncate_pair(pair)
    assert (found.pair.id, found.pair.group, found.pair.gold, found.pair.author_a) == (
        "p",
        pair.group,
        Preference.B,
        "m",
    )
    after = found.pair.response_a, found.pair.response_b
    assert a.startswith(after[0])
    assert b.startswith(after[1])
    assert dict(found.pair.metadata)["k"] == "v"
    match found.cut:
        case None:
            assert after == (a, b)
            assert abs(len(a) - len(b)) <= NEAR_ENOUGH * max(len(a), len(b))
        case Preference.A:
            assert (len(after[0]) <= len(b), after[1], found.characters) == (True, b, len(a) - len(after[0]))
        case _:
            assert (len(after[1]) <= len(a), after[0], found.characters) == (True, a, len(b) - len(after[1]))


def test_cutting_again_says_so_once():
    pair = Pair(id="p", instruction="i", response_a="One. Two. Three.", response_b="x" * 9)
    again = truncate_pair(truncate_pair(pair).pair)
    assert [name for name, _ in again.pair.metadata] == ["truncated", "truncated_characters", "truncated_at"]
