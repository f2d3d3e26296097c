from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.web.shown import Shown, shown_text
from hostile import CONTROLS, TEN_MEGABYTES, every_text


@pytest.mark.parametrize("name", every_text())
def test_nothing_hidden_is_left_and_the_text_can_be_sent(name: str) -> None:
    shown = shown_text(every_text()[name])
    assert not [found for found in CONTROLS.findall(shown.text) if found not in "\n\t"]
    shown.text.encode("utf-8")


def test_lines_and_tabs_stay() -> None:
    assert shown_text("a\tb\r\nc\rd\n\n e") == Shown(text="a\tb\nc\nd\n\n e")


def test_ten_megabytes_are_cut_and_counted() -> None:
    shown = shown_text("\u202e" * TEN_MEGABYTES, limit=100)
    assert shown.left_out == TEN_MEGABYTES - 100
    assert shown.text == "[U+202E]" * 100


def test_nothing_is_shown_of_nothing() -> None:
    assert shown_text(None) == shown_text("") == Shown(text="")


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cf", "Cs", "Cn", "Zl", "Zp"])))
def test_a_plain_text_is_shown_as_it_is(text: str) -> None:
    assert shown_text(text).text == text
