"""A paired test that respects clusters: the signs of whole clusters' differences are exchanged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.stats.arrays import FloatArray, as_numbers, check_resamples, check_same_length
from evenhand.stats.clusters import cluster_codes
from evenhand.stats.results import TestResult

__all__ = ["SIGN_FLIP", "sign_flip_test"]

SIGN_FLIP: Final = "sign-flip test over clusters"
"""In the name of every such test."""

_EXACT_BITS: Final = 1 << 24
"""Size up to which the whole distribution is counted in one integer: 2 MB, and well under a second."""
_ENUMERATED: Final = 20
_BLOCK: Final = 1 << 20


def sign_flip_test(
    differences: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    rng: np.random.Generator,
    resamples: int = 9_999,
) -> TestResult:
    """Test of paired differences whose clusters, not rows, are independent.

    Without an effect, a cluster's summed difference is as likely to have the one sign as the other. The p-value is the
    share of all assignments of signs to clusters under which the total is at least as far from 0 as observed. With one
    difference of +1 or -1 in each cluster it is the exact McNemar test.

    Parameters
    ----------
    differences, clusters
        Shape ``(n,)`` each. Clusters that sum to 0 tell nothing and don't enter.
    rng
        For the draws; not used where the test is exact.
    resamples
        Draws of signs where it isn't: then p is (b + 1) / (resamples + 1), with b draws at least as far out.

    Returns
    -------
    TestResult
        ``statistic`` is the total of the differences, ``n`` the number of clusters that enter. Exact for whole numbers
        unless they are very many, and for any numbers in up to 20 clusters.

    References
    ----------
    Fisher (1935), The Design of Experiments, section 21; Phipson and Smyth (2010), doi:10.2202/1544-6115.1585, for the
    p-value from draws.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> round(sign_flip_test([1, 1, 1, 1, 1, 1, 1, 1, -1], range(9), rng=rng).p_value, 4)
    0.0391
    >>> sign_flip_test([1, 1, 1, 1, 1, 1, 1, 1, -1], [0, 0, 0, 1, 1, 1, 2, 2, 2], rng=rng).p_value
    0.25
    """
    check_resamples(resamples)
    values = as_numbers("differences", differences)
    codes = cluster_codes(clusters)
    check_same_length(differences=values, clusters=codes.codes)
    sums = np.bincount(codes.codes, weights=values, minlength=codes.size)
    size = np.abs(sums[sums != 0])
    total = float(sums.sum())
    count = len(size)
    if bool((size == np.rint(size)).all()) and (size.sum() + 1) * (count + 1) <= _EXACT_BITS:
        among, of, how = *_counted([int(value) for value in size], abs(round(total))), "exact"
    elif count <= _ENUMERATED:
        among, of, how = *_enumerated(size, abs(total)), "exact"
    else:
        among, of = _drawn(size, abs(total), rng=rng, resamples=resamples)
        how = f"{resamples:,} draws"
    differ = "1 cluster differs" if count == 1 else f"{count} clusters differ"
    return TestResult(
        name=f"{SIGN_FLIP}, {how}",
        p_value=among / of,  # whole numbers of any size: correctly rounded, 0 where it underflows
        log10_p=math.log10(among) - math.log10(of),
        n=count,
        statistic=total,
        caveat=f"only {differ}: p can't be below {2.0 ** (1 - count):.2g}" if 0 < count < 6 else None,
    )


def _counted(sizes: Sequence[int], distance: int) -> tuple[int, int]:
    """How many assignments of signs are at least as far out, and how many there are.

    The numbers of assignments under which the positive clusters sum to each possible value are the coefficients of the
    product of ``1 + x**size``. All of them are held in one integer, ``width`` bits each, so that a factor is one shift
    and one addition, and nothing is rounded.
    """
    if distance == 0:
        return 1, 1
    width = len(sizes) + 1
    ways = 1
    for size in sizes:
        ways += ways << (size * width)
    # The positive clusters' sum is (total of sizes + signed sum) / 2.
    upper = ways >> ((sum(sizes) + distance) // 2 * width)
    # Digits to the base 2**width sum to the rest modulo the base less 1, and their sum is smaller than that.
    tail = upper % ((1 << width) - 1)
    return 2 * tail, 1 << len(sizes)


def _enumerated(sizes: FloatArray, distance: float) -> tuple[int, int]:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return int(np.count_nonzero(_as_far(sums, distance, sizes))), len(sums)


def _drawn(sizes: FloatArray, distance: float, *, rng: np.random.Generator, resamples: int) -> tuple[int, int]:
    beyond = 0
    step = max(1, _BLOCK // len(sizes))
    for start in range(0, resamples, step):
        draws = min(step, resamples - start)
        signs = rng.integers(0, 2, size=(draws, len(sizes)), dtype=np.int8) * 2 - 1
        beyond += int(np.count_nonzero(_as_far(signs @ sizes, distance, sizes)))
    return beyond + 1, resamples + 1


def _as_far(sums: FloatArray, distance: float, sizes: FloatArray) -> NDArray[np.bool_]:
    """Equal totals that were added up in another order may differ in the last bits: they count as equal."""
    far: NDArray[np.bool_] = np.abs(sums) >= distance - 1e-12 * float(sizes.sum())
    return far
