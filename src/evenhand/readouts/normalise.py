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
_PLAIN: Final = {chr(other): plain for other, plain in _TABLE.items()}
_OTHERS: Final = re.compile(f"[{re.escape(''.join(_PLAIN))}]")

_RUN: Final = re.compile(r"[ \n]{2,}")
_RUNS: Final = ("  ", " \n", "\n ", "\n\n")
_GAP: Final = re.compile(r"[ \n]")
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
    starts, offsets
        Where each stretch that was kept character by character begins, with a word: in ``text`` and in ``raw``.
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
        end = self.starts[index] if index < len(self.starts) else len(self.text)
        if index == 0:
            return end
        # The first word that begins in the stretch before, unless it is over by then.
        position = self.starts[index - 1] + offset - self.offsets[index - 1]
        gap = _GAP.search(self.text, position - 1, end) if position <= end else None
        return gap.end() if gap is not None else end


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
    tagged = "<" in raw
    whole, closed = _answer_pieces(raw) if tagged else ([(0, len(raw))] if raw else [], False)
    pieces, windowed = _window(whole)
    parts: list[str] = []
    starts: list[int] = []
    offsets: list[int] = []
    length = 0
    for start, end in pieces:
        plain = raw[start:end]
        if tagged:
            plain = _CONTROL.sub(_blank, plain)
        plain = _translate(plain)
        words = plain.strip(" \n")
        if not words:
            continue
        if length:
            parts.append("\n")
            length += 1
        begin = plain.index(words[0])
        start += begin
        last = 0
        for run in _RUN.finditer(words) if any(two in words for two in _RUNS) else ():
            stretch, gap = words[last : run.start()], "\n" if "\n" in run[0] else " "
            parts += (stretch, gap)
            starts.append(length)
            offsets.append(start + last)
            length += len(stretch) + 1
            last = run.end()
        parts.append(words[last:])
        starts.append(length)
        offsets.append(start + last)
        length += len(words) - last
    return NormalText(
        text="".join(parts),
        raw=raw,
        pieces=tuple(pieces),
        thinking_closed=closed,
        windowed=windowed,
        starts=tuple(starts),
        offsets=tuple(offsets),
    )


def _translate(text: str) -> str:
    # str.translate is quick for ASCII alone; elsewhere it looks every character up.
    return text.translate(_TABLE) if text.isascii() else _OTHERS.sub(_plain_one, text)


def _plain_one(other: re.Match[str]) -> str:
    return _PLAIN[other[0]]


def _blank(sign: re.Match[str]) -> str:
    return " " * len(sign[0])
