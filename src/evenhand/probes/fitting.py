"""Held-out probabilities of any predictor, however it is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from evenhand.probes.boosted import boosted_predictions
from evenhand.probes.evaluate import HeldOut
from evenhand.probes.nested_cv import PENALTIES, NestedPredictions, nested_predictions
from evenhand.probes.predictors import Method, Predictor
from evenhand.stats import Refusal

__all__ = ["Folding", "held_out", "rate_predictions"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Folding:
    """What every predictor of the same pairs shares.

    Attributes
    ----------
    groups, outer
        Question group and outer fold of each pair; shape (n,).
    inner_folds, seed, penalties
        Of :func:`evenhand.probes.nested_cv.nested_predictions`.
    """

    groups: Sequence[str]
    outer: NDArray[np.int64]
    inner_folds: int = 3
    seed: int = 0
    penalties: tuple[float, ...] = PENALTIES


def held_out(predictor: Predictor, flips: NDArray[np.bool_], folding: Folding) -> HeldOut:
    """Fit a predictor by nested cross-validation; a refused one comes back with its reason."""
    found: NestedPredictions | Refusal
    if predictor.refusal is not None:
        found = Refusal(reason=predictor.refusal, n=len(flips))
    else:
        found = _predictions(predictor, flips, folding)
    return HeldOut(
        name=predictor.name,
        kind=predictor.kind,
        features=predictor.features,
        probabilities=found if isinstance(found, Refusal) else found.probabilities,
        selections=() if isinstance(found, Refusal) else found.selections,
        notes=predictor.notes,
    )


def rate_predictions(flips: NDArray[np.bool_], outer: NDArray[np.int64]) -> NDArray[np.float64]:
    """The flip rate of each pair's training folds, shape (n,): a prediction from no feature.

    Examples
    --------
    >>> rate_predictions(np.array([True, False, False, False]), np.array([0, 0, 1, 1])).tolist()
    [0.0, 0.0, 0.5, 0.5]
    """
    rates = np.empty(len(flips))
    for fold in np.unique(outer):
        rates[outer == fold] = flips[outer != fold].mean()
    return rates


def _predictions(predictor: Predictor, flips: NDArray[np.bool_], folding: Folding) -> NestedPredictions:
    match predictor.method:
        case Method.RATE:
            return NestedPredictions(probabilities=rate_predictions(flips, folding.outer), selections=())
        case Method.TREES:
            (candidate,) = predictor.build()
            return boosted_predictions(
                candidate.features,
                flips,
                folding.groups,
                outer=folding.outer,
                inner_folds=folding.inner_folds,
                seed=folding.seed,
            )
        case Method.LOGISTIC:
            return nested_predictions(
                predictor.build(),
                flips,
                folding.groups,
                outer=folding.outer,
                inner_folds=folding.inner_folds,
                seed=folding.seed,
                penalties=folding.penalties,
            )
        case _:
            assert_never(predictor.method)
