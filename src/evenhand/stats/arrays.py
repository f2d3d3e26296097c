"""Checks that every statistic makes of the arrays it is handed: one dimension, one length, finite, in range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError

__all__ = ["FloatArray", "IntArray", "as_labels", "as_numbers", "check_level", "check_resamples", "check_same_length"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def as_numbers(name: str, values: ArrayLike) -> FloatArray:
    """Finite floats of shape ``(n,)``.

    Raises
    ------
    StatisticsError
        If the array has another dimension, isn't numeric or holds a NaN or an infinity: a missing
        outcome is a state that the caller must leave out, never a number.

    Examples
    --------
    >>> as_numbers("numerator", [True, False])
    array([1., 0.])
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"{name} must be numbers: {error}"
        raise StatisticsError(msg) from error
    if array.ndim != 1:
        msg = f"{name} must have one dimension, has shape {array.shape}"
        raise StatisticsError(msg)
    with np.errstate(over="ignore", invalid="ignore"):
        total = array.sum()  # one number instead of a mask of n: finite unless an entry isn't, or it overflows
    if not np.isfinite(total) and not np.isfinite(array).all():
        first = int(np.flatnonzero(~np.isfinite(array))[0])
        msg = f"{name}[{first}] is {array[first]}; leave out missing entries before asking for a statistic"
        raise StatisticsError(msg)
    return array


def as_labels(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    """Booleans of shape ``(n,)`` from 0/1 or booleans; anything else is refused."""
    array = np.asarray(values)
    if array.dtype != np.bool_:
        numbers = as_numbers(name, array)
        if not np.isin(numbers, (0.0, 1.0)).all():
            msg = f"{name} must be 0 or 1"
            raise StatisticsError(msg)
        labels: NDArray[np.bool_] = numbers == 1.0
        return labels
    if array.ndim != 1:
        msg = f"{name} must have one dimension, has shape {array.shape}"
        raise StatisticsError(msg)
    return array


def check_same_length(**arrays: Sequence[Any] | NDArray[Any]) -> None:
    """Raise :class:`StatisticsError` unless all have one length."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        msg = "arrays differ in length: " + ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise StatisticsError(msg)


def check_level(level: float) -> None:
    """Raise :class:`StatisticsError` unless 0 < level < 1."""
    if not 0.0 < level < 1.0:
        msg = f"level must lie between 0 and 1, is {level}"
        raise StatisticsError(msg)


def check_resamples(resamples: int) -> None:
    """Raise :class:`StatisticsError` for fewer than 100 resamples, from which no tail quantile can be read."""
    if resamples < 100:
        msg = f"resamples must be at least 100, is {resamples}"
        raise StatisticsError(msg)
