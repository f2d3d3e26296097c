"""The pairs that can be labelled: which there are in some runs, read one at a time when one is shown."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evenhand.errors import DataError
from evenhand.records import Pair
from evenhand.store.columnar_record import read_record
from evenhand.store.columns import ColumnFiles, pair_rows, pairs_at
from evenhand.store.connection import JOURNAL, connect_reader, told_plainly
from evenhand.store.label_store_records import stored_id, text_sha256
from evenhand.store.records_json import pair_from_json

__all__ = ["LabelPairs"]

_ID: Final = '{"id":'
_NO_TEXT: Final = '"response_a":"","response_b":""'
"""As :func:`evenhand.store.records_json.pair_to_json` writes it; inside a text the quotes would be escaped."""

_SCAN: Final = json.JSONDecoder()

_AT_ONCE: Final = 10_000
"""Pairs of columns whose texts are in memory together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A pair's run and its number there: in the journal, or of its row in the file of columns."""

    run: int
    number: int


class LabelPairs:
    """The pairs of some runs, by id. Ids are kept, texts are read on demand: a million pairs take no texts in memory.

    Parameters
    ----------
    directories
        Of the runs. A pair that several have is one.

    Attributes
    ----------
    ids
        Of the pairs that can be labelled, as a label file holds them, in the runs' order.
    without_text
        Pairs that can't be labelled, since their log kept no text of the responses.
    conflicting
        Ids that two runs have with other texts: a label would not say of which.

    Raises
    ------
    StoreError
        A directory is no run, or can't be read.
    """

    def __init__(self, directories: Sequence[Path]) -> None:
        self.directories = tuple(directories)
        self.without_text = 0
        self._places: dict[str, _Place] = {}
        self._hashes: dict[str, str] = {}
        self._lock = threading.Lock()
        conflicting: set[str] = set()
        for number in range(len(self.directories)):
            for place, pair_id, has_text, known in self._scan(number):
                if not has_text:
                    self.without_text += 1
                elif pair_id not in self._places:
                    self._places[pair_id] = place
                    if known is not None:
                        self._hashes[pair_id] = known
                elif (known or text_sha256(self._read(place))) != self.text_sha256(pair_id):
                    conflicting.add(pair_id)
        for pair_id in conflicting:
            del self._places[pair_id]
        self.conflicting = tuple(sorted(conflicting))
        self.ids = tuple(self._places)

    def _scan(self, run: int) -> Iterator[tuple[_Place, str, bool, str | None]]:
        """Each pair's place, id, whether it has a text, and the hash of its texts where many are read at once."""
        path = self.directories[run]
        with told_plainly(path / JOURNAL), closing(connect_reader(path, check=False)) as reader:
            files = read_record(reader.connection)
            if files is not None:
                rows = pair_rows(path, files)
                hashes = self._hashed(path, files, rows.height) if len(self.directories) > 1 else {}
                for pair_id, row, has_text in rows.iter_rows():
                    yield _Place(run=run, number=row), stored_id(pair_id), has_text, hashes.get(pair_id)
                return
            for ordinal, record in reader.connection.execute("SELECT ordinal, record FROM pairs ORDER BY ordinal"):
                yield _Place(run=run, number=ordinal), stored_id(_id_of(record)), _NO_TEXT not in record, None

    def _hashed(self, path: Path, files: ColumnFiles, count: int) -> dict[str, str]:
        """Hashes of all pairs of a run of columns, some at a time: to look for one there takes milliseconds."""
        starts = range(0, count, _AT_ONCE)
        return {pair.id: text_sha256(pair) for start in starts for pair in pairs_at(path, files, start, _AT_ONCE)}

    def _read(self, place: _Place) -> Pair:
        path = self.directories[place.run]
        with told_plainly(path / JOURNAL), closing(connect_reader(path, check=False)) as reader:
            files = read_record(reader.connection)
            if files is not None:
                found = pairs_at(path, files, place.number)
                pair = found[0] if found else None
            else:
                row = reader.connection.execute(
                    "SELECT record FROM pairs WHERE ordinal = ?", (place.number,)
                ).fetchone()
                pair = None if row is None else pair_from_json(row[0])
        if pair is None:
            raise DataError(f"has no pair {place.number + 1} any more", path=path, remedy="start the page again")
        return pair

    def __contains__(self, pair_id: str) -> bool:
        return pair_id in self._places

    def pair(self, pair_id: str) -> Pair:
        """The pair with an id out of ``ids``.

        Raises
        ------
        DataError
            Its run was planned anew with other pairs since.
        KeyError
            There is none.
        """
        place = self._places[pair_id]
        pair = self._read(place)
        if stored_id(pair.id) != pair_id:
            path = self.directories[place.run]
            raise DataError("was planned anew with other pairs", path=path, remedy="start the page again")
        with self._lock:  # its run may have been made anew, with other texts
            self._hashes[pair_id] = text_sha256(pair)
        return pair

    def text_sha256(self, pair_id: str) -> str | None:
        """Hash of the pair's texts as they were read last; None where there is no such pair."""
        if pair_id not in self._places:
            return None
        with self._lock:
            known = self._hashes.get(pair_id)
        return known if known is not None else text_sha256(self.pair(pair_id))


def _id_of(record: str) -> str:
    """The id alone, without decoding two long texts."""
    if record.startswith(_ID):
        try:
            found, _ = _SCAN.raw_decode(record, len(_ID))
        except ValueError:
            found = None
        if isinstance(found, str):
            return found
    return pair_from_json(record).id
