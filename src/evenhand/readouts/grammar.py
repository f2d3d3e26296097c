"""What counts as a label, and what may stand around it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from evenhand.readouts.patterns import Parts, Patterns, compile_patterns
from evenhand.records import GrammarHint, LabelSet, Outcome

__all__ = ["NOUNS", "DecisionGrammar"]

NOUNS: Final = (
    "Response",
    "Output",
    "Assistant",
    "Answer",
    "Option",
    "Model",
    "Candidate",
    "Completion",
    "Choice",
    "Reply",
    "Summary",
    "System",
    "AI",
    "Chatbot",
    "Text",
    "Version",
    "Passage",
    "Submission",
)
"""What judges call the two things they compare; a grammar for a log may name others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionGrammar:
    """What counts as a label, and what may stand around it.

    Attributes
    ----------
    labels
        The labels that the prompt asked for.
    nouns
        Words that may precede a label ("Response A"), in any case.
    comparison
        Also read ``[[A>>B]]``, ``[[A>B]]``, ``[[A=B]]`` (the first two labels; the format itself offers a tie).
    parenthesised
        A label counts only in parentheses or after a noun: "(a)", "Output (a)", "Output a".
    case_insensitive
        Labels match in any case (for logs; refused where the labels differ by case only).
    declared
        Only decisions of the highest tier count (brackets, tags, verdict fields, JSON, a label as the last line).
    scale
        Lowest and highest score: the decision is read from the two responses' scores
        (:func:`evenhand.readouts.scores.parse_scores`), and equal scores are a tie. None: it is read from labels.

    Examples
    --------
    >>> DecisionGrammar.of(LabelSet.parse("A/B")).offers_tie
    False
    """

    labels: LabelSet
    nouns: tuple[str, ...] = NOUNS
    comparison: bool = False
    parenthesised: bool = False
    case_insensitive: bool = False
    declared: bool = False
    scale: tuple[int, int] | None = None

    @classmethod
    def of(cls, labels: LabelSet) -> DecisionGrammar:
        """The grammar of a prompt that asks for the bare label."""
        return cls(labels=labels)

    @classmethod
    def from_hint(cls, labels: LabelSet, hint: GrammarHint | None) -> DecisionGrammar:
        """The grammar that a prompt or a log declares; that of the bare label where it declares none.

        The nouns of a hint are added to ours.

        Examples
        --------
        >>> labels = LabelSet.parse("A/B")
        >>> DecisionGrammar.from_hint(labels, GrammarHint(labels=labels, scale=(1, 10))).offers_tie
        True
        """
        if hint is None:
            return cls.of(labels)
        return cls(
            labels=hint.labels,
            nouns=tuple(dict.fromkeys((*hint.nouns, *NOUNS))),
            comparison=hint.comparison,
            parenthesised=hint.parenthesised,
            case_insensitive=hint.case_insensitive,
            declared=hint.declared,
            scale=hint.scale,
        )

    @property
    def offers_tie(self) -> bool:
        """Whether the judge could answer with a tie."""
        return self.labels.tie is not None or self.comparison or self.scale is not None

    @property
    def patterns(self) -> Patterns:
        """The compiled patterns (cached)."""
        return _patterns(self)

    def outcome_of(self, label: str) -> Outcome:
        """The verdict that a matched label or word for a tie stands for."""
        for outcome, text in self.labels.by_outcome.items():
            if label == text or (self.case_insensitive and label.casefold() == text.casefold()):
                return outcome
        return Outcome.TIE


@lru_cache(maxsize=256)
def _patterns(grammar: DecisionGrammar) -> Patterns:
    labels = grammar.labels
    parts = Parts.of(
        every=labels.by_outcome.values(),
        sides=(labels.first, labels.second),
        nouns=grammar.nouns,
        parenthesised=grammar.parenthesised,
        case_insensitive=grammar.case_insensitive,
    )
    return compile_patterns(parts, comparison=grammar.comparison)
