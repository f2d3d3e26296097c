"""Which pairs are asked in order BA when not all are: likely flips for certain, and a random floor of the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from evenhand.audits.sample import in_a_table
from evenhand.errors import ConfigError
from evenhand.records import content_hash

__all__ = [
    "FEWEST_FLOOR",
    "FLOOR_SHARE",
    "PairRisk",
    "SwapDesign",
    "SwapPair",
    "SwapStratum",
    "check_floor",
    "draw_swaps",
    "floor_note",
    "floor_size",
]

FLOOR_SHARE = 0.1
FEWEST_FLOOR = 20
"""Pairs that the floor has at least, where there are as many: none of 20 flipping still leaves up to one in six."""


class SwapStratum(StrEnum):
    """Why a pair is asked in the other order, or with which chance."""

    CERTAIN = "certain"
    """Its risk is high: asked for certain."""
    UNKNOWN = "unknown"
    """It may flip, but its risk isn't known, as where the answer broke the format, or failed: asked for certain."""
    FLOOR = "floor"
    """Its risk is low: asked if the random floor draws it."""
    UNDECIDED = "undecided"
    """The judge chose no slot in order AB, so no flip can be found: asked at the floor's rate, for other figures."""

    @property
    def certain(self) -> bool:
        """Whether all of its pairs are asked."""
        return self in (SwapStratum.CERTAIN, SwapStratum.UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRisk:
    """What order AB told of a pair.

    Attributes
    ----------
    risk
        Predicted probability of a flip; None where it can't be predicted.
    decided
        Whether the judge chose a slot; None where the call failed, so that it may still.
    """

    pair_id: str
    risk: float | None
    decided: bool | None = True

    def __post_init__(self) -> None:
        if self.risk is not None and not 0 <= self.risk <= 1:
            raise ConfigError(f"pair {self.pair_id!r}: the risk of a flip is {self.risk}, expected 0 to 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapPair:
    """A pair's part in the design.

    Attributes
    ----------
    place
        In its stratum's random order, from 0.
    drawn
        Whether it is asked in order BA: its place is below the number drawn.
    """

    pair_id: str
    stratum: SwapStratum
    risk: float | None
    place: int
    drawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapDesign:
    """Which pairs are asked in order BA, and with which chance each was.

    Attributes
    ----------
    pairs
        All pairs of the run, in its order; empty while order AB isn't asked in full.
    floor
        Share of the floor that is drawn, above 0, at most 1; more where that would be fewer than ``minimum`` pairs.
    rule
        In words, what makes a risk high.
    guarantee
        What the rule promises, in words; None where nothing.
    why_empty
        In words, why there are no pairs.
    """

    pairs: tuple[SwapPair, ...]
    floor: float
    minimum: int = FEWEST_FLOOR
    seed: int
    rule: str = ""
    guarantee: str | None = None
    why_empty: str = "order AB comes first, and isn't asked in full yet"

    def __post_init__(self) -> None:
        check_floor(self.floor)

    def drawn(self) -> tuple[str, ...]:
        """Ids of the pairs to ask in order BA.

        Strata take turns, each as often as it has drawn pairs: wherever a run stops, all of them have been asked from.
        """
        turns = []
        for stratum in SwapStratum:
            own = sorted((p for p in self.pairs if p.stratum is stratum and p.drawn), key=lambda p: p.place)
            turns += [((p.place + 0.5) / len(own), order, p.pair_id) for order, p in enumerate(own)]
        return tuple(pair_id for _, _, pair_id in sorted(turns))

    def size(self, stratum: SwapStratum) -> int:
        """How many pairs a stratum has."""
        return sum(p.stratum is stratum for p in self.pairs)


def check_floor(floor: float) -> None:
    """Raise ConfigError unless 0 < floor <= 1."""
    if not 0 < floor <= 1:
        raise ConfigError(
            f"floor is {floor}: expected the share of the other pairs to ask in both orders, above 0 and at most 1; "
            "without it nothing is known of them"
        )


def floor_size(pairs: int, *, floor: float, minimum: int = FEWEST_FLOOR) -> int:
    """How many of a stratum's pairs the floor draws.

    Examples
    --------
    >>> floor_size(1000, floor=0.1), floor_size(150, floor=0.1), floor_size(12, floor=0.1)
    (100, 20, 12)
    """
    return min(pairs, max(minimum, math.ceil(round(floor * pairs, 9))))


def floor_note(pairs: int, *, floor: float, minimum: int, exact: bool = True) -> str | None:
    """What to say where not the share decides how many of a stratum's pairs are drawn, but their least number.

    Parameters
    ----------
    pairs
        Of the stratum; or as many as it has at most, with ``exact`` False.

    Examples
    --------
    >>> floor_note(21, floor=0.1, minimum=20)[:77]
    'the floor of 20 pairs is 95 % of the rest (10 % were asked for, but 20 pairs '
    >>> floor_note(1000, floor=0.1, minimum=20) is None
    True
    """
    drawn = floor_size(pairs, floor=floor, minimum=minimum)
    if not pairs or drawn <= floor_size(pairs, floor=floor, minimum=0):
        return None
    return (
        f"the floor of {drawn:,} pairs is {'' if exact else 'at least '}{100 * drawn / pairs:.0f} % of the rest "
        f"({100 * floor:g} % were asked for, but {minimum:,} pairs at least): fewer would save more, see --floor-pairs"
    )


def draw_swaps(
    risks: Sequence[PairRisk],
    *,
    threshold: float | None = None,
    share: float | None = None,
    floor: float = FLOOR_SHARE,
    minimum: int = FEWEST_FLOOR,
    seed: int,
    rule: str = "",
    guarantee: str | None = None,
) -> SwapDesign:
    """Sort pairs into strata and draw the floor: a simple random sample of its stratum, without replacement.

    A pair's place within its stratum is that of its seeded hash. So the same risks give the same design, on any machine
    and after any interruption, and a larger floor contains a smaller one. Which of several equal risks a share takes is
    decided by another hash: by the same one those that it leaves would all come late in the floor's order.

    Parameters
    ----------
    threshold
        A risk of at least as much is high.
    share
        The given share of the pairs whose risk is known, rounded up, have a high one: the largest risks, among equal
        ones the first in a random order. Give either.

    Raises
    ------
    ConfigError
        Both or none of threshold and share, one of them outside of its range, a negative seed, or an id twice.

    Examples
    --------
    >>> risks = [PairRisk(pair_id=f"p{i}", risk=i / 100) for i in range(100)]
    >>> design = draw_swaps(risks, share=0.3, floor=0.1, minimum=5, seed=0)
    >>> len(design.drawn()), design.size(SwapStratum.CERTAIN), min(int(p[1:]) for p in design.drawn()) < 70
    (37, 30, True)
    """
    _check(risks, threshold=threshold, share=share, seed=seed)
    by_place = _shuffled(risks, "swap", seed)
    high = _high(_shuffled(risks, "swap ties", seed), threshold=threshold, share=share)
    members: dict[SwapStratum, list[PairRisk]] = {stratum: [] for stratum in SwapStratum}
    for each in by_place:
        members[_stratum(each, high)].append(each)
    made = {}
    for stratum, own in members.items():
        drawn = len(own) if stratum.certain else floor_size(len(own), floor=floor, minimum=minimum)
        for place, each in enumerate(own):
            made[each.pair_id] = SwapPair(
                pair_id=each.pair_id, stratum=stratum, risk=each.risk, place=place, drawn=place < drawn
            )
    return SwapDesign(
        pairs=tuple(made[each.pair_id] for each in risks),
        floor=floor,
        minimum=minimum,
        seed=seed,
        rule=rule,
        guarantee=guarantee,
    )


def _check(risks: Sequence[PairRisk], *, threshold: float | None, share: float | None, seed: int) -> None:
    if (threshold is None) == (share is None):
        raise ConfigError("which risks are high: give a threshold or a share of the pairs")
    if share is not None and not 0 < share <= 1:
        raise ConfigError(f"swap budget is {share}: expected the share of pairs to swap, above 0 and at most 1")
    if threshold is not None and math.isnan(threshold):
        raise ConfigError("the threshold of the risk is no number")
    if seed < 0:
        raise ConfigError(f"seed is {seed}: expected 0 or a positive whole number")
    if len({p.pair_id for p in risks}) != len(risks):
        raise ConfigError("a pair occurs twice among those to swap")


def _shuffled(risks: Sequence[PairRisk], what: str, seed: int) -> list[PairRisk]:
    """In the order of seeded hashes; another ``what`` gives an order that is independent of it."""
    return sorted(risks, key=lambda p: (content_hash([what, seed, in_a_table(p.pair_id)]), p.pair_id))


def _high(shuffled: Sequence[PairRisk], *, threshold: float | None, share: float | None) -> frozenset[str]:
    known = [(p.risk, p.pair_id) for p in shuffled if p.risk is not None]
    if threshold is not None:
        return frozenset(pair_id for risk, pair_id in known if risk >= threshold)
    assert share is not None  # noqa: S101 - checked before; tells the type checker
    count = math.ceil(round(share * len(known), 9))
    return frozenset(pair_id for _, pair_id in sorted(known, key=lambda each: -each[0])[:count])


def _stratum(pair: PairRisk, high: frozenset[str]) -> SwapStratum:
    if pair.risk is not None:
        return SwapStratum.CERTAIN if pair.pair_id in high else SwapStratum.FLOOR
    return SwapStratum.UNDECIDED if pair.decided is False else SwapStratum.UNKNOWN
