"""One suite over every bias audit: what it plans can be made, and no table of verdicts makes it fail or invent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.analysis import FindingKind
from evenhand.analysis.measures import measure_info
from evenhand.analysis.wide import widen
from evenhand.audits.bias.audit import audit_biases, plan_changes
from evenhand.audits.bias.base import BiasData, Rationale
from evenhand.audits.bias.registry import BIAS_AUDITS
from evenhand.datasets import load_pairs
from evenhand.perturbations.registry import perturbations
from evenhand.records import Condition, LabelSet, Order, Outcome, Pair, Preference, Readout, Verdict, verdict_table
from evenhand.stats import Estimate
from evenhand.workflow.bias_plan import changed_condition

AUDITS = tuple(BIAS_AUDITS)
CONTROL = Condition(id="c", prompt="p", prompt_hash="0", labels=LabelSet.parse("A/B"))
SUPPLIED = frozenset((factor, level.name) for factor, one in perturbations().items() for level in one.levels)


def data(
    name: str,
    *,
    pairs: tuple[Pair, ...],
    outcomes: tuple[Outcome, ...] = (Outcome.FIRST, Outcome.SECOND),
    orders: tuple[Order, ...] = tuple(Order),
    asked: bool = True,
) -> BiasData:
    """Verdicts under the control and whatever the audit asks for, ending in the outcomes given in turn."""
    changed = [changed_condition(CONTROL, changes) for changes in plan_changes([name])] if asked else []
    rows, turn = [], 0
    for pair in pairs:
        for condition in (CONTROL, *changed):
            for order in orders:
                turn += 1
                rows.append(
                    Verdict(
                        pair_id=pair.id,
                        group=pair.group,
                        source=pair.source,
                        gold=pair.gold,
                        condition=condition.id,
                        readout=Readout.GENERATED,
                        order=order,
                        repeat=0,
                        outcome=outcomes[turn % len(outcomes)],
                    )
                )
    table = verdict_table(rows)
    texts = tuple(
        Rationale(pair_id=pair.id, condition="c", order=order.value, text="The first one is better.")
        for pair in pairs
        for order in orders
    )
    return BiasData(
        table=table,
        wide=widen(table),
        conditions=(CONTROL, *changed),
        pairs={pair.id: pair for pair in pairs},
        rationales=texts,
        judge="m",
    )


STARTER = load_pairs("starter", limit=12)
BARE = tuple(replace(pair, response_a="", response_b="", gold=None) for pair in STARTER)
ODD = {
    "nothing judged": {"pairs": ()},
    "one pair": {"pairs": STARTER[:1]},
    "no text and no gold": {"pairs": BARE},
    "always the first slot": {"pairs": STARTER, "outcomes": (Outcome.FIRST,)},
    "only ties": {"pairs": STARTER, "outcomes": (Outcome.TIE,)},
    "never a verdict": {
        "pairs": STARTER,
        "outcomes": (Outcome.REFUSED, Outcome.UNPARSED, Outcome.TRUNCATED, Outcome.ERROR),
    },
    "every state": {"pairs": STARTER, "outcomes": tuple(Outcome)},
    "one order": {"pairs": STARTER, "orders": (Order.AB,)},
    "nothing changed": {"pairs": STARTER, "asked": False},
}


@pytest.mark.parametrize("name", AUDITS)
def test_what_is_planned_is_distinct_and_known_to_the_perturbations(name: str) -> None:
    for supplied in (frozenset(), SUPPLIED):
        planned = BIAS_AUDITS[name].plan(supplied)
        assert len(set(planned)) == len(planned)
        for changes in planned:
            assert len({change.factor for change in changes}) == len(changes)
            for change in changes:
                levels = {level.name for level in perturbations()[change.factor].levels}
                assert change.level in levels
                assert change.target in (Preference.A, Preference.B)
    made_by_rule = {change for changes in BIAS_AUDITS[name].plan(frozenset()) for change in changes}
    exact = {(factor, level.name) for factor, one in perturbations().items() for level in one.levels if level.exact}
    assert {(change.factor, change.level) for change in made_by_rule} <= exact


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("name", AUDITS)
def test_odd_verdicts_give_findings_that_can_be_read(name: str, case: str) -> None:
    result = audit_biases(data(name, **ODD[case]), [name], resamples=100)
    assert result.findings
    for finding in result.findings:
        assert (finding.kind, finding.audit) == (FindingKind.BIAS, name)
        assert finding.measures or finding.notes
        for measure in finding.measures:
            assert measure_info(measure.name).definition
            if isinstance(measure.estimate, Estimate) and measure.estimate.interval is not None:
                assert measure.estimate.interval.low < measure.estimate.interval.high
        for test in finding.tests:
            assert 0 <= test.p_value <= 1


@pytest.mark.parametrize("case", ["nothing judged", "never a verdict"])
@pytest.mark.parametrize("name", AUDITS)
def test_without_verdicts_there_is_no_figure_of_a_change(name: str, case: str) -> None:
    result = audit_biases(data(name, **ODD[case]), [name], resamples=100)
    for finding in result.findings:
        shown = [m.name for m in finding.measures if isinstance(m.estimate, Estimate)]
        # That no presentation ended in a verdict, with and without the change, is a figure of its own.
        assert set(shown) <= {"verdict_rate_shift"}
        assert finding.tests == ()
