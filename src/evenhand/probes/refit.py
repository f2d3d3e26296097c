"""A probe fitted on all of a set, to be frozen and applied elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError
from evenhand.probes.candidates import Candidate, check_candidates
from evenhand.probes.folds import grouped_folds
from evenhand.probes.logistic import PENALTIES, check_penalties, fit_logistic
from evenhand.probes.results import Selection
from evenhand.probes.selection import choose
from evenhand.probes.standardise import standardised

__all__ = ["ALL_ROWS", "FittedProbe", "fit_selected"]

ALL_ROWS = -1
"""The fold number in the selection of a probe that was fitted on all rows."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedProbe:
    """Frozen weights with the standardisation they were fitted under.

    Attributes
    ----------
    candidate
        Its name.
    l2
        The chosen penalty.
    mean, scale, weights
        float64, shape (d,). Block weights are part of the scale; a feature that was constant has scale 1, weight 0.
    intercept
        Infinite where all training labels were alike: see :func:`evenhand.probes.logistic.fit_logistic`.
    selection
        The choice by cross-validation; its fold is :data:`ALL_ROWS`.
    """

    candidate: str
    l2: float
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    intercept: float
    selection: Selection

    def probabilities(self, features: NDArray[Any]) -> NDArray[np.float64]:
        """Flip probabilities of rows with the candidate's features, shape (m, d) → (m,).

        Raises
        ------
        StatisticsError
            Another number of features, or some that aren't finite.
        """
        from scipy.special import expit

        if features.ndim != 2 or features.shape[1] != len(self.weights):
            raise StatisticsError(f"features have shape {features.shape}, the probe expects (m, {len(self.weights)})")
        finite = np.isfinite(features).all(axis=1)
        if not finite.all():
            raise StatisticsError(f"{self.candidate!r}: features of row {int(np.argmin(finite))} are not finite")
        z = (features.astype(np.float64) - self.mean) / self.scale
        return np.asarray(expit(z @ self.weights + self.intercept))


def fit_selected(
    candidates: Sequence[Candidate],
    flips: NDArray[Any],
    groups: Sequence[str],
    *,
    folds: int = 5,
    seed: int = 0,
    penalties: Sequence[float] = PENALTIES,
) -> FittedProbe:
    """Choose candidate and penalty by grouped cross-validation on all rows, then fit the choice on all of them.

    Parameters
    ----------
    candidates, flips, groups, penalties
        As in :func:`evenhand.probes.nested_cv.nested_predictions`.
    folds, seed
        Of :func:`evenhand.probes.folds.grouped_folds`.

    Raises
    ------
    StatisticsError
        Features that aren't finite, or fewer groups than folds.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(40, 60))
    >>> probe = fit_selected([Candidate(name="layer", features=x)], x[:, 0] > 0, [f"q{i}" for i in range(40)])
    >>> probe.weights.shape, probe.probabilities(x).shape
    ((60,), (40,))
    """
    labels = np.asarray(flips, dtype=np.float64)
    rows = np.arange(len(groups))
    if labels.shape != rows.shape:
        raise StatisticsError(f"{len(rows)} groups and labels of shape {labels.shape}")
    check_candidates(candidates, len(rows))
    check_penalties(penalties)
    dealt = grouped_folds(groups, folds=folds, seed=seed)
    choice = choose(candidates, labels[None], rows=rows, folds=dealt, penalties=penalties)[0]
    chosen = candidates[choice.candidate]
    z, scaling = standardised(chosen.features, rows, chosen.column_weights)
    fit = fit_logistic(z, labels, l2=choice.l2)
    return FittedProbe(
        candidate=chosen.name,
        l2=choice.l2,
        mean=scaling.mean,
        scale=scaling.scale,
        weights=np.where(scaling.constant, 0.0, fit.weights),
        intercept=fit.intercept,
        selection=Selection(fold=ALL_ROWS, candidate=chosen.name, l2=choice.l2, validation_brier=choice.brier),
    )
