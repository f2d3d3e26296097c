"""How often each row counts in each resample of the clusters, in blocks of bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.stats.arrays import FloatArray, IntArray
from evenhand.stats.clusters import ClusterCodes

__all__ = ["Units", "multiplicity_blocks", "resampling_units"]

# Weights of a block: 2**17 of eight bytes are 1 MB and stay in the cache while they are summed.
BLOCK_WEIGHTS = 1 << 17
# Interchangeable clusters are worth pooling where they are this many times fewer than the clusters.
_POOLING_GAIN = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """What is drawn: kinds of clusters, how many clusters are of each, and which kind each row belongs to.

    Attributes
    ----------
    copies
        Shape ``(kinds,)``; their sum is the number of clusters.
    kind_of_row
        Shape ``(n,)``.
    share
        Shape ``(n,)`` or None: a row's part of its kind's multiplicity, where rows of several clusters were pooled.
    """

    copies: IntArray
    kind_of_row: NDArray[np.intp]
    share: FloatArray | None


def resampling_units(codes: ClusterCodes, keys: Sequence[FloatArray]) -> Units:
    """Clusters as they are, or pooled by content where each has one row and the rows repeat.

    Pooling is exact: how often the clusters of one kind are drawn together is one cell of a multinomial, and a
    statistic that sees only the keys can't tell which of them it was.
    """
    n = len(codes.codes)
    present = np.bincount(codes.codes, minlength=codes.size)
    clusters = int(np.count_nonzero(present))
    if clusters == n:
        kinds = _kinds(keys)
        size = int(kinds.max()) + 1
        if size * _POOLING_GAIN <= n:
            copies = np.bincount(kinds, minlength=size)
            return Units(copies=copies.astype(np.int64), kind_of_row=kinds, share=1.0 / copies[kinds])
        return Units(copies=np.ones(n, dtype=np.int64), kind_of_row=np.arange(n), share=None)
    code = codes.codes
    if clusters < codes.size:
        code = (np.cumsum(present > 0) - 1)[code]
    return Units(copies=np.ones(clusters, dtype=np.int64), kind_of_row=code, share=None)


def _kinds(keys: Sequence[FloatArray]) -> NDArray[np.intp]:
    kind = np.zeros(len(keys[0]), dtype=np.intp)
    for key in keys:
        _, inverse = np.unique(key, return_inverse=True)
        kind = kind * (int(inverse.max()) + 1) + inverse
        _, kind = np.unique(kind, return_inverse=True)
    return kind


def multiplicity_blocks(units: Units, *, rng: np.random.Generator, resamples: int) -> Iterator[FloatArray]:
    """Row weights, shape ``(n, block)``, until ``resamples`` columns were given out."""
    kinds, clusters = len(units.copies), int(units.copies.sum())
    step = max(1, BLOCK_WEIGHTS // max(kinds, len(units.kind_of_row)))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        if kinds < clusters:
            drawn = rng.multinomial(clusters, units.copies / clusters, size=size).T
        else:
            key = rng.integers(0, clusters, size=(clusters, size))
            key *= size
            key += np.arange(size)
            drawn = np.bincount(key.ravel(), minlength=clusters * size).reshape(clusters, size)
        weights = drawn.astype(np.float64)[units.kind_of_row]
        yield weights if units.share is None else weights * units.share[:, None]
