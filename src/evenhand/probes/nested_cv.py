"""One held-out prediction per pair, everything about the model chosen and fitted without its question's pairs.

For each outer fold: inner grouped folds of the other rows choose a candidate and a penalty by pooled validation Brier
score, the choice is fitted on all those rows and predicts the fold's. Nothing can leak between a pair and its
prediction, since no group is in two folds (checked) and every statistic of a fit, means and scales included, is
taken from the row indices it trains on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError
from evenhand.probes.candidates import Candidate, check_candidates
from evenhand.probes.folds import grouped_folds, inner_seed
from evenhand.probes.logistic import PENALTIES, check_penalties
from evenhand.probes.results import Selection
from evenhand.probes.selection import Choice, choose, path_predictions

__all__ = ["PENALTIES", "NestedPredictions", "nested_predictions", "nested_predictions_of"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NestedPredictions:
    """Held-out flip probabilities and how they came about.

    Attributes
    ----------
    probabilities
        float64, shape (n,), in the order of the rows.
    selections
        One for each outer fold, in the order of their numbers.
    """

    probabilities: NDArray[np.float64]
    selections: tuple[Selection, ...]


def nested_predictions(
    candidates: Sequence[Candidate],
    flips: NDArray[Any],
    groups: Sequence[str],
    *,
    outer: NDArray[np.int64],
    inner_folds: int = 3,
    seed: int = 0,
    penalties: Sequence[float] = PENALTIES,
    trainable: NDArray[np.bool_] | None = None,
    progress: Callable[[int], None] | None = None,
) -> NestedPredictions:
    """Predict each pair by nested, grouped cross-validation.

    Parameters
    ----------
    candidates
        Feature sets to choose among, n rows each.
    flips
        0 or 1 or bool, shape (n,).
    groups
        The question group of each row.
    outer
        The outer fold of each row, shape (n,), from :func:`evenhand.probes.folds.grouped_folds`. A group must be in
        one fold.
    inner_folds
        Folds within each outer fold's training rows, dealt from group names and the seed: shared between judges and
        predictors as the outer ones are.
    penalties
        λ, any order.
    trainable
        Rows that may be trained and validated on, shape (n,), for learning curves; all rows are predicted. None for
        all.
    progress
        Called with the number of outer folds done after each.

    Raises
    ------
    StatisticsError
        Features that aren't finite, a group in two folds, or fewer groups than folds.

    Examples
    --------
    >>> from evenhand.probes.folds import grouped_folds
    >>> rng = np.random.default_rng(0)
    >>> x, groups = rng.normal(size=(60, 100)), [f"q{i // 2}" for i in range(60)]
    >>> flips = x[:, 0] > 0
    >>> outer = grouped_folds(groups, folds=5, seed=0)
    >>> found = nested_predictions([Candidate(name="layer", features=x)], flips, groups, outer=outer)
    >>> found.probabilities.shape, len(found.selections)
    ((60,), 5)
    """
    return nested_predictions_of(
        candidates,
        np.asarray(flips)[None],
        groups,
        outer=outer,
        inner_folds=inner_folds,
        seed=seed,
        penalties=penalties,
        trainable=trainable,
        progress=progress,
    )[0]


def nested_predictions_of(
    candidates: Sequence[Candidate],
    label_sets: NDArray[Any],
    groups: Sequence[str],
    *,
    outer: NDArray[np.int64],
    inner_folds: int = 3,
    seed: int = 0,
    penalties: Sequence[float] = PENALTIES,
    trainable: NDArray[np.bool_] | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[NestedPredictions, ...]:
    """:func:`nested_predictions` of several label sets, shape (sets, n), each for itself.

    Standardising and multiplying rows, most of the work, is shared: for shuffled-label controls.
    """
    labels = np.asarray(label_sets, dtype=np.float64)
    rows = np.arange(len(groups))
    _check(candidates, labels, groups, outer)
    check_penalties(penalties)
    usable = np.ones(len(rows), dtype=bool) if trainable is None else np.asarray(trainable, dtype=bool)
    probabilities = np.full(labels.shape, np.nan)
    selections: list[tuple[Selection, ...]] = []
    for done, fold in enumerate(np.unique(outer).tolist(), start=1):
        train, held = rows[(outer != fold) & usable], rows[outer == fold]
        inner = grouped_folds([groups[row] for row in train], folds=inner_folds, seed=inner_seed(seed, fold))
        choices = choose(candidates, labels, rows=train, folds=inner, penalties=penalties)
        probabilities[:, held] = _refit(candidates, labels, choices, train=train, held=held)
        selections.append(
            tuple(
                Selection(fold=fold, candidate=candidates[each.candidate].name, l2=each.l2, validation_brier=each.brier)
                for each in choices
            )
        )
        if progress is not None:
            progress(done)
    return tuple(
        NestedPredictions(probabilities=mine, selections=each)
        for mine, each in zip(probabilities, zip(*selections, strict=True), strict=True)
    )


def _refit(
    candidates: Sequence[Candidate],
    labels: NDArray[np.float64],
    choices: Sequence[Choice],
    *,
    train: NDArray[np.int64],
    held: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Each label set's choice, fitted on all training rows: held-out probabilities, shape (sets, m)."""
    predicted = np.empty((len(labels), len(held)))
    for index in sorted({each.candidate for each in choices}):
        sets = [at for at, each in enumerate(choices) if each.candidate == index]
        penalties = sorted({choices[at].l2 for at in sets}, reverse=True)
        path = path_predictions(candidates[index], labels[sets], train=train, other=held, penalties=penalties)
        for at, mine in zip(sets, path, strict=True):
            predicted[at] = mine[penalties.index(choices[at].l2)]
    return predicted


def _check(
    candidates: Sequence[Candidate],
    labels: NDArray[np.float64],
    groups: Sequence[str],
    outer: NDArray[np.int64],
) -> None:
    n = len(groups)
    if labels.ndim != 2 or labels.shape[1] != n or np.shape(outer) != (n,):
        raise StatisticsError(f"{n} groups, labels of shape {labels.shape[1:]} and outer folds of {np.shape(outer)}")
    check_candidates(candidates, n)
    fold_of: dict[str, int] = {}
    for group, fold in zip(groups, outer.tolist(), strict=True):
        if fold_of.setdefault(group, fold) != fold:
            raise StatisticsError(f"group {group!r} is in two outer folds: predictions of its pairs would leak")
    if len(set(fold_of.values())) < 2:
        raise StatisticsError("all pairs are in one outer fold: nothing is left to train on")
