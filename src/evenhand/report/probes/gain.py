"""Cumulative gain: which share of the flips is found when the pairs of highest predicted risk are swapped first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError

__all__ = ["GainCurve", "gain_curve"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GainCurve:
    """Points of the curve, from (0, 0) to (1, 1); straight lines between them.

    Attributes
    ----------
    swapped, found
        Share of pairs swapped and share of flips found; float64, shape (m,), ascending.
    """

    swapped: NDArray[np.float64]
    found: NDArray[np.float64]

    def at(self, share: float) -> float:
        """Share of flips found when this share of pairs is swapped."""
        return float(np.interp(share, self.swapped, self.found))

    def thinned(self, points: int) -> GainCurve:
        """The same curve read at no more than so many of its points, ends included."""
        if len(self.swapped) <= points:
            return self
        kept = np.unique(np.linspace(0, len(self.swapped) - 1, points).round().astype(np.int64))
        return GainCurve(swapped=self.swapped[kept], found=self.found[kept])


def gain_curve(probabilities: ArrayLike, flips: ArrayLike) -> GainCurve | None:
    """The curve of a predictor; None where no pair flips.

    Pairs of equal probability are swapped in random order: within them the curve is straight, its expected course. With
    flip rate π the area below the curve is π/2 + (1 − π) · AUROC.

    Parameters
    ----------
    probabilities, flips
        Finite numbers and 0/1; shape (n,) each.

    Raises
    ------
    StatisticsError
        Different lengths, or a probability that is not finite.

    Examples
    --------
    >>> curve = gain_curve([0.9, 0.2, 0.2, 0.1], [1, 1, 0, 0])
    >>> [float(x) for x in curve.swapped], [float(y) for y in curve.found]
    ([0.0, 0.25, 0.75, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    risk = np.asarray(probabilities, dtype=np.float64)
    flip = np.asarray(flips).astype(bool)
    if risk.ndim != 1 or risk.shape != flip.shape:
        raise StatisticsError(f"gain needs one probability for each pair, has {risk.shape} for {flip.shape}")
    if not np.isfinite(risk).all():
        raise StatisticsError("gain needs finite probabilities")
    if not flip.any():
        return None
    order = np.argsort(-risk, kind="stable")
    ranked = risk[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    found = np.cumsum(flip[order])[last]
    return GainCurve(
        swapped=np.concatenate(([0.0], (last + 1) / len(risk))),
        found=np.concatenate(([0.0], found / flip.sum())),
    )
