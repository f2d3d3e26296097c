"""How a prompt asks for its decision: what a parser must know to read the answer."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.records.labels import LabelSet

__all__ = ["GrammarHint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrammarHint:
    """How the judge behind a log was asked to state its decision: what our own parser needs to read its text again.

    Attributes
    ----------
    labels
        The labels of the two slots, and of a tie where the prompt allowed one.
    nouns
        What the prompt called a response before its label, such as ``Output`` in "Output (a)".
    parenthesised
        Whether labels were asked for in parentheses.
    comparison
        Whether the decision was asked for as a comparison, such as ``[[A>B]]``.
    case_insensitive
        Whether a label counts in either case.
    """

    labels: LabelSet
    nouns: tuple[str, ...] = ()
    parenthesised: bool = False
    comparison: bool = False
    case_insensitive: bool = False
