"""How many pairs a question needs, and the smallest effect that a number of pairs can show."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

import numpy as np

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, check_level
from evenhand.stats.proportions import normal_quantile, student_quantile, wilson_limits
from evenhand.stats.results import Refusal

__all__ = [
    "HalfWidth",
    "MeanShift",
    "PairedRates",
    "PowerAnswer",
    "PowerQuestion",
    "RateAgainst",
    "achieved_power",
    "design_effect",
    "minimum_detectable_effect",
    "pairs_needed",
]

_MOST_PAIRS = 1e9
"""More pairs than this are no plan."""
_NODES = 200
"""Of the quadrature: ten standard deviations either way to 12 digits."""


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


def achieved_power(
    question: RateAgainst | PairedRates | MeanShift,
    *,
    pairs: float,
    effect: float,
    level: float = 0.95,
    deff: float = 1.0,
) -> float:
    """Chance that a two-sided test at ``1 - level`` finds an effect with so many pairs.

    Parameters
    ----------
    effect
        Its sign matters for a rate against a value that isn't .5.
    deff
        Design effect of the clusters, see :func:`design_effect`.

    Notes
    -----
    Rates by the normal approximation, with the null's variance in the test and the effect's in the power; for
    paired rates Connor's formula; a mean by the noncentral t distribution.

    References
    ----------
    Connor (1987), doi:10.2307/2531961, for paired rates; Fleiss, Levin and Paik (2003), Statistical Methods for Rates
    and Proportions, chapter 2.

    Examples
    --------
    >>> round(achieved_power(RateAgainst(), pairs=194, effect=0.1), 3)
    0.8
    """
    from scipy.special import ndtr

    _check_common(level=level, deff=deff)
    n = pairs / deff
    z = normal_quantile(level)
    match question:
        case RateAgainst(value=p):
            q = p + effect
            if not 0 <= q <= 1:
                msg = f"a rate of {p:g} can't be moved by {effect:g}"
                raise StatisticsError(msg)
            under, at, spread = math.sqrt(p * (1 - p)), math.sqrt(q * (1 - q)), abs(effect)
        case PairedRates(discordance=psi):
            if abs(effect) > psi:
                msg = f"two rates that differ on a share of {psi:g} of the pairs can't be {abs(effect):g} apart"
                raise StatisticsError(msg)
            under, at, spread = math.sqrt(psi), math.sqrt(psi - effect**2), abs(effect)
        case MeanShift(sd=sd):
            return _power_of_t(n, abs(effect) / sd, level)
        case _:
            assert_never(question)
    if at == 0:
        return 1.0 if spread * math.sqrt(n) > z * under else 0.0
    beyond = (spread * math.sqrt(n) - z * under) / at
    other_side = (-spread * math.sqrt(n) - z * under) / at
    return float(ndtr(beyond) + ndtr(other_side))


def _power_of_t(n: float, standardised: float, level: float) -> float:
    """Both tails of the noncentral t, integrated over the standard deviation that the sample happens to have.

    SciPy's noncentral t gives NaN in the far tail (1.17); a normal tail within a smooth integrand needs no series.
    """
    from scipy.special import gammaln, ndtr

    if n <= 2:
        return 0.0
    df, shift = n - 1, standardised * math.sqrt(n)
    quantile = student_quantile(level, df)
    nodes, weights = _quadrature()
    reach = 10 / math.sqrt(2 * df)
    low, high = max(0.0, 1 - reach), 1 + reach
    ratio = low + (high - low) * (nodes + 1) / 2  # sample over true standard deviation
    log_density = (
        math.log(2) + df / 2 * math.log(df / 2) - gammaln(df / 2) + (df - 1) * np.log(ratio) - df * ratio**2 / 2
    )
    tails = ndtr(shift - quantile * ratio) + ndtr(-shift - quantile * ratio)
    return min(1.0, float((high - low) / 2 * weights @ (np.exp(log_density) * tails)))


@functools.cache
def _quadrature() -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of Gauss and Legendre between -1 and 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes.astype(np.float64), weights.astype(np.float64)


def pairs_needed(
    question: PowerQuestion, effect: float, *, power: float = 0.8, level: float = 0.95, deff: float = 1.0
) -> PowerAnswer | Refusal:
    """The fewest pairs that show an effect with a power, or whose interval is as narrow as ``effect`` says.

    Parameters
    ----------
    effect
        Not 0. For a rate against a value, its sign says on which side.

    Returns
    -------
    PowerAnswer or Refusal
        Refused beyond a billion pairs.

    Raises
    ------
    StatisticsError
        An effect that is 0, or that the question rules out; power or level not between 0 and 1.

    Examples
    --------
    >>> pairs_needed(RateAgainst(value=0.5), 0.1).pairs
    194
    >>> pairs_needed(PairedRates(discordance=0.2), 0.1).pairs
    155
    >>> pairs_needed(HalfWidth(rate=0.15), 0.05).pairs
    196
    """
    _check_common(level=level, deff=deff, power=power)
    if effect == 0 or not math.isfinite(effect):
        msg = f"effect must be a number other than 0, is {effect}"
        raise StatisticsError(msg)
    enough = _enough(question, effect, power=power, level=level, deff=deff)
    if not enough(_MOST_PAIRS):
        return Refusal(reason=f"needs more than {_MOST_PAIRS:,.0f} pairs")
    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return _answer(question, pairs=high, effect=abs(effect), power=power, level=level, deff=deff)


def _enough(
    question: PowerQuestion, effect: float, *, power: float, level: float, deff: float
) -> Callable[[float], bool]:
    if isinstance(question, HalfWidth):
        return lambda pairs: _half_width(question, pairs, level, deff) <= abs(effect)
    return lambda pairs: achieved_power(question, pairs=pairs, effect=effect, level=level, deff=deff) >= power


def _half_width(question: HalfWidth, pairs: float, level: float, deff: float) -> float:
    low, high = wilson_limits(question.rate, pairs / deff, normal_quantile(level))
    return (high - low) / 2


def minimum_detectable_effect(
    question: PowerQuestion,
    pairs: int,
    *,
    power: float = 0.8,
    level: float = 0.95,
    deff: float = 1.0,
    above: bool = True,
) -> PowerAnswer | Refusal:
    """The smallest effect that so many pairs show with a power, or the half width of their interval.

    Parameters
    ----------
    above
        For a rate against a value: whether the rate is above it or below.

    Returns
    -------
    PowerAnswer or Refusal
        Refused where even the largest effect that the question allows isn't found with that power.

    Examples
    --------
    >>> round(minimum_detectable_effect(RateAgainst(value=0.5), 194).effect, 3)
    0.1
    >>> minimum_detectable_effect(PairedRates(discordance=0.02), 50).reason
    'even two rates 0.02 apart are found with a power of only 0.17 by 50 pairs'
    """
    _check_common(level=level, deff=deff, power=power)
    if pairs < 1:
        msg = f"pairs must be at least 1, is {pairs}"
        raise StatisticsError(msg)
    match question:
        case HalfWidth():
            half = _half_width(question, pairs, level, deff)
            return _answer(question, pairs=pairs, effect=half, power=power, level=level, deff=deff)
        case RateAgainst(value=value):
            most, sign, what = (1 - value if above else value), (1 if above else -1), "a rate of {far:g}"
        case PairedRates(discordance=psi):
            most, sign, what = psi, 1, "two rates {far:g} apart"
        case MeanShift(sd=sd):
            most, sign, what = 1e6 * sd, 1, "a mean of {far:g}"
        case _:
            assert_never(question)

    def reached(effect: float) -> float:
        return achieved_power(question, pairs=pairs, effect=sign * effect, level=level, deff=deff)

    if reached(most) < power:
        far = (value if isinstance(question, RateAgainst) else 0.0) + sign * most
        found = what.format(far=far)
        return Refusal(
            reason=f"even {found} are found with a power of only {reached(most):.2f} by {pairs} pairs", n=pairs
        )
    low, high = 0.0, most
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    return _answer(question, pairs=pairs, effect=high, power=power, level=level, deff=deff)


def _answer(
    question: PowerQuestion, *, pairs: int, effect: float, power: float, level: float, deff: float
) -> PowerAnswer:
    match question:
        case RateAgainst():
            method = "two-sided score test of a rate, normal approximation"
        case PairedRates():
            method = "two-sided McNemar test, normal approximation (Connor 1987)"
        case MeanShift():
            method = "two-sided t test, noncentral t"
        case HalfWidth():
            method = "Wilson's interval"
        case _:
            assert_never(question)
    return PowerAnswer(
        question=question,
        pairs=pairs,
        effect=effect,
        power=None if isinstance(question, HalfWidth) else power,
        level=level,
        design_effect=deff,
        method=method if deff == 1 else f"{method}, design effect {deff:.3g}",
    )


def _check_share(name: str, value: float, *, one: bool = False) -> None:
    if not (0 < value < 1 or (one and value == 1)):
        msg = f"{name} must lie between 0 and 1, is {value}"
        raise StatisticsError(msg)


def _check_common(*, level: float, deff: float, power: float = 0.5) -> None:
    check_level(level)
    if not 0 < power < 1:
        msg = f"power must lie between 0 and 1, is {power}"
        raise StatisticsError(msg)
    if not (deff > 0 and math.isfinite(deff)):
        msg = f"the design effect must be above 0, is {deff}"
        raise StatisticsError(msg)
