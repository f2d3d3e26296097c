"""How often two people prefer the same: raw agreement among the labels of one pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Booleans
from evenhand.audits.humans.agreement import FEWEST_LABELS
from evenhand.stats import Estimate, Refusal

__all__ = ["TwoPeople", "raw_agreement", "two_people"]

_NOTHING: Final = "no pair has two labels"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TwoPeople:
    """Twos of labels of one pair by different annotators, shape (pairs,) each.

    Attributes
    ----------
    same
        Twos with the same preference, a tie being one.
    all
        Every two.
    """

    same: NDArray[np.int64]
    all: NDArray[np.int64]

    def among(self, enters: Booleans) -> TwoPeople:
        """The same of some pairs alone; the others have none."""
        return TwoPeople(same=np.where(enters, self.same, 0), all=np.where(enters, self.all, 0))

    @property
    def pairs(self) -> int:
        """Pairs with labels of two annotators or more."""
        return int(np.count_nonzero(self.all))


def two_people(counts: NDArray[np.int64]) -> TwoPeople:
    """Count the twos.

    Parameters
    ----------
    counts
        How many annotators prefer each, shape (pairs, 3): :attr:`evenhand.audits.humans.table.LabelTable.counts`.

    Examples
    --------
    >>> twos = two_people(np.array([[2, 1, 0], [0, 2, 0], [1, 0, 0]]))
    >>> twos.same.tolist(), twos.all.tolist(), twos.pairs
    ([1, 1, 0], [3, 1, 0], 2)
    """
    people = counts.sum(axis=1)
    return TwoPeople(same=(counts * (counts - 1) // 2).sum(axis=1), all=people * (people - 1) // 2)


def raw_agreement(twos: TwoPeople, sampler: Sampler) -> Estimate | Refusal:
    """Share of equal preferences among all twos; refused below FEWEST_LABELS pairs.

    Parameters
    ----------
    sampler
        Its clusters are indexed by the rows of ``twos``; its scope names the figure's random stream.
    """
    if twos.pairs < FEWEST_LABELS:
        return Refusal(
            reason=f"needs at least {FEWEST_LABELS} pairs with labels of two annotators, has {twos.pairs}", n=twos.pairs
        )
    rows = np.arange(len(twos.all))
    return sampler.rate("raw", twos.same, twos.all, pairs=rows, nothing=_NOTHING).estimate
