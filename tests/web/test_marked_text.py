from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evenhand.web.marked_text import marked_text


@given(st.text(alphabet="ab \n", max_size=3000), st.data(), st.integers(1, 500))
def test_what_is_shown_and_what_is_left_out_is_the_whole_text(text: str, data: st.DataObject, limit: int) -> None:
    start = data.draw(st.integers(0, len(text)))
    span = (start, data.draw(st.integers(start, min(len(text), start + 200))))
    pieces = marked_text(text, span, limit=limit)

    rest = text
    for piece in pieces:
        if piece.kind == "gap":
            rest = rest[piece.left_out :]
        else:
            assert rest.startswith(piece.text)
            rest = rest[len(piece.text) :]
    assert rest == ""
    marked = "".join(piece.text for piece in pieces if piece.kind == "mark")
    assert marked == text[span[0] : span[1]]


def test_a_decision_at_the_end_of_a_long_text_is_shown_with_its_surroundings() -> None:
    text = "x" * 100_000 + " Therefore [[B]] wins." + "y" * 5_000
    pieces = marked_text(text, (100_011, 100_016), limit=1_000)
    assert [piece.kind for piece in pieces] == ["text", "gap", "text", "mark", "text", "gap"]
    assert pieces[3].text == "[[B]]"
    assert "Therefore " in pieces[2].text
    assert pieces[0].text == "x" * 1_000
    assert sum(len(piece.text) for piece in pieces) < 2_500


def test_without_a_decision_only_the_beginning_is_shown() -> None:
    pieces = marked_text("a" * 50, None, limit=20)
    assert [(piece.kind, piece.text, piece.left_out) for piece in pieces] == [("text", "a" * 20, 0), ("gap", "", 30)]


def test_hidden_characters_are_shown_in_every_piece() -> None:
    pieces = marked_text("a\u202eb\x00c", (1, 4), limit=100)
    assert "".join(piece.text for piece in pieces) == "a[U+202E]b[U+0000]c"
    assert pieces[1].kind == "mark"
