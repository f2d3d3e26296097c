"""Standardisation by training rows alone, and products of standardised rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scaling", "StandardisedRows", "scaling_of", "standardised"]

COLUMNS = 512
"""Columns at a time: 534 rows of them in float64 are about 2 MB, which a core's cache holds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scaling:
    """What makes features standard: ``(x - mean) / scale``.

    Attributes
    ----------
    mean, scale
        float64, shape (d,). The population standard deviation of the training rows, divided by the column's weight;
        1 where a feature is constant in them.
    constant
        Which features are constant in the training rows: they tell nothing, and count as 0 everywhere.
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    constant: NDArray[np.bool_]

    def apply(self, features: NDArray[Any]) -> NDArray[np.float64]:
        """Standardise other rows; constant features become 0."""
        z = features - self.mean
        z *= self._factor()
        return z

    def _factor(self) -> NDArray[np.float64]:
        return np.where(self.constant, 0.0, 1.0 / self.scale)


def scaling_of(features: NDArray[Any], column_weights: NDArray[np.float64] | None = None) -> Scaling:
    """Mean and population standard deviation of rows, in float64 and in two passes.

    Parameters
    ----------
    features
        Shape (n, d), n at least 1.
    column_weights
        Shape (d,), positive: standardised columns are multiplied by them. None for 1 everywhere.

    Examples
    --------
    >>> scaling_of(np.array([[1.0, 7.0], [3.0, 7.0]])).scale
    array([1., 1.])
    """
    return _standardise(features.astype(np.float64), len(features), column_weights)


def _standardise(wide: NDArray[np.float64], n: int, column_weights: NDArray[np.float64] | None = None) -> Scaling:
    """Standardise all rows in place by the first n."""
    train = wide[:n]
    mean = train.mean(axis=0)
    wide -= mean
    scale = np.sqrt(np.einsum("ij,ij->j", train, train) / n)
    # The mean of equal numbers may be off by roundings, which must not pass for a spread: there the range decides.
    doubtful = np.flatnonzero(scale <= 4 * n * np.finfo(np.float64).eps * np.abs(mean))
    constant = np.zeros(len(mean), dtype=bool)
    constant[doubtful] = np.ptp(train[:, doubtful], axis=0) == 0
    # A spread so small that its square underflows is none.
    constant |= scale == 0
    if column_weights is not None:
        scale /= column_weights
    scaling = Scaling(mean=mean, scale=np.where(constant, 1.0, scale), constant=constant)
    wide *= scaling._factor()
    return scaling


class StandardisedRows:
    """Training rows and others, standardised by the training rows, known by their products.

    Parameters
    ----------
    features
        Shape (rows, d), float32 or float64.
    train, other
        Row indices, n and m of them.
    column_weights
        As in :func:`scaling_of`.

    Attributes
    ----------
    gram
        Inner products of the training rows, shape (n, n).
    """

    def __init__(
        self,
        features: NDArray[Any],
        train: NDArray[np.int64],
        other: NDArray[np.int64],
        column_weights: NDArray[np.float64] | None = None,
    ) -> None:
        from scipy.linalg.blas import dsyrk

        self._n = len(train)
        self._parts: list[NDArray[np.float64]] = []
        lower = np.zeros((self._n, self._n), order="F")
        rows = np.concatenate([train, other])
        for columns in _chunks(features.shape[1]):
            z = features[:, columns][rows].astype(np.float64)
            _standardise(z, self._n, None if column_weights is None else column_weights[columns])
            lower = dsyrk(1.0, z[: self._n].T, trans=1, lower=1, beta=1.0, c=lower, overwrite_c=1)
            self._parts.append(z)
        self.gram = lower + np.tril(lower, -1).T

    def other_products(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """``Z_other Z_trainᵀ coefficients``, shape (m, k) for (n, k), without the products in the middle."""
        total = np.zeros((len(self._parts[0]) - self._n, coefficients.shape[1]))
        for z in self._parts:
            total += z[self._n :] @ (z[: self._n].T @ coefficients)
        return total


def standardised(
    features: NDArray[Any], train: NDArray[np.int64], column_weights: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], Scaling]:
    """Standardised training rows, shape (n, d), and the scaling for others."""
    z = features[train].astype(np.float64)
    return z, _standardise(z, len(train), column_weights)


def _chunks(columns: int) -> Iterator[slice]:
    for start in range(0, columns, COLUMNS):
        yield slice(start, min(start + COLUMNS, columns))
