"""A run as the pages see it: its manifest, and the texts of one pair at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.records import Pair, RunManifest
from evenhand.report.text import visible
from evenhand.store import Journal, JournalEntry
from evenhand.web.state import NotFoundError

__all__ = ["ServedRun", "open_runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedRun:
    """A run that is served."""

    number: int
    directory: Path
    manifest: RunManifest
    pair_count: int

    @property
    def name(self) -> str:
        """What pages call it."""
        return visible(self.directory.resolve().name or self.directory)

    def pair(self, ordinal: int) -> Pair:
        """The pair at a position (0-based, in the run's order); NotFoundError where there is none."""
        with Journal.open(self.directory, read_only=True, check=False) as journal:
            pairs = journal.pairs()
        if not 0 <= ordinal < len(pairs):
            raise NotFoundError(f"There is no pair {ordinal} here.")
        return pairs[ordinal]

    def find(self, pair_id: str) -> int | None:
        """The position of a pair; None where the run hasn't got it."""
        with Journal.open(self.directory, read_only=True, check=False) as journal:
            return next((n for n, pair in enumerate(journal.pairs()) if pair.id == pair_id), None)

    def presentations(self, ordinal: int) -> tuple[JournalEntry, ...]:
        """Every planned presentation of a pair with its completion, in the plan's order."""
        name = self.pair(ordinal).id
        with Journal.open(self.directory, read_only=True, check=False) as journal:
            return tuple(entry for entry in journal.completions() if entry.presentation.pair_id == name)


def open_runs(directories: Sequence[Path]) -> tuple[ServedRun, ...]:
    """Open the runs that a command line names.

    Raises
    ------
    StoreError
        One is no run, damaged, or written by a newer version.
    """
    runs = []
    for number, directory in enumerate(directories):
        with Journal.open(directory, read_only=True) as journal:
            runs.append(
                ServedRun(
                    number=number, directory=directory, manifest=journal.manifest, pair_count=len(journal.pairs())
                )
            )
    return tuple(runs)
