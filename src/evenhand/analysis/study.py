"""A study: what every analysis beside the position audit hands to the reports, as typed values and a few figures.

Whoever makes a study decides what is said; :mod:`evenhand.report.study` decides how it looks in the terminal, HTML,
Markdown, CSV, LaTeX, JSON and figures. So a new kind of study needs no new report code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from evenhand.stats import Estimate, Refusal, TestResult

__all__ = [
    "Basis",
    "Claim",
    "Forest",
    "ForestRow",
    "HeatMap",
    "LineChart",
    "Series",
    "Study",
    "StudyColumn",
    "StudyFigure",
    "StudyHeadline",
    "StudyStatus",
    "StudyTable",
    "StudyValue",
    "Unit",
]

Unit: TypeAlias = Literal["text", "share", "difference", "number", "count", "p", "dollars"]
"""How a column's figures are printed: ``share`` and ``difference`` (of shares) in percent and points, ``number`` with
three significant digits, ``count`` as a whole number, ``p`` as a p-value."""

StudyValue: TypeAlias = Estimate | Refusal | TestResult | str | int | float | bool | None
"""What a cell may hold; None is "does not apply here", which is another thing than a refusal."""

StudyStatus: TypeAlias = Literal["good", "bad", "undecided", "described", "failed"]
"""``good`` and ``bad`` only where the data decide it; ``undecided`` where they don't; ``described`` where nothing is
judged; ``failed`` where there are no verdicts to judge by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyColumn:
    """A column. ``name`` is its key in JSON and CSV, ``definition`` one sentence for the glossary."""

    name: str
    label: str
    unit: Unit = "text"
    definition: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTable:
    """A table of typed values. The first ``headers`` columns name the row.

    Attributes
    ----------
    row_units
        Empty, or for each row the unit that its shares and differences are printed in where it isn't the column's: a
        table of several measures may hold one that isn't said in percent.

    Raises
    ------
    ValueError
        A row has another number of values than there are columns, or the rows another number than their units.
    """

    id: str
    title: str
    caption: str
    columns: tuple[StudyColumn, ...]
    rows: tuple[tuple[StudyValue, ...], ...]
    headers: int = 1
    notes: tuple[str, ...] = ()
    row_units: tuple[Unit | None, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.id!r}: a row of {len(row)} values under {len(self.columns)} columns")
        if self.row_units and len(self.row_units) != len(self.rows):
            raise ValueError(f"table {self.id!r}: {len(self.row_units)} units for {len(self.rows)} rows")

    def unit(self, row: int, column: int) -> Unit:
        """The unit that a cell is printed in."""
        own, other = self.columns[column].unit, self.row_units[row] if self.row_units else None
        return other if other is not None and own in ("share", "difference") else own


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """One estimate of a forest plot; rows of one group stand together under its name."""

    label: str
    estimate: Estimate | Refusal
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Estimates with their intervals, one a row; ``reference`` is where a line says "no effect"."""

    id: str
    title: str
    x_label: str
    rows: tuple[ForestRow, ...]
    unit: Unit = "difference"
    reference: float | None = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A line; ``low`` and ``high`` (empty: none) are its interval. NaN is a gap."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart:
    """Lines over one axis. ``limits`` are drawn as horizontal lines with their names, such as a control chart's."""

    id: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    unit: Unit = "share"
    limits: tuple[tuple[str, float], ...] = ()
    x_ticks: tuple[str, ...] = ()
    """Names of the points 0, 1, … of the axis, where it is no scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """A quantity over two axes; ``z[j][i]`` belongs to ``y[j]`` and ``x[i]``. NaN is a gap.

    ``y_names`` are what the rows are called where they are no scale, such as the judges that ``x`` counts; one a row,
    or empty.
    """

    id: str
    title: str
    x_label: str
    y_label: str
    z_label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    z: tuple[tuple[float, ...], ...]
    unit: Unit = "share"
    y_names: tuple[str, ...] = ()


StudyFigure: TypeAlias = Forest | LineChart | HeatMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """The figure, table or section of a report that shows what a sentence says.

    Attributes
    ----------
    anchor
        Its id on the page, such as ``figure-rates``.
    name
        What readers call it: ``Figure 1``, ``Table 3``, ``Notes``.
    """

    anchor: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence of a headline, and what it rests on.

    Attributes
    ----------
    text
        The sentence, with its number.
    rests_on
        Anchors that show the number, best first: a report may lack a figure. A study's are ``table-ID`` and
        ``figure-ID``, by the ids of its own tables and figures.
    basis
        The first of them that the report has; set where its figures and tables are numbered
        (``evenhand.report.numbering.with_bases``), and None where it has none of them.
    """

    text: str
    rests_on: tuple[str, ...] = ()
    basis: Basis | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyHeadline:
    """What the figures say, in sentences that each carry their number.

    Attributes
    ----------
    lead
        One or two sentences.
    more
        What it means.
    steps
        What to do next.
    rests_on
        Of the verdict and the lead, as in :class:`Claim`; empty takes the first table.
    """

    status: StudyStatus
    verdict: str
    lead: str
    more: tuple[Claim, ...] = ()
    steps: tuple[Claim, ...] = ()
    rests_on: tuple[str, ...] = ()

    @property
    def meaning(self) -> tuple[str, ...]:
        """Every sentence on what was found, in the order of reading."""
        return tuple(claim.text for claim in self.more)

    @property
    def next_steps(self) -> tuple[str, ...]:
        """Every sentence on what to do."""
        return tuple(claim.text for claim in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Everything that an analysis found, fit to be printed.

    Attributes
    ----------
    kind
        ``biases``, ``mitigation``, ``ranking``, ``comparison``, ``judges``, ``gate``, ``history``, ``humans``,
        ``judge-and-humans``, ``labels``, ``power`` or ``simulation``: the name of its JSON document and files.
    facts
        (name, text) of where it comes from: runs, data, settings, seed, resamples.
    """

    kind: str
    title: str
    subtitle: str
    headline: StudyHeadline
    tables: tuple[StudyTable, ...]
    figures: tuple[StudyFigure, ...] = ()
    notes: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()

    def table(self, table_id: str) -> StudyTable | None:
        """The table with an id; None where this study has none."""
        return next((table for table in self.tables if table.id == table_id), None)
