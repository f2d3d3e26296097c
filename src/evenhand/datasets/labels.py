"""Human labels of pairs, from a file of their own: JSON Lines, JSON, CSV or Parquet, one label a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

from evenhand.datasets.fields import gold_of, optional_text, refuse_near_names, wrong_value
from evenhand.datasets.rows import Row, read_rows
from evenhand.errors import DataError
from evenhand.records import Preference, file_sha256

__all__ = ["Label", "Labels", "last_labels", "read_labels"]

_CODES: Mapping[object, Preference | None] = MappingProxyType(
    {"a": Preference.A, "b": Preference.B, "tie": Preference.TIE, "": None, None: None}
)

_QUOTED: Final = tuple(f"'{first}" for first in "=+-@\t\r")
"""How an id begins that was written so that no spreadsheet takes it for a formula."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What one person said of one pair.

    Attributes
    ----------
    annotator
        Who; None where the file doesn't say.
    date
        When, ISO 8601 as it stands in the file; None where the file doesn't say.
    row
        Where it stands, as an error would name it.
    """

    pair_id: str
    preference: Preference
    annotator: str | None = None
    date: str | None = None
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The labels of a file that are of the pairs asked about.

    Attributes
    ----------
    path, sha256
        The file.
    labels
        In the file's order.
    empty
        Rows without a preference: nobody labelled them yet. They are no ties.
    elsewhere
        Rows of pairs that aren't among those asked about.
    """

    path: Path
    sha256: str
    labels: tuple[Label, ...]
    empty: int = 0
    elsewhere: int = 0

    @property
    def annotators(self) -> tuple[str, ...]:
        """Who labelled, sorted; empty where the file doesn't say."""
        return tuple(sorted({label.annotator for label in self.labels if label.annotator is not None}))

    def consensus(self) -> dict[str, Preference]:
        """The preference that most annotators share, by pair id; a draw of the most frequent ones is a tie.

        Of each annotator the last label of a pair (:func:`last_labels`).

        Examples
        --------
        >>> votes = {"ann": Preference.A, "bob": Preference.A, "cy": Preference.B}
        >>> labels = [Label(pair_id="p", preference=vote, annotator=who, row=1) for who, vote in votes.items()]
        >>> Labels(path=Path("l.csv"), sha256="", labels=tuple(labels)).consensus()
        {'p': <Preference.A: 'A'>}
        """
        votes: dict[str, Counter[Preference]] = {}
        for label in last_labels(self.labels):
            votes.setdefault(label.pair_id, Counter())[label.preference] += 1
        found = {}
        for pair_id, counts in votes.items():
            most = max(counts.values())
            first = [preference for preference, count in counts.items() if count == most]
            found[pair_id] = first[0] if len(first) == 1 else Preference.TIE
        return found


def last_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """The last label of each annotator and pair: who labels a pair again is not two people.

    A dated label is later than one without a date; else the order given decides. Labels without an annotator are taken
    to be of one person.

    Examples
    --------
    >>> days = {"2026-12-01": Preference.B, "2026-11-30": Preference.A}
    >>> labels = [Label(pair_id="p", preference=p, annotator="ann", date=d, row=1) for d, p in days.items()]
    >>> [label.date for label in last_labels(labels)]
    ['2026-12-01']
    """
    found: dict[tuple[str, str | None], Label] = {}
    for label in labels:
        key = (label.pair_id, label.annotator)
        if key not in found or _when(label) >= _when(found[key]):
            found[key] = label
    return tuple(found.values())


def _when(label: Label) -> datetime:
    """ISO 8601 writes one time in several ways, so that texts don't sort; without a zone it is taken to be UTC."""
    if label.date is None:
        return datetime.min.replace(tzinfo=UTC)
    time = datetime.fromisoformat(label.date)
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def read_labels(path: str | Path, pair_ids: Collection[str]) -> Labels:
    """Read human labels.

    Columns: ``pair_id`` and ``preference`` (A, B, tie, or empty: not labelled) are required, ``annotator`` and ``date``
    (ISO 8601) optional; others are not read. A pair may have several annotators, but one label of each on one date. An
    id that a CSV has with an apostrophe before a formula's first character is read without it.

    Parameters
    ----------
    path
        ``.jsonl``, ``.json``, ``.csv`` or ``.parquet``.
    pair_ids
        The pairs that were judged; labels of others are counted and left out.

    Raises
    ------
    DataError
        The file, a row or a field can't be read; an annotator labelled a pair twice; or no label is of these pairs.
    """
    path = Path(path)
    known = frozenset(pair_ids)
    labels: list[Label] = []
    seen: dict[tuple[str, str | None, str | None], int] = {}
    empty = elsewhere = 0
    for row in read_rows(path):
        label = _label(row, known)
        if label is None:
            empty += 1
            continue
        key = (label.pair_id, label.annotator, label.date)
        if key in seen:
            who = f"annotator {label.annotator!r}" if label.annotator is not None else "an annotator without a name"
            raise DataError(
                f"{who} labelled pair {label.pair_id!r} in row {seen[key]} already",
                path=path,
                row=row.number,
                field="pair_id",
                remedy="keep one label, or tell them apart by annotator or date",
            )
        seen[key] = row.number
        if label.pair_id in known:
            labels.append(label)
        else:
            elsewhere += 1
    if not labels:
        raise DataError(
            _nothing(empty, elsewhere), path=path, remedy="pair_id must be the id that the run's pairs have"
        )
    return Labels(path=path, sha256=file_sha256(path), labels=tuple(labels), empty=empty, elsewhere=elsewhere)


def _nothing(empty: int, elsewhere: int) -> str:
    if elsewhere:
        return f"none of its {elsewhere:,} labels is of a pair that was judged"
    return f"holds no label ({empty:,} rows without a preference)" if empty else "holds no row"


def _label(row: Row, known: Collection[str]) -> Label | None:
    for name in ("pair_id", "preference"):
        if name not in row.values:
            raise DataError(
                f"missing field {name}",
                path=row.path,
                row=row.number,
                remedy=f"columns here: {', '.join(map(repr, row.values))[:200] or 'none'}",
            )
    refuse_near_names(row, ("annotator", "date"))
    pair_id = optional_text(row, "pair_id")
    if pair_id is None:
        raise wrong_value(row, "pair_id", "the id of a pair")
    preference = gold_of(row, "preference", _CODES, expected="A, B, tie or empty")
    annotator, date = optional_text(row, "annotator"), _date(row)
    if preference is None:
        return None
    if pair_id not in known and pair_id.startswith(_QUOTED) and pair_id[1:] in known:
        pair_id = pair_id[1:]
    return Label(pair_id=pair_id, preference=preference, annotator=annotator, date=date, row=row.number)


def _date(row: Row) -> str | None:
    value = row.values.get("date")
    text = value.isoformat() if hasattr(value, "isoformat") else optional_text(row, "date")
    if text is None:
        return None
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise wrong_value(row, "date", "a date such as 2026-11-30") from None
    return str(text)
