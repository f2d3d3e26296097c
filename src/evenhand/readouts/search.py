"""The matches of a pattern, looked for only where plain substring tests say that one can begin.

A pattern of words in any case is tried by :mod:`re` at every character of a text, although nearly all of them begin or
contain nothing that it needs. Here each pattern has a search that knows a few of its words: a text without them is left
alone, and in others the pattern is tried only near them. What is found is exactly what ``pattern.finditer`` finds: the
words only rule out places where the pattern can't match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

__all__ = ["Anywhere", "AtEnd", "AtLabels", "AtWords", "Search", "Searchable", "With", "fold", "has_any"]

_LIKE_ASCII: Final = str.maketrans({"\u0130": "i", "\u0131": "i", "\u017f": "s"})
"""Letters that ``re.IGNORECASE`` takes for i and s and that ``str.lower`` doesn't turn into them (with the Kelvin sign,
which it does turn into k, these are all: a test tries every character)."""


def fold(text: str) -> str:
    """A text in lower case, character by character: an ASCII letter for each that matches it in any case.

    Examples
    --------
    >>> fold("The Re\u017fponse")
    'the response'
    """
    if text.isascii():
        return text.lower()
    if "\u0130" in text or "\u0131" in text or "\u017f" in text:
        text = text.translate(_LIKE_ASCII)
    return text.lower()


def has_any(folded: str, words: Iterable[str]) -> bool:
    """Whether any of some words, in lower case, is in a folded text."""
    for word in words:  # noqa: SIM110 (a generator would take longer than the tests)
        if word in folded:
            return True
    return False


class Searchable:
    """A normalised text beside its folded form of the same length."""

    __slots__ = ("folded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)


class Search(Protocol):
    """How the matches of one pattern are looked for."""

    def matches(self, where: Searchable) -> Iterator[re.Match[str]]:
        """Every match, from left to right, as ``finditer`` yields them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anywhere:
    """A pattern that is tried everywhere in the texts that have the words it needs.

    Attributes
    ----------
    ways
        Each way to match is a sequence of sets of words, in lower case: of each set the text must have one.
    otherwise
        Finds the matches where no way is open; None where there are none.
    """

    pattern: re.Pattern[str]
    ways: tuple[tuple[tuple[str, ...], ...], ...]
    otherwise: Search | None = None

    def matches(self, where: Searchable) -> Iterator[re.Match[str]]:
        """Every match, from left to right."""
        for way in self.ways:
            if all(has_any(where.folded, words) for words in way):
                return self.pattern.finditer(where.text)
        return iter(()) if self.otherwise is None else self.otherwise.matches(where)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtWords:
    """A pattern that begins with one of some words, or a few characters before one of others.

    Attributes
    ----------
    words
        What a match begins with, in lower case.
    inner
        What a match that begins otherwise has after ``before`` characters at most.
    needs
        One of these is in every match too, in lower case; none where nothing can be said.
    """

    pattern: re.Pattern[str]
    words: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    before: int = 0
    needs: tuple[str, ...] = ()

    def matches(self, where: Searchable) -> Iterator[re.Match[str]]:
        """Every match, from left to right."""
        if self.needs and not has_any(where.folded, self.needs):
            return
        starts = set(_places(where.folded, self.words))
        for place in _places(where.folded, self.inner):
            starts.update(range(max(0, place - self.before), place + 1))
        end = 0
        for start in sorted(starts):
            if start >= end and (match := self.pattern.match(where.text, start)):
                yield match
                end = match.end()


def _places(folded: str, words: Iterable[str]) -> Iterator[int]:
    for word in words:
        at = folded.find(word)
        while at >= 0:
            yield at
            at = folded.find(word, at + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLabels:
    """A pattern whose matches begin with a mention of a label.

    Attributes
    ----------
    labels
        The labels as they are written.
    any_case
        Finds the labels where case doesn't matter; else None.
    rest
        From a label on: matches wherever the pattern can match with its first label there.
    head
        From the beginning of a mention to the label, which stands at the end of what is searched.
    before
        Longest ``head``, in characters.
    words
        One of these is in every match, in lower case; none where nothing can be said.
    """

    pattern: re.Pattern[str]
    labels: tuple[str, ...]
    any_case: re.Pattern[str] | None
    rest: re.Pattern[str]
    head: re.Pattern[str]
    before: int
    words: tuple[str, ...] = ()

    def matches(self, where: Searchable) -> Iterator[re.Match[str]]:
        """Every match, from left to right."""
        if self.words and not has_any(where.folded, self.words):
            return
        text = where.text
        end = 0
        for label in self._labels_in(text):
            if label < end or self.rest.match(text, label) is None:
                continue
            low = max(end, label - self.before)
            while head := self.head.search(text, low, label):
                match = self.pattern.match(text, head.start())
                if match is not None:
                    yield match
                    end = match.end()
                    break
                low = head.start() + 1

    def _labels_in(self, text: str) -> Iterable[int]:
        if self.any_case is not None:
            return (found.start() for found in self.any_case.finditer(text))
        return sorted(_places(text, self.labels))


@dataclass(frozen=True, slots=True, kw_only=True)
class With:
    """A pattern for short texts of which nearly none has the words it needs.

    Attributes
    ----------
    words
        One of these is in every text that the pattern matches, in lower case.
    """

    pattern: re.Pattern[str]
    words: tuple[str, ...]

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return self.pattern.search(text) if has_any(fold(text), self.words) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AtEnd:
    """A pattern that matches up to the end of one line only.

    Attributes
    ----------
    words
        Every text that it matches ends with one of these, in lower case, but for ``trailing`` characters.
    """

    pattern: re.Pattern[str]
    words: tuple[str, ...]
    trailing: str = " "

    def search(self, line: str) -> re.Match[str] | None:
        """The first match."""
        return self.pattern.search(line) if fold(line.rstrip(self.trailing)).endswith(self.words) else None
