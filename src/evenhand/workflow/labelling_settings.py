"""How people label: which pairs several of them get, which come first, and which come again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.errors import ConfigError

__all__ = ["ORDERS", "LabelSettings"]

ORDERS: Final = ("random", "informative")
_MOST_REPEATS: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSettings:
    """Which pairs annotators get.

    Attributes
    ----------
    overlap
        Share of the pairs that every annotator labels: without it nothing tells how far people agree. They are drawn at
        random, and come to everybody in one order, so that annotators who stop early have labelled the same ones.
        The others are labelled once, by whoever gets them.
    repeats
        Of an annotator's own pairs, how many come again later, in the other order, as a share of them.
    order
        ``random``; or ``informative``: of the pairs that are labelled once, first those on which judges flip or
        disagree. Such labels are no random sample of the pairs, and the store says so of each.
    seed
        Of every random choice; kept in a new label store. None: drawn.

    Raises
    ------
    ConfigError
        A value that can't be.
    """

    overlap: float = 0.2
    repeats: float = 0.05
    order: str = "random"
    seed: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.overlap <= 1:
            raise ConfigError(f"overlap is {self.overlap}: expected a share from 0 to 1, such as .2")
        if not 0 <= self.repeats <= _MOST_REPEATS:
            raise ConfigError(f"repeats is {self.repeats}: expected a share from 0 to {_MOST_REPEATS}, such as .05")
        if self.order not in ORDERS:
            raise ConfigError(f"label order is {self.order!r}: expected {' or '.join(ORDERS)}")
        if self.seed is not None and not 0 <= self.seed < 2**63:
            raise ConfigError(f"label seed is {self.seed}: expected 0 or more")
