from dataclasses import replace

import pytest

from evenhand.analysis import AuditResult, Finding, FindingKind, Measure, OutcomeCount
from evenhand.records import Order, Outcome, Readout
from evenhand.report.headline import build_headline
from evenhand.stats import Estimate, Interval
from evenhand.store import PlanCounts


def audit_of(value: float, low: float, high: float) -> AuditResult:
    flips = Estimate(value=value, interval=Interval(low=low, high=high), n=100, count=value * 100, clusters=100)
    finding = Finding(
        kind=FindingKind.READOUT,
        condition="A/B",
        readout=Readout.GENERATED,
        pairs=100,
        presentations=200,
        outcomes=tuple(OutcomeCount(order=order, outcome=Outcome.FIRST, count=100) for order in Order),
        measures=(Measure(name="flip_rate", estimate=flips),),
    )
    return AuditResult(audit="position", findings=(finding,), resamples=9, level=0.95, seed=0, resampled_by="source")


@pytest.mark.parametrize(("errors", "first"), [(10, False), (11, True), (126, True)])
@pytest.mark.parametrize("single_order", [False, True])
def test_many_failed_calls_stand_before_any_finding(errors, first, single_order):
    audit = audit_of(0.3, 0.2, 0.4)
    counts = PlanCounts(planned=200, finished=200 - errors, errors=errors)
    headline = build_headline(audit, counts=counts, single_order=single_order)
    finding = "One order only" if single_order else "Verdicts change between the orders"
    said = f"Incomplete: {errors} of 200 presentations failed; what follows speaks of the rest"
    assert (headline.verdict == said) is first
    assert (headline.status == "incomplete") is first
    assert (headline.lead if first else headline.verdict).startswith(finding)


def test_many_failed_calls_without_a_finding():
    counts = PlanCounts(planned=200, finished=100, errors=100)
    headline = build_headline(audit_of(0.06, 0.02, 0.12), counts=counts, single_order=False)
    assert headline.verdict == "Incomplete: 100 of 200 presentations failed; what follows speaks of the rest"
    assert "no conclusion" not in headline.lead


@pytest.mark.parametrize("errors", [200, 120, 1])
def test_a_logs_failures_are_not_mended_by_the_same_command(errors):
    audit = audit_of(0.3, 0.2, 0.4)
    counts = PlanCounts(planned=200, finished=200 - errors, errors=errors)
    steps = " ".join(build_headline(audit, counts=counts, single_order=False, from_log=True).next_steps)
    assert "import the new log" in steps
    assert "same command" not in steps
    assert "resume" not in steps


def test_nothing_answered_yet_is_no_failure():
    audit = replace(audit_of(0.3, 0.2, 0.4), findings=())
    headline = build_headline(audit, counts=PlanCounts(planned=12, finished=0, pending=12), single_order=False)
    assert headline.status == "incomplete"
    assert headline.verdict == "Nothing answered yet: 0 of 12 presentations"


@pytest.mark.parametrize(("pending", "much"), [(10, False), (11, True)])
def test_nothing_is_trusted_while_many_are_to_be_asked(pending, much):
    counts = PlanCounts(planned=200, finished=200 - pending, pending=pending)
    headline = build_headline(audit_of(0.01, 0.0, 0.04), counts=counts, single_order=False)
    steady = ["the order hardly matters" in claim.text for claim in headline.trust]
    assert headline.status == "incomplete"
    assert any(steady) is not much
    assert headline.trust[0].text.startswith("Nothing yet: too many presentations are still to be asked") is much
    assert any("the order hardly matters" in claim.text for claim in headline.more) is much
