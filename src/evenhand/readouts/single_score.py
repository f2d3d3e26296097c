"""The score in a text about one response, read strictly: anything doubtful is no score."""

from __future__ import annotations

import re
from typing import Final

from evenhand.readouts.normalise import normalise

__all__ = ["read_single_score"]

_NUMBER: Final = r"(?P<value>\d{1,4}(?:\.\d{1,3})?)(?: ?(?:/|out of) ?(?P<maximum>\d{1,4}))?"
_ALONE: Final = re.compile(rf"{_NUMBER}[.!]?")
_STATED: Final = re.compile(
    rf"(?:^|(?<=\n)|(?<=\. ))(?:the |my |final |overall ){{0,3}}(?:score|rating) ?(?::|=|is) ?{_NUMBER}"
    r"(?=[.!]?(?:$|\n| ))",
    re.IGNORECASE,
)


def read_single_score(text: str, scale: tuple[int, int]) -> float | None:
    r"""The one score that a text states.

    A number alone, or behind ``Score:`` at the beginning of a line or sentence, ``7`` and ``7/10`` alike. Two different
    scores, one off the scale or out of another maximum, and a text without any are None. Thinking is not read.

    Examples
    --------
    >>> read_single_score("Score: 7/10", (1, 10)), read_single_score("8", (1, 10))
    (7.0, 8.0)
    >>> read_single_score("Score: 7. On reflection:\nScore: 8", (1, 10)), read_single_score("70", (1, 10))
    (None, None)
    """
    plain = normalise(text).text.strip()
    alone = _ALONE.fullmatch(plain)
    found = [alone] if alone is not None else list(_STATED.finditer(plain))
    values = set()
    for match in found:
        value, maximum = float(match["value"]), match["maximum"]
        if not scale[0] <= value <= scale[1] or (maximum is not None and int(maximum) != scale[1]):
            return None
        values.add(value)
    return values.pop() if len(values) == 1 else None
