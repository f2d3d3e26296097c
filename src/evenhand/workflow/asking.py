"""How a run's presentations are put to its judge, and what follows once all were asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evenhand.judges import Judge, JudgeRequest
from evenhand.records import Presentation
from evenhand.store import Journal, is_run
from evenhand.workflow.plan import Plan
from evenhand.workflow.sample import extend_by_sample, texts_kept

__all__ = ["Asking", "answered_before", "ask_every_order"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asking:
    """Whom to ask, with what, and how the plan grows: parts of :func:`evenhand.runner.execute`."""

    judge: Judge
    request_for: Callable[[Presentation], JudgeRequest]
    extend: Callable[[], bool]


def ask_every_order(judge: Judge, plan: Plan, journal: Journal, say: Callable[[str], None]) -> Asking:
    """Ask the whole plan, and with a budget the text of a sample after it. Sets the journal's plan."""
    import polars  # noqa: F401 - now, while no Ctrl-C is caught that could leave it half imported

    journal.set_plan((*plan.presentations, *texts_kept(plan, journal)))
    return Asking(judge=judge, request_for=plan.request_for, extend=partial(extend_by_sample, plan, journal, say))


def answered_before(directory: Path) -> set[str]:
    """Keys that a run in this directory has answered; empty where there is none."""
    if not is_run(directory):
        return set()
    with Journal.open(directory, read_only=True) as journal:
        return set(journal.answered_keys())
