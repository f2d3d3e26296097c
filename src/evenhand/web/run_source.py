"""Where the pages' data come from: a run with a journal, read in pieces, or one whose verdicts are a table alone."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Protocol

from evenhand.errors import StoreError
from evenhand.records import Pair, RunManifest
from evenhand.store import Journal, JournalEntry
from evenhand.store.connection import JOURNAL
from evenhand.store.journal_lookup import JournalLookup
from evenhand.workflow.read import read_verdicts

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CHUNK", "Asked", "JournalSource", "RunSource", "TableSource", "VerdictChunk", "open_source"]

CHUNK: Final = 20_000
"""Presentations read at once: their completions take some hundred megabytes at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A presentation's position in the plan, and its pair's id."""

    ordinal: int
    pair_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VerdictChunk:
    """Some presentations of a run, read.

    Attributes
    ----------
    verdicts
        The columns of :func:`evenhand.records.verdict_table`.
    asked
        Where the journal has the texts; empty for a run that keeps none.
    done, planned
        How far the reading is, in presentations (or rows, for a table).
    """

    verdicts: pl.DataFrame
    asked: tuple[Asked, ...]
    done: int
    planned: int


class RunSource(Protocol):
    """A run that can be indexed and looked up."""

    @property
    def directory(self) -> Path:
        """The run."""
        ...

    @property
    def manifest(self) -> RunManifest:
        """As it is now."""
        ...

    @property
    def keeps_texts(self) -> bool:
        """Whether pairs and answers can be looked up; else the index keeps the pairs."""
        ...

    def version(self) -> str:
        """Changes with the run's data."""
        ...

    def pairs(self) -> Iterator[Pair]:
        """All pairs in order."""
        ...

    def chunks(self) -> Iterator[VerdictChunk]:
        """All verdicts, piece by piece."""
        ...

    def pair(self, ordinal: int) -> Pair | None:
        """One pair; None where there is none, or where the run doesn't keep its texts."""
        ...

    def entries(self, ordinals: Sequence[int]) -> tuple[JournalEntry, ...]:
        """Some presentations by their positions in the plan."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalSource:
    """A run whose answers are in its journal. Every method opens the journal anew: a writer is never held up.

    Attributes
    ----------
    copy
        A folder with a copy of the journal that is read in its place; deleted with this object. None: none is needed.
    """

    directory: Path
    keeps_texts: bool = True
    copy: TemporaryDirectory[str] | None = None

    @property
    def _place(self) -> Path:
        return self.directory if self.copy is None else Path(self.copy.name)

    @property
    def manifest(self) -> RunManifest:
        """As the journal has it now."""
        with Journal.open(self._place, read_only=True, check=False) as journal:
            return journal.manifest

    def version(self) -> str:
        """See :meth:`evenhand.store.journal_lookup.JournalLookup.version`."""
        with JournalLookup(self._place) as journal:
            return journal.version()

    def pairs(self) -> Iterator[Pair]:
        """All pairs, one at a time in memory."""
        with JournalLookup(self._place) as journal:
            yield from journal.pairs()

    def chunks(self) -> Iterator[VerdictChunk]:
        """Every answer read with every readout, :data:`CHUNK` presentations at a time."""
        manifest = self.manifest
        with JournalLookup(self._place) as journal:
            facts = [
                replace(pair, instruction="", response_a="", response_b="", metadata=()) for pair in journal.pairs()
            ]
            by_id = {pair.id: pair for pair in facts}
            planned, numbered = journal.planned(), journal.entries()
            done = 0
            while piece := list(islice(numbered, CHUNK)):
                done += len(piece)
                here = {each.entry.presentation.pair_id for each in piece} & by_id.keys()
                yield VerdictChunk(
                    verdicts=read_verdicts(manifest, [by_id[name] for name in here], [each.entry for each in piece]),
                    asked=tuple(Asked(ordinal=each.ordinal, pair_id=each.entry.presentation.pair_id) for each in piece),
                    done=done,
                    planned=planned,
                )

    def pair(self, ordinal: int) -> Pair | None:
        """One pair from the journal."""
        with JournalLookup(self._place) as journal:
            return journal.pair(ordinal)

    def entries(self, ordinals: Sequence[int]) -> tuple[JournalEntry, ...]:
        """Some presentations from the journal."""
        with JournalLookup(self._place) as journal:
            return tuple(found.entry for found in journal.entries_at(ordinals))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSource:
    """A run whose verdicts are a table, without the answers they were read from."""

    directory: Path
    keeps_texts: bool = False

    @property
    def manifest(self) -> RunManifest:
        """As the run has it now."""
        with Journal.open(self.directory, read_only=True, check=False) as journal:
            return journal.manifest

    def version(self) -> str:
        """A hash over name, size and time of every file in the run's directory but its reports.

        Raises
        ------
        StoreError
            The directory is gone, or can't be looked into.
        """
        digest = hashlib.sha256()
        try:
            files = sorted(self.directory.iterdir())
        except OSError as error:
            raise StoreError(f"{self.directory}: the run can't be read any more ({error.strerror})") from error
        for file in files:
            if file.suffix in (".parquet", ".sqlite") or file.name == "run.json":
                with suppress(OSError):  # deleted since the directory was listed: another version anyway
                    status = file.stat()
                    facts = (file.name, status.st_size, status.st_mtime_ns)
                    digest.update(repr(facts).encode("utf-8", "backslashreplace"))
        return digest.hexdigest()

    def pairs(self) -> Iterator[Pair]:
        """All pairs that the run names, one at a time in memory where it keeps them as columns."""
        with Journal.open(self.directory, read_only=True, check=False) as journal:
            columns = journal.columns
            yield from journal.pairs() if columns is None else columns.iter_pairs()

    def chunks(self) -> Iterator[VerdictChunk]:
        """The table, a slice at a time."""
        from evenhand.workflow.run_verdicts import read_run

        table = read_run(self.directory).table
        size = 25 * CHUNK
        for start in range(0, table.height, size):
            piece = table.slice(start, size)
            yield VerdictChunk(verdicts=piece, asked=(), done=start + piece.height, planned=table.height)

    def pair(self, ordinal: int) -> Pair | None:  # noqa: ARG002 - the index keeps them
        """None: the index keeps the pairs of such a run."""
        return None

    def entries(self, ordinals: Sequence[int]) -> tuple[JournalEntry, ...]:  # noqa: ARG002 - there are none
        """None: such a run has no texts."""
        return ()


def open_source(directory: Path) -> RunSource:
    """The source that fits a run.

    Raises
    ------
    StoreError
        The directory is no run, is damaged, or was written by a newer version.
    """
    with JournalLookup(directory, check=True) as journal:
        in_journal, copied = journal.planned() > 0, journal.copied
    if in_journal or not any(directory.glob("*.parquet")):
        return JournalSource(directory=directory, copy=_copied(directory) if copied else None)
    return TableSource(directory=directory)


def _copied(directory: Path) -> TemporaryDirectory[str]:
    """The journal in a folder of ours, where it would else be copied for every page. Nobody can be writing to it."""
    folder = TemporaryDirectory(prefix="evenhand-serve-", ignore_cleanup_errors=True)
    for name in (JOURNAL, f"{JOURNAL}-wal"):
        if (directory / name).exists():
            shutil.copyfile(directory / name, Path(folder.name) / name)
    return folder
