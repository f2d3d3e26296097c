"""A presentation: one pair in one order under one condition, with the key that the journal knows it by."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, assert_never

from evenhand.records.change import Change
from evenhand.records.grammar import GrammarHint
from evenhand.records.labels import LabelSet
from evenhand.records.outcome import Order, Readout

__all__ = ["Ask", "Condition", "Message", "Presentation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message; the judge's own chat template is applied once, by the judge."""

    role: Literal["system", "user", "assistant"]
    content: str


class Ask(StrEnum):
    """How a presentation is put to the judge; each way gives other readouts, and is a presentation of its own."""

    OPEN = "open"
    """The judge answers as it likes: first token, text, and the hybrid of the two."""
    FIRST = "first"
    """Only the first token is asked for, while the text of a random sample is asked for apart (``WRITTEN``)."""
    WRITTEN = "written"
    """The text of a presentation whose first token was read under ``FIRST``."""
    PREFILLED = "prefilled"
    """The judge's turn already begins with the condition's ``prefill``."""
    CONSTRAINED = "constrained"
    """The decoder lets the judge write nothing but a label."""

    def readouts(self, asked: Collection[Readout]) -> tuple[Readout, ...]:
        """Which of a run's readouts are read from a presentation that was asked so.

        Examples
        --------
        >>> Ask.WRITTEN.readouts(tuple(Readout))
        (<Readout.GENERATED: 'generated'>,)
        """
        match self:
            case Ask.OPEN:
                given: tuple[Readout, ...] = (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID, Readout.LOGGED)
            case Ask.FIRST:
                given = (Readout.FIRST_TOKEN,)
            case Ask.WRITTEN:
                given = (Readout.GENERATED,)
            case Ask.PREFILLED:
                given = (Readout.PREFILLED,)
            case Ask.CONSTRAINED:
                given = (Readout.CONSTRAINED,)
            case _:
                assert_never(self)
        return tuple(readout for readout in given if readout in asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How the judge was asked: prompt and labels. A run may have several; each is reported by itself.

    Attributes
    ----------
    id
        What reports print, such as ``single-character, A/B``.
    prompt, prompt_hash
        The template's name, and the hash that pins its text.
    grammar
        How the prompt asks for the decision (None: the bare label).
    prefill
        What the judge's turn begins with in presentations asked as ``prefilled``; None where there are none.
    design
        Ordered (axis, level) texts where the run varies the prompt's design, such as ``("framing", "neutral")``.
    changes
        What a bias audit changes of every pair before it is shown under this condition; empty: nothing (the control).
    control
        With changes: the id of the condition without them that it is compared with; None else.
    """

    id: str
    prompt: str
    prompt_hash: str
    labels: LabelSet
    grammar: GrammarHint | None = None
    prefill: str | None = None
    design: tuple[tuple[str, str], ...] = ()
    changes: tuple[Change, ...] = ()
    control: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """One question to the judge.

    Attributes
    ----------
    key
        Content hash over everything that can change the answer: messages, labels, judge identity, sampling and
        budget settings, which readouts are asked for, and ``repeat``.
    repeat
        0 for the audit itself; 1, 2, … for the repeated-AB control, which asks the same thing again.
    messages
        Empty for an imported verdict whose log doesn't keep the prompt.
    ask
        How it was put to the judge.
    """

    key: str
    pair_id: str
    condition: str
    order: Order
    repeat: int = 0
    messages: tuple[Message, ...] = ()
    ask: Ask = Ask.OPEN
