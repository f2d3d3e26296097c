"""The labels' probabilities: the figures chosen for the reader, and a warning where the labels hold little of them."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.report.cells import estimate_cell, footnotes_of, info_of, name_cell, readout_name
from evenhand.report.format import estimate_text, integer, is_shown
from evenhand.report.model import Cell, Column, Table
from evenhand.report.text import visible
from evenhand.stats import Estimate

__all__ = ["LOW_MASS_IN", "mass_sentences", "probability_table"]

LOW_MASS_IN = 0.05
"""Share of presentations with less than half of the probability on the labels above which the report warns.

A convention of this report, taken from no publication; the share always stands beside the sentence.
"""

_CHOSEN = (
    "label_mass",
    "low_mass_rate",
    "probability_shift",
    "probability_shift_absolute",
    "averaged_accuracy",
    "averaged_accuracy_gain",
    "averaged_brier",
    "averaged_auroc",
    "decisive_flip_rate",
    "decisive_flip_accuracy",
)
"""Measures for the table, of over twenty."""


def probability_table(audit: AuditResult) -> Table | None:
    """Measures down, readouts across, gathered by condition; None where there are no probabilities."""
    findings = audit.select(FindingKind.PROBABILITY)
    if not findings:
        return None
    notes = footnotes_of(audit)
    readouts = list(dict.fromkeys(readout_name(f) for f in findings))
    by_place = {(f.condition, readout_name(f)): f for f in findings}
    rows = []
    for condition in dict.fromkeys(f.condition for f in findings):
        own = [by_place.get((condition, readout)) for readout in readouts]
        rows += [
            (
                name_cell(condition or "all conditions"),
                Cell(text=info_of(name).label, detail=info_of(name).definition),
                *(estimate_cell(name, None if f is None else f.measure(name), notes) for f in own),
            )
            for name in _CHOSEN
            if any(f is not None and f.measure(name) is not None for f in own)
        ]
    return Table(
        id="probability",
        title="Probabilities of the labels",
        caption=(
            "What the labels' probabilities say at the position read, and what averaging the two orders gains. Brier "
            "scores and log losses of single orders are in audit.json."
        ),
        columns=(
            Column(label="condition", numeric=False),
            Column(label="measure", numeric=False),
            *(Column(label=readout) for readout in readouts),
        ),
        rows=tuple(rows),
        headers=2,
        notes=notes.notes,
        intervals=notes.intervals,
    )


def mass_sentences(audit: AuditResult) -> list[str]:
    """A warning where the labels hold less than half of the probability on many presentations."""
    findings = audit.select(FindingKind.PROBABILITY)
    low = [
        (f, e)
        for f in findings
        if isinstance(e := f.measure("low_mass_rate"), Estimate) and is_shown(e) and e.value > LOW_MASS_IN
    ]
    if not low:
        return []
    finding, worst = max(low, key=lambda pair: pair[1].value)
    return [
        f"On {estimate_text(worst)} of presentations{_place(finding, findings, len(low))} the labels have less than "
        "half of the probability together: what is read there is what remains after most of what the judge would have "
        "said is left out."
    ]


def _place(finding: Finding, findings: Sequence[Finding], low: int) -> str:
    parts = [
        visible(finding.condition, limit=60) if len({f.condition for f in findings}) > 1 else "",
        readout_name(finding),
        f"the most of {integer(low)}" if low > 1 else "",
    ]
    return f" ({', '.join(part for part in parts if part)})"
