"""How many labelled pairs are enough: fits on fewer question groups, judged on the same held-out pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.probes.candidates import Candidate
from evenhand.probes.nested_cv import PENALTIES, nested_predictions
from evenhand.stats import Refusal

__all__ = ["FRACTIONS", "LearningPredictions", "learning_predictions", "training_subset"]

FRACTIONS: Final = (1 / 8, 1 / 4, 1 / 2)
"""Shares of the training groups; all of them is the predictor itself."""

# As many groups of either label as an interval needs: with fewer, a curve begins with chance.
_MIN_GROUPS: Final = 5

# Keeps the order of the groups apart from other draws of the same seed.
_STREAM: Final = 0x6375727665


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LearningPredictions:
    """Held-out probabilities of fits on a share of the training groups.

    Attributes
    ----------
    probabilities
        float64, shape (n,); or why there are none.
    pairs
        Mean number of training pairs over the outer folds.
    """

    probabilities: NDArray[np.float64] | Refusal
    pairs: float


def training_subset(groups: Sequence[str], *, fraction: float, seed: int) -> NDArray[np.bool_]:
    """Which pairs are in a share of the groups, rounded up; a larger share holds a smaller one.

    Parameters
    ----------
    groups
        Question group of each pair; shape (n,).

    Returns
    -------
    numpy.ndarray
        bool, shape (n,).

    Examples
    --------
    >>> training_subset(["a", "a", "b", "b", "c", "d"], fraction=0.5, seed=0).tolist()
    [True, True, False, False, True, False]
    """
    # By name and seed, as the folds are: not by the order of the pairs.
    names = sorted(set(groups))
    order = np.random.default_rng([seed, _STREAM]).permutation(len(names))
    kept = {names[i] for i in order[: math.ceil(fraction * len(names))]}
    return np.array([group in kept for group in groups], dtype=bool)


def learning_predictions(
    candidates: Sequence[Candidate],
    flips: NDArray[np.bool_],
    groups: Sequence[str],
    *,
    outer: NDArray[np.int64],
    fraction: float,
    inner_folds: int = 3,
    seed: int = 0,
    penalties: Sequence[float] = PENALTIES,
) -> LearningPredictions:
    """The whole nested procedure with a share of the groups to train on: one held-out probability for every pair.

    Refused where an outer fold is left with fewer than 5 training groups with a flip, or 5 without.
    """
    trainable = training_subset(groups, fraction=fraction, seed=seed)
    folds = np.unique(outer)
    pairs = float(np.mean([np.count_nonzero(trainable & (outer != fold)) for fold in folds]))
    for fold in folds.tolist():
        rows = np.flatnonzero(trainable & (outer != fold)).tolist()
        refusal = _too_few(flips[rows], [groups[i] for i in rows], fold=fold)
        if refusal is not None:
            return LearningPredictions(probabilities=refusal, pairs=pairs)
    found = nested_predictions(
        candidates,
        flips,
        groups,
        outer=outer,
        inner_folds=inner_folds,
        seed=seed,
        penalties=penalties,
        trainable=trainable,
    )
    return LearningPredictions(probabilities=found.probabilities, pairs=pairs)


def _too_few(flips: NDArray[np.bool_], groups: Sequence[str], *, fold: int) -> Refusal | None:
    for wanted, what in ((True, "with a flip"), (False, "without a flip")):
        count = len({group for group, flip in zip(groups, flips, strict=True) if flip == wanted})
        if count < _MIN_GROUPS:
            reason = f"outer fold {fold} trains on {count} groups {what}, needs at least {_MIN_GROUPS}"
            return Refusal(reason=reason, n=len(flips))
    return None
