"""From a judge's raw text to the plain lines that decision patterns are matched on, with a way back to the raw text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

__all__ = ["WINDOW", "NormalText", "normalise"]

WINDOW: Final = 50_000
"""Characters kept from the head and from the tail of an answer longer than both: what stands between is not read.

1,500 tokens, the largest default budget, are about 6,000 characters.
"""

_SPACES = "\t\x00\x0b\x0c\x1c\x1d\x1e\x1f\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
_INVISIBLE = "\u200b\u200c\u200d\u2060\u202f\u205f\u3000\ufeff"
_MARKDOWN = "*`#~"
_TABLE: Final = str.maketrans(
    dict.fromkeys(_SPACES + _INVISIBLE + _MARKDOWN, " ")
    | dict.fromkeys("\r\x85\u2028\u2029", "\n")
    | dict.fromkeys("\u2018\u2019\u201b\u02bc", "'")
    | dict.fromkeys("\u201c\u201d\u201f\u00ab\u00bb", '"')
)
"""Each character becomes one character, so that offsets survive."""

_TOKEN: Final = re.compile(r"[^ \n]+")
_CONTROL: Final = re.compile(r"<\|\w{1,24}\|>|</s>|<(?:eos|end_of_turn|eot)>")
"""End-of-turn signs that some logs keep."""
_THINK: Final = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|scratchpad)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalText:
    """An answer without its thinking, markdown signs and runs of white space.

    Attributes
    ----------
    text
        Lines parted by one newline, words by one space.
    raw
        What it was made from.
    pieces
        The parts of ``raw`` that were kept, as (start, end).
    thinking_closed
        Whether a closing thinking tag was seen and none is open.
    windowed
        Whether the middle of a very long answer was left out.
    """

    text: str
    raw: str
    pieces: tuple[tuple[int, int], ...]
    thinking_closed: bool
    windowed: bool
    starts: tuple[int, ...]
    offsets: tuple[int, ...]

    def to_raw(self, position: int) -> int:
        """Offset in ``raw`` of the character at ``position`` of ``text`` (for an end: pass ``end - 1`` and add 1)."""
        index = bisect_right(self.starts, position) - 1
        return self.offsets[index] + position - self.starts[index] if index >= 0 else 0

    def from_raw(self, offset: int) -> int:
        """Position in ``text`` of the first kept word that begins at or after a raw offset."""
        index = bisect_right(self.offsets, offset - 1)
        return self.starts[index] if index < len(self.starts) else len(self.text)


def _answer_pieces(raw: str) -> tuple[list[tuple[int, int]], bool]:
    """The parts outside thinking tags, and whether thinking was closed.

    A closing tag that comes first of all (templates that open the thinking in the prompt) ends a thinking that began
    with the text; later stray closing tags mean nothing. An unclosed opening tag hides all that follows.
    """
    pieces: list[tuple[int, int]] = []
    begin, thinking, closed = 0, False, False
    for number, tag in enumerate(_THINK.finditer(raw)):
        closing = tag[1] == "/"
        if closing and (thinking or number == 0):
            begin, thinking, closed = tag.end(), False, True
        elif closing:
            pieces.append((begin, tag.start()))
            begin = tag.end()
        elif not thinking:
            pieces.append((begin, tag.start()))
            thinking = True
    if not thinking:
        pieces.append((begin, len(raw)))
    return [piece for piece in pieces if piece[0] < piece[1]], closed and not thinking


def _window(pieces: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], bool]:
    """The first and the last WINDOW characters of the pieces."""
    total = sum(end - start for start, end in pieces)
    if total <= 2 * WINDOW:
        return pieces, False
    kept: list[tuple[int, int]] = []
    seen = 0
    for start, end in pieces:
        head = (start, min(end, start + max(0, WINDOW - seen)))
        tail = (max(start, end - max(0, seen + end - start - (total - WINDOW))), end)
        kept.extend(part for part in (head, tail) if part[0] < part[1])
        seen += end - start
    return kept, True


def normalise(raw: str) -> NormalText:
    r"""Normalise a judge's text.

    Examples
    --------
    >>> normalise("<think>maybe A</think>\r\n **Answer:**  B ").text
    'Answer: B'
    """
    whole, closed = _answer_pieces(raw)
    pieces, windowed = _window(whole)
    parts: list[str] = []
    starts: list[int] = []
    offsets: list[int] = []
    length = 0
    for start, end in pieces:
        plain = _CONTROL.sub(lambda sign: " " * len(sign[0]), raw[start:end]).translate(_TABLE)
        last = 0
        for token in _TOKEN.finditer(plain):
            if length:
                newline = last == 0 or plain.find("\n", last, token.start()) >= 0
                parts.append("\n" if newline else " ")
                length += 1
            parts.append(token[0])
            starts.append(length)
            offsets.append(start + token.start())
            length += len(token[0])
            last = token.end()
    return NormalText(
        text="".join(parts),
        raw=raw,
        pieces=tuple(pieces),
        thinking_closed=closed,
        windowed=windowed,
        starts=tuple(starts),
        offsets=tuple(offsets),
    )
