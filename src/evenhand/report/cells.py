"""Cells and tables from findings: one generic way, so that a new measure needs no new code here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from evenhand.analysis import AuditResult, Finding, MeasureInfo, measure_info
from evenhand.analysis.study import Unit
from evenhand.report.format import DASH, count_of, integer, interval_text, is_shown, p_text, quantity
from evenhand.report.methods import methods_line
from evenhand.report.model import Cell, Column
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal, TestResult

__all__ = [
    "Footnotes",
    "column_of",
    "count_cell",
    "estimate_cell",
    "figure_cell",
    "footnotes_of",
    "gathered",
    "info_of",
    "measure_names",
    "measure_row",
    "name_cell",
    "p_cell",
    "printed_unit",
    "readout_name",
    "row_unit",
]

_UNITS = {
    # a directed share between −1 and +1: its definition speaks in those terms, so it is printed in them
    **dict.fromkeys(("position_bias_strength", "pp_position_bias_strength", "sample_position_bias_strength"), "number"),
    "pp_effective_pairs": "count",
    **{
        f"{kind}_{score}{order}": "score"
        for score in ("brier", "log_loss")
        for kind, order in (("averaged", ""), ("single", "_ab"), ("single", "_ba"))
    },
    "averaged_auroc": "score",
}
"""Measures that are printed in another unit than the one they are computed in."""


_FEW_CLUSTERS = re.compile(r"(?P<what>fewer than [0-9]+ clusters) \((?P<count>[0-9]{1,9})\)")


def info_of(name: str) -> MeasureInfo:
    """The measure's entry; a name that the table lacks is shown as it is, as a number."""
    try:
        return measure_info(name)
    except KeyError:
        return MeasureInfo(name=name, label=visible(name.replace("_", " ")), definition="", unit="number")


def unit_of(name: str) -> str:
    """The unit that a measure is printed in."""
    return _UNITS.get(name) or info_of(name).unit


def printed_unit(info: MeasureInfo) -> Unit:
    """The unit that a study prints a measure in, where the table of measures may lack it."""
    match _UNITS.get(info.name, info.unit):
        case "share" | "difference" | "count" as unit:
            return unit
        case _:
            return "number"


def row_unit(info: MeasureInfo) -> Unit | None:
    """Of a row in a table of shares: ``number`` for a measure that isn't said in percent, else None."""
    return "number" if printed_unit(info) == "number" else None


def readout_name(finding: Finding) -> str:
    """The finding's readout in words; a dash where it has none."""
    return DASH if finding.readout is None else finding.readout.value


def measure_names(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Names of all measures in some findings, in the order of their first appearance."""
    return tuple(dict.fromkeys(measure.name for finding in findings for measure in finding.measures))


@dataclass(slots=True)
class Footnotes:
    """Collects a table's notes and hands out their letters, one letter a distinct text.

    The warnings of few clusters, which differ by a count alone, share a letter and a note that gives their range.
    """

    level: float = 0.95
    clusters: str = "question group"
    _letters: dict[str, str] = field(default_factory=dict)
    _methods: dict[str, None] = field(default_factory=dict)
    _clusters: dict[str, set[int]] = field(default_factory=dict)

    def method(self, name: str) -> None:
        """Take note of how an interval of the table was made."""
        self._methods.setdefault(name)

    @property
    def intervals(self) -> str:
        """How the table's intervals were made, in one line; empty where it has none."""
        return methods_line(self._methods, level=self.level, clusters=self.clusters)

    def mark(self, text: str) -> str:
        """The letter of a note."""
        few = _FEW_CLUSTERS.fullmatch(text)
        if few:
            text = few["what"]
            self._clusters.setdefault(text, set()).add(int(few["count"]))
        return self._letters.setdefault(visible(text, limit=400), _letter(len(self._letters)))

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """(letter, text) of every note."""
        return tuple((letter, self._with_counts(text)) for text, letter in self._letters.items())

    def _with_counts(self, text: str) -> str:
        counts = self._clusters.get(text)
        if not counts:
            return text
        low, high = min(counts), max(counts)
        return f"{text} ({low})" if low == high else f"{text} ({low} to {high})"


def _letter(index: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    quotient, rest = divmod(index, len(letters))
    return letters[rest] * (quotient + 1)


def name_cell(text: object) -> Cell:
    """A cell that names its row."""
    return Cell(text=visible(text))


def count_cell(value: int) -> Cell:
    """A plain count."""
    return Cell(text=integer(value), value=float(value))


def p_cell(test: TestResult) -> Cell:
    """A test's p-value; no number where it is too small for one."""
    return Cell(text=p_text(test), value=test.p_value if test.p_value > 0.0 else None)


def estimate_cell(name: str, estimate: Estimate | Refusal | None, notes: Footnotes) -> Cell:
    """A measure's cell, its flags and refusals put among the table's notes."""
    return figure_cell(estimate, unit_of(name), notes)


def figure_cell(estimate: Estimate | Refusal | None, unit: str, notes: Footnotes) -> Cell:
    """An estimate's cell in a unit of :func:`evenhand.report.format.quantity`, flags and refusals among the notes."""
    match estimate:
        case None:
            return Cell(text=DASH)
        case Refusal(reason=reason):
            return Cell(text=DASH, detail=visible(reason), marks=(notes.mark(reason),))
        case Estimate() if not is_shown(estimate):
            return Cell(text=DASH, detail="not a finite number", marks=(notes.mark("not a finite number"),))
        case Estimate():
            interval = interval_text(estimate.interval, unit)
            if interval and estimate.interval is not None:
                notes.method(estimate.interval.method)
            flags = estimate.flags if interval or estimate.flags else ("no interval for this figure",)
            shown = estimate.interval if interval else None
            return Cell(
                text=quantity(estimate.value, unit),
                interval=interval,
                detail=count_of(estimate),
                marks=tuple(dict.fromkeys(notes.mark(flag) for flag in flags)),
                value=estimate.value,
                low=None if shown is None else shown.low,
                high=None if shown is None else shown.high,
            )


def measure_row(names: Sequence[str], finding: Finding, notes: Footnotes) -> tuple[Cell, ...]:
    """One cell for each named measure of a finding."""
    return tuple(estimate_cell(name, finding.measure(name), notes) for name in names)


def footnotes_of(audit: AuditResult, *, clusters: str | None = None) -> Footnotes:
    """Notes of a table of this audit, which know how its intervals were made."""
    return Footnotes(level=audit.level, clusters=clusters or audit.resampled_by)


def column_of(name: str) -> Column:
    """A column for a measure."""
    info = info_of(name)
    return Column(label=info.label, hint=info.definition)


def gathered(rows: Sequence[tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """The rows with equal first names beside each other, in the order in which those first appear."""
    places = {text: index for index, text in enumerate(dict.fromkeys(row[0].text for row in rows))}
    return tuple(sorted(rows, key=lambda row: places[row[0].text]))
