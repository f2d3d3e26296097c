"""From the outcomes of both orders to what a row is filtered by: plain arrays in, arrays of codes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.lead import conclusions
from evenhand.web.facets import NOT_ASKED

__all__ = ["UNKNOWN", "Orders", "compliance_codes", "gold_codes", "lead_codes", "pulls", "relation_codes"]

Codes = NDArray[np.int64]

UNKNOWN: Final = -1
"""Stands for a missing value in ``compliant``, ``lead`` and ``gold``."""

_FIRST, _SECOND, _TIE = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Orders:
    """One value for each order; both of shape (n,)."""

    ab: Codes
    ba: Codes


def relation_codes(outcome: Orders) -> Codes:
    """Codes of :data:`evenhand.web.facets.RELATION`.

    Examples
    --------
    >>> relation_codes(Orders(ab=np.array([0, 0, 2, 3, 1]), ba=np.array([0, 1, 0, 0, 7]))).tolist()
    [0, 2, 4, 5, 6]
    """
    ab, ba = outcome.ab, outcome.ba
    return np.select(
        [
            (ab == NOT_ASKED) | (ba == NOT_ASKED),
            (ab > _TIE) | (ba > _TIE),
            (ab == _TIE) & (ba == _TIE),
            (ab == _TIE) | (ba == _TIE),
            (ab == _FIRST) & (ba == _FIRST),
            (ab == _SECOND) & (ba == _SECOND),
        ],
        [6, 5, 3, 4, 0, 1],
        default=2,
    ).astype(np.int64)


def gold_codes(outcome: Orders, gold: Codes) -> Codes:
    """Codes of :data:`evenhand.web.facets.GOLD`; ``gold`` is 0 for A, 1 for B, 2 for a tie.

    Examples
    --------
    >>> both = Orders(ab=np.array([0, 0, 1, 0]), ba=np.array([1, 0, 0, 4]))
    >>> gold_codes(both, np.array([0, 0, 0, UNKNOWN])).tolist()
    [0, 1, 2, 4]
    """
    swapped = np.array([_SECOND, _FIRST, _TIE])
    preferred_ba = np.where(outcome.ba <= _TIE, swapped[np.minimum(outcome.ba, _TIE)], outcome.ba)
    asked = (outcome.ab != NOT_ASKED).astype(np.int64) + (outcome.ba != NOT_ASKED)
    given = (outcome.ab <= _TIE).astype(np.int64) + (outcome.ba <= _TIE)
    right = (outcome.ab == gold).astype(np.int64) + (preferred_ba == gold)
    return np.select([gold == UNKNOWN, given < asked, right == asked, right > 0], [4, 3, 0, 1], default=2).astype(
        np.int64
    )


def lead_codes(outcome: Orders, lead: Orders, compliant: Orders, *, generated: NDArray[np.bool_]) -> Codes:
    """Codes of :data:`evenhand.web.facets.LEAD`, by :func:`evenhand.analysis.lead.conclusions`.

    ``generated`` says which rows are of the readout that has a conclusion beside its lead; no other is defined.

    Examples
    --------
    >>> one = lambda value: np.array([value])
    >>> lead_codes(
    ...     Orders(ab=one(0), ba=one(0)), Orders(ab=one(1), ba=one(0)), Orders(ab=one(1), ba=one(1)),
    ...     generated=np.array([True])).tolist()
    [0]
    """
    ab, ba = (
        conclusions(said, began, comply)
        for said, began, comply in ((outcome.ab, lead.ab, compliant.ab), (outcome.ba, lead.ba, compliant.ba))
    )
    diverged, led = generated & (ab.turned | ba.turned), generated & (ab.slots | ba.slots)
    return np.select([diverged, led], [0, 1], default=2).astype(np.int64)


def compliance_codes(outcome: Orders, compliant: Orders) -> Codes:
    """Codes of :data:`evenhand.web.facets.COMPLIANCE`, over the orders that were asked.

    Examples
    --------
    >>> asked = Orders(ab=np.array([0, 0]), ba=np.array([0, 7]))
    >>> compliance_codes(asked, Orders(ab=np.array([1, 1]), ba=np.array([0, -1]))).tolist()
    [1, 0]
    """
    asked = [outcome.ab != NOT_ASKED, outcome.ba != NOT_ASKED]
    values = [compliant.ab, compliant.ba]
    unknown = sum((a & (v == UNKNOWN)).astype(np.int64) for a, v in zip(asked, values, strict=True))
    yes = sum((a & (v == 1)).astype(np.int64) for a, v in zip(asked, values, strict=True))
    count = asked[0].astype(np.int64) + asked[1]
    return np.select([unknown > 0, yes == count, yes > 0], [3, 0, 1], default=2).astype(np.int64)


def pulls(ab: NDArray[np.float64], ba: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far position moved the log-odds of the first slot: ``(AB + BA) / 2``, NaN where one is missing.

    A judge that only looks at the responses has the same log-odds with the opposite sign in the other order, so that
    the sum is 0.
    """
    return (ab + ba) / 2
