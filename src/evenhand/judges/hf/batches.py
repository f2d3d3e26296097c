"""Which rows are computed together: neighbours that share a beginning, in batches of like length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Family", "Limits", "Sharing", "families", "sharing", "take_batch"]

_LEAST_SHARED = 16
"""Tokens of a common beginning below which sharing is not worth a second pass."""
_TOGETHER = 0.8
"""Neighbours part where their common beginning is shorter than this share of what one shares on its other side."""
_LEAST_SAVING = 0.1
"""Share of a batch's tokens that sharing must save to be worth a second, smaller pass."""
_LIKE = 0.75
"""A batch takes rows down to this share of its longest, so that at most a quarter is padding …"""
_SMALL = 8
"""… unless it is below this part of the token budget: a small batch costs more than padding does."""


@dataclass(slots=True, kw_only=True)
class Limits:
    """How much is computed at once; halved when memory runs out, for good.

    Attributes
    ----------
    tokens
        Prompt tokens, padding included, of one forward pass.
    rows
        Rows of one forward pass.
    """

    tokens: int
    rows: int

    @property
    def held(self) -> int:
        """Columns times rows that may be kept for writing."""
        return 4 * self.tokens

    def halve(self, *, tokens: int, rows: int) -> bool:
        """Less than what has just failed; False where that was a single row already."""
        if rows <= 1:
            return False
        self.rows = max(1, rows // 2)
        self.tokens = max(1, min(self.tokens, tokens) // 2)
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Rows that share their first ``shared`` tokens; positions in the caller's list."""

    members: tuple[int, ...]
    shared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """How a batch is computed in two passes.

    Attributes
    ----------
    starts
        For each family, (a row that begins so, how many of its tokens the first pass computes).
    sources
        For each row, its family.
    kept
        For each row, how many tokens it takes from its family; the rest is the second pass.
    """

    starts: tuple[tuple[int, int], ...]
    sources: tuple[int, ...]
    kept: tuple[int, ...]


def common(one: Sequence[int], other: Sequence[int]) -> int:
    """Length of the common beginning.

    Examples
    --------
    >>> common([1, 2, 3], [1, 2, 4, 5])
    2
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def families(prompts: Sequence[Sequence[int]]) -> list[Family]:
    """Runs of neighbours that share a beginning: the orders of a pair, its repeats.

    Two neighbours are kept together unless one of them shares clearly more with its other neighbour. The last token of
    a prompt is never shared, for its output is needed.

    Examples
    --------
    >>> [f.members for f in families([[1] * 20 + [2], [1] * 20 + [3], [4] * 30])]
    [(0, 1), (2,)]
    """
    shares = [min(common(one, other), len(one) - 1, len(other) - 1) for one, other in pairwise(prompts)]
    found: list[Family] = []
    start = 0
    for end in range(1, len(prompts) + 1):
        beside = max(shares[max(0, end - 2) : end + 1], default=0)
        together = end < len(prompts) and shares[end - 1] >= max(_LEAST_SHARED, _TOGETHER * beside)
        if not together:
            members = tuple(range(start, end))
            found.append(Family(members=members, shared=min(shares[start : end - 1], default=0)))
            start = end
    return found


def sharing(lengths: Sequence[int], units: Sequence[Sequence[int]], shared: Sequence[int]) -> Sharing | None:
    """Two passes for a batch, or None where they don't pay.

    The second pass has the same number of tokens for every row, the most that any needs, so that rows end together
    and nothing lies between a row's beginning and its rest.

    Parameters
    ----------
    lengths
        Prompt tokens of each row.
    units
        For each family, its rows.
    shared
        For each family, how many first tokens its rows share; 0 for a row by itself.
    """
    rest = max(lengths[row] - share for unit, share in zip(units, shared, strict=True) for row in unit)
    sources = [0] * len(lengths)
    kept = [0] * len(lengths)
    starts: list[tuple[int, int]] = []
    for unit in units:
        for row in unit:
            sources[row] = len(starts)
            kept[row] = max(0, lengths[row] - rest)
        longest = max(unit, key=lambda row: kept[row])
        starts.append((longest, kept[longest]))
    saved = sum(kept) - sum(length for _, length in starts)
    if max(kept) < _LEAST_SHARED or saved < _LEAST_SAVING * sum(lengths):
        return None
    return Sharing(starts=tuple(starts), sources=tuple(sources), kept=tuple(kept))


def take_batch(lengths: Sequence[Sequence[int]], limits: Limits, *, equal: bool = False) -> int:
    """How many of the units at the front of a queue make the next batch; at least one.

    Parameters
    ----------
    lengths
        For each unit, the lengths of its rows.
    limits
        What fits.
    equal
        Only rows of one length, for models where padding is not harmless.

    Examples
    --------
    >>> take_batch([[100, 98], [90], [60], [20]], Limits(tokens=300, rows=8))
    2
    """
    longest, shortest, rows, units = 0, max(lengths[0]), 0, 0
    for unit in lengths:
        more, long, short = rows + len(unit), max(longest, *unit), min(shortest, max(unit))
        alike = short >= _LIKE * long or longest * rows < limits.tokens // _SMALL
        if equal:
            alike = min(shortest, *unit) == long
        if units and (more > limits.rows or long * more > limits.tokens or not alike):
            break
        longest, shortest, rows, units = long, short, more, units + 1
    return units
