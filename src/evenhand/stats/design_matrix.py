"""The rows of a regression: checked, centred and scaled, with each cluster's number; or why there can be no fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_numbers, check_same_length
from evenhand.stats.clusters import cluster_codes, refuse_few_clusters
from evenhand.stats.results import Refusal

__all__ = ["INTERCEPT", "DesignMatrix", "cluster_sums", "design_matrix"]

INTERCEPT = "intercept"
"""Name of the constant term that a fit adds as its first."""

_DEPENDENT = 1e-6
"""A column of norm 1 with less than this left beside the columns before it is taken for a combination of them: the
square, 1e-12, is the share of its variance that is its own, and double precision leaves four digits of that."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DesignMatrix:
    """Rows ready to be fitted.

    Attributes
    ----------
    names
        Of all terms, the intercept first where there is one; k of them.
    columns
        Shape (n, k): every term, centred (where there is an intercept) and scaled to a root mean square of 1.
    back
        Shape (k, k): coefficients of the given terms are ``back @`` those of ``columns``.
    cluster
        Shape (n,): codes 0 … clusters - 1, each with at least one row.
    """

    names: tuple[str, ...]
    columns: FloatArray
    back: FloatArray
    cluster: NDArray[np.intp]
    clusters: int

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.columns)


def design_matrix(
    x: ArrayLike, clusters: Sequence[Any] | NDArray[Any], *, names: Sequence[str], intercept: bool
) -> DesignMatrix | Refusal:
    """Check and prepare the rows of a regression.

    Parameters
    ----------
    x
        Shape (n, m), or (n,) for one column; without a constant column where ``intercept`` is true.
    names
        Of the m columns, distinct.

    Returns
    -------
    DesignMatrix or Refusal
        Refused below 5 clusters, where clusters or rows are no more than terms, and where a term is a linear
        combination of those before it, which it then names.

    Raises
    ------
    StatisticsError
        For shapes that don't fit, values that aren't finite, and names that occur twice.
    """
    raw = _columns(x, names)
    terms = ((INTERCEPT,) if intercept else ()) + tuple(names)
    if len(set(terms)) < len(terms) or not terms:
        msg = f"terms need distinct names, at least one; have {list(terms)}"
        raise StatisticsError(msg)
    codes = cluster_codes(clusters)
    check_same_length(x=raw, clusters=codes.codes)
    n = len(raw)
    present = np.bincount(codes.codes, minlength=codes.size) > 0
    count = int(np.count_nonzero(present))
    refusal = refuse_few_clusters(count, n=n)
    if refusal is not None:
        return refusal
    for what, size in (("clusters", count), ("rows", n)):
        if size <= len(terms):
            return Refusal(reason=f"needs more {what} than the {len(terms)} terms of the regression, has {size}", n=n)
    centre = raw.mean(axis=0) if intercept else np.zeros(raw.shape[1])
    centred = raw - centre
    peak = np.abs(centred).max(axis=0, initial=0.0)
    unit = np.where(peak > 0, peak, 1.0)  # squares of very small or large numbers would leave the range
    scale = unit * np.sqrt(np.mean((centred / unit) ** 2, axis=0))
    reach = np.abs(raw).max(axis=0, initial=0.0)
    flat = scale <= 1e-13 * reach
    scale = np.where(flat, 1.0, scale)
    scaled = np.where(flat, 0.0, centred / scale)
    columns = np.column_stack([np.ones(n), scaled]) if intercept else scaled
    dependent = _dependent(columns)
    if dependent is not None:
        return Refusal(reason=_why_dependent(terms, dependent, flat, intercept=intercept), n=n)
    return DesignMatrix(
        names=terms,
        columns=columns,
        back=_back(centre, scale, intercept=intercept),
        cluster=(np.cumsum(present) - 1)[codes.codes],
        clusters=count,
    )


def _columns(x: ArrayLike, names: Sequence[str]) -> FloatArray:
    try:
        raw = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"x must be numbers in rows of one length: {error}"
        raise StatisticsError(msg) from error
    if raw.ndim == 1:
        raw = raw[:, None]
    if raw.ndim != 2 or raw.shape[1] != len(names):
        msg = f"x must have one column for each of the {len(names)} names, has shape {raw.shape}"
        raise StatisticsError(msg)
    for index, name in enumerate(names):
        as_numbers(name, raw[:, index])
    return raw


def _dependent(columns: FloatArray) -> int | None:
    """Index of the first column that those before it explain wholly; None where none is."""
    size = np.linalg.norm(columns, axis=0)
    left = np.abs(np.diag(np.linalg.qr(columns / np.where(size > 0, size, 1.0), mode="r")))
    found = np.flatnonzero(left <= _DEPENDENT)
    return int(found[0]) if found.size else None


def _why_dependent(terms: Sequence[str], index: int, flat: NDArray[np.bool_], *, intercept: bool) -> str:
    if flat[index - intercept]:
        return (
            f"{terms[index]} does not vary: it has no coefficient beside the intercept"
            if intercept
            else (f"{terms[index]} is 0 throughout: it has no coefficient")
        )
    return f"{terms[index]} is a linear combination of {', '.join(terms[:index])}: its coefficient is undefined"


def _back(centre: FloatArray, scale: FloatArray, *, intercept: bool) -> FloatArray:
    slopes = np.diag(1.0 / scale)
    if not intercept:
        return slopes
    back = np.zeros((len(scale) + 1, len(scale) + 1))
    back[0, 0] = 1.0
    back[0, 1:] = -centre / scale
    back[1:, 1:] = slopes
    return back


def cluster_sums(values: FloatArray, cluster: NDArray[np.intp], clusters: int) -> FloatArray:
    """Sums over the rows of each cluster: from shape (n, columns) to (clusters, columns).

    Examples
    --------
    >>> cluster_sums(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0]), 2).tolist()
    [[5.0], [2.0]]
    """
    return np.column_stack([np.bincount(cluster, weights=column, minlength=clusters) for column in values.T])
