"""What AUROC counts: of all pairs of a positive and a negative, how many the score orders rightly, ties half."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_labels, as_numbers, check_same_length

__all__ = ["RANKS_NOTHING", "Ranking", "Stratum", "rank"]

RANKS_NOTHING: Final = (
    "ranks nothing: every score compared is the same, .5 by definition and not an estimate; no interval"
)
"""Flag of an AUROC where :attr:`Ranking.ranks_nothing`, and of the difference of two such."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stratum:
    """Positives and negatives that are compared with each other, each sorted by score.

    Attributes
    ----------
    positives, negatives
        Row numbers in rising order of score.
    below, upto
        Per positive, how many negatives score lower, and how many score no higher.
    """

    positives: NDArray[np.intp]
    negatives: NDArray[np.intp]
    below: NDArray[np.intp]
    upto: NDArray[np.intp]
    tied: bool

    def wins_and_pairs(self, weights: FloatArray, unit_of_row: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Weighted wins (ties half) and weighted pairs, shape ``(resamples,)`` each.

        Parameters
        ----------
        weights
            Shape ``(resamples, units)``: how often each unit counts. Whole numbers give exact results up to 2**53.
        unit_of_row
            Shape ``(rows,)``.
        """
        lighter = np.zeros((len(weights), len(self.negatives) + 1))
        np.cumsum(np.take(weights, unit_of_row[self.negatives], axis=1), axis=1, out=lighter[:, 1:])
        own = np.take(weights, unit_of_row[self.positives], axis=1)
        wins: FloatArray = np.einsum("ij,ij->i", own, np.take(lighter, self.below, axis=1))
        if self.tied:
            wins = (wins + np.einsum("ij,ij->i", own, np.take(lighter, self.upto, axis=1))) / 2
        pairs: FloatArray = own.sum(axis=1) * lighter[:, -1]
        return wins, pairs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """One score against one label, sorted once; ``strata`` has one entry, or one per choice that is compared."""

    strata: tuple[Stratum, ...]
    rows: int
    positives: int

    def auroc(self, weights: FloatArray, unit_of_row: NDArray[np.intp]) -> FloatArray:
        """AUROC per resample for weights of shape ``(resamples, units)``; NaN where nothing is compared."""
        wins, pairs = np.zeros(len(weights)), np.zeros(len(weights))
        for stratum in self.strata:
            more_wins, more_pairs = stratum.wins_and_pairs(weights, unit_of_row)
            wins += more_wins
            pairs += more_pairs
        with np.errstate(invalid="ignore"):
            auroc: FloatArray = wins / pairs
        return auroc

    @property
    def value(self) -> float:
        """The unweighted AUROC; NaN where nothing is compared."""
        wins = sum(float((s.below + s.upto).sum()) / 2 for s in self.strata)
        pairs = sum(len(s.positives) * len(s.negatives) for s in self.strata)
        return wins / pairs if pairs else float("nan")

    @property
    def ranks_nothing(self) -> bool:
        """Whether all that is compared is tied: the AUROC is then .5 on any data."""
        return all(not s.below.any() and bool((s.upto == len(s.negatives)).all()) for s in self.strata)

    def influence(self) -> FloatArray:
        """What each row adds to the error of the AUROC, shape ``(rows,)``; sums to 0.

        The placement values of DeLong, DeLong and Clarke-Pearson (1988), doi:10.2307/2531595; their sums over clusters
        are those of Obuchowski (1997), doi:10.2307/2533958.
        """
        value = self.value
        pairs = sum(len(s.positives) * len(s.negatives) for s in self.strata)
        influence = np.zeros(self.rows)
        for s in self.strata:
            won_by_positive = (s.below + s.upto) / 2
            influence[s.positives] = (won_by_positive - value * len(s.negatives)) / pairs
            # A negative is outscored by the positives that have it below them; ties half again.
            at_or_above = len(s.positives) - np.searchsorted(s.below, np.arange(len(s.negatives)), side="right")
            level_or_above = len(s.positives) - np.searchsorted(s.upto, np.arange(len(s.negatives)), side="right")
            won_against = (at_or_above + level_or_above) / 2
            influence[s.negatives] = (won_against - value * len(s.positives)) / pairs
        return influence


def rank(scores: ArrayLike, labels: ArrayLike, choices: ArrayLike | None = None) -> Ranking:
    """Sort scores by stratum.

    Parameters
    ----------
    scores
        Shape ``(n,)``, finite; higher should mean positive.
    labels
        Shape ``(n,)``, 0/1.
    choices
        Shape ``(n,)``: only rows with equal choice are compared. None compares all.
    """
    score, label = as_numbers("scores", scores), as_labels("labels", labels)
    check_same_length(scores=score, labels=label)
    if choices is None:
        members = [np.arange(len(score))]
    else:
        choice = np.asarray(choices)
        if choice.shape != score.shape:
            msg = f"choices have shape {choice.shape}, scores {score.shape}"
            raise StatisticsError(msg)
        _, inverse = np.unique(choice, return_inverse=True)
        members = [np.flatnonzero(inverse == code) for code in range(int(inverse.max(initial=-1)) + 1)]
    strata = [_stratum(score, label, rows) for rows in members]
    return Ranking(
        strata=tuple(s for s in strata if len(s.positives) and len(s.negatives)),
        rows=len(score),
        positives=int(label.sum()),
    )


def _stratum(score: FloatArray, label: NDArray[np.bool_], rows: NDArray[np.intp]) -> Stratum:
    rows = rows[np.argsort(score[rows], kind="stable")]
    positives, negatives = rows[label[rows]], rows[~label[rows]]
    below = np.searchsorted(score[negatives], score[positives], side="left")
    upto = np.searchsorted(score[negatives], score[positives], side="right")
    return Stratum(positives=positives, negatives=negatives, below=below, upto=upto, tied=bool((below != upto).any()))
