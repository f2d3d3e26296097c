"""Runs as a killed process leaves them."""

from collections.abc import Callable
from pathlib import Path

import evenhand
from evenhand.records import Presentation
from evenhand.store import Journal


def broken_off(run: evenhand.AuditRun, directory: Path, *, answered: Callable[[Presentation], bool]) -> Path:
    """The run's journal as a killed process leaves it: the whole plan, and the answers of some presentations."""
    with (
        Journal.open(run.directory, read_only=True) as whole,
        Journal.create(directory, whole.manifest, whole.pairs()) as part,
    ):
        part.set_plan(whole.plan())
        for entry in whole.completions():
            if entry.completion is not None and answered(entry.presentation):
                part.record(entry.presentation.key, entry.completion)
    return directory
