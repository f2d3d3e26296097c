"""What a rationale says of which response: labels replaced by the response they name, and how alike two texts are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from evenhand.records import LabelSet, Order

__all__ = ["LONGEST", "Likeness", "by_response", "likeness", "words_of"]

LONGEST: Final = 4000
"""Characters of a rationale that are compared; what follows is not read. It bounds the cost of a comparison to a few
milliseconds."""

_NOUN: Final = r"(?:response|answer|assistant|output|option|model|summary|candidate|text|reply|one)"
_ORDINALS: Final = ("first", "second")
_MARKS: Final = ("\u27e6A\u27e7", "\u27e6B\u27e7")
"""Stand for the responses A and B: brackets that no judge writes."""
_VERBS: Final = (
    "is|was|has|had|does|did|and|or|over|vs|versus|wins|won|better|worse|provides|gives|offers|fails|follows|contains|"
    "includes|answers|explains|addresses|directly|correctly|also|because|but|while|only|more|less|would|should|can"
)
_WORD: Final = re.compile(r"\u27e6[ab]\u27e7|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How alike two orders' rationales are, each from 0 to 1.

    Attributes
    ----------
    by_response
        With labels replaced by the responses they name: the same is said of the same responses.
    by_slot
        As they were written: the same is said of the same slots, whichever response stands there.
    """

    by_response: float
    by_slot: float


def by_response(text: str, labels: LabelSet, order: Order) -> str:
    """The text with every label, and ``first``/``second response``, replaced by a mark of the response that it names.

    ``A`` is taken for a label unless it looks like the article: not after a small letter, and before a word in small
    letters that is none of the few that follow a name. Other labels count wherever they stand as a word.

    Examples
    --------
    >>> labels = LabelSet.parse("A/B")
    >>> by_response("A is better: the second response rambles.", labels, Order.BA)
    '⟦B⟧ is better: the ⟦A⟧ response rambles.'
    >>> by_response("A good answer, says B.", labels, Order.AB)
    'A good answer, says ⟦B⟧.'
    """
    first, second = _MARKS if order is Order.AB else _MARKS[::-1]
    marks = {labels.first: first, labels.second: second, _ORDINALS[0]: first, _ORDINALS[1]: second}
    marks.update({ordinal.capitalize(): marks[ordinal] for ordinal in _ORDINALS})
    return _pattern(labels).sub(lambda found: marks[found[0]], text)


def _pattern(labels: LabelSet) -> re.Pattern[str]:
    parts = [rf"(?:{'|'.join(_ORDINALS)}|First|Second)(?= {_NOUN}\b)"]
    for label in (labels.first, labels.second):
        name = rf"(?! (?!(?:{_VERBS})\b)[a-z])"
        name = rf"(?:(?<=[a-z,] A)|{name})" if label == "A" else name if label in ("a", "I") else ""
        parts.append(rf"(?<!\w){re.escape(label)}(?!\w|['\u2019](?!s\b)\w){name}")
    return re.compile("|".join(parts))


def words_of(text: str) -> list[str]:
    """Words and punctuation marks, small letters, of the first :data:`LONGEST` characters."""
    return _WORD.findall(text[:LONGEST].lower())


def likeness(ab: str, ba: str, labels: LabelSet) -> Likeness:
    """Compare the rationales of both orders word by word.

    The measure is the normalised Indel similarity of the two lists of words (``rapidfuzz``): twice the length of their
    longest common subsequence over the sum of their lengths. It keeps the order of words, which a set of tokens would
    not: texts that use the same words to say other things are not alike.

    Examples
    --------
    >>> same = likeness("A is clear, B is not.", "A is clear, B is not.", LabelSet.parse("A/B"))
    >>> same.by_slot, round(same.by_response, 2)
    (1.0, 0.75)
    """
    from rapidfuzz.distance import Indel

    cut_ab, cut_ba = ab[:LONGEST], ba[:LONGEST]
    marked_ab, marked_ba = by_response(cut_ab, labels, Order.AB), by_response(cut_ba, labels, Order.BA)
    return Likeness(
        by_response=Indel.normalized_similarity(words_of(marked_ab), words_of(marked_ba)),
        by_slot=Indel.normalized_similarity(words_of(cut_ab), words_of(cut_ba)),
    )
