"""One judge's verdicts and people's labels on the same pairs, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.wide import ABSENT, Scope
from evenhand.datasets.labels import Label, last_labels
from evenhand.records import Preference

__all__ = ["POINTS", "Asked", "Calls", "LabelledPairs", "gather"]

Calls: TypeAlias = NDArray[np.int8]
"""Indices into :class:`~evenhand.records.Preference`, or ABSENT where there is no verdict."""

Asked: TypeAlias = Literal["both", "single", "AB"]
"""Which orders stand for all pairs: ``both``; ``single`` where each pair was shown in one of them; ``AB`` where BA was
asked of chosen pairs alone, which are no sample of all: their order BA doesn't enter then."""

_A, _B, _TIE = (tuple(Preference).index(p) for p in (Preference.A, Preference.B, Preference.TIE))
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
    """

    judge: str
    ids: tuple[str, ...]
    clusters: NDArray[np.int64]
    ab: Calls
    ba: Calls
    labels: tuple[tuple[Label, ...], ...]
    authors: tuple[tuple[str | None, str | None], ...]
    asked: Asked = "both"

    @property
    def verdict_name(self) -> str:
        """What ``verdict`` is, in words."""
        return {"both": "both orders", "single": "the order shown", "AB": "order AB"}[self.asked]

    @property
    def verdict(self) -> Calls:
        """The judge's verdict on each pair; ABSENT where it has none.

        What both orders prefer, a tie where they contradict each other, and ABSENT where one has no verdict. Where only
        one order was asked of a pair, or of all pairs, it is that order's, with whatever the order did to it.
        """
        if self.asked == "AB":
            return self.ab
        if self.asked == "single":
            return np.where(self.ab != ABSENT, self.ab, self.ba)
        known = (self.ab != ABSENT) & (self.ba != ABSENT)
        return np.where(known, np.where(self.ab == self.ba, self.ab, _TIE), ABSENT).astype(np.int8)

    @property
    def current(self) -> tuple[tuple[Label, ...], ...]:
        """Labels of each pair, each annotator's last alone: who labels a pair again is not two people."""
        return tuple(last_labels(labels) for labels in self.labels)

    @property
    def consensus(self) -> Calls:
        """What most annotators prefer; a tie where the most frequent preferences are as many; ABSENT: no label."""
        return np.array([_consensus(labels, draw=_TIE) for labels in self.current], dtype=np.int8)

    @property
    def human_points(self) -> NDArray[np.float64]:
        """Mean points of response A over the pair's annotators; NaN where it has none."""
        return np.array(
            [np.mean([POINTS[_code(label)] for label in labels]) if labels else np.nan for labels in self.current]
        )

    @property
    def judge_points(self) -> NDArray[np.float64]:
        """Mean points of response A over the orders asked that have a verdict; NaN where none has."""
        table = np.array([[POINTS[call] if call != ABSENT else np.nan for call in (a, b)] for a, b in self._orders()])
        table = table.reshape(len(self.ids), 2)
        known = np.isfinite(table)
        total = np.where(known, table, 0.0).sum(axis=1)
        count = known.sum(axis=1)
        points: NDArray[np.float64] = np.divide(total, count, out=np.full(len(table), np.nan), where=count > 0)
        return points

    def by(self, annotator: str | None) -> Calls:
        """One annotator's last label of each pair; ABSENT where they gave none."""
        found = np.full(len(self.ids), ABSENT, dtype=np.int8)
        for row, labels in enumerate(self.current):
            for label in labels:
                if label.annotator == annotator:
                    found[row] = _code(label)
        return found

    def without(self, annotator: str | None) -> Calls:
        """What most of the others prefer; ABSENT where nobody else labelled, or their preferences are a draw.

        Others who contradict each other have no consensus. Taken for a tie, it would agree with a judge that
        contradicts itself, and with no person who chose.
        """
        rest = [tuple(label for label in labels if label.annotator != annotator) for labels in self.current]
        return np.array([_consensus(labels, draw=ABSENT) for labels in rest], dtype=np.int8)

    @property
    def annotators(self) -> tuple[str | None, ...]:
        """Who labelled, those with most labels first."""
        counts: dict[str | None, int] = {}
        for labels in self.labels:
            for label in labels:
                counts[label.annotator] = counts.get(label.annotator, 0) + 1
        return tuple(sorted(counts, key=lambda name: (-counts[name], name or "")))

    def _orders(self) -> list[tuple[int, int]]:
        ba = np.full_like(self.ba, ABSENT) if self.asked == "AB" else self.ba
        return list(zip(self.ab.tolist(), ba.tolist(), strict=True))


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


def _code(label: Label) -> int:
    return tuple(Preference).index(label.preference)


def _consensus(labels: Sequence[Label], *, draw: int) -> int:
    if not labels:
        return ABSENT
    counts = np.bincount([_code(label) for label in labels], minlength=3)
    first = np.flatnonzero(counts == counts.max())
    return int(first[0]) if first.size == 1 else draw
