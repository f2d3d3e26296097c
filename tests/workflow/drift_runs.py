"""Small runs of simulated judges, and runs whose calls failed."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import evenhand
from evenhand.records import Completion, FinishReason, Presentation
from evenhand.store import Journal
from evenhand.workflow.settings import AuditSettings

__all__ = ["failed", "make_run"]


def make_run(
    out: Path,
    judge: str = "simulated:position=0.3",
    *,
    pairs: int = 24,
    skip: int = 0,
    repeat: int = 0,
    created: str | None = None,
    **settings: object,
) -> Path:
    """A finished run on starter pairs."""
    chosen = evenhand.load_pairs("starter")[skip : skip + pairs]
    evenhand.audit(judge, chosen, out=out, settings=AuditSettings(repeat=repeat, **settings))  # type: ignore[arg-type]
    return out if created is None else redated(out, created)


def redated(run: Path, created: str) -> Path:
    """The run as if it were planned at another time."""
    with Journal.open(run, read_only=True) as journal:
        manifest, pairs, plan = journal.manifest, journal.pairs(), tuple(journal.plan())
    with Journal.create(run, replace(manifest, created=created), pairs) as journal:
        journal.set_plan(plan)
    return run


def failed(run: Path, out: Path, *, fails: Callable[[Presentation], bool] = lambda _: True) -> Path:
    """The same run with a failed call for some presentations."""
    error = Completion(text="", finish_reason=FinishReason.ERROR, error="the endpoint is down")
    with (
        Journal.open(run, read_only=True) as whole,
        Journal.create(out, whole.manifest, whole.pairs()) as part,
    ):
        part.set_plan(whole.plan())
        for entry in whole.completions():
            if fails(entry.presentation):
                part.record(entry.presentation.key, error)
            elif entry.completion is not None:
                part.record(entry.presentation.key, entry.completion)
    return out
