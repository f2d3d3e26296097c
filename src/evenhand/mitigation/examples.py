"""Small judged pairs written as strings, for examples and tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.mitigation.judged import NONE, JudgedPairs

__all__ = ["judged"]

_CODES = {"A": 0, "B": 1, "T": 2, ".": NONE, "-": NONE}


def judged(
    orders: Sequence[str],
    *,
    gold: str,
    judge: str = "judge",
    clusters: ArrayLike | None = None,
    log_odds: ArrayLike | None = None,
    score_a: ArrayLike | None = None,
    score_b: ArrayLike | None = None,
    confidence: ArrayLike | None = None,
    tokens: ArrayLike | None = None,
    length_a: ArrayLike | None = None,
    length_b: ArrayLike | None = None,
    authors: Sequence[tuple[str | None, str | None]] | None = None,
    alone: ArrayLike | None = None,
) -> JudgedPairs:
    """Judged pairs; ``"AB"`` is preference A in order AB and B in order BA.

    ``T`` is a tie, ``-`` an answer without a verdict, ``.`` a presentation that wasn't asked (in ``gold``: no label).

    Examples
    --------
    >>> judged(["AA", "AB", "A."], gold="AB.").flips.tolist()
    [False, True, False]
    """
    n = len(orders)

    def floats(values: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.float64]:
        return np.full(shape, np.nan) if values is None else np.asarray(values, dtype=np.float64).reshape(shape)

    return JudgedPairs(
        judge=judge,
        ids=tuple(f"p{i}" for i in range(n)),
        clusters=np.arange(n) if clusters is None else np.asarray(clusters, dtype=np.int64),
        preference=np.array([[_CODES[c] for c in each] for each in orders], dtype=np.int8).reshape(n, 2),
        asked=np.array([[c != "." for c in each] for each in orders], dtype=bool).reshape(n, 2),
        gold=np.array([_CODES[c] for c in gold], dtype=np.int8),
        log_odds=floats(log_odds, (n, 2)),
        score_a=floats(score_a, (n, 2)),
        score_b=floats(score_b, (n, 2)),
        confidence=floats(confidence, (n, 2)),
        tokens=floats(tokens, (n, 2)),
        length_a=floats(length_a, (n,)),
        length_b=floats(length_b, (n,)),
        authors=tuple(authors) if authors is not None else ((None, None),) * n,
        alone=floats(alone, (n, 2)),
        alone_tokens=floats(None, (n,)),
    )
