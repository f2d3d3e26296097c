"""What differs between two texts, word by word: bounded in time and memory, long equal stretches folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["LONGEST", "MOST_WORDS", "Difference", "Part", "word_difference"]

LONGEST: Final = 40_000
"""Characters of each text that are compared: about 6,000 words, far beyond any rationale."""

MOST_WORDS: Final = 8_000
"""Words and marks of each text that are compared. Time and memory grow with the product: half a second at most here."""

_CONTEXT: Final = 12
_FOLDED_FROM: Final = 40
_TOKEN: Final = re.compile(r"\u27e6[AB]\u27e7|\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of words.

    Attributes
    ----------
    kind
        ``same``; ``ab`` or ``ba``: only that order's text has it; ``folded``: equal, and long.
    text
        Its text.
    words
        How many words it has.
    """

    kind: Literal["same", "ab", "ba", "folded"]
    text: str
    words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How two texts differ.

    Attributes
    ----------
    parts
        In reading order.
    same_words, ab_words, ba_words
        Words that both have, and that only one has.
    left_out_ab, left_out_ba
        Characters that were not compared.
    """

    parts: tuple[Part, ...]
    same_words: int
    ab_words: int
    ba_words: int
    left_out_ab: int = 0
    left_out_ba: int = 0

    @property
    def identical(self) -> bool:
        """Whether nothing that was compared differs."""
        return not self.ab_words and not self.ba_words


def word_difference(ab: str, ba: str) -> Difference:
    """Compare two texts word by word, as far as :data:`LONGEST` and :data:`MOST_WORDS` go.

    The alignment keeps as many words as possible (a longest common subsequence, by ``rapidfuzz``).

    Examples
    --------
    >>> [(part.kind, part.text) for part in word_difference("A is right.", "A is not right.").parts]
    [('same', 'A is '), ('ba', 'not '), ('same', 'right.')]
    """
    from rapidfuzz.distance import Indel

    first, second = _words(ab), _words(ba)
    parts: list[Part] = []
    counts = {"same": 0, "ab": 0, "ba": 0}
    only_ab: list[str] = []
    only_ba: list[str] = []

    def settle() -> None:
        """Between two equal stretches what only AB has comes first, whole, then what only BA has."""
        for kind, words in (("ab", only_ab), ("ba", only_ba)):
            if words:
                parts.append(_part("ab" if kind == "ab" else "ba", words))
                counts[kind] += len(words)
                words.clear()

    for operation in Indel.opcodes([each.strip() for each in first], [each.strip() for each in second]):
        here = first[operation.src_start : operation.src_end]
        there = second[operation.dest_start : operation.dest_end]
        if operation.tag == "equal":
            settle()
            parts += _folded([_either(*pair) for pair in zip(here, there, strict=True)])
            counts["same"] += len(here)
        else:
            only_ab += here
            only_ba += there
    settle()
    return Difference(
        parts=tuple(parts),
        same_words=counts["same"],
        ab_words=counts["ab"],
        ba_words=counts["ba"],
        left_out_ab=len(ab) - sum(map(len, first)),
        left_out_ba=len(ba) - sum(map(len, second)),
    )


def _words(text: str) -> list[str]:
    """Words and marks, each with the white space after it (the first with what stands before it too)."""
    words: list[str] = []
    lead = ""
    for found in _TOKEN.finditer(text, 0, LONGEST):
        token = found[0]
        if not token.isspace():
            if len(words) == MOST_WORDS:
                break
            words.append(lead + token)
            lead = ""
        elif words:
            words[-1] += token
        else:
            lead = token
    return words


def _either(one: str, other: str) -> str:
    """A word of both texts. White space is no difference, but words must stay apart: before and after, the longer."""
    word = one.strip()
    before = max((text[: text.find(word)] for text in (one, other)), key=len)
    after = max((text[text.find(word) + len(word) :] for text in (one, other)), key=len)
    return before + word + after


def _part(kind: Literal["same", "ab", "ba", "folded"], words: Sequence[str]) -> Part:
    return Part(kind=kind, text="".join(words), words=len(words))


def _folded(words: Sequence[str]) -> Iterator[Part]:
    if len(words) < _FOLDED_FROM:
        yield _part("same", words)
        return
    yield _part("same", words[:_CONTEXT])
    yield _part("folded", words[_CONTEXT:-_CONTEXT])
    yield _part("same", words[-_CONTEXT:])
