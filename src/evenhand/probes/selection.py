"""Choice of a candidate and a penalty by the Brier score of held-out groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.probes.candidates import Candidate
from evenhand.probes.logistic import one_class, penalty_path
from evenhand.probes.span import GramSpace, RowSpace, Space, Vector
from evenhand.probes.standardise import StandardisedRows, standardised

__all__ = ["Choice", "choose", "path_predictions"]

TIE = 1e-12
"""Brier scores this close are equal: a difference of rounding chooses nothing."""

Predict = Callable[[Vector], NDArray[np.float64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What was chosen.

    Attributes
    ----------
    candidate
        Its index.
    l2
        The penalty.
    brier
        Over all validation rows, pooled.
    """

    candidate: int
    l2: float
    brier: float


def choose(
    candidates: Sequence[Candidate],
    label_sets: NDArray[np.float64],
    *,
    rows: NDArray[np.int64],
    folds: NDArray[np.int64],
    penalties: Sequence[float],
) -> tuple[Choice, ...]:
    """Cross-validate every candidate and penalty on some rows; the smallest pooled Brier score wins.

    Ties go to the larger penalty, then to the earlier candidate.

    Parameters
    ----------
    label_sets
        0 or 1, shape (sets, n): each is chosen for by itself. The work on the features is done once.
    rows, folds
        Shape (m,): the rows that may be looked at, and the fold of each.

    Returns
    -------
    tuple of Choice
        One for each label set.
    """
    errors = np.zeros((len(label_sets), len(candidates), len(penalties)))
    for fold in np.unique(folds):
        train, held = rows[folds != fold], rows[folds == fold]
        for index, candidate in enumerate(candidates):
            predicted = path_predictions(candidate, label_sets, train=train, other=held, penalties=penalties)
            errors[:, index] += ((predicted - label_sets[:, None, held]) ** 2).sum(axis=2)
    return tuple(_smallest(each / len(rows), penalties) for each in errors)


def _smallest(briers: NDArray[np.float64], penalties: Sequence[float]) -> Choice:
    tied = np.argwhere(briers <= briers.min() + TIE)
    candidate, penalty = min(tied.tolist(), key=lambda at: (-penalties[at[1]], at[0]))
    return Choice(candidate=candidate, l2=float(penalties[penalty]), brier=float(briers[candidate, penalty]))


def path_predictions(
    candidate: Candidate,
    label_sets: NDArray[np.float64],
    *,
    train: NDArray[np.int64],
    other: NDArray[np.int64],
    penalties: Sequence[float],
) -> NDArray[np.float64]:
    """Probabilities for other rows, fitted on training rows alone: standardisation included.

    Parameters
    ----------
    label_sets
        Shape (sets, n); only the training rows' labels are read.
    train, other
        Row indices, m of them in ``other``.

    Returns
    -------
    numpy.ndarray
        float64, shape (sets, penalties, m). Where a set's training labels are all alike, their rate: 0 or 1.
    """
    from scipy.special import expit

    space, predict = _space(candidate, train, other)
    predicted = np.empty((len(label_sets), len(penalties), len(other)))
    fitted: list[tuple[int, int]] = []
    vectors: list[Vector] = []
    for at, labels in enumerate(label_sets[:, train]):
        if (rate := one_class(labels)) is not None:
            predicted[at] = rate
            continue
        path = dict(penalty_path(space, labels, sorted(set(penalties), reverse=True)))
        fitted.extend((at, index) for index in range(len(penalties)))
        vectors.extend(path[l2] for l2 in penalties)
    if vectors:
        # All at once: one pass over the rows serves every penalty and label set.
        margins = predict(np.stack(vectors, axis=1))
        for (at, index), mine in zip(fitted, margins.T, strict=True):
            predicted[at, index] = expit(mine)
    return predicted


def _space(candidate: Candidate, train: NDArray[np.int64], other: NDArray[np.int64]) -> tuple[Space, Predict]:
    """The smaller of the two representations, and what vectors of it, as columns, say of the other rows."""
    if len(train) <= candidate.features.shape[1]:
        rows = StandardisedRows(candidate.features, train, other, candidate.column_weights)
        space = GramSpace(rows.gram)
        return space, lambda vectors: rows.other_products(space.coefficients(vectors)) + vectors[-1]
    z, scaling = standardised(candidate.features, train, candidate.column_weights)
    others = scaling.apply(candidate.features[other])
    return RowSpace(z), lambda vectors: others @ vectors[:-1] + vectors[-1]
