"""Truncation to equal length: the longer response is cut, at the end of a sentence where there is one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from evenhand.records import Pair, Preference

__all__ = ["NEAR_ENOUGH", "Truncated", "truncate_pair"]

NEAR_ENOUGH: Final = 0.05
"""Responses whose lengths differ by at most this share of the longer one are left as they are."""

_ENDS: Final = frozenset(".!?。！？…")
_CLOSERS: Final = frozenset("\"'”’)]}*_`»")


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncated:
    """A pair whose longer response was cut.

    Attributes
    ----------
    pair
        Same id, group and gold; metadata says what was done, so that a person can check it. ``gold`` is of the whole
        responses: whether it still holds is theirs to say.
    cut
        Which response was cut; None where the lengths are near enough.
    characters
        How many were taken off.
    at
        ``sentence``, ``word`` where no sentence ends early enough, ``character`` where no word does; ``nothing``.
    """

    pair: Pair
    cut: Preference | None
    characters: int
    at: str


def truncate_pair(pair: Pair) -> Truncated:
    """Cut the longer response to at most the length of the shorter.

    Examples
    --------
    >>> long, short = "It is 4. That is 2 + 2. See below.", "It is 4, yes."
    >>> pair = Pair(id="p", instruction="?", response_a=long, response_b=short)
    >>> found = truncate_pair(pair)
    >>> found.pair.response_a, found.cut, found.characters, found.at
    ('It is 4.', <Preference.A: 'A'>, 26, 'sentence')
    """
    a, b = pair.response_a, pair.response_b
    longest = max(len(a), len(b))
    if longest - min(len(a), len(b)) <= NEAR_ENOUGH * longest:
        return Truncated(pair=_noted(pair, "none", 0, "nothing"), cut=None, characters=0, at="nothing")
    cut = Preference.A if len(a) > len(b) else Preference.B
    text, most = (a, len(b)) if cut is Preference.A else (b, len(a))
    end, at = _end(text, most)
    kept = text[:end].rstrip()
    characters = len(text) - len(kept)
    changed = replace(pair, response_a=kept) if cut is Preference.A else replace(pair, response_b=kept)
    return Truncated(pair=_noted(changed, str(cut), characters, at), cut=cut, characters=characters, at=at)


def _end(text: str, most: int) -> tuple[int, str]:  # positions, not results
    """Where to cut: after the last sentence, else word, that ends at or before ``most``."""
    for end in range(most, 0, -1):
        if _ends_sentence(text, end):
            return end, "sentence"
    for end in range(most, 0, -1):
        if text[end : end + 1].isspace() and not text[end - 1].isspace():
            return end, "word"
    return most, "character"


def _ends_sentence(text: str, end: int) -> bool:
    following = text[end : end + 1]
    if following and not following.isspace():
        return text[end - 1] in "。！？"
    last = end - 1
    while last >= 0 and text[last] in _CLOSERS and end - last < 5:
        last -= 1
    # A line break ends a sentence too: lists and headings have no full stop.
    return last >= 0 and (text[last] in _ENDS or (following == "\n" and not text[end - 1].isspace()))


def _noted(pair: Pair, cut: str, characters: int, at: str) -> Pair:
    noted = (("truncated", cut), ("truncated_characters", str(characters)), ("truncated_at", at))
    kept = tuple((name, value) for name, value in pair.metadata if not name.startswith("truncated"))
    return replace(pair, metadata=(*kept, *noted))
