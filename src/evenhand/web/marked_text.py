"""A judge's text with the words marked that decided it; a long one is cut around them, and the page says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from evenhand.web.shown import TEXT_LIMIT, shown_text

__all__ = ["Segment", "marked_text"]

_AROUND: Final = 600
"""Characters shown on either side of a decision that lies beyond the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of a text: as it is, marked as decisive, or a gap of ``left_out`` characters."""

    kind: Literal["text", "mark", "gap"]
    text: str = ""
    left_out: int = 0


def marked_text(text: str, span: tuple[int, int] | None, *, limit: int = TEXT_LIMIT) -> tuple[Segment, ...]:
    """Cut a text to what a page shows, with the decisive words in it wherever they stand.

    Parameters
    ----------
    text
        Anything.
    span
        (start, end) of what decided; None where nothing did.
    limit
        Characters from the beginning that are shown.

    Examples
    --------
    >>> [(each.kind, each.text, each.left_out) for each in marked_text("So: A wins.", (4, 10), limit=100)]
    [('text', 'So: ', 0), ('mark', 'A wins', 0), ('text', '.', 0)]
    """
    start, end = (len(text), len(text)) if span is None else span
    head = min(limit, len(text))
    if span is None or end <= head:
        pieces = [("text", text[: min(start, head)]), ("mark", text[start:end]), ("text", text[end:head])]
        shown_to = head
    else:
        begin, shown_to = max(start - _AROUND, head), min(end + _AROUND, len(text))
        begin = min(begin, start)
        head = min(head, begin)
        pieces = [
            ("text", text[:head]),
            ("gap", text[head:begin]),
            ("text", text[begin:start]),
            ("mark", text[start:end]),
            ("text", text[end:shown_to]),
        ]
    pieces.append(("gap", text[shown_to:]))
    return tuple(_segment(kind, piece) for kind, piece in pieces if piece)


def _segment(kind: str, piece: str) -> Segment:
    match kind:
        case "gap":
            return Segment(kind="gap", left_out=len(piece))
        case "mark":
            return Segment(kind="mark", text=shown_text(piece).text)
        case _:
            return Segment(kind="text", text=shown_text(piece, limit=len(piece)).text)
