r"""Recency: which of two turns of a conversation decides.

The pair becomes two conversations of two turns. One turn asks the pair's own question; the other asks the question of
a *partner*, a pair of another question group. In the pair's own turn its gold side answers better. In the partner's
turn the other side gets the partner's better response. So each conversation holds one better and one worse answer,
and the two are even, but for how much the pair and its partner differ.

``late`` with target A puts A's better answer into the second turn, and so B's into the first; with target B the turns
stand the other way round. **Both hold the same four exchanges and differ by the order of the turns alone.** The effect
of recency is therefore the contrast of the two: how often A is preferred under ``late:A`` minus how often it is under
``late:B``. How good the answers are, how long, and by how much one pair outweighs the other all cancel within the
pair. The pair alone, a conversation of one turn, is no control for it.

The record's gold preference stays that of the pair's own question. Of the conversation, where the two sides are even,
it says nothing: accuracy under this change means nothing.

A partner shares its texts with the pair, so the pairs of two question groups are not quite independent. As the texts
cancel in the contrast, little of that is left in it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from evenhand.perturbations.base import Level, NotApplicable, Place
from evenhand.perturbations.sides import check_change, response_of
from evenhand.records import Change, Pair, Preference, content_hash

__all__ = ["RECENCY", "Recency", "partner_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recency:
    """The perturbation; see the module."""

    factor: str = "recency"
    levels: tuple[Level, ...] = (
        Level(
            name="late",
            description="Two conversations of two turns, each with a better and a worse answer; the target's better "
            "answer stands in the second turn.",
        ),
    )

    def apply(self, pair: Pair, change: Change, place: Place) -> Pair | NotApplicable:
        """The pair as two conversations; see :class:`~evenhand.perturbations.base.Perturbation`."""
        check_change(change, factor=self.factor, levels=self.levels)
        partner = place.partner
        if not _can_take_part(pair):
            return NotApplicable(reason="the pair has no gold preference for one side, or an empty text")
        if partner is None or partner.group == pair.group or not _can_take_part(partner):
            return NotApplicable(reason="no pair of another question, with a gold preference, can be its partner")
        own = _Turn.of(pair, better=pair.gold or Preference.TIE)
        other = _Turn.of(partner, better=own.better.swapped)
        first, second = (other, own) if own.better is change.target else (own, other)
        return replace(
            pair,
            instruction=_instruction(first.question, second.question),
            response_a=_conversation(first.question, first.side_a, second.question, second.side_a),
            response_b=_conversation(first.question, first.side_b, second.question, second.side_b),
        )


RECENCY: Final = Recency()


def partner_of(pairs: Sequence[Pair]) -> Mapping[str, Pair]:
    """For each pair's id, its partner: never itself, nor a pair of its own question group.

    Only pairs with a gold preference for one side and no empty text are partners. They stand in a ring, in the order of
    a hash of their ids; a pair's partner is the next one of another group. So the partner doesn't depend on the order
    of the pairs, and where every pair has its own group and can be a partner, each is one exactly once. A pair has
    none where no other group has one.

    Examples
    --------
    >>> pairs = [Pair(id=i, instruction=i, response_a="1", response_b="2", gold=Preference.A) for i in "pqr"]
    >>> partners = partner_of(pairs)
    >>> sorted(partner.id for partner in partners.values()), any(id == p.id for id, p in partners.items())
    (['p', 'q', 'r'], False)
    """
    ring = sorted((pair for pair in pairs if _can_take_part(pair)), key=lambda pair: _place(pair.id))
    if len({pair.group for pair in ring}) == 0:
        return {}
    places = [_place(pair.id) for pair in ring]
    # Where the next pair of another group than this one's stands, found from the end, twice round.
    other: list[int | None] = [None] * len(ring)
    for index in range(2 * len(ring) - 1, -1, -1):
        here, after = index % len(ring), (index + 1) % len(ring)
        other[here] = after if ring[after].group != ring[here].group else other[after]
    found: dict[str, Pair] = {}
    for pair in pairs:
        after = bisect_right(places, _place(pair.id)) % len(ring)
        index_of: int | None = after if ring[after].group != pair.group else other[after]
        if index_of is not None:
            found[pair.id] = ring[index_of]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """One question with both sides' answers; ``better`` is the side that has the better one."""

    question: str
    side_a: str
    side_b: str
    better: Preference

    @classmethod
    def of(cls, pair: Pair, *, better: Preference) -> _Turn:
        gold = pair.gold or Preference.TIE
        good, bad = response_of(pair, gold), response_of(pair, gold.swapped)
        side_a, side_b = (good, bad) if better is Preference.A else (bad, good)
        return cls(question=pair.instruction, side_a=side_a, side_b=side_b, better=better)


def _can_take_part(pair: Pair) -> bool:
    texts = (pair.instruction, pair.response_a, pair.response_b)
    return pair.gold in (Preference.A, Preference.B) and all(text.strip() for text in texts)


def _place(pair_id: str) -> str:
    return content_hash(["partner", pair_id])


def _instruction(first: str, second: str) -> str:
    return (
        "A user asks two questions, one after the other. The responses are whole conversations. Judge each as a whole: "
        f"both answers count equally.\n\n### Question 1:\n{first}\n\n### Question 2:\n{second}"
    )


def _conversation(first: str, answer: str, second: str, last: str) -> str:
    return f"### User:\n{first}\n\n### Assistant:\n{answer}\n\n### User:\n{second}\n\n### Assistant:\n{last}"
