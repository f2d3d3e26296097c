"""Does a score swap fewer pairs than a random order for the same promise? Paired over splits that share their pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.stats import Refusal

__all__ = ["AgainstChance", "Chance"]

_DRAWS: Final = 4
"""Random orders a split, averaged: one alone adds its own luck to the difference."""


class Chance:
    """Random scores of the same pairs, fresh for every split."""

    def __init__(self, pair_ids: Sequence[str], *, seed: int) -> None:
        # By name: a pair's draw must not depend on the order of the rows.
        self._place = np.empty(len(pair_ids), dtype=np.intp)
        self._place[sorted(range(len(pair_ids)), key=pair_ids.__getitem__)] = np.arange(len(pair_ids))
        self._seed = seed

    def draws(self, split: int) -> tuple[NDArray[np.float64], ...]:
        """Some random orders, each of shape (n,), the same for every score."""
        rng = np.random.default_rng([self._seed, split, 1])
        return tuple(rng.permutation(len(self._place)).astype(np.float64)[self._place] for _ in range(_DRAWS))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstChance:
    """Share of the pairs swapped under a promise, less that of a random order, over splits.

    Splits share pairs, so their plain standard error is far too small. The interval is the corrected resampled t
    interval: the variance over the splits times 1/splits + test/training questions.

    Attributes
    ----------
    mean
        Below 0 the score swaps fewer.
    low, high
        Of the mean.
    fewer
        Share of the splits in which it swaps fewer.
    level
        Nominal; approximate.

    References
    ----------
    Nadeau and Bengio (2003), *Inference for the Generalization Error*, Machine Learning 52,
    doi:10.1023/A:1024068626366.
    """

    mean: float
    low: float
    high: float
    fewer: float
    level: float

    @classmethod
    def of(cls, differences: Sequence[float], *, tested: float, level: float) -> AgainstChance | Refusal:
        """From one paired difference a split.

        Parameters
        ----------
        tested
            Test questions a question that the score or its threshold was learned from.

        Examples
        --------
        >>> found = AgainstChance.of([-0.1, -0.2, -0.3], tested=1 / 3, level=0.95)
        >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3), found.fewer
        (-0.2, -0.551, 0.151, 1.0)
        """
        count = len(differences)
        if count < 2:
            return Refusal(reason="one split has no spread", n=count)
        from scipy.special import stdtrit

        mean, variance = float(np.mean(differences)), float(np.var(differences, ddof=1))
        half = float(stdtrit(count - 1, (1 + level) / 2)) * (variance * (1 / count + tested)) ** 0.5
        return cls(
            mean=mean,
            low=mean - half,
            high=mean + half,
            fewer=float(np.mean([each < -1e-12 for each in differences])),
            level=level,
        )
