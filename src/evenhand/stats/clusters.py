"""From rows to cluster totals, and from cluster totals to the few distinct ones.

Every cluster statistic here is a function of sums over clusters, so rows are summed once per cluster. Clusters with
equal totals are interchangeable: to draw K clusters with replacement and count how often each distinct total came up
is exactly a multinomial draw over the distinct totals. Ten million one-pair clusters with a 0/1 outcome have two
distinct totals; a resample of them is one binomial draw, exact and not an approximation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, IntArray
from evenhand.stats.results import Refusal

__all__ = [
    "MIN_CLUSTERS",
    "SAFE_CLUSTERS",
    "ClusterCodes",
    "ClusterTotals",
    "cluster_codes",
    "cluster_flags",
    "refuse_few_clusters",
    "total_by_cluster",
]

MIN_CLUSTERS = 5
"""Fewer clusters are refused. A convention: even the whole range of 4 clusters misses the median of their kind in
1 of 8 samples."""

SAFE_CLUSTERS = 30
"""Fewer clusters are flagged: cluster-robust inference is unreliable below about 30 to 50 clusters
(Cameron, Gelbach and Miller 2008, doi:10.1162/rest.90.3.414)."""

# Cells of the direct table of distinct totals: 2**24 counters are 128 MB.
_MAX_TABLE = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusterCodes:
    """Clusters as integers ``0 … size - 1`` of shape ``(n,)``; some codes may have no row."""

    codes: NDArray[np.intp]
    size: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusterTotals:
    """The distinct totals of clusters and how many clusters have each.

    Attributes
    ----------
    totals
        Shape ``(distinct, columns)``, sorted, so that nothing depends on how clusters are named or ordered.
    copies
        Shape ``(distinct,)``, at least 1 each.
    """

    totals: FloatArray
    copies: IntArray

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return int(self.copies.sum())

    @property
    def sums(self) -> FloatArray:
        """Column sums over all clusters, shape ``(columns,)``."""
        return self.copies.astype(np.float64) @ self.totals


def cluster_codes(clusters: Sequence[Any] | NDArray[Any]) -> ClusterCodes:
    """Number the clusters: integers, strings or any hashable values of shape ``(n,)``.

    Examples
    --------
    >>> cluster_codes(["b", "a", "b"]).codes.tolist()
    [1, 0, 1]
    >>> cluster_codes([("a", 1), ("b", 2), ("a", 1)]).codes.tolist()
    [0, 1, 0]
    """
    array = clusters if isinstance(clusters, np.ndarray) else _to_array(clusters)
    if array.ndim != 1:
        msg = f"clusters must have one dimension, have shape {array.shape}"
        raise StatisticsError(msg)
    if array.size == 0:
        return ClusterCodes(codes=np.zeros(0, dtype=np.intp), size=0)
    if array.dtype.kind in "iu":
        low, high = int(array.min()), int(array.max())
        # Dense integers need no sort: empty codes are dropped with the clusters that contribute nothing.
        if high - low <= 2 * array.size + 1024:
            codes = array if low == 0 else array - array.dtype.type(low)
            return ClusterCodes(codes=codes.astype(np.intp, copy=False), size=high - low + 1)
    if array.dtype.kind == "O":
        table: dict[Any, int] = {}
        numbered = np.fromiter((table.setdefault(c, len(table)) for c in array), dtype=np.intp, count=array.size)
        return ClusterCodes(codes=numbered, size=len(table))
    distinct, inverse = np.unique(array, return_inverse=True)
    return ClusterCodes(codes=inverse, size=len(distinct))


def _to_array(clusters: Sequence[Any]) -> NDArray[Any]:
    kinds = {type(c) for c in clusters}
    # Only one plain type may become a typed array: NumPy would turn a mix of 1 and "1" into one string.
    if len(kinds) == 1 and kinds <= {int, str, bool, float}:
        return np.asarray(clusters)
    array = np.empty(len(clusters), dtype=object)
    for i, cluster in enumerate(clusters):
        array[i] = cluster
    return array


def total_by_cluster(
    codes: ClusterCodes, columns: Sequence[FloatArray | None], *, contributes: Sequence[int]
) -> ClusterTotals:
    """Sum the columns over clusters and keep the distinct totals.

    Parameters
    ----------
    columns
        Arrays of shape ``(n,)``; None stands for all ones.
    contributes
        Columns of which at least one must be nonzero; other clusters hold no observation and are left out.
    """
    sums = [
        np.bincount(codes.codes, weights=column, minlength=codes.size).astype(np.float64, copy=False)
        for column in columns
    ]
    keep = np.zeros(codes.size, dtype=bool)
    for index in contributes:
        keep |= sums[index] != 0
    if not keep.all():
        sums = [column[keep] for column in sums]
    return _distinct(sums)


def _distinct(sums: list[FloatArray]) -> ClusterTotals:
    clusters = len(sums[0])
    if clusters == 0:
        return ClusterTotals(totals=np.zeros((0, len(sums))), copies=np.zeros(0, dtype=np.int64))
    table = _distinct_by_table(sums)
    if table is not None:
        return table
    order = np.lexsort(sums[::-1])
    new = np.ones(clusters, dtype=bool)
    new[1:] = False
    for column in sums:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    return ClusterTotals(
        totals=np.column_stack([column[order[starts]] for column in sums]),
        copies=np.diff(np.append(starts, clusters)).astype(np.int64),
    )


def _distinct_by_table(sums: list[FloatArray]) -> ClusterTotals | None:
    """Count small whole-number totals in a table instead of sorting them; None where they aren't such."""
    lows: list[int] = []
    widths: list[int] = []
    cells = 1
    for column in sums:
        low, high = float(column.min()), float(column.max())
        if not (abs(low) < 2**31 and abs(high) < 2**31) or not bool((column == np.rint(column)).all()):
            return None
        lows.append(int(low))
        widths.append(int(high) - int(low) + 1)
        cells *= widths[-1]
        if cells > min(_MAX_TABLE, 4 * len(column) + 4096):
            return None
    key = np.zeros(len(sums[0]), dtype=np.intp)
    for column, low, width in zip(sums, lows, widths, strict=True):
        key *= width
        key += column.astype(np.intp) - low
    counts = np.bincount(key, minlength=cells)
    found = np.flatnonzero(counts)
    totals = np.empty((len(found), len(sums)))
    rest = found.copy()
    for index in range(len(sums) - 1, -1, -1):
        totals[:, index] = rest % widths[index] + lows[index]
        rest //= widths[index]
    return ClusterTotals(totals=totals, copies=counts[found].astype(np.int64))


def refuse_few_clusters(clusters: int, *, n: int, what: str = "") -> Refusal | None:
    """A refusal below :data:`MIN_CLUSTERS`, else None."""
    if clusters >= MIN_CLUSTERS:
        return None
    where = f" {what}" if what else ""
    return Refusal(reason=f"needs at least {MIN_CLUSTERS} clusters{where}, has {clusters}", n=n)


def cluster_flags(clusters: int) -> tuple[str, ...]:
    """The warning below :data:`SAFE_CLUSTERS`."""
    return (f"fewer than {SAFE_CLUSTERS} clusters ({clusters})",) if clusters < SAFE_CLUSTERS else ()
