"""How a prompt asks for its decision: what a parser must know to read the answer."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.records.labels import LabelSet

__all__ = ["GrammarHint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrammarHint:
    """How a judge was asked to state its decision: what our own parser needs to read its text.

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
    declared
        Whether only a verdict that is declared as one counts (brackets, a verdict field, a label as the last line), and
        no sentence: in an answer that goes criterion by criterion, "B is better" speaks of one criterion.
    scale
        Lowest and highest score where each response was to be scored by itself and the higher score wins (equal scores
        are a tie); None where a label was asked for.
    """

    labels: LabelSet
    nouns: tuple[str, ...] = ()
    parenthesised: bool = False
    comparison: bool = False
    case_insensitive: bool = False
    declared: bool = False
    scale: tuple[int, int] | None = None
