"""Long texts that others wrote, for a page: bounded, line breaks kept, and nothing hidden in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.report.text import visible

__all__ = ["TEXT_LIMIT", "Shown", "shown_text"]

TEXT_LIMIT: Final = 20_000
"""Characters of one text on a page (about eight printed pages); a page that is asked for all shows a hundred times as
much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A text as a page shows it.

    Attributes
    ----------
    text
        What is shown; hidden characters stand in it as ``[U+202E]``.
    left_out
        Characters that are not shown.
    """

    text: str
    left_out: int = 0


def shown_text(text: str | None, *, limit: int = TEXT_LIMIT) -> Shown:
    r"""Make a text safe to show: controls, direction overrides and surrogates become ``[U+…]``.

    Line breaks and tabs stay, a return before a line break goes.

    Examples
    --------
    >>> shown_text("a\r\nb\u202ec\x00", limit=5)
    Shown(text='a\nb[U+202E]', left_out=2)
    """
    whole = text or ""
    kept = whole[:limit].replace("\r\n", "\n").replace("\r", "\n")
    if not (kept.isascii() and kept.isprintable()):
        kept = "\n".join("\t".join(visible(part, limit=None) for part in line.split("\t")) for line in kept.split("\n"))
    return Shown(text=kept, left_out=max(len(whole) - limit, 0))
