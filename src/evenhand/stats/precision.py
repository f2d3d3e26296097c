"""Average precision for any weights: one score against one label, sorted once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.stats.arrays import FloatArray, as_labels, as_numbers, check_same_length

__all__ = ["PrecisionOrder", "precision_order"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrecisionOrder:
    """Rows from the highest score down, and where the threshold of each positive ends.

    Attributes
    ----------
    rows
        Row numbers in falling order of score; shape ``(n,)``.
    positives
        Row numbers of the positives in that order; shape ``(p,)``.
    last
        Per positive, the position in ``rows`` of the last row that scores no lower: equal scores are one threshold.
    found
        Per positive, how many positives, by position in ``positives``, score no lower, less one.
    """

    rows: NDArray[np.intp]
    positives: NDArray[np.intp]
    last: NDArray[np.intp]
    found: NDArray[np.intp]

    def average_precision(self, weights: FloatArray, unit_of_row: NDArray[np.intp]) -> FloatArray:
        """Average precision per resample; NaN without a positive.

        Parameters
        ----------
        weights
            Shape ``(resamples, units)``: how often each unit counts.
        unit_of_row
            Shape ``(n,)``.
        """
        seen = np.cumsum(np.take(weights, unit_of_row[self.rows], axis=1), axis=1)
        own = np.take(weights, unit_of_row[self.positives], axis=1)
        hits = np.cumsum(own, axis=1)
        # Each positive adds the precision at its own threshold; one that wasn't drawn adds nothing (and may be 0 / 0).
        above = np.take(seen, self.last, axis=1)
        precision = np.divide(np.take(hits, self.found, axis=1), above, out=np.zeros_like(above), where=above > 0)
        with np.errstate(invalid="ignore"):
            value: FloatArray = np.einsum("ij,ij->i", own, precision) / own.sum(axis=1)
        return value

    @property
    def value(self) -> float:
        """The unweighted average precision; NaN without a positive."""
        n = len(self.rows)
        return float(self.average_precision(np.ones((1, n)), np.arange(n))[0])


def precision_order(scores: ArrayLike, labels: ArrayLike) -> PrecisionOrder:
    """Sort finite scores of shape ``(n,)``, higher should mean positive, against 0/1 labels of shape ``(n,)``.

    Examples
    --------
    >>> round(precision_order([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).value, 4)
    0.8333
    """
    score, label = as_numbers("scores", scores), as_labels("labels", labels)
    check_same_length(scores=score, labels=label)
    rows = np.argsort(-score, kind="stable")
    positives = rows[label[rows]]
    falling, own = -score[rows], -score[positives]
    return PrecisionOrder(
        rows=rows,
        positives=positives,
        last=np.searchsorted(falling, own, side="right") - 1,
        found=np.searchsorted(own, own, side="right") - 1,
    )
