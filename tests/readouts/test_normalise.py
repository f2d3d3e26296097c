"""Normalising: what is dropped, what stays as it is, and the way back to the raw text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.readouts.normalise import WINDOW, normalise


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("", ""),
        (" \t\r\n ", ""),
        ("A", "A"),
        ("  a \t b  ", "a b"),
        ("one\r\ntwo\rthree\n\n\nfour", "one\ntwo\nthree\nfour"),
        ("**Answer:** `B`", "Answer: B"),
        ("### Verdict\n~~A~~", "Verdict\nA"),
        ("one\u2028two\x85three", "one\ntwo\nthree"),
        ("a\u200bb\u00a0c\ufeffd\x00e", "a b c d e"),
        ("it\u2019s \u201cB\u201d \u00abA\u00bb", 'it\'s "B" "A"'),
        ("\uff21\uff1a", "\uff21\uff1a"),  # full width is another letter: nobody's label
        ("A\u0301", "A\u0301"),
        ("B<|im_end|>", "B"),
        ("B</s><|eot_id|>", "B"),
        ("a < b | c", "a < b | c"),
        ("\ud800 A", "\ud800 A"),
    ],
)
def test_plain_lines(raw: str, text: str) -> None:
    assert normalise(raw).text == text


@pytest.mark.parametrize(
    ("raw", "text", "closed"),
    [
        ("<think>A</think>B", "B", True),
        ("<think>A", "", False),
        ("B <think>A", "B", False),
        ("A</think>B", "B", True),  # the template opened it
        ("<think>A</think>B<think>C</think>D", "B\nD", True),
        ("<think>A</think>B<think>C", "B", False),
        ("<think>a<think>b</think>C", "C", True),
        ("<think>A</think>B</think>C", "B\nC", True),
        ("<Thinking>A</THINKING>B", "B", True),
        ("<think >A</think >B", "<think >A</think >B", False),  # no tag that a judge model writes
        ("<thinker>A", "<thinker>A", False),
        ("A", "A", False),
    ],
)
def test_thinking_is_dropped(raw: str, text: str, closed: bool) -> None:
    normal = normalise(raw)
    assert (normal.text, normal.thinking_closed) == (text, closed)


def test_of_a_very_long_answer_head_and_tail_are_kept() -> None:
    short = "x" * (2 * WINDOW)
    assert not normalise(short).windowed
    normal = normalise(f"head {short} tail")
    assert normal.windowed
    assert normal.text.startswith("head x")
    assert normal.text.endswith("x tail")
    assert sum(end - start for start, end in normal.pieces) == 2 * WINDOW


def test_a_window_spans_thinking_that_it_does_not_count() -> None:
    raw = f"{'a' * WINDOW}<think>{'t' * WINDOW}</think>{'b' * WINDOW}"
    normal = normalise(raw)
    assert not normal.windowed
    assert "t" not in normal.text
    assert len(normal.text) == 2 * WINDOW + 1  # the newline where the thinking stood


def test_offsets_lead_back() -> None:
    raw = "<think>no</think>\r\n  **Final**\t\u200bverdict:  B \n"
    normal = normalise(raw)
    assert normal.text == "Final verdict: B"
    for word in ("Final", "verdict:", "B"):
        position = normal.text.index(word)
        offset = normal.to_raw(position)
        assert raw[offset : offset + len(word)] == word
        assert normal.to_raw(position + len(word) - 1) == offset + len(word) - 1
        assert normal.from_raw(offset) == position
    assert normal.from_raw(0) == 0
    assert normal.from_raw(len(raw)) == len(normal.text)


def test_an_empty_text_has_offset_zero() -> None:
    assert normalise("").to_raw(0) == 0
    assert normalise("").from_raw(0) == 0


pieces = st.lists(
    st.sampled_from(
        ["A", "word", " ", "\n", "\r\n", "**", "\u200b", "<think>", "</think>", "<|im_end|>", "\ud800", "\u2019"]
    )
    | st.text(max_size=4),
    max_size=15,
).map("".join)


@given(pieces)
def test_every_character_comes_from_where_its_offset_says(raw: str) -> None:
    normal = normalise(raw)
    for position, character in enumerate(normal.text):
        if character not in " \n'\"":
            assert raw[normal.to_raw(position)] == character


@given(pieces)
def test_lines_are_tidy_and_normalising_them_changes_nothing(raw: str) -> None:
    text = normalise(raw).text
    assert text == text.strip(" \n")
    assert "  " not in text
    assert "\n\n" not in text
    if "<" not in text:
        assert normalise(text).text == text
