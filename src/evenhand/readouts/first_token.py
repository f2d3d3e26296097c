"""The first-token readout: the likelier label at the first generated position, and whether the judge led with one.

This is a measurement of its own: what likelihood harnesses and constrained decoding read. It says nothing about what
the judge would have concluded; :mod:`evenhand.readouts.generated` reads that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.records import FirstToken, LabelSet, Outcome, Reading, TokenLogProb

__all__ = ["Compliance", "compliance", "read_first_token"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compliance:
    """Whether a presentation leads with a verdict token.

    Attributes
    ----------
    compliant
        Whether the argmax over the whole vocabulary is a declared variant of a label; None without log probabilities.
    lead
        The verdict whose token is that argmax; None where not compliant or unknown.
    """

    compliant: bool | None
    lead: Outcome | None


def compliance(first: FirstToken | None, labels: LabelSet) -> Compliance:
    """Compare the argmax token with the labels' declared variants, exactly (case and spaces matter).

    Examples
    --------
    >>> led = FirstToken(argmax=TokenLogProb(text=" A", logprob=-0.1), labels=())
    >>> compliance(led, LabelSet.parse("A/B"))
    Compliance(compliant=True, lead=<Outcome.FIRST: 'first'>)
    """
    if first is None:
        return Compliance(compliant=None, lead=None)
    for outcome in labels.by_outcome:
        if first.argmax.text in labels.variants(outcome):
            return Compliance(compliant=True, lead=outcome)
    return Compliance(compliant=False, lead=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """One label's probability: log of the visible sum, and of the sum with every censored variant at its bound."""

    outcome: Outcome
    visible: float
    bound: float
    censored: bool


def _log_sum_exp(values: list[float]) -> float:
    top = max(values, default=-math.inf)
    if math.isinf(top):
        return top
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def _seen(token: TokenLogProb) -> float | None:
    """The log probability, None where censored; a NaN from a damaged log is no number either."""
    return None if token.logprob is None or math.isnan(token.logprob) else token.logprob


def _side(outcome: Outcome, variants: tuple[TokenLogProb, ...]) -> _Side:
    seen = [value for value in map(_seen, variants) if value is not None]
    # A censored variant without a bound might hold all the probability there is: log 1 = 0.
    bounds = [0.0 if v.below is None or math.isnan(v.below) else v.below for v in variants if _seen(v) is None]
    return _Side(outcome=outcome, visible=_log_sum_exp(seen), bound=_log_sum_exp(seen + bounds), censored=bool(bounds))


def _log_odds(sides: dict[Outcome, _Side]) -> float | None:
    first, second = sides.get(Outcome.FIRST), sides.get(Outcome.SECOND)
    if first is None or second is None:
        return None
    odds = first.visible - second.visible
    return odds if math.isfinite(odds) else None


def read_first_token(first: FirstToken | None) -> Reading | None:
    """Choose the label with the larger summed probability.

    A censored variant (outside the returned top entries) is never 0: a side wins only where its visible probability
    exceeds every other side's upper bound.

    Parameters
    ----------
    first
        The distribution at the first generated position; its ``labels`` name the verdicts on offer.

    Returns
    -------
    Reading or None
        None where there is no first token: this readout is not available. Rules: ``larger-probability``;
        ``larger-than-bound`` (a verdict although some variant is censored); and, unparsed, ``censored`` (the bounds do
        not decide), ``equal-probability`` (an exact tie is no verdict) and ``no-label-token``. ``log_odds`` and
        ``mass`` are of the visible variants; ``log_odds`` is None where one side has none.

    Examples
    --------
    >>> token = lambda text, logprob: (TokenLogProb(text=text, logprob=logprob),)
    >>> first = FirstToken(
    ...     argmax=TokenLogProb(text="A", logprob=-0.1),
    ...     labels=((Outcome.FIRST, token("A", -0.1)), (Outcome.SECOND, token("B", -2.5))),
    ... )
    >>> reading = read_first_token(first)
    >>> reading.outcome, round(reading.log_odds, 3)
    (<Outcome.FIRST: 'first'>, 2.4)
    """
    if first is None:
        return None
    sides = {outcome: _side(outcome, variants) for outcome, variants in first.labels}
    best = max(sides.values(), key=lambda side: side.visible, default=None)
    mass = math.fsum(math.exp(side.visible) for side in sides.values())
    odds = _log_odds(sides)
    if best is None or all(side.bound == -math.inf for side in sides.values()):
        return Reading(outcome=Outcome.UNPARSED, rule="no-label-token", log_odds=odds, mass=mass)
    rivals = [side for side in sides.values() if side is not best]
    if all(rival.bound < best.visible for rival in rivals):
        any_censored = any(side.censored for side in sides.values())
        rule = "larger-than-bound" if any_censored else "larger-probability"
        return Reading(outcome=best.outcome, rule=rule, log_odds=odds, mass=mass)
    # The rivals that reach the best: if one of them (or the best itself) is censored, bounds are what leaves it open.
    reaching = [side for side in rivals if side.bound >= best.visible]
    open_bounds = best.censored or any(side.censored for side in reaching)
    rule = "censored" if open_bounds else "equal-probability"
    return Reading(outcome=Outcome.UNPARSED, rule=rule, log_odds=odds, mass=mass)
