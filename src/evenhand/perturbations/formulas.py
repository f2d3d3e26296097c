r"""Formulas put aside, so that no rule takes a part of one for a sentence's end or for emphasis.

Found are ``\(…\)``, ``\[…\]``, ``$$…$$``, and ``$…$`` on one line by Pandoc's rule: no space inside its dollars, no
digit after the last, so that prices are none. None holds a backtick, so that none reaches into code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["MARKS", "Masked", "mask"]

MARKS: Final = ("\ue000", "\ue001")
"""Private-use characters around a formula's number; a text that holds one already is not masked."""

# Possessive, and each stops at the next beginning of its own kind, so that no character is looked at twice over.
_FORMULA: Final = re.compile(
    r"(?<!\\)(?:"
    r"\$\$[^$`]++\$\$"
    r"|\\\[[^\\`]*+(?:\\[^\[\]`][^\\`]*+)*+\\\]"
    r"|\\\([^\\`]*+(?:\\[^()`][^\\`]*+)*+\\\)"
    r"|\$(?=[^\s$`])[^$\n`]*+(?<=\S)\$(?!\d)"
    r")"
)
_MASK: Final = re.compile(f"{MARKS[0]}([0-9]{{1,9}}){MARKS[1]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A text with a number in the place of each formula.

    Attributes
    ----------
    text
        What is left.
    formulas
        As they stood there, delimiters included.
    """

    text: str
    formulas: tuple[str, ...]

    @property
    def has_display(self) -> bool:
        """Whether one is set apart from the text around it."""
        return any(formula.startswith(("$$", "\\[")) or "\n" in formula for formula in self.formulas)

    def unmask(self, text: str) -> str:
        """A text made from this one, with its formulas back in place."""
        return _MASK.sub(lambda found: self.formulas[int(found[1])], text) if self.formulas else text


def mask(text: str) -> Masked:
    r"""Put the formulas of a text aside.

    Examples
    --------
    >>> masked = mask(r"So \(a. B\) holds for $5 and $x_1$.")
    >>> masked.formulas, masked.unmask(masked.text)
    (('\\(a. B\\)', '$x_1$'), 'So \\(a. B\\) holds for $5 and $x_1$.')
    """
    if any(mark in text for mark in MARKS):
        return Masked(text=text, formulas=())
    found: list[str] = []

    def put_aside(formula: re.Match[str]) -> str:
        found.append(formula[0])
        return f"{MARKS[0]}{len(found) - 1}{MARKS[1]}"

    left = _FORMULA.sub(put_aside, text)
    return Masked(text=left, formulas=tuple(found))
