"""The sample of a budget: which pairs' text is asked for, once their first tokens are known."""

from __future__ import annotations

from evenhand.records import Presentation
from evenhand.store import Journal
from evenhand.workflow.plan import Plan

__all__ = ["extend_by_sample", "presumed_sample"]


def extend_by_sample(plan: Plan, journal: Journal) -> bool:
    """Add the text of a random sample of pairs to the journal's plan; False where the run has no budget."""
    if plan.settings.budget is None:
        return False
    raise NotImplementedError


def presumed_sample(plan: Plan) -> tuple[Presentation, ...]:
    """A sample of the size that the run's will have, for a dry run; nothing is known of compliance yet."""
    if plan.settings.budget is None:
        return ()
    raise NotImplementedError
