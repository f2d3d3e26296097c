from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from evenhand.web.word_diff import LONGEST, MOST_WORDS, Difference, word_difference
from hostile import TEN_MEGABYTES, every_text

texts = st.lists(st.sampled_from(["a", "b", "c", "is", ".", "\n"]), max_size=60).map(" ".join)


def side(found: Difference, kind: str) -> str:
    return "".join(part.text for part in found.parts if part.kind in (kind, "same", "folded"))


@given(texts, texts)
@example("\n a", "a a")  # found by Hypothesis: the space after the word that both have was lost
@example("a a", "\n a")
def test_each_text_can_be_read_back_word_for_word(ab: str, ba: str) -> None:
    found = word_difference(ab, ba)
    assert side(found, "ab").split() == ab.split()
    assert side(found, "ba").split() == ba.split()
    assert found.left_out_ab == found.left_out_ba == 0 or not (ab.strip() and ba.strip())


@given(texts)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    found = word_difference(text, text)
    assert found.identical
    assert found.same_words == len(text.replace(".", " . ").split())


def test_the_alignment_keeps_as_much_as_it_can() -> None:
    found = word_difference("the first answer is right", "the second answer is not right")
    assert [(part.kind, part.text.strip()) for part in found.parts] == [
        ("same", "the"),
        ("ab", "first"),
        ("ba", "second"),
        ("same", "answer is"),
        ("ba", "not"),
        ("same", "right"),
    ]
    assert (found.same_words, found.ab_words, found.ba_words) == (4, 1, 2)


def test_long_equal_stretches_are_folded() -> None:
    same = " ".join(f"w{n}" for n in range(100))
    found = word_difference(f"A {same} end", f"B {same} end")
    folded = [part for part in found.parts if part.kind == "folded"]
    assert len(folded) == 1
    assert folded[0].words == 101 - 24
    assert found.same_words == 101


def test_ten_megabytes_are_cut_and_what_is_cut_is_counted() -> None:
    found = word_difference("word " * (TEN_MEGABYTES // 5), "other " * 3)
    assert found.left_out_ab == TEN_MEGABYTES - 5 * min(MOST_WORDS, LONGEST // 5)
    assert found.left_out_ba == 0
    one_word = word_difference("w" * TEN_MEGABYTES, "w" * TEN_MEGABYTES)
    assert one_word.left_out_ab == TEN_MEGABYTES - LONGEST


def test_any_text_can_be_compared() -> None:
    for text in every_text().values():
        assert word_difference(text, text).identical
        assert word_difference(text, "other").ba_words >= 1
