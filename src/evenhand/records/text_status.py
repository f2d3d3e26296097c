"""What may be said of a text that is still being written. Judges ask, readouts answer; neither imports the other."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

__all__ = ["TextStatus", "TextWatcher"]


class TextStatus(StrEnum):
    """What a text watcher says of the text so far."""

    OPEN = "open"
    """No verdict yet, and later text may bring one."""
    READ = "read"
    """A verdict can be read, but later text may still change it."""
    SETTLED = "settled"
    """No later text can change what is read: generation may stop."""


class TextWatcher(Protocol):
    """Tells a judge, from outside, whether to go on writing. Built by readouts, so that judges need not know them."""

    def status(self, text: str) -> TextStatus:
        """Status of a text that may still grow."""
        ...
