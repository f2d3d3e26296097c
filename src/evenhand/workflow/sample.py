"""The sample of a budget: which pairs' text is asked for, once their first tokens are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evenhand.audits.sample import SampleStratum, choose_sample, compliance_strata
from evenhand.audits.wide import WideTable, widen
from evenhand.records import Presentation, Readout
from evenhand.store import Journal
from evenhand.workflow.plan import Plan
from evenhand.workflow.read import read_verdicts

__all__ = ["extend_by_sample", "presumed_sample"]


def extend_by_sample(plan: Plan, journal: Journal) -> bool:
    """Add the text of a random sample of pairs to the journal's plan; False where the run has no budget.

    The sample follows from the seed and from which pairs were compliant, so that a resumed run draws the same one.
    """
    budget = plan.settings.budget
    if budget is None:
        return False
    wide = widen(read_verdicts(journal.manifest, journal.pairs(), journal.completions()))
    sample = {name: _drawn(plan, _strata(wide, name, plan.pairs), budget) for name in plan.asked}
    journal.set_plan((*plan.presentations, *plan.written(sample)))
    return True


def presumed_sample(plan: Plan) -> tuple[Presentation, ...]:
    """A sample of the size that the run's will have, for a dry run: compliance isn't known yet."""
    budget = plan.settings.budget
    if budget is None:
        return ()
    unknown = dict.fromkeys(plan.pairs, SampleStratum.UNKNOWN)
    return plan.written({name: _drawn(plan, unknown, budget) for name in plan.asked})


def _strata(wide: WideTable, condition: str, pair_ids: Iterable[str]) -> Mapping[str, SampleStratum]:
    first = wide.find(condition, Readout.FIRST_TOKEN)
    return compliance_strata(first, facts=wide.facts, pair_ids=pair_ids)


def _drawn(plan: Plan, strata: Mapping[str, SampleStratum], budget: float) -> frozenset[str]:
    return frozenset(choose_sample(strata, fraction=budget, seed=plan.settings.seed).pairs)
