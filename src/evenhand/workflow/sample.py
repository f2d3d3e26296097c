"""The sample of a budget: which pairs' text is asked for, once their first tokens are known."""

from __future__ import annotations

import math
from collections.abc import Callable

from evenhand.analysis.wide import widen
from evenhand.audits.sample import SamplePlan, SampleStratum, choose_sample, compliance_strata
from evenhand.audits.sample_saving import FEW_SAMPLED, expected_effective_pairs, planned_saving
from evenhand.records import Ask, Presentation, Readout
from evenhand.store import Journal
from evenhand.workflow.plan import Plan
from evenhand.workflow.read import read_verdicts

__all__ = ["announced_saving", "extend_by_sample", "presumed_sample", "texts_kept"]


def extend_by_sample(plan: Plan, journal: Journal, announce: Callable[[str], None]) -> bool:
    """Add the text of a random sample of pairs to the journal's plan; False where the run has no budget.

    The sample follows from the seed and from which pairs were compliant, so that a resumed run draws the same one.

    Parameters
    ----------
    announce
        Told what the sample is expected to be worth.
    """
    budget = plan.settings.budget
    if budget is None:
        return False
    wide = widen(read_verdicts(journal.manifest, journal.pairs(), journal.completions()))
    sample = {}
    for name in plan.asked:
        first = wide.find(name, Readout.FIRST_TOKEN)
        strata = compliance_strata(first, facts=wide.facts, pair_ids=plan.pairs)
        drawn = choose_sample(strata, fraction=budget, seed=plan.settings.seed)
        sample[name] = drawn.pairs
        if first is not None:
            announce(_worth(name, drawn, expected_effective_pairs(first, drawn)))
    journal.set_plan((*plan.presentations, *plan.written(sample)))
    return True


def texts_kept(plan: Plan, journal: Journal) -> tuple[Presentation, ...]:
    """Texts that an earlier call with this budget has asked for: planned still, until the sample is drawn again.

    Without them a call that is stopped while it asks for first tokens that had failed would report no text at all.
    """
    if plan.settings.budget is None:
        return ()
    before = [
        p for p in journal.plan() if p.ask is Ask.WRITTEN and p.condition in plan.asked and p.pair_id in plan.pairs
    ]
    drawn = {name: tuple(dict.fromkeys(p.pair_id for p in before if p.condition == name)) for name in plan.asked}
    known = {p.key for p in before}
    return tuple(p for p in plan.written(drawn) if p.key in known)


def presumed_sample(plan: Plan) -> tuple[Presentation, ...]:
    """A sample of the size that the run's will have, for a dry run: compliance isn't known yet."""
    budget = plan.settings.budget
    if budget is None:
        return ()
    unknown = dict.fromkeys(plan.pairs, SampleStratum.UNKNOWN)
    drawn = choose_sample(unknown, fraction=budget, seed=plan.settings.seed)
    return plan.written(dict.fromkeys(plan.asked, drawn.pairs))


def announced_saving(plan: Plan) -> str | None:
    """What the budget saves, in a sentence for before the run; None where there is none."""
    budget = plan.settings.budget
    if budget is None:
        return None
    each = plan.settings.budgets[0]  # a text without a decision goes on to the next
    saving = planned_saving(len(plan.pairs), fraction=budget, completion_tokens=each, conditions=len(plan.asked))
    few = (
        f"; fewer than {FEW_SAMPLED} texts give a wide interval, and how well it covers was not simulated"
        if saving.few
        else ""
    )
    return (
        f"budget {budget:g}: the first token of all {saving.pairs:,} pairs, text for {saving.sampled:,} of them: "
        f"{saving.budgeted.calls:,} calls instead of {saving.full.calls:,}, and if every text took {each:,} tokens "
        f"{saving.budgeted.completion_tokens:,} completion tokens instead of {saving.full.completion_tokens:,} "
        f"({saving.completion_tokens_saved:.0%} saved){few}"
    )


def _worth(condition: str, drawn: SamplePlan, effective: float) -> str:
    worth = "" if math.isnan(effective) else f", expected to tell as much of the flip rate as {effective:,.0f} alone"
    strata = ", ".join(f"{s.drawn:,} of {s.pairs:,} {s.stratum.value}" for s in drawn.strata)
    return f"{condition}: text is asked for of {len(drawn.pairs):,} pairs ({strata}){worth}"
