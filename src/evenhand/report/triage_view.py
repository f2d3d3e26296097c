"""What a triage says: its headline, what follows from it, and its notes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from evenhand.probes.triage import TriageReport
from evenhand.report.format import integer, percent
from evenhand.report.model import Basis, Headline, Table
from evenhand.report.numbering import number_report
from evenhand.report.text import visible
from evenhand.report.triage_headline import promise_of, triage_headline
from evenhand.report.triage_tables import build_triage_tables
from evenhand.stats import Refusal

__all__ = ["TriageView", "build_triage_view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageView:
    """Everything that a triage shows. Strings are clean but not escaped."""

    title: str
    subtitle: str
    headline: Headline
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    numbers: Mapping[str, Basis] = field(default_factory=dict)

    def table(self, name: str) -> Table | None:
        """A table by its id; None where it has no rows."""
        return next((table for table in self.tables if table.id == name), None)


def build_triage_view(report: TriageReport, *, budgets: Collection[float] | None = None) -> TriageView:
    """Decide what is said; ``budgets`` are those to tabulate where there are several (None: all)."""
    retention = report.retention
    tables = build_triage_tables(report, budgets=budgets)
    return TriageView(
        title=visible(f"Triage: {report.subject.model}"),
        subtitle=visible(
            f"{report.data}; {integer(retention.usable)} usable pairs of {integer(retention.planned)} planned, "
            f"{_left(report)}"
            f"{integer(report.groups)} question groups; {report.subject.prompt}, {report.subject.labels}, "
            f"{report.subject.readout}{_compliance(report)}",
            limit=None,
        ),
        headline=triage_headline(report),
        tables=tables,
        notes=tuple(visible(note, limit=None) for note in _notes(report)),
        numbers=number_report((), tables),
    )


def _left(report: TriageReport) -> str:
    if report.pairs == report.retention.usable:
        return ""
    return f"{integer(report.pairs)} of them of questions that didn’t train the probe, "


def _compliance(report: TriageReport) -> str:
    """How often the first token was a label at all, without which a flip of first tokens says little."""
    return "" if report.led is None else f", {percent(report.led)} of the pairs led with a label in both orders"


def _notes(report: TriageReport) -> list[str]:
    notes = [
        "The other pairs’ flips stay unseen: a policy tells of its own flips only. To keep the full flip rate, swap a "
        "random share of the others too (--floor)."
    ]
    own = promise_of(report, report.question.score)
    if own is not None:
        notes.append(f"{own.score}: {own.text}.")
    unproved = [name for name, found in report.guarantees if isinstance(found, tuple) and found and not found[0].proved]
    if unproved:
        notes.append(
            f"Approximate, not proved: the promises of {', '.join(unproved)}. Their scores come from several models, "
            "or from one that was fitted on some of these questions, so calibration and score aren’t independent."
        )
    notes += [f"{s.name} can’t be used: {s.refusal}." for s in report.scores if s.refusal is not None]
    if report.question.alphas:
        notes.append(
            "A promise holds for questions that are drawn as these were, under the same judge and prompt, and for a "
            "score chosen before the calibration was seen. Picking the best of several scores or levels by this table "
            f"spends some of it. A question may have at most {integer(report.largest_group)} pairs, as here."
        )
    if isinstance(report.times, Refusal):
        notes.append(f"No net time: {report.times.reason}.")
    return [*notes, *report.notes]
