"""Folds of whole question groups, the same for every judge and predictor of the same pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError

__all__ = ["grouped_folds", "inner_seed"]


def grouped_folds(groups: Sequence[str], *, folds: int, seed: int) -> NDArray[np.int64]:
    """Deal whole groups out to folds of nearly equal numbers of rows.

    Larger groups first, groups of one size in the order of a seeded hash of their names, each to the fold with the
    fewest rows so far. Nothing but names, sizes and the seed matters: not the order of rows, not the judge.

    Parameters
    ----------
    groups
        The group of each row, length n.
    folds
        How many, at least 2.
    seed
        Another seed, another deal.

    Returns
    -------
    numpy.ndarray
        The fold of each row, from 0; int64, shape (n,).

    Raises
    ------
    StatisticsError
        Fewer groups than folds, or fewer than two folds.

    Examples
    --------
    >>> grouped_folds(["q1", "q1", "q2", "q3", "q4"], folds=2, seed=0).tolist()
    [0, 0, 1, 0, 1]
    """
    sizes = Counter(groups)
    if folds < 2:
        raise StatisticsError(f"{folds} folds: cross-validation needs at least 2")
    if len(sizes) < folds:
        raise StatisticsError(f"{folds} folds need at least {folds} groups, there are {len(sizes)}: use fewer folds")
    ordered = sorted(sizes, key=lambda name: (-sizes[name], _hash(name, seed)))
    rows = [0] * folds
    dealt: dict[str, int] = {}
    for name in ordered:
        dealt[name] = rows.index(min(rows))
        rows[dealt[name]] += sizes[name]
    return np.array([dealt[name] for name in groups], dtype=np.int64)


def inner_seed(seed: int, fold: int) -> int:
    """The seed of the inner folds within an outer fold: shared, as the outer ones are, and unlike those."""
    return int.from_bytes(sha256(f"inner\0{seed}\0{fold}".encode()).digest()[:6])


def _hash(name: str, seed: int) -> bytes:
    return sha256(f"{seed}\0{name}".encode(errors="surrogatepass")).digest()
