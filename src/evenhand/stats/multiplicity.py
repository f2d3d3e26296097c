"""Adjusted p-values for a family of tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_numbers

__all__ = ["AdjustedPValues", "benjamini_hochberg", "holm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedPValues:
    """Adjusted p-values in the order given; compare them with the level itself."""

    p_values: tuple[float, ...]
    method: Literal["Holm", "Benjamini–Hochberg"]
    controls: Literal["family-wise error", "false discovery rate"]


def holm(p_values: ArrayLike) -> AdjustedPValues:
    """Holm's step-down adjustment: family-wise error under any dependence.

    References
    ----------
    Holm (1979), https://www.jstor.org/stable/4615733.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).p_values
    (0.03, 0.06, 0.06)
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return AdjustedPValues(p_values=_unsorted(stepped, order), method="Holm", controls="family-wise error")


def benjamini_hochberg(p_values: ArrayLike) -> AdjustedPValues:
    """Benjamini and Hochberg's step-up adjustment: false discovery rate of independent tests.

    References
    ----------
    Benjamini and Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).p_values
    (0.03, 0.04, 0.04)
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    # The factor of the largest is exactly 1, so that rounding can't take an adjusted value below its own.
    scaled = p[order] * (len(p) / np.arange(1, len(p) + 1))
    stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    return AdjustedPValues(
        p_values=_unsorted(stepped, order), method="Benjamini–Hochberg", controls="false discovery rate"
    )


def _checked(p_values: ArrayLike) -> FloatArray:
    p = as_numbers("p_values", p_values)
    if ((p < 0) | (p > 1)).any():
        msg = "p_values must lie between 0 and 1"
        raise StatisticsError(msg)
    return p


def _unsorted(stepped: FloatArray, order: np.ndarray[tuple[int], np.dtype[np.intp]]) -> tuple[float, ...]:
    adjusted = np.empty(len(stepped))
    adjusted[order] = np.minimum(stepped, 1.0)
    return tuple(float(p) for p in adjusted)
