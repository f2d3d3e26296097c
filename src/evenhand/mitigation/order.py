"""Order aggregation: what to make of a pair's two orders, from "ask once" to "score each response by itself"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from evenhand.analysis.scope import Codes
from evenhand.mitigation.judged import NONE, TIE, Floats, JudgedPairs, preferred
from evenhand.stats import Refusal

__all__ = ["ASKED", "BEFORE", "ORDER_RULES", "Mitigated", "OrderRule", "aggregate"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mitigated:
    """Verdicts as one way of judging gives them.

    Attributes
    ----------
    name
        What tables call it.
    how
        One sentence for a methods section.
    preference
        Shape (n, k): k equally likely verdicts a pair. k is 1 but where chance decides, such as which order is asked.
    presentations, tokens
        Shape (n,): what a pair costs; tokens are NaN where unknown.
    order_free
        Whether exchanging the two responses' places can't change the verdict.
    by_order
        Whether the judged pairs' two orders bear on it; not for independent scores, nor for a panel.
    """

    name: str
    how: str
    preference: Codes
    presentations: Floats
    tokens: Floats
    order_free: bool
    by_order: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRule:
    """A way to a verdict, from the two orders or without any.

    Attributes
    ----------
    combine
        From judged pairs to verdicts of shape (n, k), or why it can't.
    """

    name: str
    how: str
    combine: Callable[[JudgedPairs], Codes | Refusal]
    presentations: int
    order_free: bool


BEFORE: Final = "one order, drawn at random"
"""What every mitigation is compared with. A fixed order would be compared by luck: which response is called A may go
with which is better."""

ASKED: Final = "the order asked"
"""The before of a log that has one order a pair."""


def aggregate(rule: OrderRule, pairs: JudgedPairs) -> Mitigated | Refusal:
    """Judge by a rule.

    Returns
    -------
    Mitigated or Refusal
        Refused where the run lacks what the rule needs. A pair that lacks it has no verdict: nothing is made up.
    """
    found = rule.combine(pairs)
    if isinstance(found, Refusal):
        return found
    return Mitigated(
        name=rule.name,
        how=rule.how,
        preference=found,
        presentations=np.full(len(pairs), float(rule.presentations)),
        tokens=_tokens(rule, pairs),
        order_free=rule.order_free,
        by_order=rule.name != "independent scores",
    )


def _tokens(rule: OrderRule, pairs: JudgedPairs) -> Floats:
    match rule.name:
        case "order AB":
            return pairs.tokens[:, 0]
        case "order BA":
            return pairs.tokens[:, 1]
        case "the order asked":
            return np.where(pairs.asked[:, 0], pairs.tokens[:, 0], pairs.tokens[:, 1])
        case "independent scores":
            return pairs.alone_tokens
        case _:
            both: Floats = pairs.tokens.sum(axis=1)
            return both / 2 if rule.presentations == 1 else both


def _column(order: int, name: str) -> Callable[[JudgedPairs], Codes | Refusal]:
    def combine(pairs: JudgedPairs) -> Codes | Refusal:
        if not pairs.asked[:, order].any():
            return Refusal(reason=f"no pair was asked in order {name}", n=0)
        if pairs.asked.any(axis=0).all() and not pairs.asked.all(axis=1).any():
            return Refusal(reason="each pair was asked in one of the orders: which one may go with the pair", n=0)
        return pairs.preference[:, [order]]

    return combine


def _both_orders(pairs: JudgedPairs) -> Refusal | None:
    if pairs.asked.all(axis=1).any():
        return None
    return Refusal(reason="no pair was asked in both orders", n=0)


def _asked_order(pairs: JudgedPairs) -> Codes | Refusal:
    if pairs.asked.all(axis=1).any():
        return Refusal(reason="pairs were asked in both orders", n=0)
    if not pairs.asked.any():
        return Refusal(reason="no pair was asked", n=0)
    return np.where(pairs.asked[:, 0], pairs.preference[:, 0], pairs.preference[:, 1])[:, None]


def _random_order(pairs: JudgedPairs) -> Codes | Refusal:
    missing = ~pairs.verdict_both
    return _both_orders(pairs) or np.where(missing[:, None], np.int8(NONE), pairs.preference)


def _tie_on_conflict(pairs: JudgedPairs) -> Codes | Refusal:
    first, second = pairs.preference.T
    same = np.where(first == second, first, np.int8(TIE))
    return _both_orders(pairs) or np.where(pairs.verdict_both, same, np.int8(NONE))[:, None]


def _mean_probability(pairs: JudgedPairs) -> Codes | Refusal:
    refusal = _needs(pairs, pairs.log_odds, "log-odds of the labels in both orders: read the first token")
    # tanh(x / 2) is 2 p - 1: exactly odd, so that opposite log-odds average to exactly 0.
    return refusal or preferred(np.tanh(pairs.log_odds / 2).sum(axis=1))[:, None]


def _confidence_weighted(pairs: JudgedPairs) -> Codes | Refusal:
    sign = np.where(pairs.preference == NONE, np.nan, np.choose(np.maximum(pairs.preference, 0), (1.0, -1.0, 0.0)))
    if np.isfinite(pairs.confidence).all(axis=1).any():
        return preferred((sign * pairs.confidence).sum(axis=1))[:, None]
    weighted = sign * np.abs(pairs.log_odds)
    needed = "a written confidence (prompt brief-reasoning) or log-odds of the labels, in both orders"
    return _needs(pairs, weighted, needed) or preferred(weighted.sum(axis=1))[:, None]


def _mean_scores(pairs: JudgedPairs) -> Codes | Refusal:
    advantage = pairs.score_a - pairs.score_b
    return (
        _needs(pairs, advantage, "scores of both responses in both orders: use the prompt score-each")
        or preferred(advantage.sum(axis=1))[:, None]
    )


def _independent(pairs: JudgedPairs) -> Codes | Refusal:
    advantage = pairs.alone[:, 0] - pairs.alone[:, 1]
    if not np.isfinite(advantage).any():
        return Refusal(reason="needs scores given to each response by itself (--alone FILE)", n=0)
    return preferred(advantage)[:, None]


def _needs(pairs: JudgedPairs, values: Floats, needed: str) -> Refusal | None:
    refusal = _both_orders(pairs)
    if refusal is not None:
        return refusal
    return None if np.isfinite(values).all(axis=1).any() else Refusal(reason=f"needs {needed}", n=0)


_RULES = (
    OrderRule(
        name="order AB",
        how="The verdict in order AB alone.",
        combine=_column(0, "AB"),
        presentations=1,
        order_free=False,
    ),
    OrderRule(
        name="order BA",
        how="The verdict in order BA alone.",
        combine=_column(1, "BA"),
        presentations=1,
        order_free=False,
    ),
    OrderRule(
        name=BEFORE,
        how="What one order gives on average when a coin chooses it: the mean of the two orders.",
        combine=_random_order,
        presentations=1,
        order_free=False,
    ),
    OrderRule(
        name=ASKED,
        how="The verdict in the one order in which the pair was asked.",
        combine=_asked_order,
        presentations=1,
        order_free=False,
    ),
    OrderRule(
        name="tie on conflict",
        how="Both orders are asked; a preference counts only where both have it, anything else is a tie.",
        combine=_tie_on_conflict,
        presentations=2,
        order_free=True,
    ),
    OrderRule(
        name="averaged probabilities",
        how="The probability of A's label among the two labels, averaged over both orders, against one half.",
        combine=_mean_probability,
        presentations=2,
        order_free=True,
    ),
    OrderRule(
        name="confidence-weighted",
        how="Each order votes with its confidence: what the judge wrote, else the absolute log-odds of the labels.",
        combine=_confidence_weighted,
        presentations=2,
        order_free=True,
    ),
    OrderRule(
        name="averaged scores",
        how="The two responses' scores, averaged over both orders; equal means are a tie.",
        combine=_mean_scores,
        presentations=2,
        order_free=True,
    ),
    OrderRule(
        name="independent scores",
        how="Each response is scored in a call of its own, without the other; equal scores are a tie.",
        combine=_independent,
        presentations=2,
        order_free=True,
    ),
)

ORDER_RULES: Final[Mapping[str, OrderRule]] = MappingProxyType({rule.name: rule for rule in _RULES})
"""Every rule by name: the befores first."""
