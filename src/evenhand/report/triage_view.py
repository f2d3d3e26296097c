"""What a triage says: its headline, what follows from it, and its notes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from evenhand.probes.triage_report import TriageReport
from evenhand.report.format import date_text, integer, percent
from evenhand.report.model import Basis, Headline, Table
from evenhand.report.numbering import number_report, with_bases
from evenhand.report.study.view import evenhand_version
from evenhand.report.text import visible
from evenhand.report.triage_figure import FIGURE, has_figure
from evenhand.report.triage_headline import promise_of, triage_headline
from evenhand.report.triage_methods import triage_methods, triage_terms
from evenhand.report.triage_tables import build_triage_tables
from evenhand.stats import Refusal

__all__ = ["TriageView", "build_triage_view"]

_FACT_LIMIT, _COMMAND_LIMIT = 600, 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageView:
    """Everything that a triage shows. Strings are clean but not escaped.

    Attributes
    ----------
    kind
        Name of its files.
    methods
        How its figures were made, a sentence or two each.
    facts
        (name, text) of where they come from, and of the saved policy.
    numbers
        By anchor: what the figure, the tables and the sections are called.
    """

    kind: str = "triage"
    title: str
    subtitle: str
    headline: Headline
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    methods: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    glossary: tuple[tuple[str, str], ...] = ()
    command: str = ""
    version: str = ""
    numbers: Mapping[str, Basis] = field(default_factory=dict)

    def table(self, name: str) -> Table | None:
        """A table by its id; None where it has no rows."""
        return next((table for table in self.tables if table.id == name), None)


def build_triage_view(
    report: TriageReport,
    *,
    budgets: Collection[float] | None = None,
    command: str | None = None,
    created: str | None = None,
) -> TriageView:
    """Decide what is said.

    Parameters
    ----------
    budgets
        Those to tabulate where there are several; None: all.
    command, created
        How and when (ISO 8601) the triage was made; neither is invented here.
    """
    retention = report.retention
    tables = build_triage_tables(report, budgets=budgets)
    numbers = number_report([FIGURE] if has_figure(report) else [], tables, sections=("methods", "notes", "reproduce"))
    return TriageView(
        title=visible(f"Triage: {report.subject.model}"),
        subtitle=visible(
            f"{report.data}; {integer(retention.usable)} usable pairs of {integer(retention.planned)} planned, "
            f"{_left(report)}"
            f"{integer(report.groups)} question groups; {report.subject.prompt}, {report.subject.labels}, "
            f"{report.subject.readout}{_compliance(report)}",
            limit=None,
        ),
        headline=with_bases(triage_headline(report), numbers),
        tables=tables,
        notes=tuple(visible(note, limit=None) for note in _notes(report)),
        methods=triage_methods(report),
        facts=tuple((name, visible(text, limit=_FACT_LIMIT)) for name, text in _facts(report, created)),
        glossary=triage_terms(report),
        command=visible(command or "", limit=_COMMAND_LIMIT),
        version=evenhand_version(),
        numbers=numbers,
    )


def _facts(report: TriageReport, created: str | None) -> Iterator[tuple[str, str]]:
    subject, asked, policy = report.subject, report.question, report.policy
    yield "judge", subject.model
    yield "revision", subject.revision or "nothing pins the weights"
    yield "prompt", f"{subject.prompt}, sha256:{subject.prompt_hash}"
    yield "labels", subject.labels
    yield "readout that flips", str(subject.readout)
    yield "data", f"{report.data}, sha256:{report.sha256}"
    yield "pairs", f"{integer(report.pairs)} in {integer(report.groups)} question groups; {integer(report.flips)} flip"
    yield "score asked for", asked.score
    if policy is not None:
        yield "saved policy", policy.describe()
        if report.policy_swaps is not None:
            of = "its calibration pairs" if policy.calibrated_on is not None else "the pairs"
            yield "swaps", f"{percent(report.policy_swaps)} of {of}"
        yield "promise", policy.guarantee or "none"
    if report.use is not None:
        yield "used by", report.use
    if asked.alphas:
        yield "splits", integer(asked.splits)
    yield "intervals", f"{asked.level * 100:g} %, {integer(asked.resamples)} resamples, seed {asked.seed}"
    if created:
        yield "created", date_text(visible(created))
    yield "Evenhand", evenhand_version()


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
