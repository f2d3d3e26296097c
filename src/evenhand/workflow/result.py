"""What an audit gives back: the run, its findings and its table, frozen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.analysis import AuditResult, Finding
from evenhand.audits.humans.beside import RunBesidePeople
from evenhand.audits.swap_design import SwapDesign
from evenhand.records import RunManifest
from evenhand.records.columnar import VerdictColumns
from evenhand.report.model import Answers
from evenhand.runner import ExecutionSummary, Prices
from evenhand.store import PlanCounts, TokenTotals
from evenhand.store.atomic import write_atomically
from evenhand.workflow import swap_table
from evenhand.workflow.bias_plan import LeftOut
from evenhand.workflow.read import some_verdicts

if TYPE_CHECKING:
    import polars as pl

    from evenhand.analysis.study import Study
    from evenhand.report.model import ReportView
    from evenhand.report.pair_example import PairExample
    from evenhand.report.write import WrittenReport

__all__ = ["AuditRun"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditRun:
    """A run and what its audit found.

    Attributes
    ----------
    directory
        Where the run lives; :func:`evenhand.open_run` reads it again.
    manifest
        What was asked of whom.
    audit
        The findings on pairs as they are.
    biases
        What the bias audits of the run found, on pairs as they are and as they were changed; None where it has none.
    left_out
        Per changed condition's id: (reason, pairs) that it was not asked of.
    humans
        What people make of the run, where labels lie in its folder or were named; None where there are none.
    counts
        How far the plan is: planned, finished, errors, pending.
    execution
        What the call that made this object did; None for a run that was only opened.
    answers
        What the answers remark of themselves and which models an endpoint served, counted.
    spent
        Tokens over every attempt that the run's journal holds.
    prices
        Of the endpoint, where the caller gave them.
    swap
        Which pairs are asked in order BA, where not all are; None else.
    """

    directory: Path
    manifest: RunManifest
    audit: AuditResult
    counts: PlanCounts
    execution: ExecutionSummary | None = None
    answers: Answers | None = None
    spent: TokenTotals | None = None
    prices: Prices | None = None
    swap: SwapDesign | None = None
    biases: AuditResult | None = None
    left_out: LeftOut = field(default_factory=dict)
    humans: RunBesidePeople | None = None
    _table: pl.DataFrame | VerdictColumns = field(repr=False)

    @property
    def complete(self) -> bool:
        """Whether every planned presentation has an answer."""
        return self.counts.finished == self.counts.planned

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The audit's findings; those of bias audits are in ``biases``."""
        return self.audit.findings

    def to_polars(self) -> pl.DataFrame:
        """The verdicts, one row for each presentation and readout (see :func:`evenhand.records.verdict_table`).

        Those on changed pairs are among them, under a condition of their own each.
        """
        return self._table.verdict_table() if isinstance(self._table, VerdictColumns) else self._table.clone()

    def swaps(self) -> pl.DataFrame | None:
        """One row a pair of a selective run, with its final preference; None where every pair is asked in both orders.

        See :func:`evenhand.workflow.swap_table.swap_table`.
        """
        return None if self.swap is None else swap_table.swap_table(self.to_polars(), self.swap)

    def bias_study(self) -> Study | None:
        """What the bias audits found, as the reports print it; None where the run has none."""
        from evenhand.report.studies.biases import BiasedRun, bias_study

        if self.biases is None:
            return None
        run = BiasedRun(manifest=self.manifest, audit=self.biases, counts=self.counts, left_out=self.left_out)
        return bias_study([run])

    def human_study(self) -> Study | None:
        """What people make of the run, as the reports print it; None where it has no labels."""
        from evenhand.report.humans_section import beside_study

        return None if self.humans is None else beside_study(self.manifest, self.humans, counts=self.counts)

    def to_json(self) -> dict[str, Any]:
        """Everything that the audit found, as plain JSON values: what ``audit.json`` holds."""
        from evenhand.report.json_report import audit_json

        view = self.view()
        return audit_json(
            self.manifest,
            self.audit,
            counts=self.counts,
            answers=self.answers,
            biases=self.biases,
            headline=view.headline,
            pairs=view.pairs,
            humans=self.humans,
        )

    def view(self) -> ReportView:
        """Everything that the run's report shows, decided once for every surface."""
        from evenhand.report.view import build_view

        return build_view(
            self.manifest,
            self.audit,
            counts=self.counts,
            execution=self.facts(),
            pairs_examples=self.pairs_worth_reading(),
            answers=self.answers,
            biases=self.biases,
            study=self.bias_study(),
            humans=self.humans,
        )

    def pairs_worth_reading(self) -> tuple[PairExample, ...]:
        """A few pairs of each kind, chosen by rule, with the texts that the run has.

        See :func:`evenhand.workflow.pairs_worth_reading.pairs_worth_reading`.
        """
        from evenhand.workflow.pairs_worth_reading import pairs_worth_reading

        some = some_verdicts(self._table, seed=self.manifest.seed)
        return pairs_worth_reading(self.directory, self.manifest, some)

    def card(self) -> dict[str, Any]:
        """The disclosure card, valid against its published schema."""
        from evenhand.report.card import build_card

        return build_card(
            self.manifest,
            self.audit,
            counts=self.counts,
            answers=self.answers,
            biases=self.biases,
            humans=self.humans,
        )

    def write_report(self, directory: str | Path | None = None, *, figures: Sequence[str] = ("svg",)) -> WrittenReport:
        """Write HTML, JSON, card, tables and figures into a directory (None: the run's own).

        With bias audits their study's own files too (``biases.html``, ``biases.json``, ``biases.md``, tables, figures);
        without, those of an earlier run in the same directory are removed, since they'd stand beside another audit. The
        same holds of labels and ``judge-and-humans.html`` and its like.
        ``figures`` are formats of the figures' files: of ``svg``, ``pdf`` and ``png``.
        """
        from evenhand.report.humans_found import SECTION
        from evenhand.report.study.write import remove_study, write_study
        from evenhand.report.write import write_report

        target = self.directory if directory is None else Path(directory)
        study = self.bias_study()
        written = write_report(
            target,
            self.manifest,
            self.audit,
            counts=self.counts,
            execution=self.facts(),
            pairs_examples=self.pairs_worth_reading(),
            answers=self.answers,
            biases=self.biases,
            study=study,
            humans=self.humans,
            figure_formats=figures,
        )
        for kind, own in (("biases", study), (SECTION, self.human_study())):
            if own is not None:
                created = self.manifest.created
                write_study(target, own, command=self.manifest.command, created=created, figure_formats=figures)
            else:
                remove_study(target, kind, spare=f"evenhand {kind}")
        swaps = self.swaps()
        if swaps is not None:
            write_atomically(target / swap_table.FILE, swaps.write_parquet)
        return written

    def facts(self) -> Sequence[tuple[str, str]]:
        """Time and tokens of the call that made this run, as (name, text), for reports."""
        done = self.execution
        if done is None or done.asked == 0:
            return ()
        facts = [("Asked now", f"{done.asked:,} presentations in {done.seconds:,.0f} s")]
        if done.reused:
            facts.append(("Answered before", f"{done.reused:,} presentations"))
        if done.prompt_tokens is not None:
            facts.append(("Tokens", f"{done.prompt_tokens:,} prompt, {done.completion_tokens or 0:,} generated"))
        spent = self.spent
        if spent is not None and spent.prompt_tokens > (done.prompt_tokens or 0):
            facts.append(
                ("Tokens of the run", f"{spent.prompt_tokens:,} prompt, {spent.completion_tokens:,} generated")
            )
        if spent is not None and self.prices is not None:
            cost = self.prices.cost(prompt_tokens=spent.prompt_tokens, completion_tokens=spent.completion_tokens)
            untold = f"; {spent.untold:,} answers told no tokens" if spent.untold else ""
            facts.append(("Cost of the run", f"${cost:,.4f} at {self.prices.text}{untold}"))
        return tuple(facts)
