"""A run as the pages see it: its index, and the texts of one pair at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from evenhand.errors import EvenhandError
from evenhand.records import Pair, RunManifest
from evenhand.report.text import visible
from evenhand.store import JournalEntry
from evenhand.store.records_json import pair_from_json
from evenhand.web.index import RunIndex
from evenhand.web.index_build import Progress, build_index, default_cache
from evenhand.web.run_source import RunSource, open_source
from evenhand.web.state import NotFoundError

__all__ = ["ServedRun", "StaleError", "open_runs"]


class StaleError(EvenhandError):
    """The run was planned anew since its index was made."""


class ServedRun:
    """A run that is served, as of the moment its index was made. Safe to use from several threads.

    Attributes
    ----------
    number
        Its position on the command line, which stands in URLs.
    directory, manifest, index
        The run, what it asked (as of the index), and what finds its rows.
    """

    def __init__(self, *, number: int, source: RunSource, cache: Path, progress: Progress | None = None) -> None:
        self.number = number
        self.directory = source.directory
        self._source = source
        self._cache = cache
        self._lock = threading.Lock()
        self._rebuilding: threading.Thread | None = None
        self._failure: str | None = None
        self._read(progress)

    def _read(self, progress: Progress | None = None) -> None:
        manifest = self._source.manifest
        index = RunIndex(build_index(self._source, self._cache, progress=progress))
        self.manifest: RunManifest = manifest
        self.index: RunIndex = index

    @property
    def name(self) -> str:
        """What pages call it."""
        return visible(self.directory.resolve().name or self.directory)

    @property
    def pair_count(self) -> int:
        """Pairs of the run."""
        return int(self.index.meta["pairs"])

    @property
    def as_of(self) -> str:
        """When the index was made: UTC, ISO 8601."""
        return str(self.index.meta["as_of"])

    @property
    def as_of_text(self) -> str:
        """The same for people."""
        return f"{self.as_of[:16].replace('T', ' ')} UTC"

    # -- keeping up with a run that grows ------------------------------------------------------------------------

    def changed(self) -> bool:
        """Whether the run has other data now than the index."""
        return self._source.version() != str(self.index.meta["version"])

    @property
    def rebuilding(self) -> bool:
        """Whether a new index is being made."""
        thread = self._rebuilding
        return thread is not None and thread.is_alive()

    @property
    def failure(self) -> str | None:
        """Why the last rebuild failed; None where it didn't."""
        return self._failure

    def rebuild(self, *, wait: float = 2.0) -> None:
        """Make the index anew in a thread of its own, and wait a little: a small run is ready then."""
        with self._lock:
            if not self.rebuilding:
                self._failure = None
                self._rebuilding = threading.Thread(
                    target=self._again, name=f"evenhand-index-{self.number}", daemon=True
                )
                self._rebuilding.start()
            thread = self._rebuilding
        if thread is not None:
            thread.join(wait)

    def _again(self) -> None:
        try:
            self._read()
        except EvenhandError as error:
            self._failure = str(error)

    # -- texts ---------------------------------------------------------------------------------------------------

    def pair(self, ordinal: int) -> Pair:
        """The pair at a position (from 0, in the run's order).

        Raises
        ------
        NotFoundError
            There is none.
        """
        if self._source.keeps_texts:
            pair = self._source.pair(ordinal) if 0 <= ordinal < self.pair_count else None
        else:
            record = self.index.record(ordinal) if 0 <= ordinal < self.pair_count else None
            pair = None if record is None else pair_from_json(record)
        if pair is None:
            raise NotFoundError(f"There is no pair {ordinal} here.")
        return pair

    def find(self, pair_id: str) -> int | None:
        """The position of a pair; None where the run hasn't got it."""
        return self.index.find(pair_id)

    def presentations(self, ordinal: int) -> tuple[JournalEntry, ...]:
        """Every planned presentation of a pair with its completion, in the plan's order; none where no texts are kept.

        Raises
        ------
        StaleError
            The run was planned anew since its index was made.
        """
        asked = self.index.asked(ordinal)
        entries = self._source.entries(asked) if asked else ()
        name = self.pair(ordinal).id
        if len(entries) != len(asked) or any(entry.presentation.pair_id != name for entry in entries):
            raise StaleError(
                "The run was planned anew since this page's index was made: go to its list and refresh it."
            )
        return entries


def open_runs(
    directories: Sequence[Path], *, cache: Path | None = None, progress: Progress | None = None
) -> tuple[ServedRun, ...]:
    """Open the runs that a command line names, and make the indexes that aren't there yet.

    Parameters
    ----------
    directories
        The runs.
    cache
        Where indexes lie; None: the user's cache.
    progress
        Told how far an index is.

    Raises
    ------
    StoreError
        One is no run, damaged, or written by a newer version.
    ConfigError
        The cache can't be written.
    """
    place = cache if cache is not None else default_cache()
    return tuple(
        ServedRun(number=number, source=open_source(directory), cache=place, progress=progress)
        for number, directory in enumerate(directories)
    )
