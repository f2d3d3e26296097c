"""Formats that are a list of records: parse each row by itself, then assemble the log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Generic, TypedDict, TypeVar, assert_never

from evenhand.errors import DataError
from evenhand.logs.base import Problem, Scan, VerdictLog
from evenhand.logs.documents import Document, Node
from evenhand.records.completion import FinishReason
from evenhand.records.outcome import Outcome

__all__ = ["PROMPT_NOT_RECORDED", "RowLog", "RowOptions", "state_without_verdict"]

PROMPT_NOT_RECORDED = "not recorded"
"""``Condition.prompt_hash`` of a log that doesn't keep its prompt's template."""

T = TypeVar("T")


def state_without_verdict(reason: FinishReason) -> Outcome:
    """Name the state of a presentation for which a log has no verdict, from why its text ends where it does."""
    match reason:
        case FinishReason.LENGTH:
            return Outcome.TRUNCATED
        case FinishReason.FILTERED:
            return Outcome.REFUSED
        case FinishReason.ERROR:
            return Outcome.ERROR
        case FinishReason.STOP | FinishReason.SETTLED | FinishReason.NOT_GENERATED | FinishReason.UNKNOWN:
            return Outcome.UNPARSED
        case _:
            assert_never(reason)


class RowOptions(TypedDict, total=False):
    """The options of every :class:`RowLog`, for a format that adds its own: ``**options: Unpack[RowOptions]``."""

    judge: str | None
    model: str | None


class RowLog(ABC, Generic[T]):
    """Base of the built-in formats.

    A format says how a file becomes rows (``load``), a row becomes a parsed record (``parse``, which knows only that
    row) and parsed records become a log (``assemble``, which checks what concerns several rows).
    """

    name: ClassVar[str]

    def __init__(self, *, judge: str | None = None, model: str | None = None) -> None:
        self.judge = judge
        self.model = model

    @abstractmethod
    def load(self, path: Path) -> Document:
        """Read the file's rows."""

    @abstractmethod
    def parse(self, row: Node) -> T:
        """Check and convert one row."""

    @abstractmethod
    def assemble(self, document: Document, parsed: Sequence[T]) -> VerdictLog:
        """Make the log of the rows that were parsed."""

    def read(self, path: Path) -> VerdictLog:
        """Read the whole log; the first problem is raised."""
        document = self.load(path)
        return self.assemble(document, [self.parse(row) for row in document.rows])

    def scan(self, path: Path) -> Scan:
        """Read what can be read and list the first problem of every row."""
        try:
            document = self.load(path)
        except DataError as error:
            return Scan(rows=0, problems=(_problem(error),))
        problems: list[Problem] = []
        parsed: list[T] = []
        for row in document.rows:
            try:
                parsed.append(self.parse(row))
            except DataError as error:
                problems.append(_problem(error))
        log = None
        if parsed:
            try:
                log = self.assemble(document, parsed)
            except DataError as error:
                problems.append(_problem(error))
        return Scan(rows=len(document.rows), problems=tuple(problems), log=log)


def _problem(error: DataError) -> Problem:
    text = f"{error.problem} ({error.remedy})" if error.remedy else error.problem
    return Problem(row=error.row, field=error.field, problem=text)
