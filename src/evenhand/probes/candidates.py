"""Feature sets among which a probe may choose: layers, a few figures, or blocks of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError

__all__ = ["Block", "Candidate", "check_candidates"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A run of columns that share a weight.

    Attributes
    ----------
    width
        How many columns.
    weight
        What they are multiplied by after standardisation; positive. A block of weight c pays ``1/c²`` of the penalty.
    """

    width: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate:
    """One feature set, a row a pair.

    Attributes
    ----------
    name
        A place's name, or what the features are.
    features
        float32 or float64, shape (n, d).
    blocks
        How columns are weighed, in their order, widths adding up to d; empty for weight 1 everywhere.
    """

    name: str
    features: NDArray[Any]
    blocks: tuple[Block, ...] = ()

    def __post_init__(self) -> None:
        if self.features.ndim != 2 or not self.features.shape[1]:
            raise StatisticsError(
                f"candidate {self.name!r}: features have shape {self.features.shape}, expected (n, d)"
            )
        width = sum(block.width for block in self.blocks)
        if self.blocks and width != self.features.shape[1]:
            raise StatisticsError(
                f"candidate {self.name!r}: blocks cover {width} columns, there are {self.features.shape[1]}"
            )
        for block in self.blocks:
            if not (np.isfinite(block.weight) and block.weight > 0):
                raise StatisticsError(
                    f"candidate {self.name!r}: block weight {block.weight!r}: expected a positive number"
                )

    @classmethod
    def joined(cls, name: str, parts: Sequence[NDArray[Any]]) -> Candidate:
        """Several feature sets side by side, each with an equal share of the squared length of a standardised row.

        The widest keeps weight 1, so that penalties mean what they mean for it alone; a narrower one gets
        ``sqrt(widest / width)``. Without this six figures beside 4,096 activations would be penalised out of sight.

        Examples
        --------
        >>> both = Candidate.joined("both", [np.zeros((3, 1)), np.zeros((3, 4), dtype=np.float32)])
        >>> [block.weight for block in both.blocks]
        [2.0, 1.0]
        """
        widest = max(part.shape[1] for part in parts)
        return cls(
            name=name,
            features=np.hstack(parts),
            blocks=tuple(Block(width=part.shape[1], weight=float(np.sqrt(widest / part.shape[1]))) for part in parts),
        )

    @property
    def column_weights(self) -> NDArray[np.float64] | None:
        """The weight of each column, shape (d,), or None where all are 1."""
        if all(block.weight == 1 for block in self.blocks):
            return None
        return np.repeat([block.weight for block in self.blocks], [block.width for block in self.blocks])


def check_candidates(candidates: Sequence[Candidate], rows: int) -> None:
    """Refuse none, names that occur twice, another number of rows, and features that aren't finite.

    Raises
    ------
    StatisticsError
        With the candidate's name, and the row from 0.
    """
    if not candidates:
        raise StatisticsError("no candidate features to choose from: give at least one")
    names = [candidate.name for candidate in candidates]
    for candidate in candidates:
        if names.count(candidate.name) > 1:
            raise StatisticsError(f"candidate {candidate.name!r} occurs twice")
        if len(candidate.features) != rows:
            raise StatisticsError(f"candidate {candidate.name!r} has {len(candidate.features)} rows, expected {rows}")
        # A sum is finite only if all are. One that overflows is looked at again, row by row.
        with np.errstate(over="ignore", invalid="ignore"):
            total = candidate.features.sum()
        if not np.isfinite(total):
            finite = np.isfinite(candidate.features).all(axis=1)
            if not finite.all():
                raise StatisticsError(
                    f"candidate {candidate.name!r}: features of row {int(np.argmin(finite))} are not finite"
                )
