"""Which pairs two runs share: the same id, and nothing changed that a judge sees or is scored by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.records import Pair

__all__ = ["PairMatch", "match_pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMatch:
    """The pairs of two runs.

    Attributes
    ----------
    shared
        Ids of pairs that are the same in both, in the old run's order.
    changed
        Ids that both have, with another instruction, response, gold preference, source or question group.
    only_old, only_new
        How many pairs only one of them has.
    """

    shared: tuple[str, ...]
    changed: tuple[str, ...]
    only_old: int
    only_new: int

    @property
    def left_out(self) -> int:
        """How many pairs of either run are not compared."""
        return len(self.changed) + self.only_old + self.only_new


def match_pairs(old: Sequence[Pair], new: Sequence[Pair]) -> PairMatch:
    """Match by id and content hash.

    Examples
    --------
    >>> a = Pair(id="a", instruction="q", response_a="1", response_b="2")
    >>> b = Pair(id="b", instruction="q", response_a="1", response_b="2")
    >>> edited = Pair(id="b", instruction="q", response_a="1", response_b="3")
    >>> match = match_pairs([a, b], [edited, a])
    >>> match.shared, match.changed
    (('a',), ('b',))
    """
    there = {pair.id: pair.content_hash for pair in new}
    shared: list[str] = []
    changed: list[str] = []
    for pair in old:
        found = there.get(pair.id)
        if found is not None:
            (shared if found == pair.content_hash else changed).append(pair.id)
    both = len(shared) + len(changed)
    return PairMatch(shared=tuple(shared), changed=tuple(changed), only_old=len(old) - both, only_new=len(there) - both)
