"""How good predicted probabilities are: average precision, Brier score, log loss and the reliability curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_labels, as_numbers, check_same_length
from evenhand.stats.results import Estimate, Refusal

__all__ = ["ReliabilityBin", "ReliabilityCurve", "auprc", "brier", "log_loss", "reliability_curve"]

NO_INTERVAL = ("no interval: point estimate only",)

# Keeps log(0) finite: the machine epsilon that scikit-learn's log_loss clips at for 64-bit floats.
LOG_LOSS_CLIP = float(np.finfo(np.float64).eps)


def auprc(scores: ArrayLike, labels: ArrayLike) -> Estimate | Refusal:
    """Average precision: precision at each threshold, weighted by the rise in recall (no interpolation).

    Scores and labels of shape ``(n,)``; equal scores are one threshold. Refused without a positive label.

    Examples
    --------
    >>> round(auprc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).value, 4)
    0.8333
    """
    score, label = _scored(scores, labels)
    positives = int(label.sum())
    if positives == 0:
        return Refusal(reason="AUPRC needs a positive label, has none", n=len(label))
    order = np.argsort(-score, kind="stable")
    ordered = score[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    found = np.cumsum(label[order])[last]
    value = float((found / (last + 1)) @ np.diff(found, prepend=0)) / positives
    return _estimate(value, label)


def brier(probabilities: ArrayLike, labels: ArrayLike) -> Estimate | Refusal:
    """Mean squared distance of probability and 0/1 label, shape ``(n,)`` each.

    References
    ----------
    Brier (1950), doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.

    Examples
    --------
    >>> round(brier([0.8, 0.4], [1, 0]).value, 3)
    0.1
    """
    p, label = _probable(probabilities, labels)
    if len(p) == 0:
        return Refusal(reason="no observations", n=0)
    return _estimate(float(((p - label) ** 2).mean()), label)


def log_loss(probabilities: ArrayLike, labels: ArrayLike) -> Estimate | Refusal:
    """Mean negative log-likelihood (natural logarithm), probabilities clipped at the machine epsilon.

    Examples
    --------
    >>> round(log_loss([0.5, 0.5], [1, 0]).value, 4)
    0.6931
    """
    p, label = _probable(probabilities, labels)
    if len(p) == 0:
        return Refusal(reason="no observations", n=0)
    clipped = np.clip(p, LOG_LOSS_CLIP, 1 - LOG_LOSS_CLIP)
    value = -float(np.where(label, np.log(clipped), np.log1p(-clipped)).mean())
    estimate = _estimate(value, label)
    certain = int(((p == 0) & label | (p == 1) & ~label).sum())
    if not certain:
        return estimate
    flag = f"{certain} certain predictions were wrong; their infinite loss is clipped"
    return Estimate(value=value, interval=None, n=estimate.n, count=estimate.count, flags=(*estimate.flags, flag))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Predictions between two edges: their mean, and how often the label was 1."""

    low: float
    high: float
    mean_probability: float
    rate: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityCurve:
    """Bins that hold a prediction, in order, and the mean gap between their two sides weighted by size."""

    bins: tuple[ReliabilityBin, ...]
    expected_calibration_error: float
    n: int
    strategy: Literal["uniform", "quantile"]


def reliability_curve(
    probabilities: ArrayLike,
    labels: ArrayLike,
    *,
    bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
) -> ReliabilityCurve | Refusal:
    """Predicted probability against observed rate, by bins of equal width or of equal size.

    Examples
    --------
    >>> curve = reliability_curve([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], bins=2)
    >>> [(round(b.mean_probability, 2), b.rate, b.n) for b in curve.bins]
    [(0.15, 0.0, 2), (0.85, 1.0, 2)]
    """
    p, label = _probable(probabilities, labels)
    if bins < 1:
        msg = f"bins must be at least 1, is {bins}"
        raise StatisticsError(msg)
    if len(p) == 0:
        return Refusal(reason="no observations", n=0)
    grid = np.linspace(0.0, 1.0, bins + 1)
    edges = grid if strategy == "uniform" else np.quantile(p, grid)
    # A probability on an inner edge belongs to the bin below, as in scikit-learn's calibration_curve.
    which = np.searchsorted(edges[1:-1], p)
    size = np.bincount(which, minlength=bins)
    mean = np.bincount(which, weights=p, minlength=bins)
    rate = np.bincount(which, weights=label, minlength=bins)
    filled = np.flatnonzero(size)
    return ReliabilityCurve(
        bins=tuple(
            ReliabilityBin(
                low=float(edges[i]),
                high=float(edges[i + 1]),
                mean_probability=float(mean[i] / size[i]),
                rate=float(rate[i] / size[i]),
                n=int(size[i]),
            )
            for i in filled
        ),
        expected_calibration_error=float(np.abs(mean - rate).sum() / len(p)),
        n=len(p),
        strategy=strategy,
    )


def _scored(scores: ArrayLike, labels: ArrayLike) -> tuple[FloatArray, NDArray[np.bool_]]:
    score, label = as_numbers("scores", scores), as_labels("labels", labels)
    check_same_length(scores=score, labels=label)
    return score, label


def _probable(probabilities: ArrayLike, labels: ArrayLike) -> tuple[FloatArray, NDArray[np.bool_]]:
    p, label = as_numbers("probabilities", probabilities), as_labels("labels", labels)
    check_same_length(probabilities=p, labels=label)
    if ((p < 0) | (p > 1)).any():
        msg = "probabilities must lie between 0 and 1"
        raise StatisticsError(msg)
    return p, label


def _estimate(value: float, label: NDArray[np.bool_]) -> Estimate:
    return Estimate(value=value, interval=None, n=len(label), count=float(label.sum()), flags=NO_INTERVAL)
