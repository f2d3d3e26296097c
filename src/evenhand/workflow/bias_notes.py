"""What is said of bias audits before a run: how much they ask beside the control, and of which pairs they can't."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.workflow.plan import Plan

__all__ = ["announced_biases"]


def announced_biases(plan: Plan, *, repeat_given: bool) -> tuple[str, ...]:
    """Sentences for before the run; none where it has no bias audits.

    Parameters
    ----------
    repeat_given
        Whether the user said how many pairs to repeat.
    """
    return tuple(_said(plan, repeat_given=repeat_given)) if plan.settings.biases else ()


def _said(plan: Plan, *, repeat_given: bool) -> Iterator[str]:
    names, conditions = ", ".join(plan.settings.biases), plan.changed_conditions
    if not conditions:
        yield f"bias audits {names}: nothing is asked beside the control, they look at its verdicts"
        return
    asked, control = len(plan.changed), len(plan.presentations) - len(plan.changed)
    yield (
        f"bias audits {names}: {asked:,} presentations under {len(conditions):,} changed conditions beside the "
        f"control's {control:,}"
    )
    yield from _noise(plan, repeat_given=repeat_given)
    yield from _left_out(plan)


def _noise(plan: Plan, *, repeat_given: bool) -> Iterator[str]:
    repeat = plan.settings.repeat or 0
    if not repeat:
        yield "noise is not measured (--repeat 0): the verdicts that a change turns include those that turn by chance"
    elif not repeat_given:
        yield (
            f"noise is measured on {repeat:,} of {len(plan.pairs):,} pairs, asked again in the same order "
            "(--repeat N for another number, 0 for none)"
        )


def _left_out(plan: Plan) -> Iterator[str]:
    """A sentence a change, whatever the target and the labels: the most pairs that any of its conditions lacks."""
    most: dict[str, Counter[str]] = {}
    for condition in plan.changed_conditions:
        name = " + ".join(f"{change.factor}={change.level}" for change in condition.changes)
        of = most.setdefault(name, Counter())
        for reason, pairs in plan.left_out.get(condition.id, ()):
            of[reason] = max(of[reason], pairs)
    for name, reasons in most.items():
        if reasons:
            told = "; ".join(f"up to {pairs:,} for one response: {reason}" for reason, pairs in reasons.most_common())
            yield f"{name} can't be made to every one of {len(plan.pairs):,} pairs ({told})"
