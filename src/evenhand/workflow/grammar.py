"""How decisions look in the answers of a condition: what the watcher goes by while the judge writes, and the reader."""

from __future__ import annotations

from evenhand.readouts import NOUNS, DecisionGrammar
from evenhand.records import Condition

__all__ = ["grammar_of"]


def grammar_of(condition: Condition) -> DecisionGrammar:
    """The grammar that the condition's hint describes, or that of its bare labels."""
    hint = condition.grammar
    if hint is None:
        return DecisionGrammar.of(condition.labels)
    return DecisionGrammar(
        labels=hint.labels,
        nouns=tuple(dict.fromkeys((*hint.nouns, *NOUNS))),
        comparison=hint.comparison,
        parenthesised=hint.parenthesised,
        case_insensitive=hint.case_insensitive,
        declared=hint.declared,
        scale=hint.scale,
    )
