"""The largest threshold at which the events missed below it stay under a level, with a finite-sample guarantee.

Every event has a score, and what scores below the threshold goes unseen. Which threshold is safe is read from groups
whose events are known. All rules here answer the same question: how many of the known events, counted from the lowest
score up, may be missed? docs/methods/triage.md derives them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_labels, as_numbers, check_same_length
from evenhand.stats.clusters import cluster_codes

__all__ = ["RiskControl", "RiskRule", "control_risk"]

_BETS = ((1.0, 0.75), (0.4, 0.25))
"""(bet as a share of the largest allowed, share of the stake). The largest bet is best wherever groups are mostly
smaller than the largest; the smaller one saves part of the stake where a group can miss all that it has. In simulation
they allow about 85 % of the misses that the source's predictable bets do (tests/simulation/test_risk_control.py)."""


class RiskRule(StrEnum):
    """How the number of misses that are allowed was found."""

    CONFORMAL = "conformal"
    """Conformal risk control: in expectation over the known and the new groups."""
    BINOMIAL = "binomial"
    """Exact binomial tail, for groups of one: with high probability over the known groups."""
    BETTING = "betting"
    """Betting on bounded means, for larger groups: with high probability over the known groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskControl:
    """A threshold and what it was found from.

    Attributes
    ----------
    threshold
        Rows with a score at or above it are looked at; minus infinity looks at all.
    rule
        See :class:`RiskRule`.
    alpha
        Expected misses per expected event are at most this.
    delta
        Chance that the known groups mislead; None for the guarantee in expectation.
    largest_group
        Rows of the largest group, known or new.
    rows, groups, events
        Known ones.
    missed
        Known events that score below the threshold.
    caught_rows
        Known rows at or above the threshold.
    feasible
        False where no threshold can be promised, so that all must be looked at.
    note
        Why it isn't feasible, and what it would take; empty else.
    """

    threshold: float
    rule: RiskRule
    alpha: float
    delta: float | None
    largest_group: int
    rows: int
    groups: int
    events: int
    missed: int
    caught_rows: int
    feasible: bool
    note: str = ""


def control_risk(
    scores: ArrayLike,
    events: ArrayLike,
    groups: Sequence[Any] | NDArray[Any],
    *,
    alpha: float,
    largest_group: int,
    delta: float | None = None,
) -> RiskControl:
    """Choose the largest threshold whose missed share is at most ``alpha``.

    The missed share is E[events of a group that score below the threshold] / E[events of a group], over groups that
    are exchangeable with the known ones. For groups of one it is P(score < threshold | event). The score must not
    have been chosen or fitted with these rows.

    Parameters
    ----------
    scores
        Shape ``(n,)``, finite; higher means that an event is likelier. Only their order matters.
    events
        Shape ``(n,)``, 0/1.
    groups
        Shape ``(n,)``, any hashable values. Rows of a group may depend on each other; groups are exchangeable, and
        for a guarantee with high probability independent.
    alpha
        Above 0 and below 1; taken as the decimal that it prints as.
    largest_group
        Rows that a group can have at most, among the known and the new groups. It bounds what one group can miss.
    delta
        None: the missed share is at most alpha in expectation, over known and new groups together (conformal risk
        control). Else: with probability 1 - delta over the known groups, the missed share of the threshold chosen is
        at most alpha (a fixed sequence of tests from the safest threshold on, which needs no correction): by the exact
        binomial tail where ``largest_group`` is 1, and by betting where it is larger.

    Returns
    -------
    RiskControl
        Not feasible, with threshold minus infinity, where there are too few events to promise anything.

    Raises
    ------
    StatisticsError
        Arrays that differ in length or aren't finite, a level outside of (0, 1), or a known group that is larger than
        ``largest_group``.

    References
    ----------
    Angelopoulos, Bates, Fisch, Lei and Schuster (2022), conformal risk control, arXiv:2208.02814.
    Bates, Angelopoulos, Lei, Malik and Jordan (2021), risk-controlling prediction sets, arXiv:2101.02703.
    Angelopoulos, Bates, Candès, Jordan and Lei (2021), learn then test, arXiv:2110.01052.
    Waudby-Smith and Ramdas (2020), betting, arXiv:2010.09686.

    Examples
    --------
    >>> found = control_risk(range(100), [i % 4 == 0 for i in range(100)], range(100), alpha=0.2, largest_group=1)
    >>> found.threshold, found.missed, found.events
    (16.0, 4, 25)
    >>> control_risk([0.2, 0.9], [1, 0], ["a", "b"], alpha=0.05, largest_group=1).note
    'needs at least 19 events, has 1'
    """
    score, event = as_numbers("scores", scores), as_labels("events", events)
    codes = cluster_codes(groups)
    check_same_length(scores=score, events=event, groups=codes.codes)
    _check_shares(alpha=alpha, delta=delta)
    sizes = np.bincount(codes.codes, minlength=codes.size)
    if largest_group < max(1, int(sizes.max(initial=0))):
        msg = f"largest_group is {largest_group}, but a known group has {int(sizes.max(initial=0))} rows"
        raise StatisticsError(msg)
    rows = np.flatnonzero(event)
    rows = rows[np.argsort(score[rows], kind="stable")]
    rule = _rule(largest_group, delta)
    match rule:
        case RiskRule.CONFORMAL:
            allowed = _allowed_conformal(len(rows), alpha=alpha, largest=largest_group)
        case RiskRule.BINOMIAL:
            allowed = _allowed_binomial(len(rows), alpha=alpha, delta=_given(delta))
        case RiskRule.BETTING:
            allowed = _allowed_betting(
                codes.codes[rows], size=codes.size, alpha=alpha, largest=largest_group, delta=_given(delta)
            )
        case _:
            assert_never(rule)
    feasible = allowed >= 0
    threshold = float(score[rows[allowed]]) if feasible else -math.inf
    return RiskControl(
        threshold=threshold,
        rule=rule,
        alpha=float(alpha),
        delta=None if delta is None else float(delta),
        largest_group=largest_group,
        rows=len(score),
        groups=int(np.count_nonzero(sizes)),
        events=len(rows),
        missed=int(np.count_nonzero(score[rows] < threshold)),
        caught_rows=int(np.count_nonzero(score >= threshold)),
        feasible=feasible,
        note="" if feasible else _note(rule, codes.codes[rows], alpha=alpha, largest=largest_group, delta=delta),
    )


def _check_shares(*, alpha: float, delta: float | None) -> None:
    for name, value in (("alpha", alpha), ("delta", delta)):
        if value is not None and not 0.0 < value < 1.0:
            msg = f"{name} must lie between 0 and 1, is {value}"
            raise StatisticsError(msg)


def _rule(largest: int, delta: float | None) -> RiskRule:
    if delta is None:
        return RiskRule.CONFORMAL
    return RiskRule.BINOMIAL if largest == 1 else RiskRule.BETTING


def _given(delta: float | None) -> float:
    if delta is None:
        raise StatisticsError("this rule needs delta")
    return delta


def _allowed_conformal(events: int, *, alpha: float, largest: int) -> int:
    """The largest k with k - alpha * events + (1 - alpha) * largest <= 0; below 0 where there is none.

    The loss of a group is its misses less alpha of its events, at most (1 - alpha) * largest. As fractions: 19 events
    at .05 are just enough, which floats could miss.
    """
    exact = Fraction(repr(float(alpha)))
    return max(-1, math.floor(exact * events - (1 - exact) * largest))


def _allowed_binomial(events: int, *, alpha: float, delta: float) -> int:
    """The largest k that as few misses as this have probability at most delta when each event is missed at alpha."""
    from scipy.special import bdtr

    if events == 0:
        return -1
    tail = np.asarray(bdtr(np.arange(events, dtype=np.float64), events, alpha))
    return int(np.searchsorted(tail, delta, side="right")) - 1


def _allowed_betting(group_of_event: NDArray[np.intp], *, size: int, alpha: float, largest: int, delta: float) -> int:
    """The largest k for which the capital of betting against "the missed share exceeds alpha" reaches 1 / delta.

    A bet b in [0, 1] multiplies the capital by 1 - b * loss / bound for each group, which has mean at most 1 under
    that hypothesis, whatever the dependence within groups. Each factor falls as more is missed, so the capital does.
    """
    if len(group_of_event) == 0:
        return -1
    log_capital = np.logaddexp.reduce(
        [
            math.log(stake) + _log_growth(group_of_event, bet, size=size, alpha=alpha, largest=largest)
            for bet, stake in _BETS
        ],
        axis=0,
    )
    enough = log_capital >= -math.log(delta)
    return int(np.count_nonzero(np.logical_and.accumulate(enough))) - 1


def _log_growth(group_of_event: NDArray[np.intp], bet: float, *, size: int, alpha: float, largest: int) -> FloatArray:
    """Log capital of one bet when the first 0, 1, … events - 1 are missed, shape ``(events,)``."""
    counts = np.bincount(group_of_event, minlength=size).astype(np.float64)
    unit = bet / ((1.0 - alpha) * largest)
    start = float(np.log1p(unit * alpha * counts).sum())
    # The i-th miss takes its group from `before` misses to one more; no other factor changes.
    before = _occurrence(group_of_event)
    gain = alpha * counts[group_of_event]
    with np.errstate(divide="ignore"):  # a bet that is lost whole: the capital is 0 from then on
        steps = np.log(np.maximum(1.0 - unit * (before + 1.0 - gain), 0.0)) - np.log1p(-unit * (before - gain))
    return start + np.concatenate([[0.0], np.cumsum(steps)[:-1]])


def _occurrence(codes: NDArray[np.intp]) -> FloatArray:
    """How many earlier entries have the same code: ``[a, b, a]`` gives ``[0, 0, 1]``."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    first = np.searchsorted(ordered, ordered, side="left")
    result = np.empty(len(codes))
    result[order] = np.arange(len(codes)) - first
    return result


def _note(rule: RiskRule, group_of_event: NDArray[np.intp], *, alpha: float, largest: int, delta: float | None) -> str:
    """What a promise would take."""
    events = len(group_of_event)
    match rule:
        case RiskRule.CONFORMAL:
            exact = Fraction(repr(float(alpha)))
            needed = f"at least {math.ceil((1 - exact) * largest / exact):,}"
        case RiskRule.BINOMIAL:
            needed = f"at least {math.ceil(math.log(_given(delta)) / math.log1p(-alpha)):,}"
        case RiskRule.BETTING:
            if not events:
                return "needs events, has none"
            needed = f"about {_events_for_betting(group_of_event, alpha=alpha, largest=largest, delta=_given(delta)):,}"
        case _:
            assert_never(rule)
    bound = f" in groups of at most {largest}" if largest > 1 else ""
    return f"needs {needed} events{bound}, has {events:,}"


def _events_for_betting(group_of_event: NDArray[np.intp], *, alpha: float, largest: int, delta: float) -> int:
    """How many events, spread over groups as the known ones are, would do when none of them is missed."""
    counts = np.unique(group_of_event, return_counts=True)[1].astype(np.float64)
    unit = alpha / ((1.0 - alpha) * largest)
    growth = [(math.log(stake), float(np.log1p(bet * unit * counts).sum())) for bet, stake in _BETS]
    # One bet alone already reaching 1 / delta is nearly necessary as well: the other holds a fraction of the stake.
    times = min((-math.log(delta) - stake) / rate for stake, rate in growth)
    return math.ceil(times * len(group_of_event))
