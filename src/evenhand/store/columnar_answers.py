"""What a journal tells of a columnar run: the same as of one that holds its answers itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from evenhand.records import Completion, FinishReason, Pair, Presentation
from evenhand.records.columnar import LoggedPresentation, VerdictColumns
from evenhand.store.columns import ColumnFiles, load_columns
from evenhand.store.entries import JournalEntry, PlanCounts

__all__ = ["ColumnarAnswers"]


class ColumnarAnswers:
    """The plan and the answers of a run whose log was imported as columns; its files are read when they are needed.

    Records are made one by one, in slices: whoever can, works on :attr:`columns`.
    """

    def __init__(self, directory: Path, files: ColumnFiles, columns: VerdictColumns | None = None) -> None:
        self._directory = directory
        self.files = files
        self._given = columns

    @cached_property
    def columns(self) -> VerdictColumns:
        """Pairs and presentations as frames."""
        return load_columns(self._directory, self.files) if self._given is None else self._given

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs in the log's order."""
        return tuple(self.columns.iter_pairs())

    def plan(self) -> Iterator[Presentation]:
        """The presentations in the log's order."""
        return (logged.presentation for logged in self.columns.iter_presentations())

    def completions(self) -> Iterator[JournalEntry]:
        """The same, with their answers."""
        for logged in self.columns.iter_presentations():
            yield JournalEntry(presentation=logged.presentation, completion=logged.completion)

    def find(self, key: str) -> LoggedPresentation | None:
        """One presentation by its key; looks through all of them."""
        return next((each for each in self.columns.iter_presentations() if each.presentation.key == key), None)

    def finished_keys(self) -> Iterator[str]:
        """Keys with an answer."""
        return (each.presentation.key for each in self.columns.iter_presentations() if not _failed(each.completion))

    def pending_keys(self) -> Iterator[str]:
        """Keys without one: the presentations that the log calls failed."""
        return (each.presentation.key for each in self.columns.iter_presentations() if _failed(each.completion))

    def counts(self) -> PlanCounts:
        """How many have an answer."""
        total, failed = self.files.presentations, self.files.failed
        return PlanCounts(planned=total, finished=total - failed, errors=failed, pending=0)


def _failed(completion: Completion) -> bool:
    return completion.finish_reason is FinishReason.ERROR
