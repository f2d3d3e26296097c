"""Building the pages' index of a run: a file in the user's cache, never in the run's own directory."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from evenhand.errors import ConfigError, StoreError
from evenhand.records import Pair, Preference, Readout, RunManifest
from evenhand.report.text import visible
from evenhand.store.records_json import pair_to_json
from evenhand.web.cube import COLUMNS
from evenhand.web.index_rows import IndexRows, PairFacts, compacted, index_rows
from evenhand.web.index_schema import INDEX_VERSION, INDEXES, SEARCH, SORTS, TABLES
from evenhand.web.row_codes import UNKNOWN
from evenhand.web.run_source import RunSource

if TYPE_CHECKING:
    import polars as pl

__all__ = ["HEAD", "Progress", "build_index", "default_cache", "index_path", "search_words"]

HEAD: Final = 300
"""Characters of an instruction that can be searched."""

_SHOWN_HEAD: Final = 160
_LONGEST_ID: Final = 2000
_GOLD: Final = {Preference.A: 0, Preference.B: 1, Preference.TIE: 2, None: UNKNOWN}

Row = TypeVar("Row")

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""

_WIDE: Final = re.compile(r"([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff])")


def default_cache() -> Path:
    """Where indexes lie: the user's cache, below ``evenhand/serve``."""
    from platformdirs import user_cache_path

    return user_cache_path("evenhand", appauthor=False) / "serve"


def index_path(source: RunSource, cache: Path) -> Path:
    """The index that fits a run as it is now; it needn't exist."""
    return cache / _file_name(source.directory, source.version())


def _file_name(directory: Path, version: str) -> str:
    return f"{_prefix(directory)}{version[:24]}.sqlite"


def _prefix(directory: Path) -> str:
    place = hashlib.sha256(str(directory.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return f"v{INDEX_VERSION}-{place}-"


def search_words(text: str) -> str:
    """A text as the search sees it: characters of scripts that write no spaces stand apart, each a word.

    Examples
    --------
    >>> search_words("ab 你好")
    'ab  你  好 '
    """
    return _WIDE.sub(r" \1 ", text)


def build_index(source: RunSource, cache: Path, *, progress: Progress | None = None) -> Path:
    """Build the index where it isn't there yet; of earlier ones of the same run the last is kept.

    Parameters
    ----------
    source
        The run.
    cache
        The folder for it; made where it doesn't exist, readable by its owner only.
    progress
        Told how far it is.

    Raises
    ------
    ConfigError
        The cache can't be written.
    StoreError, DataError
        The run can't be read.
    """
    version = source.version()
    target = cache / _file_name(source.directory, version)
    if target.is_file():
        return target
    try:
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(prefix=".building-", suffix=".sqlite", dir=cache)  # only its owner may read it
    except OSError as error:
        raise ConfigError(
            f"{cache}: can't be written ({error.strerror or error}): name another with --cache"
        ) from error
    os.close(handle)
    building = Path(name)
    try:
        with closing(sqlite3.connect(building, isolation_level=None)) as connection:
            _fill(connection, source, version, progress or _silent)
        building.replace(target)
    except sqlite3.Error as error:
        raise StoreError(
            f"{cache}: the index can't be written ({error}): free some space, or name another with --cache"
        ) from error
    except OSError as error:
        raise StoreError(f"{cache}: the index can't be written ({error.strerror or error})") from error
    finally:
        building.unlink(missing_ok=True)
    _forget(cache, _prefix(source.directory), target)
    return target


def _forget(cache: Path, prefix: str, target: Path) -> None:
    """Delete old indexes of a run, but for the last: another server, or a page that is just being made, may use it."""
    with suppress(OSError):  # a cache that somebody else cleans up too; Windows: a file that is open
        old = [file for file in cache.glob(f"{prefix}*.sqlite") if file != target]
        for file in sorted(old, key=lambda each: each.stat().st_mtime)[:-1]:
            file.unlink()


def _silent(what: str, done: int, total: int) -> None:
    """Nobody is told."""


@dataclass(slots=True)
class _Read:
    """What the first pass over the pairs keeps of them."""

    ids: list[str]
    gold: list[int]
    source: list[str]


def _fill(connection: sqlite3.Connection, source: RunSource, version: str, progress: Progress) -> None:
    import polars as pl

    execute = connection.execute
    execute("PRAGMA journal_mode = OFF")  # a file that is thrown away unless it is whole
    execute("PRAGMA synchronous = OFF")
    for statement in TABLES:
        execute(statement)
    manifest = source.manifest
    execute("BEGIN")
    read = _Read(ids=[], gold=[], source=[])
    searchable = _search_table(connection)
    for start in _batches(_pair_rows(source, read, progress, manifest.data.pairs), 5_000):
        connection.executemany("INSERT INTO pairs VALUES (?, ?, ?, ?)", [row[:4] for row in start])
        if searchable:
            connection.executemany(
                "INSERT INTO search (rowid, words) VALUES (?, ?)", [(row[0], row[4]) for row in start]
            )
    facts = _facts(read)
    ids = pl.DataFrame(
        {"pair_id": facts.ids, "pair": range(len(facts.ids))}, schema={"pair_id": pl.String, "pair": pl.Int32}
    )
    ids = ids.unique("pair_id", keep="first", maintain_order=True)
    compact = pl.concat([compacted(_no_verdicts(), ids, []), *_chunks(connection, source, manifest, ids, progress)])
    rows = index_rows(compact, facts)
    total = len(rows.columns["pair"])
    for number, batch in enumerate(_batches(rows.tuples(), 50_000)):
        connection.executemany(
            "INSERT INTO rows (pair, cell, ab, ba, name, pull, close) VALUES (?, ?, ?, ?, ?, ?, ?)", batch
        )
        progress("writing the index", min((number + 1) * 50_000, total), total)
    _describe(connection, source, manifest, rows, facts, version=version, searchable=searchable)
    for statement in (*INDEXES, *(each for sort in SORTS for each in sort.indexes if rows.log_odds)):
        progress("ordering the index", 0, 1)
        execute(statement)
    execute("COMMIT")
    execute("ANALYZE")
    progress("ordering the index", 1, 1)


def _no_verdicts() -> pl.DataFrame:
    """A verdict table without rows."""
    from evenhand.records import verdict_table

    return verdict_table(())


def _chunks(
    connection: sqlite3.Connection, source: RunSource, manifest: RunManifest, ids: pl.DataFrame, progress: Progress
) -> Iterator[pl.DataFrame]:
    ordinals = dict(zip(ids["pair_id"], ids["pair"], strict=True))
    conditions = [condition.id for condition in manifest.conditions]
    for chunk in source.chunks():
        asked = ((ordinals.get(_utf8(each.pair_id)), each.ordinal) for each in chunk.asked)
        connection.executemany("INSERT INTO asked VALUES (?, ?)", (row for row in asked if row[0] is not None))
        progress("reading verdicts", chunk.done, chunk.planned)
        yield compacted(chunk.verdicts, ids, [_utf8(name) for name in conditions])


def _pair_rows(
    source: RunSource, read: _Read, progress: Progress, total: int
) -> Iterator[tuple[int, str, str, str | None, str]]:
    for ordinal, pair in enumerate(source.pairs()):
        name = _utf8(pair.id)
        read.ids.append(name)
        read.gold.append(_GOLD[pair.gold])
        read.source.append(pair.source)
        head = visible(pair.instruction[:HEAD], limit=None)
        record = None if source.keeps_texts else pair_to_json(pair)
        words = search_words(f"{name[:_LONGEST_ID]} {_utf8(pair.source[:HEAD])} {head}")
        yield ordinal, name, _utf8(_shown_head(pair, head)), record, words
        if ordinal % 5_000 == 0:
            progress("reading pairs", ordinal, total)


def _shown_head(pair: Pair, head: str) -> str:
    cut = len(pair.instruction) > _SHOWN_HEAD
    return f"{head[:_SHOWN_HEAD]}…" if cut else head


def _facts(read: _Read) -> PairFacts:
    names, codes, counts = np.unique(
        np.asarray(read.source or [""], dtype=object), return_inverse=True, return_counts=True
    )
    by_count = np.argsort(-counts, kind="stable")
    place = np.empty(len(names), dtype=np.int64)
    place[by_count] = np.arange(len(names))
    return PairFacts(
        ids=read.ids,
        gold=np.asarray(read.gold, dtype=np.int64),
        source=place[codes.reshape(-1)][: len(read.ids)],
        sources=tuple(str(names[each]) for each in by_count),
    )


def _search_table(connection: sqlite3.Connection) -> bool:
    """Whether this SQLite can search words; without, the page searches by the beginning of a pair's id."""
    try:
        connection.execute(SEARCH)
    except sqlite3.OperationalError:
        return False
    return True


def _describe(
    connection: sqlite3.Connection,
    source: RunSource,
    manifest: RunManifest,
    rows: IndexRows,
    facts: PairFacts,
    *,
    version: str,
    searchable: bool,
) -> None:
    """Everything that stays small: the cells, and what their codes mean."""
    connection.execute("CREATE TABLE cells (cell INTEGER PRIMARY KEY, count INTEGER, " + ", ".join(COLUMNS) + ")")
    marks = ", ".join("?" * (len(COLUMNS) + 2))
    values = [rows.cube.values[name].tolist() for name in COLUMNS]
    connection.executemany(
        f"INSERT INTO cells VALUES ({marks})",  # noqa: S608 - question marks
        zip(range(len(rows.cube.counts)), rows.cube.counts.tolist(), *values, strict=True),
    )
    meta = {
        "version": version,
        "as_of": datetime.now(UTC).isoformat(timespec="seconds"),
        "pairs": len(facts.ids),
        "rows": len(rows.columns["pair"]),
        "conditions": [visible(condition.id) for condition in manifest.conditions],
        "readouts": [readout.value for readout in Readout],
        "sources": [visible(name) for name in rows.sources],
        "other_sources": len(facts.sources) - len(rows.sources),
        "log_odds": rows.log_odds,
        "searchable": searchable,
        "keeps_texts": source.keeps_texts,
    }
    connection.execute("INSERT INTO meta VALUES ('meta', ?)", (json.dumps(meta),))


def _utf8(value: str) -> str:
    """As :func:`evenhand.records.verdict_table` writes texts that UTF-8 can't hold."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def _batches(rows: Iterator[Row], size: int) -> Iterator[list[Row]]:
    while batch := list(islice(rows, size)):
        yield batch
