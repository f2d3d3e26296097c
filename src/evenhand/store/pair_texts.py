"""The texts of a few pairs out of a run's journal, without reading the others."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import DataError
from evenhand.records import Pair
from evenhand.records.columnar import VerdictColumns
from evenhand.store.columnar_record import read_record
from evenhand.store.columns import load_some
from evenhand.store.connection import JOURNAL, connect_reader, told_plainly
from evenhand.store.entries import JournalEntry
from evenhand.store.records_json import completion_from_json, pair_from_json, presentation_from_json

__all__ = ["PairTexts", "read_pair_texts"]

_PAIRS = """
    SELECT record FROM pairs WHERE json_extract(record, '$.id') IN (SELECT value FROM json_each(?)) ORDER BY ordinal
"""
_ENTRIES = """
    SELECT presentations.record, completions.record FROM plan
    JOIN presentations ON presentations.key = plan.key
    LEFT JOIN completions ON completions.key = plan.key
        AND completions.attempt = (SELECT MAX(attempt) FROM completions AS later WHERE later.key = plan.key)
    WHERE json_extract(presentations.record, '$.pair_id') IN (SELECT value FROM json_each(?))
    ORDER BY plan.ordinal
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTexts:
    """Pairs with their planned presentations, each with its latest completion, in the plan's order."""

    pairs: tuple[Pair, ...] = ()
    entries: tuple[JournalEntry, ...] = ()


def read_pair_texts(directory: Path, pair_ids: Collection[str]) -> PairTexts:
    """Read some pairs and what was answered of them. Memory holds those alone, however large the run is.

    An id that the run hasn't is passed over. A run without a journal has no texts.

    Raises
    ------
    StoreError
        The journal is damaged, or can't be read.
    DataError
        A record in it isn't ours.
    """
    if not pair_ids or not (directory / JOURNAL).is_file():
        return PairTexts()
    path, wanted = directory / JOURNAL, json.dumps(sorted(pair_ids))
    reader = connect_reader(directory, check=False)
    try:
        with told_plainly(path):
            files = read_record(reader.connection)
            if files is not None:
                return _of_columns(load_some(directory, files, pair_ids))
            pairs = [pair_from_json(record) for (record,) in reader.connection.execute(_PAIRS, (wanted,))]
            entries = [
                JournalEntry(
                    presentation=presentation_from_json(presentation),
                    completion=None if completion is None else completion_from_json(completion),
                )
                for presentation, completion in reader.connection.execute(_ENTRIES, (wanted,))
            ]
    except DataError as error:
        raise DataError(error.problem, path=path, remedy="the journal was changed by another program") from error
    finally:
        reader.close()
    return PairTexts(pairs=tuple(pairs), entries=tuple(entries))


def _of_columns(columns: VerdictColumns) -> PairTexts:
    return PairTexts(
        pairs=tuple(columns.iter_pairs()),
        entries=tuple(
            JournalEntry(presentation=logged.presentation, completion=logged.completion)
            for logged in columns.iter_presentations()
        ),
    )
