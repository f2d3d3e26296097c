"""Prompt templates: text with named placeholders, filled in a single pass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, assert_never

from evenhand.errors import ConfigError
from evenhand.records import GrammarHint, LabelSet, Message, Order, Pair, content_hash

__all__ = ["DECIDES", "PLACEHOLDERS", "REQUIRED", "Decides", "PromptTemplate", "placeholders_of"]

Decides: TypeAlias = Literal["label", "declared", "scores"]
"""What the judge is asked to decide with: a label, however it says so; a verdict that is declared as one; scores."""
DECIDES: Final[tuple[Decides, ...]] = ("label", "declared", "scores")

PLACEHOLDERS: Final = ("instruction", "first", "second", "label_first", "label_second", "label_tie")
REQUIRED: Final = PLACEHOLDERS[:-1]

_PART: Final = re.compile(r"\{\{|\}\}|\{([^{}\n]{0,60})\}|[{}]")


def placeholders_of(text: str, *, place: str) -> frozenset[str]:
    """The placeholders in a template's text.

    Raises
    ------
    ConfigError
        An unknown placeholder, or a single brace; ``place`` names the file and field in the message.

    Examples
    --------
    >>> sorted(placeholders_of("{first} {{literal}} {second}", place="p.toml, field 'user'"))
    ['first', 'second']
    """
    names = set()
    for part in _PART.finditer(text):
        if part[0] in ("{{", "}}"):
            continue
        if part[1] is None:
            line = text.count("\n", 0, part.start()) + 1
            raise ConfigError(f"{place}: single {part[0]!r} in line {line} (write {part[0] * 2!r} for a literal brace)")
        if part[1] not in PLACEHOLDERS:
            known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            raise ConfigError(
                f"{place}: unknown placeholder {part[0]!r} (known: {known}; write '{{{{' for a literal brace)"
            )
        names.add(part[1])
    return frozenset(names)


def _fill(text: str, values: Mapping[str, str]) -> str:
    """Substitute once, left to right: braces inside the values are never looked at again."""

    def one(part: re.Match[str]) -> str:
        return part[0][0] if part[1] is None else values[part[1]]

    return _PART.sub(one, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """How a judge is asked. Load it with :func:`evenhand.prompts.load_prompt`.

    Attributes
    ----------
    name
        What reports print.
    description
        One line for a list of prompts.
    source
        Where the wording or the format comes from.
    user, system
        The messages' texts with placeholders; no system message where ``system`` is None.
    labels
        The labels to use unless others are asked for.
    decision
        How the decision is read: ``label`` (any explicit decision), ``declared`` (only one that is declared as the
        verdict, such as ``[[A]]``; sentences on single criteria don't count) or ``scores`` (the higher score wins).
    scale
        Lowest and highest score; given exactly where ``decision`` is ``scores``.
    prefill
        What the judge's turn may begin with in prefilled presentations; None leaves it to the run.
    budgets
        Completion-token budgets that suit the format; None leaves them to the run.
    max_label_length
        Longest label, in characters, for which the wording is true ("exactly one character"); None where any will do.
    origin
        The file, for messages.
    """

    name: str
    description: str
    source: str
    user: str
    system: str | None = None
    labels: LabelSet
    decision: Decides = "label"
    scale: tuple[int, int] | None = None
    prefill: str | None = None
    budgets: tuple[int, ...] | None = None
    max_label_length: int | None = None
    origin: str = ""

    def __post_init__(self) -> None:
        if (self.decision == "scores") != (self.scale is not None):
            raise ConfigError(
                f"prompt {self.name!r}: decision {self.decision!r} with scale {self.scale}: a scale belongs to the "
                "decision 'scores', and to no other"
            )

    @property
    def offers_tie(self) -> bool:
        """Whether the text names a label for a tie; equal scores are one without it."""
        return any("label_tie" in placeholders_of(text, place=self.origin) for text in (self.system or "", self.user))

    @property
    def hash(self) -> str:
        """SHA-256 of the texts and of how the decision is read: what a disclosure card pins.

        Name, description and source are not part of it. Where a label decides, it is the hash of the texts alone.
        """
        if self.decision == "label":
            return content_hash([self.system, self.user])
        return content_hash([self.system, self.user, self.decision, self.scale])

    def grammar(self, labels: LabelSet) -> GrammarHint | None:
        """What a parser must know to read the answers: the ``grammar`` of a condition. None for the bare label.

        Examples
        --------
        >>> from evenhand.prompts import load_prompt
        >>> load_prompt("score-each").grammar(LabelSet.parse("A/B")).scale
        (1, 10)
        """
        match self.decision:
            case "label":
                return None
            case "declared":
                return GrammarHint(labels=labels, declared=True)
            case "scores":
                return GrammarHint(labels=labels, scale=self.scale)
            case _:
                assert_never(self.decision)

    def check_labels(self, labels: LabelSet) -> None:
        """Refuse labels that the text can't use.

        Raises
        ------
        ConfigError
            A tie label is missing or has no place in the text, or a label is longer than the wording allows.
        """
        if self.offers_tie and labels.tie is None:
            raise ConfigError(
                f"prompt {self.name!r} asks for a tie label, labels {labels.name!r} have none (add one, such as A/B/C)"
            )
        if labels.tie is not None and not self.offers_tie:
            raise ConfigError(
                f"labels {labels.name!r} have a tie label, prompt {self.name!r} has no place for one "
                "(it needs {label_tie})"
            )
        if self.max_label_length is not None:
            for label in labels.by_outcome.values():
                if len(label) > self.max_label_length:
                    raise ConfigError(
                        f"label {label!r} is longer than the {self.max_label_length} character(s) "
                        f"that prompt {self.name!r} asks for"
                    )

    def render(self, pair: Pair, order: Order, labels: LabelSet) -> tuple[Message, ...]:
        """The chat messages for one presentation; in order BA, response B is shown first.

        Labels name slots: the first shown response always carries ``labels.first``. The judged texts go in as they
        are; a response that imitates the template's own markers can't be told from them by a judge.

        Raises
        ------
        ConfigError
            The labels don't fit (see :meth:`check_labels`).
        """
        self.check_labels(labels)
        swapped = order is Order.BA
        values = {
            "instruction": pair.instruction,
            "first": pair.response_b if swapped else pair.response_a,
            "second": pair.response_a if swapped else pair.response_b,
            "label_first": labels.first,
            "label_second": labels.second,
            "label_tie": labels.tie or "",
        }
        user = Message(role="user", content=_fill(self.user, values))
        if self.system is None:
            return (user,)
        return (Message(role="system", content=_fill(self.system, values)), user)
