"""What a power analysis asks: of a rate, two rates, a mean or an interval, with so many pairs in clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from evenhand.errors import StatisticsError

__all__ = [
    "HalfWidth",
    "MeanShift",
    "PairedRates",
    "PowerAnswer",
    "PowerQuestion",
    "PowerSize",
    "RateAgainst",
    "cluster_size_of",
    "design_effect",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateAgainst:
    """Is a rate another than a given value, such as the first-slot rate than .5? ``effect`` is their difference."""

    value: float = 0.5

    def __post_init__(self) -> None:
        _check_share("value", self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRates:
    """Do two rates on the same pairs differ? ``effect`` is their difference.

    Attributes
    ----------
    discordance
        Share of pairs that have the one and not the other, either way round: p10 + p01. It bounds the difference.
    """

    discordance: float

    def __post_init__(self) -> None:
        _check_share("discordance", self.discordance, one=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanShift:
    """Is a mean other than 0, such as that of a log odds' shift? ``effect`` is the mean, in the units of ``sd``."""

    sd: float = 1.0

    def __post_init__(self) -> None:
        if not self.sd > 0:
            msg = f"sd must be above 0, is {self.sd}"
            raise StatisticsError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfWidth:
    """How wide is a rate's interval? ``effect`` is half the width of Wilson's about ``rate``; no power enters."""

    rate: float

    def __post_init__(self) -> None:
        _check_share("rate", self.rate)


PowerQuestion: TypeAlias = RateAgainst | PairedRates | MeanShift | HalfWidth


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerAnswer:
    """A number of pairs and the effect that they show with the given power.

    Attributes
    ----------
    effect
        Positive; what it is says the question.
    power
        Chance that a two-sided test at ``1 - level`` rejects; None for a half width.
    design_effect
        By which clusters thin out the pairs: ``pairs / design_effect`` independent ones tell as much.
    method
        In words fit for a caption.
    """

    question: PowerQuestion
    pairs: int
    effect: float
    power: float | None
    level: float
    design_effect: float
    method: str


def design_effect(cluster_size: float, correlation: float) -> float:
    """``1 + (m - 1) ρ``: by how much clusters of m pairs with intra-cluster correlation ρ raise the variance of a mean.

    Raises
    ------
    StatisticsError
        Unless ``cluster_size >= 1`` and ``0 <= correlation <= 1``.

    References
    ----------
    Kish (1965), Survey Sampling, section 5.4.

    Examples
    --------
    >>> design_effect(5, 0.25)
    2.0
    """
    if not cluster_size >= 1 or not 0 <= correlation <= 1:
        msg = f"needs cluster_size >= 1 and correlation between 0 and 1, has {cluster_size} and {correlation}"
        raise StatisticsError(msg)
    return 1 + (cluster_size - 1) * correlation


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerSize:
    """How many pairs, in clusters of how many, and by how much those thin them out."""

    pairs: float
    cluster_size: float
    deff: float

    @property
    def clusters(self) -> float:
        """Whole and part ones."""
        return self.pairs / self.cluster_size

    @property
    def effective(self) -> float:
        """Independent pairs that tell as much."""
        return self.pairs / self.deff

    @property
    def alone(self) -> bool:
        """Whether no pair shares a cluster with another."""
        return self.cluster_size == 1 and self.deff == 1


def cluster_size_of(given: float | None, deff: float) -> float:
    """The cluster size given; else the fewest pairs that can have the design effect."""
    size = max(1.0, deff) if given is None else given
    if not (size >= 1 and math.isfinite(size)) or deff > size * (1 + 1e-9):
        msg = f"needs cluster_size >= 1, and no design effect above it, has {size} and {deff}"
        raise StatisticsError(msg)
    return size


def _check_share(name: str, value: float, *, one: bool = False) -> None:
    if not (0 < value < 1 or (one and value == 1)):
        msg = f"{name} must lie between 0 and 1, is {value}"
        raise StatisticsError(msg)
