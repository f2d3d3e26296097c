"""How often each cluster is drawn in each resample, in blocks of bounded memory."""

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
    """What is drawn: clusters, or kinds of interchangeable clusters.

    Attributes
    ----------
    copies
        Shape ``(units,)``: how many clusters each unit stands for; their sum is the number of clusters.
    unit_of_row
        Which unit each row belongs to; shape ``(n,)``, or ``(units,)`` where clusters were pooled.
    representatives
        Where clusters were pooled, one row of each unit: the rows to rank; None where all rows are.
    """

    copies: IntArray
    unit_of_row: NDArray[np.intp]
    representatives: NDArray[np.intp] | None


def resampling_units(codes: ClusterCodes, keys: Sequence[FloatArray]) -> Units:
    """Clusters as they are, or pooled by content where each has one row and the rows repeat.

    Pooling is exact: how often the clusters of one kind are drawn together is one cell of a multinomial, and a
    statistic that sees only the keys can't tell which of them it was.
    """
    n = len(codes.codes)
    present = np.bincount(codes.codes, minlength=codes.size)
    clusters = int(np.count_nonzero(present))
    if clusters == n:
        first, copies = _kinds(keys)
        if len(first) * _POOLING_GAIN <= n:
            return Units(copies=copies, unit_of_row=np.arange(len(first)), representatives=first)
        return Units(copies=np.ones(n, dtype=np.int64), unit_of_row=np.arange(n), representatives=None)
    code = codes.codes
    if clusters < codes.size:
        code = (np.cumsum(present > 0) - 1)[code]
    return Units(copies=np.ones(clusters, dtype=np.int64), unit_of_row=code, representatives=None)


def _kinds(keys: Sequence[FloatArray]) -> tuple[NDArray[np.intp], IntArray]:
    """One row of each distinct combination of keys, in the order of the keys, and how many rows have it."""
    order = np.lexsort(list(keys)[::-1])
    new = np.zeros(len(order), dtype=bool)
    new[0] = True
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    return order[starts], np.diff(np.append(starts, len(order))).astype(np.int64)


def multiplicity_blocks(units: Units, *, rng: np.random.Generator, resamples: int) -> Iterator[FloatArray]:
    """How often each unit is drawn, shape ``(block, units)``, until ``resamples`` rows were given out."""
    size, clusters = len(units.copies), int(units.copies.sum())
    step = max(1, BLOCK_WEIGHTS // max(size, len(units.unit_of_row)))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        if size < clusters:
            drawn = rng.multinomial(clusters, units.copies / clusters, size=rows)
        else:
            # One histogram for the whole block: resample i counts into cells i * size to (i + 1) * size.
            cells = rng.integers(0, clusters, size=(rows, clusters))
            cells += np.arange(0, rows * size, size)[:, None]
            drawn = np.bincount(cells.ravel(), minlength=rows * size).reshape(rows, size)
        yield drawn.astype(np.float64)
