"""What counts as a label, and what may stand around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from evenhand.readouts.patterns import Parts, Patterns, compile_patterns
from evenhand.readouts.searches import Searches, searches_of
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
class _Compiled:
    """What a grammar's labels and nouns were compiled to."""

    patterns: Patterns
    searches: Searches


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
    _compiled: _Compiled | None = field(default=None, init=False, repr=False, compare=False)

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
        return self._compile().patterns

    @property
    def searches(self) -> Searches:
        """How the matches of those patterns are looked for (cached)."""
        return self._compile().searches

    def _compile(self) -> _Compiled:
        # Kept here too: to find an equal grammar in the cache, all its nouns are hashed.
        kept = self._compiled
        if kept is None:
            kept = _compile(self)
            object.__setattr__(self, "_compiled", kept)
        return kept

    def outcome_of(self, label: str) -> Outcome:
        """The verdict that a matched label or word for a tie stands for."""
        for outcome, text in self.labels.by_outcome.items():
            if label == text or (self.case_insensitive and label.casefold() == text.casefold()):
                return outcome
        return Outcome.TIE


@lru_cache(maxsize=256)
def _compile(grammar: DecisionGrammar) -> _Compiled:
    labels = grammar.labels
    sides = (labels.first, labels.second)
    parts = Parts.of(
        every=labels.by_outcome.values(),
        sides=sides,
        nouns=grammar.nouns,
        parenthesised=grammar.parenthesised,
        case_insensitive=grammar.case_insensitive,
    )
    patterns = compile_patterns(parts, comparison=grammar.comparison)
    searches = searches_of(patterns, parts, sides=sides, nouns=grammar.nouns, case_insensitive=grammar.case_insensitive)
    return _Compiled(patterns=patterns, searches=searches)
