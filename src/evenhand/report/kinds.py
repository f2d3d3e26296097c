"""Tables of one kind of finding each: readouts, conditions and repeats compared, and what is pooled or logged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.report.cells import (
    column_of,
    count_cell,
    footnotes_of,
    gathered,
    measure_names,
    measure_row,
    name_cell,
    readout_name,
)
from evenhand.report.format import DASH, is_shown
from evenhand.report.model import Cell, Column, Table
from evenhand.report.probabilities import probability_table
from evenhand.report.sampled import powered_table
from evenhand.report.selective import selective_table

__all__ = ["kind_tables"]

Heading = tuple[str, Callable[[Finding], str]]

_ALL = "all"
_CONDITION: Heading = ("condition", lambda finding: finding.condition or _ALL)
_READOUT: Heading = ("readout", lambda finding: _ALL if finding.readout is None else readout_name(finding))
_POOLED_READOUT: Heading = (
    "readout",
    lambda finding: "both, compared" if finding.readout is None else readout_name(finding),
)
_SUBSET: Heading = ("pairs", lambda finding: finding.subset or _ALL)

_FORCED = (
    "forced-minus-generated",
    "First-token minus generated",
    "Flip rate under the first-token readout minus that under the generated one, on the same pairs, in percentage "
    "points.",
    (_CONDITION, _SUBSET),
)
_READOUTS = (
    "readouts",
    "Prefilled and constrained against generated",
    "The readout named minus the generated one, on the same pairs, in percentage points: what the remedy changes.",
    (_CONDITION, _READOUT),
)
_HYBRID = (
    "hybrid",
    "Hybrid readout",
    "Generate only where the judge does not lead with a verdict token: what it saves, how true it stays.",
    (_CONDITION,),
)
_CONDITIONS = (
    "conditions",
    "Conditions compared",
    "Paired differences of two conditions, first named minus second, in percentage points. Where an interval covers 0 "
    "these data don't rank the two.",
    (_CONDITION, _READOUT),
)
_POOLED = (
    "pooled",
    "Pooled over conditions",
    "All conditions under one readout; intervals resample whole conditions.",
    (_POOLED_READOUT, _SUBSET),
)
_REPEAT = (
    "repeat",
    "Repeated-AB control",
    "The same question asked again without a swap: what noise alone changes.",
    (_CONDITION, _READOUT),
)
_LOG = (
    "log",
    "The log's own parse",
    "How our parse of the raw text compares with what the log recorded.",
    (_CONDITION, _READOUT),
)


_FLIP_COUNTS = {
    FindingKind.FORCED_MINUS_GENERATED: (
        ("flips, first-token", ("both flip", "only first-token flips")),
        ("flips, generated", ("both flip", "only generated flips")),
    ),
    FindingKind.READOUTS: (
        ("flipped, readout", ("both flip", "only {readout} flips")),
        ("flipped, generated", ("both flip", "only generated flips")),
    ),
}
"""Columns of two readouts' tables, and the cells of a finding's McNemar table that they sum."""


def _by_kind(
    audit: AuditResult, kind: FindingKind, table_id: str, title: str, caption: str, headings: tuple[Heading, ...]
) -> Table | None:
    findings = audit.select(kind)
    names = measure_names(findings)
    if not findings or (
        kind is FindingKind.POOLED and not any(is_shown(f.measure(name)) for f in findings for name in names)
    ):
        return None  # a pooled table of refusals alone is a note
    notes = footnotes_of(audit, clusters="condition" if kind is FindingKind.POOLED else None)
    told = [h for h in headings if len(findings) == 1 or any(h[1](f) != _ALL for f in findings)]
    headings = tuple(told) or headings[:1]
    counted = _FLIP_COUNTS.get(kind, ())
    return Table(
        id=table_id,
        title=title,
        caption=caption,
        columns=(
            *(Column(label=label, numeric=False) for label, _ in headings),
            Column(label="n pairs"),
            *(Column(label=label) for label, _ in counted),
            *map(column_of, names),
        ),
        rows=gathered(
            [
                (
                    *(name_cell(read(finding)) for _, read in headings),
                    count_cell(finding.pairs),
                    *(_sum_cell(finding, cells) for _, cells in counted),
                    *measure_row(names, finding, notes),
                )
                for finding in findings
            ]
        ),
        headers=len(headings),
        notes=notes.notes,
        intervals=notes.intervals,
    )


def _sum_cell(finding: Finding, cells: Sequence[str]) -> Cell:
    table = dict(finding.table)
    named = [cell.format(readout=finding.readout) for cell in cells]
    return count_cell(sum(table[cell] for cell in named)) if all(cell in table for cell in named) else Cell(text=DASH)


def kind_tables(audit: AuditResult) -> tuple[Table, ...]:
    """Every such table that has rows, in the order of reading; that of designs stands apart."""
    built = (
        _by_kind(audit, FindingKind.FORCED_MINUS_GENERATED, *_FORCED),
        _by_kind(audit, FindingKind.READOUTS, *_READOUTS),
        _by_kind(audit, FindingKind.HYBRID, *_HYBRID),
        powered_table(audit),
        selective_table(audit),
        _by_kind(audit, FindingKind.CONDITIONS, *_CONDITIONS),
        _by_kind(audit, FindingKind.POOLED, *_POOLED),
        _by_kind(audit, FindingKind.REPEAT, *_REPEAT),
        probability_table(audit),
        _by_kind(audit, FindingKind.LOG, *_LOG),
    )
    return tuple(table for table in built if table is not None)
