"""The view model: what every surface (terminal, HTML, tables, figures) shows, decided once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from evenhand.store import PlanCounts

__all__ = [
    "Answers",
    "Cell",
    "Column",
    "Headline",
    "LockBar",
    "OutcomeBar",
    "PairExample",
    "Point",
    "ReportView",
    "Shown",
    "Status",
    "Table",
]

Status = Literal["failed", "incomplete", "sensitive", "undecided", "steady", "described"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What the answers of a run say of themselves, counted.

    Attributes
    ----------
    answered
        Answers that were looked at; failed ones are not among them.
    notes
        (remark, count): what a judge noted beside an answer, most frequent first.
    served
        (text, count): what an endpoint said had answered, most frequent first; empty where none said so.
    """

    answered: int = 0
    notes: tuple[tuple[str, int], ...] = ()
    served: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairExample:
    """One pair whose verdicts a reader may want to see, such as a flip."""

    pair_id: str
    condition: str
    readout: str
    verdict_ab: str
    verdict_ba: str
    gold: str | None = None
    excerpt_ab: str | None = None
    excerpt_ba: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A table's column. ``numeric`` columns are set flush right with figures of one width."""

    label: str
    numeric: bool = True
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A table's cell: text for people, numbers for machines.

    Attributes
    ----------
    text
        ``41.7 %``, or ``—`` for a refusal.
    interval
        ``[29.2, 54.9]``; empty where there is none.
    detail
        ``25/60``, or why there is no number.
    marks
        Letters of the table's notes that belong to this cell.
    value, low, high
        The plain numbers; None where there are none.
    """

    text: str
    interval: str = ""
    detail: str = ""
    marks: tuple[str, ...] = ()
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with its caption. The first ``headers`` columns name the row; with several, the first gathers rows.

    ``intervals`` says once, for the whole table, how its intervals were made. A ``folded`` table is too long to be read
    through: the HTML report keeps it closed until it is asked for, and the terminal names it only.
    """

    id: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    headers: int = 1
    notes: tuple[tuple[str, str], ...] = ()
    intervals: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """What the figures say, in sentences that each carry their number.

    Attributes
    ----------
    status
        ``failed`` (no verdicts), ``incomplete`` (calls failed or are pending, or so many failed that no finding stands
        in the title), ``sensitive``, ``undecided``, ``steady``
        (never given while a call failed or is pending), or ``described`` (a single-order log: no position claim).
    lead
        One or two sentences.
    meaning
        What follows from them.
    next_steps
        What to do.
    """

    status: Status
    verdict: str
    lead: str
    meaning: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One dot with its interval in a forest plot. ``series`` picks its colour and mark."""

    group: str
    series: str
    label: str
    value: float | None
    low: float | None
    high: float | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LockBar:
    """Pairs decided in both orders, split into locks on either slot and the rest; of a budget's sample alone or not."""

    group: str
    readout: str
    first: int
    second: int
    decided: int
    sampled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeBar:
    """How the presentations of one condition and readout ended; every state is there, zero or not."""

    group: str
    readout: str
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportView:
    """Everything a report shows. Strings are clean (:func:`evenhand.report.text.visible`) but not escaped."""

    title: str
    subtitle: str
    headline: Headline
    counts: PlanCounts
    single_order: bool
    tables: tuple[Table, ...]
    rates: tuple[Point, ...]
    differences: tuple[Point, ...]
    effects: tuple[Point, ...] = ()
    locks: tuple[LockBar, ...]
    outcomes: tuple[OutcomeBar, ...]
    notes: tuple[str, ...]
    setup: tuple[tuple[str, str], ...]
    reproduce: tuple[tuple[str, str], ...]
    glossary: tuple[tuple[str, str], ...]
    card: Mapping[str, object] = field(default_factory=dict)

    def table(self, table_id: str) -> Table | None:
        """The table with an id; None where this report has none."""
        return next((table for table in self.tables if table.id == table_id), None)


class Shown(Protocol):
    """What a terminal prints of a report, whatever the report is about. Strings are clean but not escaped."""

    @property
    def title(self) -> str:
        """What was judged."""
        ...

    @property
    def subtitle(self) -> str:
        """Kind, pairs and time, in one line."""
        ...

    @property
    def headline(self) -> Headline:
        """What the figures say."""
        ...

    @property
    def tables(self) -> tuple[Table, ...]:
        """In the order of reading."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Each a sentence."""
        ...
