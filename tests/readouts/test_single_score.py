"""One score in a text about one response: anything doubtful is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.readouts.single_score import read_single_score


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Score: 7", 7.0),
        ("7", 7.0),
        ("**Score: 8/10**", 8.0),
        ("score = 6.5.", 6.5),
        ("It is right. My final score is 9 out of 10.", 9.0),
        ("Clear and correct.\nScore: 10", 10.0),
        ("Score: 7\nScore: 7", 7.0),
        ("<think>Score: 2</think>Score: 4", 4.0),
        ("Score: 7\nRating: 5", None),
        ("Score: 0", None),
        ("Score: 11", None),
        ("Score: 7/100", None),
        ("70", None),
        ("Score: SCORE", None),
        ("A scoreline: 7", None),
        ("Score: 7-8", None),
        ("Score: 7%", None),
        ("-7", None),
        ("I can't score this.", None),
        ("", None),
    ],
)
def test_table(text, score):
    assert read_single_score(text, (1, 10)) == score


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text):
    value = read_single_score(text, (1, 10))
    assert value is None or 1 <= value <= 10


def test_a_long_text_is_read_in_linear_time():
    assert read_single_score("score: " * 20_000, (1, 10)) is None
