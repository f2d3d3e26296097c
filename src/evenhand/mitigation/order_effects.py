"""Every way of using a pair's two orders, measured against the labels."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.effect import Effect, measure
from evenhand.mitigation.judged import JudgedPairs
from evenhand.mitigation.order import ASKED, BEFORE, ORDER_RULES, Mitigated, aggregate
from evenhand.stats import Refusal

__all__ = ["NotMade", "order_effects", "the_before"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotMade:
    """A mitigation that could not be made or measured, and why."""

    judge: str
    mitigation: str
    reason: str


def the_before(pairs: JudgedPairs) -> Mitigated | Refusal:
    """One order drawn at random, or the only order where each pair was asked in one."""
    found = aggregate(ORDER_RULES[BEFORE], pairs)
    if not isinstance(found, Refusal):
        return found
    return aggregate(ORDER_RULES[ASKED], pairs)


def order_effects(pairs: JudgedPairs, *, sampler: Sampler) -> tuple[tuple[Effect, ...], tuple[NotMade, ...]]:
    """Measure the rules of :data:`~evenhand.mitigation.order.ORDER_RULES`.

    Returns
    -------
    tuple of effects, tuple of NotMade
        The befores (order AB, order BA, one of them at random, or the one asked) are compared with nothing. Tests
        aren't adjusted.

    Examples
    --------
    Tie on conflict leaves the half-credit agreement as it is where nothing else is a tie: of a flipped pair one order
    is right, which is worth as much as a tie.

    >>> from evenhand.mitigation.examples import judged
    >>> pairs = judged(["AA"] * 6 + ["AB"] * 4, gold="A" * 9 + "B")
    >>> sampler = Sampler(clusters=pairs.clusters, seed=0, resamples=200, level=0.95)
    >>> effects, _ = order_effects(pairs, sampler=sampler)
    >>> tie = next(effect for effect in effects if effect.mitigation == "tie on conflict")
    >>> tie.agreement.value, tie.gain.value, tie.accuracy.value, tie.share_decided.value
    (0.8, 0.0, 1.0, 0.6)
    """
    before = the_before(pairs)
    effects: list[Effect] = []
    missed: list[NotMade] = []
    unit = None if isinstance(before, Refusal) else before
    for name, rule in ORDER_RULES.items():
        way = aggregate(rule, pairs)
        if isinstance(way, Refusal) and name == ASKED and unit is not None:
            continue  # nothing is missing where both orders were asked
        if isinstance(way, Refusal):
            missed.append(NotMade(judge=pairs.judge, mitigation=name, reason=way.reason))
            continue
        compared = rule.order_free and unit is not None
        effects.append(measure(way, pairs, sampler=sampler, before=unit if compared else None, one=unit))
    return tuple(effects), tuple(missed)
