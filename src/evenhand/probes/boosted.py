"""A nonlinear baseline: gradient-boosted trees on the features, their size chosen by the same inner folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError, install_hint
from evenhand.probes.folds import grouped_folds, inner_seed
from evenhand.probes.nested_cv import NestedPredictions
from evenhand.probes.results import Selection

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["LEAVES", "TREES_AT", "boosted_predictions", "boosted_transfer", "require_boosting"]

LEAVES: Final = (2, 4, 8)
"""Leaves of a tree: stumps, which add up features, and two sizes that let them interact."""

TREES_AT: Final = (10, 25, 50, 100)
"""Numbers of trees to choose from; a fit of the largest holds all of them."""

# scikit-learn's default is .1; half of it needs no more than the 100 trees above on some hundreds of pairs.
_LEARNING_RATE: Final = 0.05
# Leaves below this are fitted to noise; inner training folds have about half of the pairs.
_PAIRS_A_LEAF: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Size:
    leaves: int
    trees: int

    @property
    def name(self) -> str:
        return f"{self.trees} trees of {self.leaves} leaves"


def require_boosting() -> ModuleType:
    """scikit-learn's ensembles.

    Raises
    ------
    ConfigError
        scikit-learn isn't installed.
    """
    try:
        from sklearn import ensemble
    except ImportError as error:
        raise ConfigError(
            f"boosted-trees need scikit-learn ({error}): {install_hint('probes')}; or leave them out with "
            "--without boosted-trees"
        ) from error
    module: ModuleType = ensemble
    return module


def boosted_predictions(
    features: NDArray[Any],
    flips: NDArray[np.bool_],
    groups: Sequence[str],
    *,
    outer: NDArray[np.int64],
    inner_folds: int = 3,
    seed: int = 0,
) -> NestedPredictions:
    """One held-out probability for each pair, from trees whose size the inner folds chose by Brier score.

    Deterministic: no early stopping, no subsampling, and the seed fixes the rest.

    Parameters
    ----------
    features
        Finite, shape (n, k).
    flips, groups, outer
        Labels, question groups and outer fold of each pair; shape (n,).

    Returns
    -------
    NestedPredictions
        A training set without both labels predicts its flip rate.

    Raises
    ------
    ConfigError
        scikit-learn isn't installed.

    References
    ----------
    Friedman (2001), doi:10.1214/aos/1013203451; scikit-learn's ``HistGradientBoostingClassifier``.
    """
    require_boosting()
    probabilities = np.empty(len(flips))
    selections = []
    for fold in (int(each) for each in np.unique(outer)):
        training, held_out = np.flatnonzero(outer != fold), np.flatnonzero(outer == fold)
        inner = grouped_folds([groups[i] for i in training.tolist()], folds=inner_folds, seed=inner_seed(seed, fold))
        size, validation = _choose(features[training], flips[training], inner, seed=seed)
        staged = _staged(features[training], flips[training], features[held_out], leaves=size.leaves, seed=seed)
        probabilities[held_out] = staged[TREES_AT.index(size.trees)]
        selections.append(Selection(fold=fold, candidate=size.name, l2=float("nan"), validation_brier=validation))
    return NestedPredictions(probabilities=probabilities, selections=tuple(selections))


def boosted_transfer(
    features: NDArray[Any],
    flips: NDArray[np.bool_],
    groups: Sequence[str],
    other: NDArray[Any],
    *,
    folds: int = 5,
    seed: int = 0,
) -> NestedPredictions:
    """Probabilities of another set's pairs, from trees fitted on all of this one; their size by its grouped folds.

    Parameters
    ----------
    features, flips, groups
        Of the training set; the features finite, shape (n, k).
    other
        Of the other set, shape (m, k); it has no part in the fit.

    Returns
    -------
    NestedPredictions
        Probabilities of shape (m,), and one selection.

    Raises
    ------
    ConfigError
        scikit-learn isn't installed.
    """
    require_boosting()
    size, validation = _choose(features, flips, grouped_folds(groups, folds=folds, seed=seed), seed=seed)
    staged = _staged(features, flips, other, leaves=size.leaves, seed=seed)
    chosen = Selection(fold=0, candidate=size.name, l2=float("nan"), validation_brier=validation)
    return NestedPredictions(probabilities=staged[TREES_AT.index(size.trees)], selections=(chosen,))


def _choose(
    features: NDArray[Any], flips: NDArray[np.bool_], inner: NDArray[np.int64], *, seed: int
) -> tuple[_Size, float]:
    """The size with the lowest mean squared error over all validated pairs; the smaller one where two are equal."""
    squares = np.zeros((len(LEAVES), len(TREES_AT)))
    for fold in np.unique(inner):
        training, validated = inner != fold, inner == fold
        for row, leaves in enumerate(LEAVES):
            staged = _staged(features[training], flips[training], features[validated], leaves=leaves, seed=seed)
            squares[row] += ((staged - flips[validated]) ** 2).sum(axis=1)
    row, column = divmod(int(np.argmin(squares)), len(TREES_AT))
    return _Size(leaves=LEAVES[row], trees=TREES_AT[column]), float(squares[row, column]) / len(flips)


def _staged(
    features: NDArray[Any], flips: NDArray[np.bool_], held_out: NDArray[Any], *, leaves: int, seed: int
) -> NDArray[np.float64]:
    """Probabilities of held-out pairs after each number of trees, shape (len(TREES_AT), m)."""
    if flips.all() or not flips.any():
        return np.full((len(TREES_AT), len(held_out)), float(flips.mean()))
    model = require_boosting().HistGradientBoostingClassifier(
        learning_rate=_LEARNING_RATE,
        max_iter=TREES_AT[-1],
        max_leaf_nodes=leaves,
        min_samples_leaf=_PAIRS_A_LEAF,
        early_stopping=False,
        random_state=seed,
    )
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # comes with scikit-learn

    # On hundreds of pairs threads only wait for each other: many times slower where others use the machine too.
    with threadpool_limits(limits=1, user_api="openmp"):
        model.fit(features, flips)
        stages = [stage[:, 1] for stage in model.staged_predict_proba(held_out)]
    return np.asarray([stages[count - 1] for count in TREES_AT], dtype=np.float64)
