"""One judge's verdicts on pairs with gold or human labels: the arrays that every mitigation works on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import ABSENT, Booleans, Codes
from evenhand.records import Preference

__all__ = ["NONE", "TIE", "A", "B", "Floats", "JudgedPairs", "credit", "preferred"]

Floats = NDArray[np.float64]

A, B, TIE = (tuple(Preference).index(each) for each in (Preference.A, Preference.B, Preference.TIE))
"""Codes of a preference."""
NONE = ABSENT
"""No verdict (refused, unparsed, truncated, error or not asked), or no label."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedPairs:
    """Row i of every array is the pair ``ids[i]``; of two columns the first is order AB, the second order BA.

    Attributes
    ----------
    judge
        What reports call it.
    clusters
        Shape (n,): the resampling unit of each pair.
    preference
        Shape (n, 2): A, B, TIE or NONE.
    asked
        Shape (n, 2): presentations that exist, whatever became of them.
    gold
        Shape (n,): the label that counts as right, NONE where there is none.
    log_odds
        Shape (n, 2): natural log of the probability of A's label over B's, at the position that the readout reads;
        NaN where there is none.
    score_a, score_b
        Shape (n, 2): the scores that a text gives each response where the prompt asks for them; NaN else.
    confidence
        Shape (n, 2), 0 to 1: what the judge wrote of how sure it is, where the prompt asks for it; NaN else.
    tokens
        Shape (n, 2): prompt and completion tokens of the presentation; NaN where unknown.
    length_a, length_b
        Shape (n,): characters; NaN where the texts aren't kept.
    authors
        (author of A, author of B) of each pair.
    alone
        Shape (n, 2): scores given to A and to B by themselves, one response a call; NaN where there are none.
    alone_tokens
        Shape (n,): tokens of both calls.
    """

    judge: str
    ids: tuple[str, ...]
    clusters: NDArray[np.int64]
    preference: Codes
    asked: Booleans
    gold: Codes
    log_odds: Floats
    score_a: Floats
    score_b: Floats
    confidence: Floats
    tokens: Floats
    length_a: Floats
    length_b: Floats
    authors: tuple[tuple[str | None, str | None], ...]
    alone: Floats
    alone_tokens: Floats

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def verdict_both(self) -> Booleans:
        """Pairs with a verdict (a tie is one) in both orders, shape (n,)."""
        return np.asarray((self.preference != NONE).all(axis=1))

    @property
    def flips(self) -> Booleans:
        """Pairs decided in both orders with another preference in each, shape (n,)."""
        decided = ((self.preference == A) | (self.preference == B)).all(axis=1)
        return np.asarray(decided & (self.preference[:, 0] != self.preference[:, 1]))

    @property
    def labelled(self) -> Booleans:
        """Pairs with a gold or human label, shape (n,)."""
        return np.asarray(self.gold != NONE)


def credit(preference: Codes, gold: Codes) -> Floats:
    """Agreement with the label: 1 the same, 1/2 where exactly one of the two is a tie, 0 the opposite.

    The literature's half credit for a tie. NaN where there is no verdict or no label: missing is no tie.

    Parameters
    ----------
    preference
        Shape (n,) or (n, k).
    gold
        Shape (n,).

    Examples
    --------
    >>> credit(np.array([A, A, TIE, TIE, NONE], dtype=np.int8), np.array([A, B, A, TIE, A], dtype=np.int8)).tolist()
    [1.0, 0.0, 0.5, 1.0, nan]
    """
    label = gold if preference.ndim == 1 else gold[:, None]
    half = (preference == TIE) ^ (label == TIE)
    value = np.where(preference == label, 1.0, np.where(half, 0.5, 0.0))
    return np.where((preference == NONE) | (label == NONE), np.nan, value)


def preferred(advantage: Floats) -> Codes:
    """The preference of an advantage of A over B: above 0 A, below 0 B, 0 a tie, NaN none.

    Examples
    --------
    >>> preferred(np.array([0.3, -2.0, 0.0, np.nan])).tolist()
    [0, 1, 2, -1]
    """
    codes = np.where(advantage > 0, A, np.where(advantage < 0, B, TIE))
    return np.where(np.isnan(advantage), NONE, codes).astype(np.int8)
