"""The simulated judge's own opinion of two responses, and where its chance comes from: hashes, so that it keeps."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from evenhand.judges.simulated_shown import Shown, first_line_under, text_of
from evenhand.records import LabelSet, Message, content_hash

__all__ = ["Draws", "Qualities", "answers_in", "marked_quality", "opening", "qualities"]

_MARKUP = re.compile(r"^\s{0,8}(?:[-*+•] |\d{1,3}[.)] |#{1,6} |> )?[*_`]{0,3}")
_FENCE = "```"
_USER, _ASSISTANT = "### User:", "### Assistant:"
_APOSTROPHES = str.maketrans({"’": "'"})
_FULL = (("can't", "cannot"), ("won't", "will not"), ("n't", " not"), ("'re", " are"), ("'ll", " will"))
_FULL_AFTER = (("i'm", "i am"), *((f"{who}'s", f"{who} is") for who in ("it", "he", "she", "that", "there")))
_OPENING = 12
"""Words of a response that its quality is drawn from, at most: as many as tell it from the other."""
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
    """What the responses in the first and in the second slot are worth, in log-odds.

    ``late`` is 1 where the first slot's last answer of a conversation is better than the second's, -1 where it is
    worse, and 0 where the responses are no conversations.
    """

    first: float
    second: float
    late: int = 0

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


def opening(text: str) -> str:
    """The words that a response begins with, up to the end of its first sentence or line.

    Markup, case and contractions don't count: the same response in another dress has the same opening.

    Examples
    --------
    >>> opening("- It **isn't** so. More."), opening("It is not so. Less.")
    ('it is not so', 'it is not so')
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(_FENCE)]
    if not lines:
        return ""
    line = _MARKUP.sub("", lines[0], count=1).translate(_APOSTROPHES).casefold()
    for short, full in _FULL:
        line = line.replace(short, full)
    line = " ".join(dict(_FULL_AFTER).get(word, word) for word in line.split())
    sentence = re.split(r"[.!?](?:\s|$)", line, maxsplit=1)[0]
    return " ".join(re.findall(r"\w+", sentence)[:_OPENING])


def answers_in(text: str) -> list[str]:
    r"""The assistant's answers of a conversation such as the change ``recency`` makes; empty where there is none.

    Examples
    --------
    >>> answers_in("### User:\nOne?\n\n### Assistant:\n1\n\n### User:\nTwo?\n\n### Assistant:\n2")
    ['1', '2']
    """
    answers: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if line.strip() in (_USER, _ASSISTANT):
            inside = line.strip() == _ASSISTANT
            if inside:
                answers.append([])
        elif inside:
            answers[-1].append(line)
    return ["\n".join(lines).strip() for lines in answers]


def qualities(
    messages: Sequence[Message],
    labels: LabelSet,
    *,
    shown: Shown | None,
    seed: int,
    sd: float,
    by_opening: bool = False,
) -> Qualities:
    """Qualities from markers, from the hash of how each response begins, or both 0 where there are no headers.

    A conversation is worth the mean of its answers.

    Parameters
    ----------
    shown
        The responses, where they were found: markers in them go before those elsewhere.
    seed, sd
        Of what is drawn: N(0, sd).
    by_opening
        Draw from the :func:`opening`, which no change of dress can alter, in place of the whole first line.
    """
    if shown is not None:
        turns = _by_turn(shown, seed=seed, sd=sd)
        if turns is not None:
            return turns
        first, second = marked_quality(shown.first), marked_quality(shown.second)
        if first is not None and second is not None:
            return Qualities(first=first, second=second)
    text = text_of(messages)
    marked = _MARKER.findall(text)
    if len(marked) >= 2:
        return Qualities(first=float(marked[0]), second=float(marked[1]))
    found: list[str | None]
    if by_opening:
        found = [None, None] if shown is None else [opening(shown.first), opening(shown.second)]
    else:
        lines = text.splitlines()
        found = [first_line_under(lines, label) for label in (labels.first, labels.second)]
    if None in found:
        return Qualities(first=0.0, second=0.0)
    drawn = [Draws(key=content_hash([seed, line])).normal("quality", sd) for line in found]
    return Qualities(first=drawn[0], second=drawn[1])


def _by_turn(shown: Shown, *, seed: int, sd: float) -> Qualities | None:
    """Of conversations with equally many answers, at least two; None else."""
    first, second = answers_in(shown.first), answers_in(shown.second)
    if len(first) < 2 or len(first) != len(second):
        return None
    worth = [[_worth(answer, seed=seed, sd=sd) for answer in side] for side in (first, second)]
    last = worth[0][-1] - worth[1][-1]
    return Qualities(first=sum(worth[0]) / len(first), second=sum(worth[1]) / len(second), late=(last > 0) - (last < 0))


def _worth(answer: str, *, seed: int, sd: float) -> float:
    marked = marked_quality(answer)
    return Draws(key=content_hash([seed, opening(answer)])).normal("quality", sd) if marked is None else marked
