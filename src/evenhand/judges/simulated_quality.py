"""The simulated judge's own opinion of two responses, and where its chance comes from: hashes, so that it keeps."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from evenhand.judges.simulated_shown import Shown, first_line_under, text_of
from evenhand.records import LabelSet, Message, content_hash

__all__ = ["Draws", "Qualities", "marked_quality", "qualities"]

_MARKER = re.compile(r"<quality:([+-]?\d{1,3}(?:\.\d{1,6})?)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Uniform numbers in (0, 1) from a hash: the same for the same question, whenever and with whomever it is asked."""

    key: str

    def uniform(self, name: str) -> float:
        """A number in (0, 1); another name is another draw."""
        digest = hashlib.sha256(f"{self.key}/{name}".encode()).digest()
        return (int.from_bytes(digest[:7], "big") + 0.5) / 2**56

    def normal(self, name: str, sd: float) -> float:
        """A draw from N(0, sd)."""
        return NormalDist().inv_cdf(self.uniform(name)) * sd


@dataclass(frozen=True, slots=True, kw_only=True)
class Qualities:
    """What the responses in the first and in the second slot are worth, in log-odds."""

    first: float
    second: float

    @property
    def difference(self) -> float:
        """How much better the first is."""
        return self.first - self.second


def marked_quality(text: str) -> float | None:
    """The first marker such as ``<quality:1.5>`` in a text; None without one.

    Examples
    --------
    >>> marked_quality("<quality:-0.5>No."), marked_quality("No.")
    (-0.5, None)
    """
    found = _MARKER.search(text)
    return None if found is None else float(found[1])


def qualities(messages: Sequence[Message], labels: LabelSet, *, shown: Shown | None, seed: int, sd: float) -> Qualities:
    """Qualities from markers, from the hash of each response's first line, or both 0 where there are no headers.

    Parameters
    ----------
    shown
        The responses, where they were found: markers in them go before those elsewhere.
    seed, sd
        Of what is drawn from a first line: N(0, sd).
    """
    if shown is not None:
        first, second = marked_quality(shown.first), marked_quality(shown.second)
        if first is not None and second is not None:
            return Qualities(first=first, second=second)
    text = text_of(messages)
    marked = _MARKER.findall(text)
    if len(marked) >= 2:
        return Qualities(first=float(marked[0]), second=float(marked[1]))
    lines = text.splitlines()
    found = [first_line_under(lines, label) for label in (labels.first, labels.second)]
    if None in found:
        return Qualities(first=0.0, second=0.0)
    drawn = [Draws(key=content_hash([seed, line])).normal("quality", sd) for line in found]
    return Qualities(first=drawn[0], second=drawn[1])
