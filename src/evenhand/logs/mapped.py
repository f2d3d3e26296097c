"""Logs in which the judge is the model under test and its pairs lie in columns that the user chose.

Tracing and evaluation tools keep what their user put in. What the columns mean is therefore the user's to say
(``map``); plain names are guessed. The rest is the ``table`` format's work.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import ClassVar, Unpack

from evenhand.errors import ConfigError, DataError
from evenhand.logs.base import LogEntry, VerdictLog
from evenhand.logs.chosen import choose, listed
from evenhand.logs.column_map import ColumnMap, guess_columns, parse_map
from evenhand.logs.documents import Document, Node
from evenhand.logs.mapped_row import MappedRow, parse_mapped
from evenhand.logs.places import look_up, places_of
from evenhand.logs.rows import RowLog, RowOptions
from evenhand.logs.table import TableLog
from evenhand.logs.table_row import TableRow
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.outcome import Order
from evenhand.records.pair import Pair

__all__ = ["MappedLog", "MappedOptions"]

_SAMPLED_ROWS = 500
"""Records whose places are looked at for guesses; a column that begins later is named by the user."""


class MappedOptions(RowOptions, total=False):
    """The options of every :class:`MappedLog`, for a format that adds its own."""

    map: str | None
    order: str | None
    labels: str


class MappedLog(RowLog[MappedRow]):
    """Base of the formats whose columns are mapped.

    Parameters
    ----------
    judge, model
        Which to take, where the records name several; who answered, where they name none.
    map
        ``TARGET=PLACE`` separated by commas; the targets are those of :data:`evenhand.logs.column_map.TARGETS`.
    order
        ``AB`` or ``BA``, where every row was shown in one order and no column says so.
    labels
        ``FIRST/SECOND`` or ``FIRST/SECOND/TIE``: the labels of the two slots that the prompt asked for.
    """

    tool: ClassVar[str]
    """The tool's name, for messages."""

    known: ClassVar[Mapping[str, str]] = {}
    """Places that the format itself fixes, by target."""

    def __init__(
        self,
        *,
        map: str | None = None,
        order: str | None = None,
        labels: str = "A/B",
        **options: Unpack[RowOptions],
    ) -> None:
        super().__init__(**options)
        self.given = parse_map(map)
        if order not in (None, "AB", "BA"):
            raise ConfigError(f"order {order!r}: expected AB or BA")
        self.order = None if order is None else Order(order)
        self.labels = LabelSet.parse(labels)
        self.columns = ColumnMap(places=())
        self.condition = self.name

    @abstractmethod
    def records(self, path: Path) -> Document:
        """Read the file's records."""

    def load(self, path: Path) -> Document:
        """Read the records and find the columns."""
        document = self.records(path)
        places: dict[str, None] = {}
        for row in islice(document.rows, _SAMPLED_ROWS):
            # A place that is null throughout says nothing; guessing it would turn every row into one without a verdict.
            places.update(dict.fromkeys(one for one in places_of(row.value) if look_up(row.value, one) is not None))
        for place in self.given.values():
            if place not in places and any(look_up(row.value, place) is not None for row in document.rows):
                places[place] = None
        self.columns = self.map_columns(tuple(places), path)
        self._require(tuple(places), path)
        return document

    def map_columns(self, places: Sequence[str], path: Path) -> ColumnMap:
        """Find the columns; a format may add to it."""
        return guess_columns(places, given=self.given, fixed=self.known, path=path)

    def below(self, prefix: str, places: Sequence[str]) -> tuple[str, ...]:
        """The places under a prefix, and those that the user named: where guessing by name is allowed."""
        named = tuple(self.given.values())
        return tuple(
            place
            for place in places
            if place.startswith(prefix)
            or any(place == one or _inside(place, one) or _inside(one, place) for one in named)
        )

    def parse(self, row: Node) -> MappedRow:
        """Check one record."""
        return self.parse_by(row, self.columns)

    def parse_by(self, row: Node, columns: ColumnMap) -> MappedRow:
        """Check one record by a map; without a condition of its own it has the log's."""
        parsed = parse_mapped(row, columns, labels=self.labels, order=self.order)
        if columns.place("condition"):
            return parsed
        return replace(parsed, table=replace(parsed.table, condition=self.condition))

    def assemble(self, document: Document, parsed: Sequence[MappedRow]) -> VerdictLog:
        """Choose judge and model, then let the table format check what concerns several rows."""
        kept = [row for row in parsed if row.table.pair_id]
        for field in ("judge", "model"):
            wanted: str | None = getattr(self, field)
            kept = choose(kept, field, wanted, name_of=_named(field), path=document.path)
        rows, swapped_texts = _by_identity(kept)
        nodes = tuple(row.node for row in rows)
        table = Document(path=document.path, sha256=document.sha256, rows=nodes)
        judge, model = _constant(rows, "judge") or self.judge, _constant(rows, "model") or self.model
        log = TableLog(judge=judge, model=model).assemble(table, rows)
        authors = {row.table.pair_id: row for row in reversed(kept)}
        stated = any(row.outcome is not None for row in rows)
        return replace(
            log,
            format=self.name,
            judge=JudgeIdentity(
                spec=f"log:{self.name}:{judge or model or 'unknown'}", model=model or judge or "unknown"
            ),
            pairs=tuple(_with_authors(pair, authors[pair.id]) for pair in log.pairs),
            entries=log.entries if self._has_verdicts() else tuple(map(_without_reading, log.entries)),
            log_rules=self.rules(stated=stated),
            notes=self.notes(swapped_texts=swapped_texts),
        )

    def rules(self, *, stated: bool) -> str:
        """Say in one sentence how the log decided its own outcome."""
        if not stated:
            return f"The {self.tool} records have texts only: no column states an outcome."
        place = self.columns.place("outcome") or self.columns.place("preference") or "an error"
        return f"The {self.tool} records state the verdict in {place!r}; how it was decided is not recorded."

    def notes(self, *, swapped_texts: bool) -> tuple[str, ...]:
        """Facts that a reader of the figures must know: what was guessed, and what was inferred."""
        notes = []
        if self.columns.described:
            notes.append(f"columns guessed from their names: {self.columns.described}")
        if swapped_texts:
            notes.append("the two response columns hold the texts by slot: they change places with the order")
        if self.order is not None:
            notes.append(f"order {self.order} for rows that don't state it: as the import was told")
        return tuple(notes)

    def _has_verdicts(self) -> bool:
        return bool(self.columns.place("outcome") or self.columns.place("preference"))

    def _require(self, places: Sequence[str], path: Path) -> None:
        has = f"it has {listed(places)}"
        if self.columns.place("pair_id") is None:
            raise DataError("no column says which pair a row is of", path=path, remedy=f"--map pair_id=COLUMN; {has}")
        if self.order is None and not (self.columns.place("order") or self.columns.place("swapped")):
            raise DataError(
                "no column says which response was shown first, so nothing can be said of position",
                path=path,
                remedy=f"--map order=COLUMN or swapped=COLUMN; --set order=AB where all rows show A first; {has}",
            )
        if not any(self.columns.place(target) for target in ("text", "outcome", "preference", "logprobs")):
            raise DataError(
                "no column has the judge's text or verdict",
                path=path,
                remedy=f"--map text=COLUMN, outcome=COLUMN (the slot) or preference=COLUMN (the identity); {has}",
            )


def _named(field: str) -> Callable[[MappedRow], str | None]:
    def name_of(row: MappedRow) -> str | None:
        name: str | None = getattr(row.table, field)
        return name

    return name_of


def _inside(place: str, other: str) -> bool:
    return place.startswith(f"{other}.")


def _without_reading(entry: LogEntry) -> LogEntry:
    """A failed call is no reading of its own where the log states none."""
    return replace(entry, completion=replace(entry.completion, log_outcome=None))


def _constant(rows: Sequence[TableRow], field: str) -> str | None:
    value: str | None = next((found for row in rows if (found := getattr(row, field)) is not None), None)
    return value


def _with_authors(pair: Pair, row: MappedRow) -> Pair:
    return replace(pair, author_a=row.author_a, author_b=row.author_b)


def _by_identity(rows: Sequence[MappedRow]) -> tuple[list[TableRow], bool]:
    """Give every row its texts by identity.

    Mapped slot texts are turned by the row's order. Columns that were taken for identities are turned too where every
    pair in both orders has exactly exchanged texts: then they are by slot.
    """
    named = [
        _with_texts(row.table, row.first, row.second) if row.first is not None or row.second is not None else row.table
        for row in rows
    ]
    if any(row.first is not None for row in rows) or not _exchanged(named):
        return named, False
    return [_with_texts(row, row.response_a, row.response_b) for row in named], True


def _with_texts(row: TableRow, first: str | None, second: str | None) -> TableRow:
    a, b = (first, second) if row.order is Order.AB else (second, first)
    return replace(row, response_a=a, response_b=b)


def _exchanged(rows: Sequence[TableRow]) -> bool:
    """Whether the response columns change places with the order in every pair that has both orders."""
    shown: dict[str, dict[Order, list[str | None]]] = {}
    for row in rows:
        shown.setdefault(row.pair_id, {})[row.order] = [row.response_a, row.response_b]
    both = [texts for texts in shown.values() if len(texts) == 2]
    return bool(both) and all(
        texts[Order.AB] == texts[Order.BA][::-1] and texts[Order.AB] != texts[Order.BA] for texts in both
    )
