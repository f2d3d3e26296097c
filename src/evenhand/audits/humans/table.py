"""Labels as arrays: of which pair, by whom, what, and on which day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.datasets.labels import Label, last_labels
from evenhand.records import Preference

__all__ = ["UNDATED", "LabelTable", "label_table"]

UNDATED: Final = 0
"""Day of a label without a date: no date has it, since the calendar begins with day 1."""

_CODES = {preference: code for code, preference in enumerate(Preference)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelTable:
    """Labels of judged pairs, one row a label.

    Attributes
    ----------
    pairs
        How many pairs there are, with labels or without.
    annotators
        Who labelled, those with most labels first.
    pair, annotator
        Row of the label's pair; index into ``annotators``.
    preference
        Index into :class:`~evenhand.records.Preference`.
    day
        Proleptic ordinal of the date; UNDATED where it has none.
    last
        Whether it is its annotator's last of the pair (:func:`evenhand.datasets.labels.last_labels`).
    """

    pairs: int
    annotators: tuple[str | None, ...]
    pair: NDArray[np.int64]
    annotator: NDArray[np.int64]
    preference: NDArray[np.int8]
    day: NDArray[np.int64]
    last: NDArray[np.bool_]

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many annotators' last label is each preference, shape (pairs, 3)."""
        kinds = len(Preference)
        cells = self.pair[self.last] * kinds + self.preference[self.last]
        return np.bincount(cells, minlength=self.pairs * kinds).reshape(self.pairs, kinds)


def label_table(labels: Sequence[Sequence[Label]]) -> LabelTable:
    """Labels of each pair, as arrays.

    Examples
    --------
    >>> own = [Label(pair_id="p", preference=Preference.B, annotator=who, row=1) for who in ("ann", "bob")]
    >>> table = label_table([own, []])
    >>> table.annotators, table.counts.tolist()
    (('ann', 'bob'), [[0, 2, 0], [0, 0, 0]])
    """
    count = Counter(label.annotator for own in labels for label in own)
    annotators = tuple(sorted(count, key=lambda name: (-count[name], name or "")))
    code = {name: place for place, name in enumerate(annotators)}
    kept = [{id(label) for label in last_labels(own)} for own in labels]
    days = {date: datetime.fromisoformat(date).toordinal() for own in labels for date in _dates(own)}
    rows = [
        (
            pair,
            code[label.annotator],
            _CODES[label.preference],
            UNDATED if label.date is None else days[label.date],
            id(label) in kept[pair],
        )
        for pair, own in enumerate(labels)
        for label in own
    ]
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 5)
    return LabelTable(
        pairs=len(labels),
        annotators=annotators,
        pair=table[:, 0],
        annotator=table[:, 1],
        preference=table[:, 2].astype(np.int8),
        day=table[:, 3],
        last=table[:, 4].astype(bool),
    )


def _dates(labels: Sequence[Label]) -> set[str]:
    return {label.date for label in labels if label.date is not None}
