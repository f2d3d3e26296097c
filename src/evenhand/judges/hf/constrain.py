"""Writing nothing but a label: which tokens may come next, and which of them the judge likes best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evenhand.judges.hf.tokens import TokenTexts
from evenhand.records import LabelSet

__all__ = ["Constraint", "constraint_of"]


@dataclass(slots=True, kw_only=True)
class Constraint:
    """The labels as token sequences, and how far they have been written.

    Examples
    --------
    >>> constraint = Constraint(spellings={(5,): "A", (6, 7): "Both"})
    >>> constraint.allowed
    (5, 6)
    >>> constraint.take(6), constraint.allowed, constraint.take(7)
    (None, (7,), 'Both')
    """

    spellings: Mapping[tuple[int, ...], str]
    _written: tuple[int, ...] = field(default=())

    @property
    def allowed(self) -> tuple[int, ...]:
        """Tokens that may come next, ascending."""
        size = len(self._written)
        return tuple(sorted({ids[size] for ids in self.spellings if len(ids) > size and ids[:size] == self._written}))

    @property
    def may_end(self) -> str | None:
        """The label that is whole already while a longer one may still come of it."""
        return self.spellings.get(self._written)

    @property
    def longest(self) -> int:
        """Tokens of the longest spelling."""
        return max(len(ids) for ids in self.spellings)

    def take(self, token: int) -> str | None:
        """Write an allowed token; the label, where no longer one can come of it."""
        self._written = (*self._written, token)
        return None if self.allowed else self.spellings[self._written]


def constraint_of(texts: TokenTexts, labels: LabelSet, single: Sequence[tuple[str, int]]) -> Constraint:
    """What a label may be spelled with.

    Parameters
    ----------
    labels
        The labels.
    single
        (label, token) of every variant that is one token. Where each label has one, only these count: then one
        token decides, as in the first-token readout. Else every label is spelled out in the tokens it has as text.
    """
    wanted = tuple(labels.by_outcome.values())
    if {label for label, _ in single} == set(wanted):
        return Constraint(spellings={(token,): label for label, token in single})
    spellings: dict[tuple[int, ...], str] = {}
    for outcome, label in labels.by_outcome.items():
        for variant in labels.variants(outcome):
            spellings.setdefault(tuple(texts.plain(variant)), label)
    return Constraint(spellings=spellings)
