"""Counts of rows by every combination of facet values: any filter and all facet counts from one small table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMNS", "Cube"]

COLUMNS: Final = ("readout", "condition", "source", "relation", "ab", "ba", "gold", "lead", "compliance", "repeat")
"""Facets of the cube, by their names in a URL."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cube:
    """The combinations that occur ("cells"). A run of any size has some hundreds or thousands.

    Attributes
    ----------
    values
        Per facet of :data:`COLUMNS` the code of each cell; shape (cells,).
    counts
        Rows of each cell; shape (cells,).
    """

    values: Mapping[str, NDArray[np.int64]]
    counts: NDArray[np.int64]

    def matching(self, chosen: Mapping[str, Sequence[int]], *, but: str | None = None) -> NDArray[np.bool_]:
        """Which cells have, in every facet that is filtered by, one of the chosen codes.

        Parameters
        ----------
        chosen
            Codes per facet; a facet that is absent or empty doesn't filter.
        but
            A facet whose filter is left out: its counts tell what choosing another value would give.
        """
        kept = np.ones(len(self.counts), dtype=np.bool_)
        for facet, codes in chosen.items():
            if codes and facet != but:
                kept &= np.isin(self.values[facet], np.asarray(codes, dtype=np.int64))
        return kept

    def cells(self, chosen: Mapping[str, Sequence[int]]) -> list[int]:
        """Numbers of the matching cells, ascending."""
        return [int(cell) for cell in np.flatnonzero(self.matching(chosen))]

    def total(self, chosen: Mapping[str, Sequence[int]]) -> int:
        """Rows that match."""
        return int(self.counts[self.matching(chosen)].sum())

    def facet_counts(self, facet: str, chosen: Mapping[str, Sequence[int]], *, size: int) -> list[int]:
        """Rows of each value of a facet under the filters of all others; ``size`` values."""
        kept = self.matching(chosen, but=facet)
        counted = np.bincount(self.values[facet][kept], weights=self.counts[kept], minlength=size)
        return [int(count) for count in counted[:size]]

    def recounted(self, counts: Mapping[int, int]) -> Cube:
        """The same cells with other counts: those of the rows that a search found."""
        new = np.zeros_like(self.counts)
        for cell, count in counts.items():
            new[cell] = count
        return Cube(values=self.values, counts=new)
