"""A run read for its verdicts alone: manifest, pairs, table and counts, without any audit."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.audits.drift.measures import ComparedOrders, MeasuredOrders
from evenhand.records import Condition, Pair, Readout, RunManifest
from evenhand.report.model import Answers
from evenhand.store import Journal, PlanCounts
from evenhand.workflow.read import read_verdicts
from evenhand.workflow.result import AuditRun
from evenhand.workflow.tally import AnswerTally

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RunVerdicts", "count_sentences", "measured_orders_of", "orders_of", "read_run", "readouts_of"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunVerdicts:
    """What a run asked of whom, and what came of it.

    Attributes
    ----------
    directory, manifest, pairs, counts, answers
        As its journal has them.
    table
        The columns of :func:`evenhand.records.verdict_table`.
    """

    directory: Path
    manifest: RunManifest
    pairs: tuple[Pair, ...]
    counts: PlanCounts
    answers: Answers
    table: pl.DataFrame = field(repr=False)

    @property
    def orders(self) -> ComparedOrders:
        """Which orders stand for all pairs."""
        return orders_of(self.manifest)

    @property
    def measured(self) -> MeasuredOrders:
        """The same, and that there was none where each response was judged by itself."""
        return measured_orders_of(self.manifest)

    @property
    def readouts(self) -> tuple[Readout, ...]:
        """Readouts that were asked of all pairs."""
        return readouts_of(self.manifest)

    @property
    def controls(self) -> tuple[Condition, ...]:
        """Conditions in which no bias audit changed anything."""
        return tuple(condition for condition in self.manifest.conditions if not condition.changes)

    def condition(self, name: str) -> Condition | None:
        """A condition by its id; None where the run has none."""
        return next((condition for condition in self.manifest.conditions if condition.id == name), None)


def orders_of(manifest: RunManifest) -> ComparedOrders:
    """Which orders of a run stand for all of its pairs."""
    if manifest.swap is not None:
        return "AB"
    return "single" if manifest.orders == "single" else "both"


def measured_orders_of(manifest: RunManifest) -> MeasuredOrders:
    """Which orders of a run figures may speak of."""
    return orders_of(manifest) if manifest.slots_seen else "none"


def readouts_of(manifest: RunManifest) -> tuple[Readout, ...]:
    """Readouts that a run asked of all of its pairs."""
    sampled = manifest.generated_fraction is not None
    asked = (Readout(name) for name in manifest.readouts)
    return tuple(readout for readout in asked if not (sampled and readout is Readout.GENERATED))


def read_run(run: str | Path | AuditRun) -> RunVerdicts:
    """Read a run, live or imported, finished or not.

    Raises
    ------
    StoreError
        The directory is no run, is damaged, or was written by a newer version.
    """
    directory = run.directory if isinstance(run, AuditRun) else Path(run)
    tally = AnswerTally()
    with Journal.open(directory, read_only=True) as journal:
        manifest, pairs, counts = journal.manifest, journal.pairs(), journal.counts()
        if journal.columns is not None:
            table, answers = journal.columns.verdict_table(), Answers(answered=counts.finished)
        else:
            table = read_verdicts(manifest, pairs, tally.watch(journal.completions()))
            answers = tally.answers
        return RunVerdicts(
            directory=directory, manifest=manifest, pairs=pairs, counts=counts, answers=answers, table=table
        )


def count_sentences(counts: PlanCounts, *, which: str) -> tuple[str, ...]:
    """What is missing of a run, in words; nothing where it is finished.

    Examples
    --------
    >>> count_sentences(PlanCounts(planned=10, finished=7, errors=2, pending=1), which="new run")
    ('The new run is incomplete: of 10 presentations 2 failed and 1 was not asked.',)
    """
    if counts.finished == counts.planned:
        return ()
    parts = [f"{counts.errors:,} failed"] if counts.errors else []
    if counts.pending:
        parts.append(f"{counts.pending:,} {'was' if counts.pending == 1 else 'were'} not asked")
    return (f"The {which} is incomplete: of {counts.planned:,} presentations {' and '.join(parts)}.",)
