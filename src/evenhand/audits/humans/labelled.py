"""One judge's verdicts and people's labels on the same pairs, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import ABSENT, Scope
from evenhand.audits.humans.table import LabelTable, label_table
from evenhand.datasets.labels import Label
from evenhand.records import Preference

__all__ = ["POINTS", "Asked", "Calls", "LabelledPairs", "consensus_of", "gather"]

Calls: TypeAlias = NDArray[np.int8]
"""Indices into :class:`~evenhand.records.Preference`, or ABSENT where there is no verdict."""

Asked: TypeAlias = Literal["both", "single", "AB", "none"]
"""Which orders stand for all pairs: ``both``; ``single`` where each pair was shown in one of them; ``AB`` where BA was
asked of chosen pairs alone, which are no sample of all: their order BA doesn't enter then; ``none`` where each response
was judged by itself and pairs were made of its scores: the order that is written says nothing."""

_A, _B, _TIE = (tuple(Preference).index(p) for p in (Preference.A, Preference.B, Preference.TIE))
_VERDICTS: Final[Mapping[Asked, str]] = {
    "both": "both orders",
    "single": "the order shown",
    "AB": "order AB",
    "none": "its scores",
}
POINTS: Final = np.array([1.0, 0.0, 0.5])
"""What a preference gives response A, by its index: a win 1, a tie half, a loss 0 (the convention of win rates)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledPairs:
    """Every pair that was judged, with its labels where it has any.

    Attributes
    ----------
    ids
        Of the pairs; every array has one row a pair.
    clusters
        What is resampled.
    ab, ba
        The judge's preference in each order.
    labels
        Of each pair, in the file's order, with those that an annotator gave earlier.
    authors
        (author of A, author of B).
    asked
        See :data:`Asked`.
    table
        The labels as arrays.
    """

    judge: str
    ids: tuple[str, ...]
    clusters: NDArray[np.int64]
    ab: Calls
    ba: Calls
    labels: tuple[tuple[Label, ...], ...]
    authors: tuple[tuple[str | None, str | None], ...]
    asked: Asked = "both"
    table: LabelTable = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", label_table(self.labels))

    @property
    def verdict_name(self) -> str:
        """What ``verdict`` is, in words."""
        return _VERDICTS[self.asked]

    @property
    def verdict(self) -> Calls:
        """The judge's verdict on each pair; ABSENT where it has none.

        What both orders prefer, a tie where they contradict each other, and ABSENT where one has no verdict. Where only
        one order was asked of a pair, or of all pairs, it is that order's, with whatever the order did to it. Where
        there was no order, it is what the scores make.
        """
        if self.asked == "AB":
            return self.ab
        if self.asked in ("single", "none"):
            return np.where(self.ab != ABSENT, self.ab, self.ba)
        known = (self.ab != ABSENT) & (self.ba != ABSENT)
        return np.where(known, np.where(self.ab == self.ba, self.ab, _TIE), ABSENT).astype(np.int8)

    @property
    def consensus(self) -> Calls:
        """What most annotators prefer; a tie where the most frequent preferences are as many; ABSENT: no label."""
        return consensus_of(self.table.counts, draw=_TIE)

    @property
    def human_points(self) -> NDArray[np.float64]:
        """Mean points of response A over the pair's annotators; NaN where it has none."""
        counts = self.table.counts
        people = counts.sum(axis=1)
        points: NDArray[np.float64] = np.divide(
            counts @ POINTS, people, out=np.full(len(counts), np.nan), where=people > 0
        )
        return points

    @property
    def judge_points(self) -> NDArray[np.float64]:
        """Mean points of response A over the orders asked that have a verdict; NaN where none has."""
        ba = np.full_like(self.ba, ABSENT) if self.asked == "AB" else self.ba
        calls = np.column_stack([self.ab, ba])
        table = np.where(calls != ABSENT, POINTS[calls], np.nan)
        known = np.isfinite(table)
        total = np.where(known, table, 0.0).sum(axis=1)
        count = known.sum(axis=1)
        points: NDArray[np.float64] = np.divide(total, count, out=np.full(len(table), np.nan), where=count > 0)
        return points

    def by(self, annotator: str | None) -> Calls:
        """One annotator's last label of each pair; ABSENT where they gave none."""
        found = np.full(len(self.ids), ABSENT, dtype=np.int8)
        if annotator in self.annotators:
            own = self.table.last & (self.table.annotator == self.annotators.index(annotator))
            found[self.table.pair[own]] = self.table.preference[own]
        return found

    def without(self, annotator: str | None) -> Calls:
        """What most of the others prefer; ABSENT where nobody else labelled, or their preferences are a draw.

        Others who contradict each other have no consensus. Taken for a tie, it would agree with a judge that
        contradicts itself, and with no person who chose.
        """
        own, counts = self.by(annotator), self.table.counts
        said = np.flatnonzero(own != ABSENT)
        counts[said, own[said]] -= 1
        return consensus_of(counts, draw=ABSENT)

    @property
    def annotators(self) -> tuple[str | None, ...]:
        """Who labelled, those with most labels first."""
        return self.table.annotators


def gather(
    scope: Scope,
    *,
    judge: str,
    ids: Sequence[str],
    clusters: NDArray[np.int64],
    labels: Sequence[Label],
    authors: Mapping[str, tuple[str | None, str | None]],
    asked: Asked = "both",
) -> LabelledPairs:
    """Put labels beside the verdicts of one condition and readout.

    Parameters
    ----------
    ids, clusters
        Of every pair of the table, indexed by ``scope.pairs``.
    asked
        See :data:`Asked`.
    """
    own = [str(ids[int(index)]) for index in scope.pairs]
    by_pair: dict[str, list[Label]] = {}
    for label in labels:
        by_pair.setdefault(label.pair_id, []).append(label)
    return LabelledPairs(
        judge=judge,
        ids=tuple(own),
        clusters=clusters[scope.pairs],
        ab=scope.preference[:, 0],
        ba=scope.preference[:, 1],
        labels=tuple(tuple(by_pair.get(pair, ())) for pair in own),
        authors=tuple(authors.get(pair, (None, None)) for pair in own),
        asked=asked,
    )


def consensus_of(counts: NDArray[np.int64], *, draw: int) -> Calls:
    """The most frequent preference of each row, shape (rows, 3); ``draw`` where several are; ABSENT without any."""
    most = counts.max(axis=1)
    single = np.count_nonzero(counts == most[:, None], axis=1) == 1
    found = np.where(single, counts.argmax(axis=1), draw)
    return np.where(most > 0, found, ABSENT).astype(np.int8)
