"""What of a response is prose: what stands outside code blocks, and the sentences in it.

Everything here reads a text once from left to right, whatever stands in it: no pattern can look back over what it has
passed, so that a hostile text of many megabytes takes time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from evenhand.perturbations.base import NotApplicable

__all__ = ["Part", "is_code_only", "parts_of", "sentences_of", "with_paragraph", "without_marker"]

_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)\n?", re.MULTILINE)
_MARKER: Final = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+|[ \t]*#{1,6}[ \t]+|[ \t]*>[ \t]?")
_BREAK: Final = re.compile(r"(?<=[.!?])[\"'”’)\]*_]{0,3}[ \t]+|(?<=[。！？])")
_ABBREVIATIONS: Final = frozenset(
    ("e.g.", "i.e.", "vs.", "cf.", "dr.", "mr.", "mrs.", "ms.", "prof.", "st.", "approx.", "fig.", "eq.", "al.")
)
"""A full stop after one of these ends no sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of a response, all prose or all code.

    Attributes
    ----------
    text
        As it stands there, with its line ends.
    code
        Whether it is a fenced code block; the fences belong to it.
    closed
        False for a code block that is never closed: it reaches to the end, as in CommonMark.
    """

    text: str
    code: bool
    closed: bool = True


def parts_of(text: str) -> Iterator[Part]:
    r"""Prose and code blocks in turn; their texts together are the response, and none is empty.

    Examples
    --------
    >>> [(part.text, part.code) for part in parts_of("Run it:\n```\nls\n```\nDone.")]
    [('Run it:\n', False), ('```\nls\n```\n', True), ('Done.', False)]
    """
    done, start, fence = 0, 0, ""
    for found in _FENCE.finditer(text):
        if not fence:
            # An info string with a backtick makes it inline code.
            if not (found[1][0] == "`" and "`" in found[2]):
                start, fence = found.start(), found[1]
        elif found[1].startswith(fence) and not found[2].strip():
            if start > done:
                yield Part(text=text[done:start], code=False)
            yield Part(text=text[start : found.end()], code=True)
            done, fence = found.end(), ""
    end = start if fence else len(text)
    if end > done:
        yield Part(text=text[done:end], code=False)
    if fence:
        yield Part(text=text[start:], code=True, closed=False)


def is_code_only(text: str) -> bool:
    r"""Whether nothing but white space stands outside fenced code blocks, and there is at least one block.

    Examples
    --------
    >>> is_code_only("```\nls\n```"), is_code_only("Use:\n```\nls\n```"), is_code_only(" ")
    (True, False, False)
    """
    parts = [part for part in parts_of(text) if part.text.strip()]
    return bool(parts) and all(part.code for part in parts)


def with_paragraph(text: str, paragraph: str) -> str | NotApplicable:
    r"""A text with one more paragraph after it; white space at its end goes.

    A text whose last code block is never closed takes none: the paragraph would be code.

    Examples
    --------
    >>> with_paragraph("Yes.", "I am sure.")
    'Yes.\n\nI am sure.'
    """
    body = text.rstrip()
    if not all(part.closed for part in parts_of(body)):
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
