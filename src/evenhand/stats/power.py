"""How many pairs a question needs, and the smallest effect that a number of pairs can show."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import assert_never

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import check_level
from evenhand.stats.clusters import MIN_CLUSTERS, refuse_few_clusters
from evenhand.stats.power_questions import (
    HalfWidth,
    MeanShift,
    PairedRates,
    PowerAnswer,
    PowerQuestion,
    PowerSize,
    RateAgainst,
    cluster_size_of,
    design_effect,
)
from evenhand.stats.proportions import normal_quantile, student_quantile, wilson_limits
from evenhand.stats.results import Refusal
from evenhand.stats.small_sample_power import power_of_binomial, power_of_mcnemar, power_of_t

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
_FEW = 25
"""Expected discordant pairs (of a rate against a value, twice the rarer outcome) up to which the exact test's own power
is used. A convention: Connor's formula promises .80 with 7 discordant pairs where the exact test has .70."""
_MOST_EXACT = 500
"""Pairs up to which a rate against a rare value is computed exactly: the search looks at each."""


def achieved_power(
    question: RateAgainst | PairedRates | MeanShift,
    *,
    pairs: float,
    effect: float,
    level: float = 0.95,
    deff: float = 1.0,
    cluster_size: float | None = None,
) -> float:
    """Chance that a two-sided test at ``1 - level`` finds an effect with so many pairs.

    Parameters
    ----------
    effect
        Its sign matters for a rate against a value that isn't .5.
    deff
        Design effect of the clusters, see :func:`design_effect`.
    cluster_size
        Pairs a cluster. None: as many as ``deff`` says, the fewest that can have it.

    Returns
    -------
    float
        0 below 5 clusters, which audits refuse.

    Raises
    ------
    StatisticsError
        An effect that the question rules out, or a design effect above the cluster size.

    Notes
    -----
    A mean by the noncentral t distribution with clusters - 1 degrees of freedom. Rates by the normal approximation,
    with the null's variance in the test and the effect's in the power (for paired rates Connor's formula), and with
    Student's t in its place where pairs are clustered. With at most 25 discordant pairs expected (or 25 of twice the
    rarer outcome) by the exact binomial or McNemar test; of clustered pairs at their effective number, and no more than
    the approximation says. An exact test over K clusters can't reject where ``2 ** (1 - K) > 1 - level``.

    References
    ----------
    Connor (1987), doi:10.2307/2531961, for paired rates; Fleiss, Levin and Paik (2003), Statistical Methods for Rates
    and Proportions, chapter 2.

    Examples
    --------
    >>> round(achieved_power(RateAgainst(), pairs=194, effect=0.1), 3)
    0.8
    >>> round(achieved_power(MeanShift(), pairs=100, effect=0.6, deff=design_effect(20, 0.3), cluster_size=20), 2)
    0.42
    """
    _check_common(level=level, deff=deff)
    size = PowerSize(pairs=pairs, cluster_size=cluster_size_of(cluster_size, deff), deff=deff)
    match question:
        case RateAgainst(value=p):
            q = p + effect
            if not 0 <= q <= 1:
                msg = f"a rate of {p:g} can't be moved by {effect:g}"
                raise StatisticsError(msg)
            under, at = math.sqrt(p * (1 - p)), math.sqrt(q * (1 - q))
        case PairedRates(discordance=psi):
            if abs(effect) > psi:
                msg = f"two rates that differ on a share of {psi:g} of the pairs can't be {abs(effect):g} apart"
                raise StatisticsError(msg)
            under, at = math.sqrt(psi), math.sqrt(psi - effect**2)
        case MeanShift(sd=sd):
            under = at = sd
        case _:
            assert_never(question)
    if size.clusters < MIN_CLUSTERS:
        return 0.0
    if isinstance(question, MeanShift):
        return power_of_t(abs(effect) / at * math.sqrt(size.effective), df=size.clusters - 1, level=level)
    return _power_of_rate(question, size, effect=effect, under=under, at=at, level=level)


def _power_of_rate(
    question: RateAgainst | PairedRates, size: PowerSize, *, effect: float, under: float, at: float, level: float
) -> float:
    exact = 1.0
    if size.pairs <= _exact_up_to(question, size.deff):
        count = math.floor(size.effective + 1e-9)
        match question:
            case RateAgainst(value=p):
                exact = power_of_binomial(count, value=p, rate=min(1.0, max(0.0, p + effect)), level=level)
            case PairedRates(discordance=psi):
                exact = power_of_mcnemar(count, discordance=psi, effect=effect, level=level)
            case _:
                assert_never(question)
        if size.alone:
            return exact
    if not size.alone and 2 ** (1 - size.clusters) > (1 - level) * (1 + 1e-9):
        return 0.0
    return min(exact, _approximate(size, abs(effect) * math.sqrt(size.effective), under=under, at=at, level=level))


def _approximate(size: PowerSize, distance: float, *, under: float, at: float, level: float) -> float:
    """By the normal, or by Student's t where pairs are clustered."""
    from scipy.special import ndtr

    df = size.clusters - 1
    quantile = normal_quantile(level) if size.alone else student_quantile(level, df)
    if at == 0:
        return 1.0 if distance > quantile * under else 0.0
    if not size.alone:
        return power_of_t(distance / at, df=df, level=level, scale=under / at)
    return float(ndtr((distance - quantile * under) / at) + ndtr((-distance - quantile * under) / at))


def _exact_up_to(question: PowerQuestion, deff: float) -> int:
    """The most pairs for which the exact test's power is used; 0: never."""
    match question:
        case RateAgainst(value=p):
            return math.floor(deff * min(_FEW / (2 * min(p, 1 - p)), _MOST_EXACT))
        case PairedRates(discordance=psi):
            return math.floor(deff * _FEW / psi)
        case _:
            return 0


def pairs_needed(
    question: PowerQuestion,
    effect: float,
    *,
    power: float = 0.8,
    level: float = 0.95,
    deff: float = 1.0,
    cluster_size: float | None = None,
) -> PowerAnswer | Refusal:
    """The fewest pairs that show an effect with a power, or whose interval is as narrow as ``effect`` says.

    Parameters
    ----------
    effect
        Not 0. For a rate against a value, its sign says on which side.
    deff, cluster_size
        As in :func:`achieved_power`.

    Returns
    -------
    PowerAnswer or Refusal
        So many, and any greater number too, have the power (that of an exact test goes up and down with the number).
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
    size = cluster_size_of(cluster_size, deff)

    def enough(pairs: float) -> bool:
        if isinstance(question, HalfWidth):
            return _half_width(question, PowerSize(pairs=pairs, cluster_size=size, deff=deff), level) <= abs(effect)
        reached = achieved_power(question, pairs=pairs, effect=effect, level=level, deff=deff, cluster_size=size)
        return reached >= power

    if not enough(_MOST_PAIRS):
        return Refusal(reason=f"needs more than {_MOST_PAIRS:,.0f} pairs")
    needed = _fewest(question, enough, exact=_exact_up_to(question, deff))
    return _answer(question, pairs=needed, effect=abs(effect), power=power, level=level, deff=deff)


def _fewest(question: PowerQuestion, enough: Callable[[float], bool], *, exact: int) -> int:
    """The fewest pairs from which on there are enough."""
    low, high = 0, 1
    if exact and not enough(exact + 1):
        low, high = exact + 1, 2 * (exact + 1)
    elif exact and not (isinstance(question, PairedRates) and question.discordance <= 0.5):
        # An exact test's power goes up and down with the number of trials; where that number varies, it is smooth.
        return next((pairs + 1 for pairs in range(exact, 0, -1) if not enough(pairs)), 1)
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _half_width(question: HalfWidth, size: PowerSize, level: float) -> float:
    if size.clusters < MIN_CLUSTERS:
        return math.inf
    quantile = normal_quantile(level) if size.alone else student_quantile(level, size.clusters - 1)
    low, high = wilson_limits(question.rate, size.effective, quantile)
    return (high - low) / 2


def minimum_detectable_effect(
    question: PowerQuestion,
    pairs: int,
    *,
    power: float = 0.8,
    level: float = 0.95,
    deff: float = 1.0,
    cluster_size: float | None = None,
    above: bool = True,
) -> PowerAnswer | Refusal:
    """The smallest effect that so many pairs show with a power, or the half width of their interval.

    Parameters
    ----------
    deff, cluster_size
        As in :func:`achieved_power`.
    above
        For a rate against a value: whether the rate is above it or below.

    Returns
    -------
    PowerAnswer or Refusal
        Refused below 5 clusters, and where even the largest effect that the question allows isn't found with that
        power.

    Examples
    --------
    >>> round(minimum_detectable_effect(RateAgainst(value=0.5), 194).effect, 3)
    0.1
    >>> minimum_detectable_effect(PairedRates(discordance=0.02), 50).reason
    'even two rates 0.02 apart are found with a power of only 0.00 by 50 pairs'
    """
    _check_common(level=level, deff=deff, power=power)
    if pairs < 1:
        msg = f"pairs must be at least 1, is {pairs}"
        raise StatisticsError(msg)
    size = PowerSize(pairs=pairs, cluster_size=cluster_size_of(cluster_size, deff), deff=deff)
    refusal = refuse_few_clusters(math.floor(size.clusters + 1e-9), n=pairs)
    if refusal is not None:
        return refusal
    match question:
        case HalfWidth():
            half = _half_width(question, size, level)
            return _answer(question, pairs=pairs, effect=half, power=power, level=level, deff=deff)
        case RateAgainst(value=value):
            most, sign, what = (1 - value if above else value), (1 if above else -1), "a rate of {far:g} is"
        case PairedRates(discordance=psi):
            most, sign, what = psi, 1, "two rates {far:g} apart are"
        case MeanShift(sd=sd):
            most, sign, what = 1e6 * sd, 1, "a mean of {far:g} is"
        case _:
            assert_never(question)

    def reached(effect: float) -> float:
        return achieved_power(
            question, pairs=pairs, effect=sign * effect, level=level, deff=deff, cluster_size=size.cluster_size
        )

    if reached(most) < power:
        far = (value if isinstance(question, RateAgainst) else 0.0) + sign * most
        found = what.format(far=far)
        return Refusal(reason=f"even {found} found with a power of only {reached(most):.2f} by {pairs} pairs", n=pairs)
    low, high = 0.0, most
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    return _answer(question, pairs=pairs, effect=high, power=power, level=level, deff=deff)


def _answer(
    question: PowerQuestion, *, pairs: int, effect: float, power: float, level: float, deff: float
) -> PowerAnswer:
    exact = pairs <= _exact_up_to(question, deff)
    match question:
        case RateAgainst():
            method = (
                "exact two-sided binomial test" if exact else "two-sided score test of a rate, normal approximation"
            )
        case PairedRates():
            connor = "two-sided McNemar test, normal approximation (Connor 1987)"
            method = "exact two-sided McNemar test" if exact else connor
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


def _check_common(*, level: float, deff: float, power: float = 0.5) -> None:
    check_level(level)
    if not 0 < power < 1:
        msg = f"power must lie between 0 and 1, is {power}"
        raise StatisticsError(msg)
    if not (deff > 0 and math.isfinite(deff)):
        msg = f"the design effect must be above 0, is {deff}"
        raise StatisticsError(msg)
