from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.perturbations.base import NotApplicable
from evenhand.perturbations.prose import is_code_only, parts_of, sentences_of, with_paragraph, without_marker

LINES = st.lists(st.sampled_from(["```", "~~~", "````", "```py", "  ```", "    ```", "text", "", "`x`", "```a`b"])).map(
    "\n".join
)


@given(LINES)
def test_parts_are_the_whole_text_in_turn(text):
    parts = list(parts_of(text))
    assert "".join(part.text for part in parts) == text
    assert all(part.text for part in parts)
    assert all(not (left.code is right.code is False) for left, right in pairwise(parts))
    assert all(part.closed for part in parts[:-1])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a\n```\nb\n```\nc", ["```\nb\n```\n"]),
        ("~~~\n```\n~~~\nc", ["~~~\n```\n~~~\n"]),  # another fence closes nothing
        ("````\n```\n````", ["````\n```\n````"]),  # nor does a shorter one
        ("```py\nb\n```js\nc\n```\nd", ["```py\nb\n```js\nc\n```\n"]),  # nor one with an info string
        ("```a`b\nc", []),  # inline code
        ("    ```\nb", []),  # indented by four: no fence
        ("a\n```\nb", ["```\nb"]),  # never closed
    ],
)
def test_code_blocks_are_those_of_commonmark(text, code):
    assert [part.text for part in parts_of(text) if part.code] == code


def test_code_only_means_nothing_else_but_blank_lines():
    assert is_code_only("\n```\na\n```\n\n```\nb\n```\n ")
    assert not is_code_only("```\na\n```\nSo.")
    assert not is_code_only("")


def test_a_paragraph_goes_after_the_text_but_not_into_code():
    assert with_paragraph("a\n```\nb\n```\n\n", "c") == "a\n```\nb\n```\n\nc"
    assert isinstance(with_paragraph("a\n```\nb", "c"), NotApplicable)
    assert isinstance(with_paragraph("a\n```", "c"), NotApplicable)


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("No. It is 3.5 m. long", ["No.", "It is 3.5 m. long"]),
        ("Ask Dr. Who or J. R. Smith. He knows.", ["Ask Dr. Who or J. R. Smith.", "He knows."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("So… maybe. 7 is one.", ["So… maybe.", "7 is one."]),
        ("一。二！三", ["一。", "二！", "三"]),
        ("?!", ["?!"]),
        ("  ", []),
        ("Wait...  What?", ["Wait...", "What?"]),
    ],
)
def test_sentences(line, sentences):
    assert sentences_of(line) == sentences


@given(st.text(alphabet="aA .!?\"'。\t1*", max_size=40))
def test_sentences_keep_every_character_but_white_space(line):
    found = sentences_of(line)
    assert "".join("".join(found).split()) == "".join(line.split())
    assert all(sentence == sentence.strip() != "" for sentence in found)


@pytest.mark.parametrize(
    ("line", "bare"),
    [("* a", "a"), ("  • a", "a"), ("10. a", "a"), ("3) a", "a"), ("> a", "a"), ("2024 was", "2024 was"), ("#a", "#a")],
)
def test_markers(line, bare):
    assert without_marker(line) == bare


@pytest.mark.timeout(120)
def test_five_megabytes_of_fences():
    parts = list(parts_of("```\n" * 1_250_000))
    assert len(parts) == 625_000
    assert all(part.code and part.closed for part in parts)
