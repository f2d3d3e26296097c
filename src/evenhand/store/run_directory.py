"""What a run directory holds, at a glance: for listings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evenhand.records import COLUMNS_VERSION
from evenhand.store.connection import JOURNAL
from evenhand.store.entries import PlanCounts
from evenhand.store.journal import Journal
from evenhand.store.lock import is_being_written

__all__ = ["RunSummary", "describe", "is_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One line about a run.

    Attributes
    ----------
    directory
        Where it is.
    kind
        ``live`` or ``log``.
    judge, data
        Their specs.
    conditions
        Ids of those that show the pairs as they are.
    biases
        Bias audits that it asks for, by name.
    created
        UTC, ISO 8601, of the current plan.
    counts
        How far it is.
    being_written
        Whether a process is writing to it now.
    columnar
        Whether a log was imported as columns: the next run in this directory takes their place.
    """

    directory: Path
    kind: str
    judge: str
    data: str
    conditions: tuple[str, ...]
    created: str
    counts: PlanCounts
    being_written: bool
    biases: tuple[str, ...] = ()
    columnar: bool = False


def describe(directory: Path) -> RunSummary:
    """Look into a run without disturbing a writer, and without checking every page.

    Raises
    ------
    StoreError
        Not a run, a newer one, or damaged.
    DataError
        Its manifest can't be read.
    """
    with Journal.open(directory, read_only=True, check=False) as journal:
        manifest = journal.manifest
        return RunSummary(
            directory=directory,
            kind=manifest.kind,
            judge=manifest.judge.spec,
            data=manifest.data.spec,
            conditions=tuple(condition.id for condition in manifest.conditions if not condition.changes),
            created=manifest.created,
            counts=journal.counts(),
            being_written=is_being_written(directory),
            biases=manifest.biases,
            columnar=manifest.schema_version == COLUMNS_VERSION,
        )


def is_run(directory: Path) -> bool:
    """Whether a directory holds a run's journal; whether it can be read is another question."""
    return (directory / JOURNAL).is_file()
