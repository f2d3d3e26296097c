"""When to stop writing: budgets and the text watcher, the same for every judge that streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evenhand.errors import ConfigError
from evenhand.judges.base import JudgeRequest
from evenhand.records import FinishReason, TextStatus

__all__ = ["Writing", "check_requests"]

_EVERY_TOKEN_UNTIL = 32
"""A verdict mostly comes at once: up to here the watcher is asked at every token …"""
_THEN_EVERY = 8
"""… and later at every 8th and at line ends, for it reads the whole text each time."""


@dataclass(slots=True, kw_only=True)
class Writing:
    """A text as it grows under a request's budgets and watcher.

    Examples
    --------
    >>> from evenhand.records import LabelSet
    >>> request = JudgeRequest(messages=(), labels=LabelSet.parse("A/B"), budgets=(2,))
    >>> writing = Writing(request=request)
    >>> writing.add("A", tokens=1), writing.add(" is", tokens=2), writing.finish_reason.value
    (False, True, 'length')
    """

    request: JudgeRequest
    text: str = ""
    tokens: int = 0
    finish_reason: FinishReason | None = None
    _level: int = 0

    def add(self, piece: str, *, tokens: int) -> bool:
        """Take a piece of text; ``tokens`` is the count of all tokens so far. True: stop writing."""
        before, self.tokens = self.tokens, tokens
        self.text += piece
        budgets, watcher = self.request.budgets, self.request.watcher
        due = (
            tokens <= _EVERY_TOKEN_UNTIL
            or tokens // _THEN_EVERY > before // _THEN_EVERY
            or "\n" in piece
            or tokens >= budgets[self._level]
        )
        status = watcher.status(self.text) if watcher is not None and due else TextStatus.OPEN
        if status is TextStatus.SETTLED:
            self.finish_reason = FinishReason.SETTLED
            return True
        while tokens >= budgets[self._level]:
            if self._level + 1 == len(budgets) or status is not TextStatus.OPEN:
                self.finish_reason = FinishReason.LENGTH
                return True
            self._level += 1
        return False

    def end(self, reason: FinishReason) -> None:
        """The judge ended by itself."""
        if self.finish_reason is None:
            self.finish_reason = reason

    @property
    def budget(self) -> int:
        """The budget under which the text was written."""
        return self.request.budgets[self._level]


def check_requests(requests: Sequence[JudgeRequest], *, judge: str) -> None:
    """Refuse what no greedy judge can do.

    Raises
    ------
    ConfigError
        A temperature other than 0, budgets that are not ascending positive counts, or a prefill of white space alone.
    """
    for request in requests:
        if request.temperature != 0:
            raise ConfigError(
                f"temperature {request.temperature}: {judge} judges decode greedily only (temperature 0), "
                "so that a presentation has one answer"
            )
        if request.prefill is not None and not request.prefill.strip():
            raise ConfigError(
                f"prefill {request.prefill!r}: there is nothing in it to begin the judge's turn with; "
                "give a text such as 'The better response is'"
            )
        budgets = request.budgets
        if not budgets or budgets[0] < 1 or any(b <= a for a, b in pairwise(budgets)):
            raise ConfigError(f"budgets {budgets}: expected ascending token counts, such as 500 1500")
