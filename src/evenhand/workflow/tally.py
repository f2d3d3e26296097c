"""What answers say of themselves, counted while they are read: remarks, and which model an endpoint served."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from evenhand.report.model import Answers
from evenhand.store import JournalEntry

__all__ = ["OTHERS", "AnswerTally"]

_LONGEST = 120  # characters of a text that is counted: a remark's beginning tells what it is about
_MOST = 50  # different texts that are kept apart
OTHERS = "other texts"
"""What counts the texts beyond those that are kept apart."""


class AnswerTally:
    """Counts the remarks and the served models of answers that pass by; memory stays bounded whatever they hold.

    Examples
    --------
    >>> tally = AnswerTally()
    >>> list(tally.watch([])), tally.answers.answered
    ([], 0)
    """

    def __init__(self) -> None:
        self._answered = 0
        self._notes: Counter[str] = Counter()
        self._served: Counter[str] = Counter()

    def watch(self, entries: Iterable[JournalEntry]) -> Iterator[JournalEntry]:
        """Hand the entries on as they are, and count them."""
        for entry in entries:
            answer = entry.completion
            if answer is not None and answer.error is None:
                self._answered += 1
                _count(self._notes, answer.note)
                _count(self._served, answer.served)
            yield entry

    @property
    def answers(self) -> Answers:
        """What was counted so far."""
        return Answers(answered=self._answered, notes=_ordered(self._notes), served=_ordered(self._served))


def _count(counter: Counter[str], text: str | None) -> None:
    if not text:
        return
    kept = text[:_LONGEST]
    counter[kept if kept in counter or len(counter) < _MOST else OTHERS] += 1


def _ordered(counter: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counter.items(), key=lambda item: (-item[1], item[0])))
