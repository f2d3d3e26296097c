from dataclasses import replace

import pytest

from evenhand.analysis import AuditResult, Finding, FindingKind, Measure, OutcomeCount
from evenhand.records import Order, Outcome, Readout
from evenhand.report.headline import build_headline
from evenhand.report.humans_found import HumansFound
from evenhand.report.numbering import claims
from evenhand.report.trust import NOTHING_YET
from evenhand.stats import Estimate, Interval, Refusal
from evenhand.store import PlanCounts

DONE = PlanCounts(planned=200, finished=200)


def flips(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, interval=Interval(low=low, high=high), n=100, count=value * 100, clusters=100)


def one_readout(estimate: Estimate | Refusal, *, unread: int = 0, readout: Readout = Readout.GENERATED) -> AuditResult:
    counts = tuple(
        OutcomeCount(order=order, outcome=outcome, count=count)
        for order in Order
        for outcome, count in ((Outcome.FIRST, 100 - unread), (Outcome.UNPARSED, unread))
    )
    compliance = flips(0.8, 0.7, 0.9)
    finding = Finding(
        kind=FindingKind.READOUT,
        condition="A/B",
        readout=readout,
        pairs=100,
        presentations=200,
        outcomes=counts,
        measures=(
            Measure(name="compliance_pairs", estimate=compliance),
            Measure(name="flip_rate", estimate=estimate),
        ),
    )
    return AuditResult(audit="position", findings=(finding,), resamples=100, level=0.95, seed=0, resampled_by="source")


@pytest.mark.parametrize(
    ("estimate", "status"),
    [
        (flips(0.3, 0.2, 0.4), "sensitive"),
        (flips(0.01, 0.0, 0.04), "steady"),
        (flips(0.06, 0.02, 0.12), "undecided"),
        (Refusal(reason="needs at least 5 clusters, has 3"), "undecided"),
    ],
)
def test_status_follows_the_interval(estimate, status):
    assert build_headline(one_readout(estimate), counts=DONE, single_order=False).status == status


@pytest.mark.parametrize(
    "counts", [PlanCounts(planned=200, finished=199, errors=1), PlanCounts(planned=201, finished=200, pending=1)]
)
@pytest.mark.parametrize("estimate", [flips(0.01, 0.0, 0.04), flips(0.06, 0.02, 0.12)])
def test_no_passing_grade_while_calls_failed_or_are_pending(counts, estimate):
    headline = build_headline(one_readout(estimate), counts=counts, single_order=False)
    assert headline.status == "incomplete"
    assert any("1 of 20" in sentence for sentence in headline.meaning)
    assert headline.next_steps


def test_unread_answers_are_no_passing_grade():
    headline = build_headline(one_readout(flips(0.01, 0.0, 0.04), unread=20), counts=DONE, single_order=False)
    assert headline.status == "undecided"
    assert "160 of 200 presentations (80.0 %) ended in a verdict" in " ".join(headline.meaning)


@pytest.mark.parametrize(
    ("ties", "status"), [(flips(0.5, 0.43, 0.57), "undecided"), (flips(0.0, 0.0, 0.06), "steady"), (None, "steady")]
)
def test_ties_that_come_and_go_with_the_order_are_no_steadiness(ties, status):
    audit = one_readout(flips(0.0, 0.0, 0.04))
    (finding,) = audit.findings
    if ties is not None:
        more = Measure(name="inconsistency_rate", estimate=ties)
        audit = replace(audit, findings=(replace(finding, measures=(*finding.measures, more)),))
    headline = build_headline(audit, counts=DONE, single_order=False)
    assert headline.status == status
    assert any("Look at the ties" in step for step in headline.next_steps) is (status == "undecided")
    assert not any("Judge more pairs" in step for step in headline.next_steps)


def test_a_direction_is_told_only_where_the_audit_flags_it(audit):
    def unadjusted(finding):
        tests = tuple(replace(t, p_value=0.2, log10_p=-0.7) if "Holm" in t.name else t for t in finding.tests)
        return replace(finding, tests=tests) if finding.kind is FindingKind.READOUT else finding

    told = " ".join(build_headline(audit, counts=DONE, single_order=False).meaning)
    assert "Flips have a direction" in told
    loose = replace(audit, findings=tuple(map(unadjusted, audit.findings)))
    headline = build_headline(loose, counts=DONE, single_order=False)
    assert "Flips have a direction" not in " ".join(headline.meaning)
    assert "a lean to one slot is not shown" in headline.verdict


def test_everything_failed_says_nothing_of_the_judge():
    audit = one_readout(Refusal(reason="no pair decided in both orders"), unread=100)
    counts = PlanCounts(planned=200, finished=0, errors=200)
    headline = build_headline(audit, counts=counts, single_order=False)
    assert headline.status == "failed"
    assert "200 ended in an error" in headline.lead
    assert "%" not in headline.lead


def test_headline_carries_figures_with_intervals(audit):
    headline = build_headline(audit, counts=DONE, single_order=False)
    assert headline.status == "sensitive"
    for part in ("41.7 % [29.2, 54.9]", "95.0 % [88.0, 99.0]", "44.8 % [32.0, 58.0]", "first token", "judge wrote"):
        assert part in headline.lead
    assert "+58.6 pp [+45.0, +70.0]" in " ".join(headline.meaning)
    assert "changed its preference at a rate of 0 % [0, 27.8]" in " ".join(headline.meaning)
    assert "hybrid readout (saves up to 58.3 %" in " ".join(headline.next_steps)


def test_noise_that_was_not_measured_is_said():
    headline = build_headline(one_readout(flips(0.3, 0.2, 0.4)), counts=DONE, single_order=False)
    assert any("Noise was not measured" in sentence for sentence in headline.meaning)
    assert any("--repeat" in step for step in headline.next_steps)


def test_single_order_claims_no_position_figure(audit):
    from evenhand.report.scope import without_position

    headline = build_headline(without_position(audit), counts=DONE, single_order=True)
    assert headline.status == "described"
    assert "preference on" not in headline.lead
    assert "first slot" in headline.lead


def test_first_token_alone_is_told_of_its_gap():
    audit = one_readout(flips(0.3, 0.2, 0.4), readout=Readout.FIRST_TOKEN)
    headline = build_headline(audit, counts=DONE, single_order=False)
    assert any("on 20.0 % of pairs the judge would not have led" in step for step in headline.next_steps)


def test_no_findings_is_failed():
    empty = replace(one_readout(flips(0.3, 0.2, 0.4)), findings=())
    assert build_headline(empty, counts=PlanCounts(planned=0, finished=0), single_order=False).status == "failed"


BELOW = HumansFound(below=True, doubt=claims(["less than people"], "table-judge-and-humans-agreement"))
KEEPS_UP = HumansFound(trust=claims(["as people do"], "table-judge-and-humans-agreement"))


def test_a_judge_below_people_is_never_called_steady() -> None:
    found = build_headline(one_readout(flips(0.01, 0.0, 0.04)), counts=DONE, single_order=False, humans=BELOW)
    assert found.status == "sensitive"
    assert found.verdict == (
        "Agrees with people less than one more person does; of the order: no order effect above 5.0 % on these pairs"
    )
    assert "less than people" in [claim.text for claim in found.doubt]


def test_an_order_effect_keeps_the_title_beside_people() -> None:
    alone, beside = (
        build_headline(one_readout(flips(0.3, 0.2, 0.4)), counts=DONE, single_order=False, humans=humans)
        for humans in (None, BELOW)
    )
    assert (beside.status, beside.verdict) == (alone.status, alone.verdict)
    assert len(beside.doubt) == len(alone.doubt) + 1


def test_a_judge_that_keeps_up_with_people_can_be_trusted_in_that() -> None:
    estimate = flips(0.06, 0.02, 0.12)
    alone = build_headline(one_readout(estimate), counts=DONE, single_order=False)
    found = build_headline(one_readout(estimate), counts=DONE, single_order=False, humans=KEEPS_UP)
    assert [claim.text for claim in alone.trust] == [NOTHING_YET]
    assert [claim.text for claim in found.trust] == ["as people do"]
    assert found.verdict == alone.verdict


def test_nothing_is_trusted_beside_people_where_many_calls_failed() -> None:
    counts = PlanCounts(planned=200, finished=150, errors=50)
    found = build_headline(one_readout(flips(0.06, 0.02, 0.12)), counts=counts, single_order=False, humans=KEEPS_UP)
    assert "as people do" not in [claim.text for claim in found.trust]
    assert "as people do" in [claim.text for claim in found.more]
