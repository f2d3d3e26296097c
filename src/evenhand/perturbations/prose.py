"""What of a response is prose: its lines outside code blocks and tables, and the sentences in them.

Everything here reads a text once from left to right, whatever stands in it: no pattern can look back over what it has
passed, so that a hostile text of many megabytes takes time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from evenhand.perturbations.base import NotApplicable

__all__ = ["Line", "is_code_only", "lines_of", "sentences_of", "with_paragraph", "without_marker"]

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARKER: Final = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+|[ \t]*#{1,6}[ \t]+|[ \t]*>[ \t]?")
_BREAK: Final = re.compile(r"(?<=[.!?])[\"'”’)\]*_]{0,3}[ \t]+|(?<=[。！？])")
_ABBREVIATIONS: Final = frozenset(
    ("e.g.", "i.e.", "vs.", "cf.", "dr.", "mr.", "mrs.", "ms.", "prof.", "st.", "approx.", "fig.", "eq.", "al.")
)
"""A full stop after one of these ends no sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a response, without its line end.

    Attributes
    ----------
    text
        As it stands there.
    code
        Whether it belongs to a fenced code block; the fences do.
    """

    text: str
    code: bool


def lines_of(text: str) -> Iterator[Line]:
    r"""The lines, split at ``\n`` alone; joining their texts by it gives the response back.

    A block whose fence is never closed reaches to the end, as in CommonMark.

    Examples
    --------
    >>> [line.code for line in lines_of("Run it:\n```\nls\n```\nDone.")]
    [False, True, True, True, False]
    """
    fence: str | None = None
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence is None:
            # An info string with a backtick would make it inline code.
            if found is not None and not (found[1][0] == "`" and "`" in line[found.end() :]):
                fence = found[1]
            yield Line(text=line, code=fence is not None)
            continue
        yield Line(text=line, code=True)
        if found is not None and found[1].startswith(fence) and not line[found.end() :].strip():
            fence = None


def is_code_only(text: str) -> bool:
    r"""Whether nothing but blank lines stands outside fenced code blocks, and there is at least one block.

    Examples
    --------
    >>> is_code_only("```\nls\n```"), is_code_only("Use:\n```\nls\n```"), is_code_only(" ")
    (True, False, False)
    """
    lines = [line for line in lines_of(text) if line.text.strip()]
    return bool(lines) and all(line.code for line in lines)


def with_paragraph(text: str, paragraph: str) -> str | NotApplicable:
    r"""A text with one more paragraph after it; white space at its end goes.

    A text whose last code block is never closed takes none: the paragraph would be code.

    Examples
    --------
    >>> with_paragraph("Yes.", "I am sure.")
    'Yes.\n\nI am sure.'
    """
    body = text.rstrip()
    *_, last = lines_of(f"{body}\n")
    if last.code:
        return NotApplicable(reason="the response ends in a code block that is not closed")
    return f"{body}\n\n{paragraph}"


def without_marker(line: str) -> str:
    """A line without the list bullet, number, heading or quotation mark that it begins with.

    Examples
    --------
    >>> without_marker("- Salt"), without_marker("2) Stir."), without_marker("## Method"), without_marker("-5 degrees")
    ('Salt', 'Stir.', 'Method', '-5 degrees')
    """
    found = _MARKER.match(line)
    return line[found.end() :] if found is not None else line


def sentences_of(line: str) -> list[str]:
    """The sentences of one line of prose, each without white space around it; never an empty one.

    A sentence ends at ``.``, ``!`` or ``?`` before white space, unless the mark belongs to a common abbreviation or an
    initial, or the next word begins in lower case; or at ``。``, ``！`` or ``？``.

    Examples
    --------
    >>> sentences_of("Use pi, e.g. 3.14 here. It is close! ok? Ask J. Smith.")
    ['Use pi, e.g. 3.14 here.', 'It is close! ok?', 'Ask J. Smith.']
    """
    found: list[str] = []
    start = 0
    for cut in _BREAK.finditer(line):
        if cut.end() < len(line) and not _ends_here(line, start, cut):
            continue
        found.append(line[start : cut.end()].strip())
        start = cut.end()
    found.append(line[start:].strip())
    return [sentence for sentence in found if sentence]


def _ends_here(line: str, start: int, cut: re.Match[str]) -> bool:
    if cut.end() == cut.start():  # after a full-width mark
        return True
    if line[cut.end()].islower():
        return False
    # The last word, looked for in the last few characters only: a word may be megabytes long.
    word = line[max(start, cut.start() - 12) : cut.start()].split()[-1:]
    last = word[0].lstrip("(\"'“‘[").casefold() if word else ""
    initial = len(last) == 2 and last[0].isalpha()
    return last not in _ABBREVIATIONS and not initial
