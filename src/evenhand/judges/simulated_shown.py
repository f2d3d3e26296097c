"""What the simulated judge sees of a rendered prompt: the two responses, and everything around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.records import LabelSet, Message

__all__ = ["Shown", "first_line_under", "shown_responses", "text_of"]

_LONGEST_HEADER = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A rendered question, taken apart.

    Attributes
    ----------
    first, second
        The response in either slot, without the lines that frame it.
    around
        Everything else: the instruction and the prompt's own words.
    """

    first: str
    second: str
    around: str


def text_of(messages: Sequence[Message]) -> str:
    """All messages as one text."""
    return "\n".join(message.content for message in messages)


def shown_responses(messages: Sequence[Message], labels: LabelSet) -> Shown | None:
    r"""Find the two responses under their headers; None where there are no such headers.

    A header is a short line such as ``[RESPONSE A]`` or ``Answer A:`` that has the slot's label as a word; one that is
    closed by name, as by ``[END OF RESPONSE A]``, goes before others. A response ends at the next closing line with
    its label or tag, such as ``[END OF RESPONSE A]`` or ``</response>``, under a heading at a rule; without one, the
    first ends at the second's header and the second with the text. A header that stands inside a closed response is
    not taken for one.

    Examples
    --------
    >>> text = "Say hi.\n[RESPONSE A]\nHi.\n[END OF RESPONSE A]\n[RESPONSE B]\nHo.\n[END OF RESPONSE B]\nA or B?"
    >>> shown = shown_responses([Message(role="user", content=text)], LabelSet.parse("A/B"))
    >>> shown.first, shown.second, shown.around
    ('Hi.', 'Ho.', 'Say hi.\nA or B?')
    """
    lines = text_of(messages).splitlines()
    opened = _closed_by_name(lines, labels.first)
    if opened is None:
        opened = _find(lines, labels.first, start=0, closing=False)
    if opened is None:
        return None
    closed = _end(lines, labels.first, header=opened)
    then = _find(lines, labels.second, start=opened + 1 if closed is None else closed + 1, closing=False)
    if then is None:
        # The closing line was the end of something else, such as of the whole list of responses.
        closed = None
        then = _find(lines, labels.second, start=opened + 1, closing=False)
    if then is None:
        return None
    end = _end(lines, labels.second, header=then)
    first = lines[opened + 1 : then if closed is None else closed]
    second = lines[then + 1 : end]
    between = [] if closed is None else lines[closed + 1 : then]
    around = [*lines[:opened], *between, *([] if end is None else lines[end + 1 :])]
    return Shown(first="\n".join(first).strip(), second="\n".join(second).strip(), around="\n".join(around).strip())


def first_line_under(lines: Sequence[str], label: str) -> str | None:
    """The first line that isn't blank after the first header that has the label as a word.

    Nor a fence without a language: all responses that a change puts into a code block would begin with the same one.
    """
    word = _word(label)
    header = next((i for i, line in enumerate(lines) if _is_header(line) and word.search(line)), None)
    if header is None:
        return None
    return next((line.strip() for line in lines[header + 1 :] if line.strip() and not _is_bare_fence(line)), None)


def _is_bare_fence(line: str) -> bool:
    return len(line.strip()) >= 3 and not line.strip().strip("`")


def _closed_by_name(lines: Sequence[str], label: str) -> int | None:
    """The first header that a line after it closes by its own words."""
    closing = [(i, _closed_name(line)) for i, line in enumerate(lines) if _is_header(line) and _closes(line)]
    word = _word(label)
    for i, line in enumerate(lines):
        if _is_header(line) and not _closes(line) and word.search(line):
            name = _bare(line)
            if any(i < j and name == closed for j, closed in closing):
                return i
    return None


def _end(lines: Sequence[str], label: str, *, header: int) -> int | None:
    """Where what stands under a header ends: at a closing line with its label or its words, or at a heading's rule."""
    opening = lines[header].strip()
    word = _word(label)
    for i in range(header + 1, len(lines)):
        line = lines[i].strip()
        if _is_header(line) and _closes(line) and (word.search(line) or _bare(opening).startswith(_closed_name(line))):
            return i
        if opening.startswith("#") and len(line) >= 3 and not line.strip("-"):
            return i
    return None


def _bare(line: str) -> str:
    return line.strip(" []<>|:").casefold()


def _closed_name(line: str) -> str:
    """What a closing line closes: ``response a`` of ``[END OF RESPONSE A]``."""
    return _bare(line).removeprefix("/").removeprefix("end ").removeprefix("of ").strip()


def _find(lines: Sequence[str], label: str, *, start: int, closing: bool) -> int | None:
    word = _word(label)
    return next(
        (
            i
            for i in range(start, len(lines))
            if _is_header(lines[i]) and _closes(lines[i]) is closing and word.search(lines[i])
        ),
        None,
    )


def _word(label: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(label)}(?!\w)")


def _is_header(line: str) -> bool:
    if len(line) > 4 * _LONGEST_HEADER:  # spares stripping long lines
        return False
    line = line.strip()
    return len(line) <= _LONGEST_HEADER and (
        line.endswith(":") or (line.startswith(("[", "<")) and line.endswith(("]", ">")))
    )


def _closes(line: str) -> bool:
    bare = line.strip().lstrip("[<| ").casefold()
    return bare.startswith(("end", "/"))
