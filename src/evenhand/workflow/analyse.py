"""A run's journal, audited: as it is finished, or opened again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from evenhand.analysis.wide import widen_columns
from evenhand.audits import SampleDesign
from evenhand.audits.bias.audit import audit_biases
from evenhand.audits.humans.beside import RunBesidePeople
from evenhand.audits.position import audit_position
from evenhand.records.columnar import VerdictColumns
from evenhand.report.model import Answers
from evenhand.runner import ExecutionSummary, Prices
from evenhand.store import Journal
from evenhand.store.label_store import LABELS
from evenhand.workflow import swap_file
from evenhand.workflow.bias_data import BiasWatch, bias_data, control_rows, known_biases
from evenhand.workflow.read import read_verdicts
from evenhand.workflow.result import AuditRun
from evenhand.workflow.tally import AnswerTally

if TYPE_CHECKING:
    import polars as pl

__all__ = ["analyse", "open_run"]


def analyse(
    journal: Journal,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: str = "auto",
    execution: ExecutionSummary | None = None,
    prices: Prices | None = None,
    labels: str | Path | None = None,
) -> AuditRun:
    """Read a journal's completions and audit them. Pure but for the reading: nothing is asked or written.

    ``labels`` names human labels; without it those in the run's own directory are taken, where it has any.
    """
    manifest, fraction = journal.manifest, journal.manifest.generated_fraction
    if journal.columns is not None:
        return _columnar(journal, journal.columns, resamples=resamples, level=level, cluster=cluster, labels=labels)
    tally, pairs = AnswerTally(), journal.pairs()
    names = known_biases(manifest)
    watch = BiasWatch(manifest, rationales="rationale" in names)
    table = read_verdicts(manifest, pairs, watch.watch(tally.watch(journal.completions())))
    swap = None if manifest.swap is None else swap_file.read_design(journal.directory, manifest)
    by = cast("Literal['auto', 'group', 'source']", cluster)
    findings = audit_position(
        control_rows(table, manifest.conditions),
        seed=manifest.seed,
        resamples=resamples,
        level=level,
        cluster=by,
        orders=cast("Literal['both', 'single']", manifest.orders),
        slots_seen=manifest.slots_seen,
        designs={condition.id: condition.design for condition in manifest.conditions if condition.design},
        sample=None if fraction is None else SampleDesign(fraction=fraction, seed=manifest.seed),
        swap=swap,
    )
    data = bias_data(journal, table, watch, pairs=pairs) if names else None
    biases = (
        None
        if data is None
        else audit_biases(data, names, seed=manifest.seed, resamples=resamples, level=level, cluster=by)
    )
    return AuditRun(
        directory=journal.directory,
        manifest=manifest,
        audit=findings,
        counts=journal.counts(),
        execution=execution,
        answers=tally.answers,
        spent=journal.token_totals() if manifest.kind == "live" else None,
        prices=prices,
        swap=swap,
        biases=biases,
        left_out={} if data is None else data.left_out,
        humans=_people(journal, table, labels, resamples=resamples, level=level, cluster=cluster),
        _table=table,
    )


def _people(
    journal: Journal,
    table: pl.DataFrame | VerdictColumns,
    labels: str | Path | None,
    *,
    resamples: int,
    level: float,
    cluster: str,
) -> RunBesidePeople | None:
    """What people make of the run; a run without labels costs one look into its folder."""
    if labels is None and not (journal.directory / LABELS).is_file():
        return None
    from evenhand.workflow.run_labels import people_of_run

    return people_of_run(
        journal.directory, journal.manifest, table, labels=labels, resamples=resamples, level=level, cluster=cluster
    )


def _columnar(
    journal: Journal,
    columns: VerdictColumns,
    *,
    resamples: int,
    level: float,
    cluster: str,
    labels: str | Path | None,
) -> AuditRun:
    """Audit a log that was imported as columns: nothing is to be read again, and nothing of it becomes a record."""
    manifest, counts = journal.manifest, journal.counts()
    findings = audit_position(
        widen_columns(columns),
        seed=manifest.seed,
        resamples=resamples,
        level=level,
        cluster=cast("Literal['auto', 'group', 'source']", cluster),
        orders=cast("Literal['both', 'single']", manifest.orders),
        slots_seen=manifest.slots_seen,
    )
    return AuditRun(
        directory=journal.directory,
        manifest=manifest,
        audit=findings,
        counts=counts,
        answers=Answers(answered=counts.finished),
        humans=_people(journal, columns, labels, resamples=resamples, level=level, cluster=cluster),
        _table=columns,
    )


def open_run(
    directory: str | Path,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: str = "auto",
    labels: str | Path | None = None,
) -> AuditRun:
    """Open a run that exists, live or imported, finished or not, and audit it again from its journal.

    Parameters
    ----------
    labels
        Human labels to hold the judge beside: a label file, a label store, or the directory of a run that has one.
        None: those in the run's own directory, where it has any.

    Raises
    ------
    DataError
        ``labels`` can't be read, or has none of a judged pair.
    StoreError
        The directory is no run, is damaged, or was written by a newer version.
    """
    with Journal.open(Path(directory), read_only=True) as journal:
        return analyse(journal, resamples=resamples, level=level, cluster=cluster, labels=labels)
