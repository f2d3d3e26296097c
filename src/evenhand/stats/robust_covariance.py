"""Cluster-robust covariances of a fit: CR1 with t at clusters - 1, and CR2 with Satterthwaite degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

import numpy as np

from evenhand.stats.arrays import FloatArray
from evenhand.stats.design_matrix import DesignMatrix, cluster_sums

__all__ = ["ErrorKind", "RobustCovariance", "robust_covariance"]

ErrorKind = Literal["CR2", "CR1"]
"""``CR2`` corrects each cluster's residuals for its own pull on the fit; ``CR1`` scales all of them alike."""

_FULL_LEVERAGE = 1e-9
"""A cluster direction this close to a leverage of 1 is fitted exactly: its residual is 0 and tells no error."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RobustCovariance:
    """Covariance of the given terms, shape (k, k), and for each term its degrees of freedom and effective clusters.

    Attributes
    ----------
    effective
        One over the sum of squared shares of the clusters in the term's own variation; shape (k,).
    flat
        Terms to which every cluster contributes nothing but rounding: their errors are 0; shape (k,).
    """

    covariance: FloatArray
    df: FloatArray
    effective: FloatArray
    flat: FloatArray


def robust_covariance(
    design: DesignMatrix, *, residuals: FloatArray, weights: FloatArray, errors: ErrorKind
) -> RobustCovariance:
    """The sandwich over clusters.

    Parameters
    ----------
    residuals
        Outcome minus fitted value, shape (n,).
    weights
        Variance of each row under the model, up to a factor, shape (n,): ones for least squares, ``p (1 - p)`` for a
        logistic fit.

    Notes
    -----
    In whitened terms, ``Q = W^½ X M^½`` with ``M = (X'WX)^-1``, the leverage of cluster g has the same nonzero
    eigenvalues as the small matrix ``S_g = Q_g'Q_g``, and ``(I - Q_g Q_g')^-½ Q_g = Q_g (I - S_g)^-½``. So CR2 costs
    one k × k eigenvalue problem a cluster, however many rows it has.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28, 169-181; Imbens and Kolesár (2016), doi:10.1162/REST_a_00552;
    Pustejovsky and Tipton (2018), doi:10.1080/07350015.2016.1247004.
    """
    columns, count = design.columns, design.clusters
    n, terms = columns.shape
    values, vectors = np.linalg.eigh(columns.T @ (weights[:, None] * columns))
    root = (vectors / np.sqrt(values)) @ vectors.T  # M^½
    white = columns @ root
    back = design.back @ root
    rows = white * residuals[:, None]
    scores = cluster_sums(rows, design.cluster, count)
    own = (white @ back.T) ** 2 * weights[:, None]
    shares = cluster_sums(own, design.cluster, count) / own.sum(axis=0)
    match errors:
        case "CR1":
            factor = count / (count - 1) * (n - 1) / (n - terms)
            meat, df = factor * scores.T @ scores, np.full(terms, float(count - 1))
        case "CR2":
            products = (white[:, :, None] * (weights[:, None] * white)[:, None, :]).reshape(n, terms * terms)
            leverage = cluster_sums(products, design.cluster, count).reshape(count, terms, terms)
            # Degrees of freedom don't depend on a term's unit: rows of norm 1 keep its squares within range.
            correction, df = _corrections(leverage, back / np.linalg.norm(back, axis=1, keepdims=True))
            corrected = np.einsum("gij,gj->gi", correction, scores)
            meat = corrected.T @ corrected
        case _:
            assert_never(errors)
    covariance = back @ meat @ back.T
    # What rounding leaves of scores that cancel in every cluster is far below the error of rows as independent.
    by_row = np.sqrt(((rows @ back.T) ** 2).sum(axis=0))
    return RobustCovariance(
        covariance=covariance,
        df=df,
        effective=1 / (shares**2).sum(axis=0),
        flat=np.sqrt(np.diag(covariance)) <= 1e-9 * by_row,
    )


def _corrections(leverage: FloatArray, back: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``(I - S_g)^-½`` per cluster, shape (clusters, k, k), and each term's Satterthwaite degrees of freedom."""
    values, vectors = np.linalg.eigh(leverage)
    left = 1 - values
    inverse = np.where(left > _FULL_LEVERAGE, 1 / np.sqrt(np.maximum(left, _FULL_LEVERAGE)), 0.0)
    correction = (vectors * inverse[:, None, :]) @ vectors.transpose(0, 2, 1)
    # Per term r (a row of ``back``) and cluster g: d = |A_g Q_g r|², u = r'(I - S_g)^-½ S_g. The variance estimate is a
    # quadratic form in the matrix diag(d) - u u', whose trace and square give the degrees of freedom.
    turned = np.einsum("gij,tj->gti", correction, back)
    pulled = np.einsum("gti,gij->gtj", turned, leverage)
    d = np.einsum("gti,gti->gt", pulled, turned)
    square = np.einsum("gti,gti->gt", pulled, pulled)
    cross = np.einsum("gti,gtj->tij", pulled, pulled)
    trace = d.sum(axis=0) - square.sum(axis=0)
    of_square = (d**2).sum(axis=0) - 2 * (d * square).sum(axis=0) + np.einsum("tij,tij->t", cross, cross)
    df = np.divide(trace**2, of_square, out=np.zeros_like(trace), where=of_square > 0)
    return correction, np.clip(df, 1.0, len(leverage) - 1.0)
