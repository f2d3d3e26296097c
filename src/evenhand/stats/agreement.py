"""Agreement of two raters beyond chance."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from evenhand.stats.arrays import check_same_length
from evenhand.stats.results import Estimate, Refusal

__all__ = ["cohen_kappa"]


def cohen_kappa(a: Sequence[Hashable], b: Sequence[Hashable]) -> Estimate | Refusal:
    """Cohen's unweighted kappa of two raters' labels, one entry per item.

    Refused where both raters gave one and the same label to everything: chance agreement is 1 and kappa undefined.

    References
    ----------
    Cohen (1960), doi:10.1177/001316446002000104.

    Examples
    --------
    >>> cohen_kappa(["A", "A", "B", "B"], ["A", "B", "B", "B"]).value
    0.5
    """
    a, b = list(a), list(b)
    check_same_length(a=a, b=b)
    n = len(a)
    if n == 0:
        return Refusal(reason="no items", n=0)
    codes: dict[Hashable, int] = {}
    pairs = [(codes.setdefault(x, len(codes)), codes.setdefault(y, len(codes))) for x, y in zip(a, b, strict=True)]
    table = np.zeros((len(codes), len(codes)))
    np.add.at(table, tuple(np.array(pairs).T), 1)
    observed = float(np.trace(table)) / n
    expected = float(table.sum(axis=0) @ table.sum(axis=1)) / n**2
    if expected == 1.0:
        return Refusal(reason="kappa is undefined: both raters gave one label to all items", n=n)
    return Estimate(
        value=(observed - expected) / (1 - expected), interval=None, n=n, flags=("no interval: point estimate only",)
    )
