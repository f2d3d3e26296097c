"""The journal of a run: pairs, plan and completions in one SQLite file; what is recorded survives any end."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType

from evenhand.errors import DataError, StoreError
from evenhand.records import Completion, Pair, Presentation, RunManifest
from evenhand.records.columnar import VerdictColumns
from evenhand.store.atomic import write_text_atomically
from evenhand.store.columnar_answers import ColumnarAnswers
from evenhand.store.columnar_record import read_record
from evenhand.store.columns import check_columns, remove_columns, write_columns
from evenhand.store.connection import (
    JOURNAL,
    ReadConnection,
    connect_reader,
    connect_writer,
    make_run_directory,
    told_plainly,
    transaction,
)
from evenhand.store.entries import JournalEntry, PlanCounts, Recording, TokenTotals
from evenhand.store.journal_plan import StagedRun, check_plan, replace_plan
from evenhand.store.lock import WriterLock
from evenhand.store.manifest_json import manifest_to_json
from evenhand.store.recorded_answers import RecordedAnswers
from evenhand.store.records_json import completion_to_json

__all__ = ["MANIFEST", "Journal"]

MANIFEST = "run.json"


class Journal:
    """A run directory, open for writing (one process at a time) or for reading (any number, also meanwhile).

    Make one with :meth:`create` or :meth:`open`, and use it as a context manager.

    Examples
    --------
    >>> import tempfile
    >>> from evenhand.records import DataIdentity, FinishReason, JudgeIdentity, Order
    >>> pair = Pair(id="p1", instruction="2+2?", response_a="4", response_b="5")
    >>> manifest = RunManifest(
    ...     kind="live", judge=JudgeIdentity(spec="s:fair", model="fair"), conditions=(), readouts=("generated",),
    ...     data=DataIdentity(spec="x", pairs=1, sha256="…"))
    >>> with tempfile.TemporaryDirectory() as folder, Journal.create(Path(folder) / "run", manifest, [pair]) as journal:
    ...     journal.set_plan([Presentation(key="k1", pair_id="p1", condition="c", order=Order.AB)])
    ...     journal.record("k1", Completion(text="A", finish_reason=FinishReason.STOP))
    ...     journal.counts()
    PlanCounts(planned=1, finished=1, errors=0, pending=0)
    """

    def __init__(
        self, directory: Path, connection: sqlite3.Connection, *, lock: WriterLock | None, reader: ReadConnection | None
    ) -> None:
        self.directory = directory
        self._path = directory / JOURNAL
        self._connection = connection
        self._recorded = RecordedAnswers(connection, self._path)
        self._lock = lock
        self._reader = reader
        self._manifest: RunManifest | None = None
        self._staged: StagedRun | None = None

    # -- opening and closing -------------------------------------------------------------------------------------

    @classmethod
    def create(cls, directory: Path, manifest: RunManifest, pairs: Sequence[Pair]) -> Journal:
        """Begin a run, or open the same directory to go on.

        In a run that exists, manifest and pairs take effect together with the new plan, in :meth:`set_plan`: until
        then readers, and whoever comes after a crash, see the old run whole. Every presentation asked earlier is kept
        with its completions; the new plan finds them again by key.

        Raises
        ------
        DataError
            Two pairs share an id.
        StoreError
            Another process is writing there; a newer, foreign or damaged journal; a folder that can't be written.
        """
        twice = [name for name, count in Counter(pair.id for pair in pairs).items() if count > 1]
        if twice:
            raise DataError(f"pair id {twice[0]!r} occurs more than once", remedy="ids must be unique within a run")
        make_run_directory(directory)
        journal = cls._open_writer(directory, create=True)
        try:
            new = next(journal._recorded.rows("SELECT 1 FROM manifest"), None) is None
            if not new:
                _ = journal.manifest  # a newer or damaged one is refused, not written over
            journal._staged = StagedRun(manifest=manifest, pairs=tuple(pairs))
            if new:
                with told_plainly(journal._path), transaction(journal._connection):
                    journal._staged.write(journal._connection)
                journal._unstage()
        except BaseException:
            journal.close()
            raise
        return journal

    @classmethod
    def create_columnar(cls, directory: Path, manifest: RunManifest, columns: VerdictColumns) -> Journal:
        """Make a run of a log that was read as columns, or put it in the place of the run that is there.

        Until the one transaction that ends this, readers, and whoever comes after a crash, see the old run whole.

        Raises
        ------
        StoreError
            As :meth:`create`.
        """
        make_run_directory(directory)
        journal = cls._open_writer(directory, create=True)
        try:
            files = write_columns(directory, columns)
            journal._staged = StagedRun(manifest=manifest, pairs=(), columns=files)
            with told_plainly(journal._path), transaction(journal._connection):
                journal._staged.write(journal._connection)
                replace_plan(journal._connection, ())
            journal._unstage()
            # As they were written: read again they would be there twice.
            journal._columnar = ColumnarAnswers(directory, files, columns)
        except BaseException:
            journal.close()
            raise
        return journal

    @classmethod
    def open(cls, directory: Path, *, read_only: bool = False, check: bool = True) -> Journal:
        """Open a run that exists.

        Parameters
        ----------
        directory
            The run.
        read_only
            Needs no lock: a run may be read while another process writes it. A reader sees the run as it was when
            it was opened: figures from several calls agree.
        check
            Whether a reader checks every page first (about a second a gigabyte); a writer always does.

        Raises
        ------
        StoreError
            Not a run, written by a newer version, damaged; or, for writing, another process is writing there.
        DataError
            The manifest can't be read: the message names the field.
        """
        if read_only:
            reader = connect_reader(directory, check=check)
            journal = cls(directory, reader.connection, lock=None, reader=reader)
        else:
            if not (directory / JOURNAL).is_file():
                raise StoreError(f"{directory}: not a run directory (it has no {JOURNAL})")
            journal = cls._open_writer(directory, create=False)
        try:
            _ = journal.manifest
            if check and journal._columnar is not None:
                check_columns(directory, journal._columnar.files)
        except BaseException:
            journal.close()
            raise
        return journal

    @classmethod
    def _open_writer(cls, directory: Path, *, create: bool) -> Journal:
        lock = WriterLock(directory)
        try:
            connection = connect_writer(directory, create=create)
        except BaseException:
            lock.release()
            raise
        return cls(directory, connection, lock=lock, reader=None)

    def close(self) -> None:
        """Close the database and give the writer's lock back. Closing twice is harmless."""
        with told_plainly(self._path):
            self._connection.close()
        if self._reader is not None:
            self._reader.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- what was planned ----------------------------------------------------------------------------------------

    @property
    def manifest(self) -> RunManifest:
        """The manifest of the current plan (the journal's own; ``run.json`` is its copy for people)."""
        if self._staged is not None:
            return self._staged.manifest
        if self._manifest is None:
            self._manifest = self._recorded.manifest()
        return self._manifest

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of the run, in the order they were given."""
        return self._answers.pairs() if self._staged is None else self._staged.pairs

    def set_plan(self, presentations: Iterable[Presentation]) -> None:
        """Replace the plan, and with it the manifest and pairs that :meth:`create` was given, in one transaction.

        Presentations that were asked earlier are kept with their completions even where they are no longer planned;
        those never asked and no longer planned are dropped.

        Raises
        ------
        StoreError
            A key occurs twice, a presentation names a pair that the run hasn't, or the journal can't be written.
        """
        self._check_writable()
        planned = list(presentations)
        if self._staged is None:
            self._refuse_columns()
        check_plan(planned, self.pairs())
        with told_plainly(self._path), transaction(self._connection):
            if self._staged is not None:
                self._staged.write(self._connection)
            replace_plan(self._connection, planned)
        self._unstage()

    def _unstage(self) -> None:
        """After the commit: what was staged is the run's own now, and ``run.json`` follows."""
        if self._staged is not None:
            self._manifest, self._staged = self._staged.manifest, None
            self.__dict__.pop("_columnar", None)
            remove_columns(self.directory, keep=None if self._columnar is None else self._columnar.files)
            write_text_atomically(self.directory / MANIFEST, manifest_to_json(self._manifest))

    def _check_writable(self) -> None:
        if self._lock is None:
            raise StoreError(f"{self.directory}: this journal was opened for reading only")

    def _refuse_columns(self) -> None:
        if self._columnar is not None:
            raise StoreError(f"{self.directory}: a log was imported here as columns; nothing can be added to it")

    @cached_property
    def _columnar(self) -> ColumnarAnswers | None:
        """The answers of a columnar run; None where the journal holds them itself."""
        try:
            with told_plainly(self._path):
                files = read_record(self._connection)
        except DataError as error:
            raise self._recorded.damaged(error) from error
        return None if files is None else ColumnarAnswers(self.directory, files)

    @property
    def columns(self) -> VerdictColumns | None:
        """Pairs and presentations of a columnar run; None where the journal holds them itself."""
        return None if self._columnar is None else self._columnar.columns

    @property
    def _answers(self) -> ColumnarAnswers | RecordedAnswers:
        """Who tells of the run: its columns, or the journal's own tables."""
        return self._recorded if self._columnar is None else self._columnar

    def plan(self) -> Iterator[Presentation]:
        """The planned presentations, in order."""
        yield from self._answers.plan()

    def presentation(self, key: str) -> Presentation:
        """One presentation, planned now or asked earlier; StoreError where the journal hasn't the key."""
        recorded = self._recorded.presentation(key)
        if recorded is not None:
            return recorded
        found = None if self._columnar is None else self._columnar.find(key)
        if found is None:
            raise StoreError(f"{self._path}: no presentation {key}")
        return found.presentation

    # -- what was answered ---------------------------------------------------------------------------------------

    def record(self, key: str, completion: Completion) -> None:
        """Add an attempt; it is on the disk when this returns, and only then may it be counted.

        Raises
        ------
        StoreError
            The key is unknown or already answered, the disk is full or refuses: then nothing was recorded.
        """
        self.record_all([Recording(key=key, completion=completion)])

    def record_all(self, recordings: Iterable[Recording]) -> None:
        """:meth:`record` for many at once, all of them or none: for importing a log, whose answers can't be lost."""
        self._check_writable()
        self._refuse_columns()
        with told_plainly(self._path), transaction(self._connection):
            for recording in recordings:
                self._insert(recording)

    def _insert(self, recording: Recording) -> None:
        key = recording.key
        try:
            self._connection.execute(
                "INSERT INTO completions (key, attempt, finish_reason, record) "
                "SELECT ?, COALESCE(MAX(attempt), 0) + 1, ?, ? FROM completions WHERE key = ?",
                (key, recording.completion.finish_reason.value, completion_to_json(recording.completion), key),
            )
        except sqlite3.IntegrityError as error:
            if "already answered" in str(error):
                raise StoreError(f"presentation {key} is already answered: an answer is never replaced") from error
            raise StoreError(f"presentation {key} was never planned in {self.directory}") from error

    def finished_keys(self) -> frozenset[str]:
        """Keys of the plan that have an answer (a completion that is not an ERROR)."""
        return frozenset(self._answers.finished_keys())

    def answered_keys(self) -> frozenset[str]:
        """Keys that have an answer, whether planned now or asked earlier."""
        return self._recorded.answered_keys() | (self.finished_keys() if self._columnar else frozenset())

    def attempted_keys(self) -> frozenset[str]:
        """Keys that have an attempt in the journal itself, a failed one too, whether planned now or asked earlier."""
        return self._recorded.attempted_keys()

    def pending_keys(self) -> tuple[str, ...]:
        """Keys of the plan that have none, in order: never asked, or failed whenever they were."""
        return tuple(self._answers.pending_keys())

    def completions(self) -> Iterator[JournalEntry]:
        """The plan in order, each with its latest completion (all as of one moment)."""
        yield from self._answers.completions()

    def attempts(self, key: str) -> tuple[Completion, ...]:
        """Every attempt at one presentation, oldest first."""
        attempts = self._recorded.attempts(key)
        if attempts or self._columnar is None:
            return attempts
        found = self._columnar.find(key)
        return () if found is None else (found.completion,)

    def counts(self) -> PlanCounts:
        """How far the plan is."""
        return self._answers.counts()

    def token_totals(self) -> TokenTotals:
        """Tokens over every attempt, of earlier plans too."""
        return self._recorded.token_totals()
