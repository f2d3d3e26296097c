"""Watching a text grow: whether a decision can be read, and whether no later text can change what is read."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.readouts.decision import DecisionStatus, is_absorbing
from evenhand.readouts.grammar import DecisionGrammar
from evenhand.readouts.scores import decide
from evenhand.records import LabelSet, TextStatus

__all__ = ["DecisionWatcher"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionWatcher:
    """Implements :class:`evenhand.records.TextWatcher` with the rules of :func:`parse_decision`.

    Almost nothing is settled before the judge ends its turn: any later text may state another conclusion. The one
    state that no later text can leave is a contradiction that follows a decision marked as final, after the judge
    closed its thinking (docs/decisions/0004-decision-patterns.md has the argument; a property test holds us to it).
    Scores are never settled: a text may always score a response again.

    Examples
    --------
    >>> watcher = DecisionWatcher.of(LabelSet.parse("A/B"))
    >>> watcher.status("Let me see"), watcher.status("[[A]] because")
    (<TextStatus.OPEN: 'open'>, <TextStatus.READ: 'read'>)
    """

    grammar: DecisionGrammar

    @classmethod
    def of(cls, labels: LabelSet) -> DecisionWatcher:
        """The watcher with the default grammar of a label set."""
        return cls(grammar=DecisionGrammar.of(labels))

    def status(self, text: str) -> TextStatus:
        """Status of a text that may still grow."""
        if self.grammar.scale is None and is_absorbing(text, self.grammar):
            return TextStatus.SETTLED
        found = decide(text, self.grammar, complete=False).status is DecisionStatus.FOUND
        return TextStatus.READ if found else TextStatus.OPEN
