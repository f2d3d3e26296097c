"""Standardisation by training rows alone, and products of standardised rows without a standardised copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Products", "Scaling", "scaling_of", "standardised", "standardised_products"]

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
        z = (features.astype(np.float64) - self.mean) / self.scale
        z[:, self.constant] = 0.0
        return z


def scaling_of(features: NDArray[Any], column_weights: NDArray[np.float64] | None = None) -> Scaling:
    """Mean and population standard deviation of rows, in float64 and in two passes.

    Parameters
    ----------
    features
        Shape (n, d), n at least 1.
    column_weights
        Shape (d,), positive: standardised columns are multiplied by them. None for 1 everywhere.
    """
    wide = features.astype(np.float64)
    mean = wide.mean(axis=0)
    # Ranges, not deviations: the mean of equal numbers may be off by a rounding, their range is 0.
    constant = wide.max(axis=0) == wide.min(axis=0)
    wide -= mean
    scale = np.sqrt(np.einsum("ij,ij->j", wide, wide) / len(wide))
    # A subnormal spread can underflow to 0 when squared.
    constant |= scale == 0
    if column_weights is not None:
        scale = scale / column_weights
    return Scaling(mean=mean, scale=np.where(constant, 1.0, scale), constant=constant)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Products:
    """Inner products of standardised rows.

    Attributes
    ----------
    train
        Training rows with themselves, shape (n, n).
    other
        Other rows with training rows, shape (m, n).
    """

    train: NDArray[np.float64]
    other: NDArray[np.float64]


def standardised_products(
    features: NDArray[Any],
    train: NDArray[np.int64],
    other: NDArray[np.int64],
    column_weights: NDArray[np.float64] | None = None,
) -> Products:
    """Gram products after standardisation by the training rows; memory is two results and a few hundred columns.

    Parameters
    ----------
    features
        Shape (rows, d), float32 or float64.
    train, other
        Row indices, n and m of them.
    column_weights
        As in :func:`scaling_of`.
    """
    within = np.zeros((len(train), len(train)))
    across = np.zeros((len(other), len(train)))
    for columns in _chunks(features.shape[1]):
        weights = None if column_weights is None else column_weights[columns]
        chunk = features[:, columns]
        scaling = scaling_of(chunk[train], weights)
        z = scaling.apply(chunk[train])
        within += z @ z.T
        if len(other):
            across += scaling.apply(chunk[other]) @ z.T
    return Products(train=within, other=across)


def standardised(
    features: NDArray[Any], train: NDArray[np.int64], column_weights: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], Scaling]:
    """Standardised training rows, shape (n, d), and the scaling for others."""
    scaling = scaling_of(features[train], column_weights)
    return scaling.apply(features[train]), scaling


def _chunks(columns: int) -> Iterator[slice]:
    for start in range(0, columns, COLUMNS):
        yield slice(start, min(start + COLUMNS, columns))
