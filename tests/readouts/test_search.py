"""Searching near words: the same matches as ``finditer``, and a fold that knows what ``re.IGNORECASE`` knows."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.readouts.search import Anywhere, AtEnd, AtLabels, AtWords, Search, Searchable, With, fold, has_any

any_text = st.text(alphabet="abAB is.\n'[the\u0130\u0131\u017f\u212a\u00e9\ud800", max_size=60)


def spans(search: Search, text: str) -> list[tuple[int, int]]:
    return [match.span() for match in search.matches(Searchable(text))]


def plain(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


def test_every_character_that_matches_a_letter_in_any_case_folds_to_it() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    folded = fold(everything)
    assert len(folded) == len(everything)
    for letter in "abcdefghijklmnopqrstuvwxyz":
        alike = re.findall(letter, everything, re.IGNORECASE)
        assert len(alike) >= 2
        assert {fold(character) for character in alike} == {letter}


@given(st.text())
def test_folding_keeps_every_offset(text: str) -> None:
    assert len(fold(text)) == len(text)


@pytest.mark.parametrize(("words", "found"), [(("b", "c"), True), (("c",), False), ((), False)])
def test_has_any(words: tuple[str, ...], found: bool) -> None:
    assert has_any("ab", words) is found


def test_anywhere_needs_a_word_of_each_set_of_one_way() -> None:
    pattern = re.compile("x")
    search = Anywhere(pattern=pattern, ways=((("a", "b"), ("c",)), (("d",),)))
    assert [bool(spans(search, text)) for text in ("xa", "xac", "xBC", "xd", "ac")] == [False, True, True, True, False]


@given(any_text)
def test_at_words_finds_what_finditer_finds(text: str) -> None:
    pattern = re.compile(r"\b(?:is|the)\b ?[ab]{0,3}|[ab]{1,2} is", re.IGNORECASE)
    search = AtWords(pattern=pattern, words=("is", "the"), inner=(" is",), before=2)
    assert spans(search, text) == plain(pattern, text)


def test_at_words_needs_what_it_needs() -> None:
    search = AtWords(pattern=re.compile("a.*"), words=("a",), needs=("c", "d"))
    assert (spans(search, "ab"), spans(search, "abc")) == ([], [(0, 3)])


@pytest.mark.parametrize("any_case", [False, True])
@given(text=any_text)
def test_at_labels_finds_what_finditer_finds(text: str, any_case: bool) -> None:
    labels = "(?i:A|B)" if any_case else "(?-i:A|B)"
    pattern = re.compile(rf"(?:the )?\[?(?<!\w){labels} is", re.IGNORECASE)
    search = AtLabels(
        pattern=pattern,
        words=("is",),
        labels=("A", "B"),
        any_case=re.compile(f"(?={labels})", re.IGNORECASE) if any_case else None,
        rest=re.compile(f"{labels} is", re.IGNORECASE),
        head=re.compile(r"(?:the )?\[?\Z", re.IGNORECASE),
        before=5,
    )
    assert spans(search, text) == plain(pattern, text)


@given(any_text)
def test_short_texts_are_searched_alike(text: str) -> None:
    word = re.compile(r"\bis\b", re.IGNORECASE)
    assert (With(pattern=word, words=("is",)).search(text) is None) == (word.search(text) is None)
    end = re.compile(r"\b(?:the|is)[ ']*$", re.IGNORECASE)
    for line in text.split("\n"):
        search = AtEnd(pattern=end, words=("the", "is"), trailing=" '")
        assert (search.search(line) is None) == (end.search(line) is None)
