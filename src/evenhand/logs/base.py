"""What reading a verdict log gives: presentations with their completions, and what is known of how they were made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Protocol

from evenhand.records.columnar import VerdictColumns
from evenhand.records.completion import Completion
from evenhand.records.grammar import GrammarHint
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition, Presentation

__all__ = [
    "Capability",
    "ColumnarLog",
    "Excluded",
    "GrammarHint",
    "Inspection",
    "LogEntry",
    "LogFormat",
    "Problem",
    "Scan",
    "VerdictLog",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One presentation of a log and what the judge answered to it.

    ``completion.log_outcome`` is the log's own reading, in slot terms; ``completion.text`` the raw text, None where
    the log doesn't keep it; ``completion.first_token`` is there where the log has log probabilities.
    """

    presentation: Presentation
    completion: Completion


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """A presentation of the log that is not among the entries, and why."""

    pair_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictLog:
    """A log that someone else's judge left, as records.

    Attributes
    ----------
    format
        The format's registry name.
    pairs
        The pairs judged, in file order; every entry's pair is among them.
    entries
        The presentations, in file order, with unique keys.
    conditions
        How the judge was asked, as far as the log or its format tells.
    judge
        Who answered, as far as the log or its path tells.
    orders
        ``both`` where at least one pair was shown in both orders, else ``single``: then no position figure is claimed.
    slots_seen
        False where each response was judged by itself: the order written says nothing, and no figure on slots is made.
    log_rules
        One sentence: how the log decided its own outcome.
    grammars
        Per condition id, what our parser needs to read the text again.
    file_sha256
        Of the file that was read.
    notes
        Facts about this log that a reader of its figures must know.
    excluded
        What was left out, and why.
    """

    format: str
    pairs: tuple[Pair, ...]
    entries: tuple[LogEntry, ...]
    conditions: tuple[Condition, ...]
    judge: JudgeIdentity
    orders: Literal["both", "single"]
    log_rules: str
    grammars: tuple[tuple[str, GrammarHint], ...]
    file_sha256: str
    notes: tuple[str, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    slots_seen: bool = True

    @property
    def grammar(self) -> GrammarHint:
        """The grammar of the first condition; a log of one condition has only this."""
        return self.grammars[0][1]

    def grammar_of(self, condition: str) -> GrammarHint:
        """The grammar of a condition by its id."""
        return dict(self.grammars)[condition]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnarLog:
    """A log that has verdicts and no texts, as columns instead of records.

    Attributes
    ----------
    columns
        Pairs and presentations.
    format, conditions, judge, orders, log_rules, grammars, notes
        As of :class:`VerdictLog`.
    """

    columns: VerdictColumns
    format: str
    conditions: tuple[Condition, ...]
    judge: JudgeIdentity
    orders: Literal["both", "single"]
    log_rules: str
    grammars: tuple[tuple[str, GrammarHint], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """Whether a file supports something, and why or why not."""

    name: str
    supported: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that is missing or wrong, at a 1-based row and a field; None where it concerns the whole file."""

    row: int | None
    field: str | None
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What a file supports and what is missing, without importing it.

    Attributes
    ----------
    format
        The format given, or guessed from the file's keys; None where none fits.
    rows
        Records seen; 0 where the file can't be read at all.
    supports
        One capability each: both orders, text, log outcome, log probabilities, gold.
    problems
        What keeps rows or the file from being imported, in file order.
    """

    format: str | None
    rows: int
    supports: tuple[Capability, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def importable(self) -> bool:
        """Whether :func:`evenhand.logs.read_log` reads the file."""
        return self.format is not None and not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A reading that goes on after errors: records seen, what is wrong, and the log that the sound records make."""

    rows: int
    problems: tuple[Problem, ...] = ()
    log: VerdictLog | None = None


class LogFormat(Protocol):
    """A log format, as the registry's kind ``logs`` holds it: built with the user's options, then read.

    :class:`evenhand.logs.rows.RowLog` supplies ``read`` and ``scan`` for formats that are a list of records.
    """

    name: ClassVar[str]

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a file's first record looks like this format."""
        ...

    def read(self, path: Path) -> VerdictLog:
        """Read the whole log.

        Raises
        ------
        DataError
            The file, a row or a field can't be read; the first problem, with its place.
        """
        ...

    def scan(self, path: Path) -> Scan:
        """Read what can be read and list what can't. Never raises for the file's content."""
        ...
