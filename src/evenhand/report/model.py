"""The view model: what every surface (terminal, HTML, tables, figures) shows, decided once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from evenhand.analysis.study import Basis, Claim
from evenhand.report.pair_example import PairExample
from evenhand.report.panel_model import Panels
from evenhand.store import PlanCounts

__all__ = [
    "Answers",
    "Basis",
    "Cell",
    "Claim",
    "Column",
    "Headline",
    "LockBar",
    "OutcomeBar",
    "Point",
    "ReportView",
    "Shown",
    "Status",
    "StudySection",
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
    trust, doubt
        What can be trusted, since the intervals decide it, and what can't. Empty where a report doesn't sort its
        findings so.
    steps
        What to do next.
    more
        Further findings, such as what is only described, and what the lists above have no room for.
    rests_on, basis
        Of the verdict and the lead, as in :class:`Claim`.
    """

    status: Status
    verdict: str
    lead: str
    trust: tuple[Claim, ...] = ()
    doubt: tuple[Claim, ...] = ()
    steps: tuple[Claim, ...] = ()
    more: tuple[Claim, ...] = ()
    rests_on: tuple[str, ...] = ()
    basis: Basis | None = None

    @property
    def sorted(self) -> bool:
        """Whether the findings are sorted into what can be trusted and what can't."""
        return bool(self.trust or self.doubt)

    @property
    def meaning(self) -> tuple[str, ...]:
        """Every sentence on what was found, in the order of reading."""
        return tuple(claim.text for claim in (*self.trust, *self.doubt, *self.more))

    @property
    def next_steps(self) -> tuple[str, ...]:
        """Every sentence on what to do."""
        return tuple(claim.text for claim in self.steps)


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
class StudySection:
    """A study as a section of an audit's page; ``sign`` tells its status without colour, ``kind`` names its files."""

    kind: str
    sign: str
    headline: Headline
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportView:
    """Everything a report shows. Strings are clean (:func:`evenhand.report.text.visible`) but not escaped.

    Attributes
    ----------
    pairs
        Single pairs worth reading, with texts where there are any.
    study
        What was found beside the audit, such as by bias audits; None where there is nothing.
    humans
        What people make of the judge; None where the run has no labels.
    panels, biases, people
        What figures draw beside rates and outcomes: swap tables, flows, reliability, savings; all biases on one scale;
        judge minus person.
    numbers
        By anchor: what the report's figures, tables and sections are called.
    """

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
    pairs: tuple[PairExample, ...] = ()
    study: StudySection | None = None
    humans: StudySection | None = None
    panels: Panels = field(default_factory=Panels)
    biases: tuple[Point, ...] = ()
    people: tuple[Point, ...] = ()
    numbers: Mapping[str, Basis] = field(default_factory=dict)

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

    @property
    def numbers(self) -> Mapping[str, Basis]:
        """By anchor: what tables and figures are called."""
        ...
