"""Folds of whole clusters, so that what is fitted is never measured on the questions that it was fitted on."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.stats import Refusal

__all__ = ["FEWEST_LABELLED", "FOLDS", "cluster_folds", "refuse_few_labels"]

FOLDS: Final = 5

FEWEST_LABELLED: Final = 50
"""Labelled pairs below which nothing is fitted. Ours: each fold then trains on 40, ten or more for each of up to four
coefficients (Peduzzi et al. 1996, doi:10.1016/S0895-4356(96)00236-3, found estimates unreliable below ten events a
coefficient)."""


def cluster_folds(clusters: NDArray[np.int64], *, rng: np.random.Generator, folds: int = FOLDS) -> NDArray[np.int64]:
    """The fold of each row, shape (n,): clusters stay whole, and folds are as even as dealing them out one by one.

    Examples
    --------
    >>> fold = cluster_folds(np.array([0, 0, 1, 2, 3, 4, 5]), rng=np.random.default_rng(0), folds=3)
    >>> bool(fold[0] == fold[1]), sorted(set(fold.tolist()))
    (True, [0, 1, 2])
    """
    names, code = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(code)
    shuffled = rng.permutation(len(names))
    # The largest first, each to the smallest fold so far: one large question can't unbalance them at the end.
    order = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    filled = np.zeros(folds, dtype=np.int64)
    fold = np.empty(len(names), dtype=np.int64)
    for name in order:
        fold[name] = int(filled.argmin())
        filled[fold[name]] += sizes[name]
    return fold[code]


def refuse_few_labels(clusters: NDArray[np.int64], *, what: str, fewest: int = FEWEST_LABELLED) -> Refusal | None:
    """A refusal where too few labelled pairs, or too few clusters of them, are there to fit and to measure.

    Parameters
    ----------
    clusters
        Of the labelled pairs that can be used, shape (n,).
    what
        Ends the sentence: ``to fit a length penalty``.
    """
    n, groups = len(clusters), len(np.unique(clusters))
    if n < fewest:
        return Refusal(reason=f"needs at least {fewest} labelled pairs {what}, has {n}", n=n)
    if groups < 2 * FOLDS:
        return Refusal(reason=f"needs labelled pairs of at least {2 * FOLDS} clusters {what}, has {groups}", n=n)
    return None
