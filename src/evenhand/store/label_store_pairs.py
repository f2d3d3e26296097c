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
from evenhand.store.connection import JOURNAL, connect_reader, told_plainly
from evenhand.store.label_store_records import stored_id, text_sha256
from evenhand.store.records_json import pair_from_json

__all__ = ["LabelPairs"]

_ID: Final = '{"id":'
_NO_TEXT: Final = '"response_a":"","response_b":""'
"""As :func:`evenhand.store.records_json.pair_to_json` writes it; inside a text the quotes would be escaped."""

_SCAN: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    run: int
    ordinal: int


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
            for place, pair_id, has_text in self._scan(number):
                if not has_text:
                    self.without_text += 1
                elif pair_id not in self._places:
                    self._places[pair_id] = place
                elif text_sha256(self._read(place)) != self.text_sha256(pair_id):
                    conflicting.add(pair_id)
        for pair_id in conflicting:
            del self._places[pair_id]
        self.conflicting = tuple(sorted(conflicting))
        self.ids = tuple(self._places)

    def _scan(self, run: int) -> Iterator[tuple[_Place, str, bool]]:
        path = self.directories[run]
        with told_plainly(path / JOURNAL), closing(connect_reader(path, check=False)) as reader:
            for ordinal, record in reader.connection.execute("SELECT ordinal, record FROM pairs ORDER BY ordinal"):
                yield _Place(run=run, ordinal=ordinal), stored_id(_id_of(record)), _NO_TEXT not in record

    def _read(self, place: _Place) -> Pair:
        path = self.directories[place.run]
        with told_plainly(path / JOURNAL), closing(connect_reader(path, check=False)) as reader:
            row = reader.connection.execute("SELECT record FROM pairs WHERE ordinal = ?", (place.ordinal,)).fetchone()
        if row is None:
            raise DataError(f"has no pair {place.ordinal + 1} any more", path=path, remedy="start the page again")
        return pair_from_json(row[0])

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
        return pair

    def text_sha256(self, pair_id: str) -> str | None:
        """Hash of the pair's texts; None where there is no such pair. It is computed once."""
        if pair_id not in self._places:
            return None
        with self._lock:
            known = self._hashes.get(pair_id)
        if known is None:
            known = text_sha256(self.pair(pair_id))
            with self._lock:
                self._hashes[pair_id] = known
        return known


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
