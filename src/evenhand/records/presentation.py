"""A presentation: one pair in one order under one condition, with the key that the journal knows it by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evenhand.records.grammar import GrammarHint
from evenhand.records.labels import LabelSet
from evenhand.records.outcome import Order

__all__ = ["Condition", "Message", "Presentation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message; the judge's own chat template is applied once, by the judge."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How the judge was asked: prompt and labels. A run may have several; each is reported by itself.

    ``id`` is what reports print, such as ``single-character, A/B``; ``prompt_hash`` pins the template's text;
    ``grammar`` says how the prompt asks for the decision (None: the bare label).
    """

    id: str
    prompt: str
    prompt_hash: str
    labels: LabelSet
    grammar: GrammarHint | None = None


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
    """

    key: str
    pair_id: str
    condition: str
    order: Order
    repeat: int = 0
    messages: tuple[Message, ...] = ()
