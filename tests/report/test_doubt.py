from dataclasses import replace

import pytest

from evenhand.analysis import FindingKind, OutcomeCount
from evenhand.records import Order, Outcome, Readout
from evenhand.report.doubt import both_orders_found, one_order_found
from evenhand.report.scope import scopes_of
from evenhand.stats import Refusal
from evenhand.store import PlanCounts
from report.findings import audit, finding

DONE = PlanCounts(planned=200, finished=200)


def found(*findings, counts=DONE, sensitive=False):
    result = audit(*findings)
    return both_orders_found(result, scopes_of(result), counts, sensitive=sensitive, grid=None)


def texts(claims):
    return [claim.text for claim in claims]


def test_a_verdict_from_one_order_is_doubted_where_the_whole_interval_says_so():
    [claim] = [c for c in found(finding(flip_rate=(0.06, 0.2))).doubt if "one order alone" in c.text]
    assert "contradicts it on 13.0 % [6.0, 20.0]" in claim.text
    assert claim.rests_on == ("figure-rates", "table-summary")
    assert not any("one order alone" in text for text in texts(found(finding(flip_rate=(0.04, 0.2))).doubt))


def test_an_interval_across_the_limit_leaves_the_order_open():
    assert any("is open: a flip rate of" in text for text in texts(found(finding(flip_rate=(0.0, 0.2))).doubt))
    for decided in ((0.0, 0.04), (0.06, 0.2)):
        assert not any("is open" in text for text in texts(found(finding(flip_rate=decided)).doubt))


def test_failed_and_pending_calls_come_first():
    counts = PlanCounts(planned=200, finished=150, errors=20, pending=30)
    first, second, *_ = texts(found(finding(flip_rate=(0.06, 0.2)), counts=counts).doubt)
    assert "20 of 200 calls failed (10.0 %)" in first
    assert "30 of 200 presentations are still to be asked" in second


@pytest.mark.parametrize(("unread", "doubted"), [(4, False), (40, True)])
def test_presentations_without_a_verdict_are_a_doubt_where_they_are_many(unread, doubted):
    counts = tuple(
        OutcomeCount(order=order, outcome=outcome, count=count)
        for order in Order
        for outcome, count in ((Outcome.FIRST, 200 - unread), (Outcome.UNPARSED, unread))
    )
    result = found(replace(finding(flip_rate=(0.0, 0.04)), outcomes=counts))
    assert any("ended in a verdict" in text for text in texts(result.doubt)) is doubted
    assert any("ended in a verdict" in text for text in texts(result.more)) is not doubted


def test_noise_is_a_doubt_where_it_was_not_measured_or_explains_what_was_found():
    base = finding(flip_rate=(0.06, 0.2))
    few = finding(FindingKind.REPEAT, repeat_flip_rate=Refusal(reason="needs at least 5 clusters, has 4", n=4))
    [told] = [text for text in texts(found(base, few).doubt) if "Noise" in text]
    assert "(the repeats are too few: needs at least 5 clusters, has 4)" in told
    repeat = finding(FindingKind.REPEAT, repeat_flip_rate=(0.0, 0.2), swap_minus_repeat=(-0.1, 0.1))
    assert any("Noise was not measured" in text for text in texts(found(base).doubt))
    assert any("can't be told from repeating" in text for text in texts(found(base, repeat, sensitive=True).doubt))
    calm = found(finding(flip_rate=(0.0, 0.04)), repeat)
    assert not any("repeating" in text for text in texts(calm.doubt))
    assert any("repeating" in text for text in texts(calm.more))


def test_a_judge_that_turns_from_its_lead_and_ties_that_come_and_go():
    [turned] = [
        c
        for c in found(finding(flip_rate=(0.0, 0.04), lead_conclusion_divergence=(0.1, 0.3))).doubt
        if "other one" in c.text
    ]
    assert turned.rests_on == ("figure-flow", "table-measures-1")
    tied = texts(found(finding(flip_rate=(0.0, 0.04), inconsistency_rate=(0.2, 0.4))).doubt)
    assert any("have a tie in exactly one" in text for text in tied)
    frequent = texts(found(finding(flip_rate=(0.1, 0.4), inconsistency_rate=(0.2, 0.4))).doubt)
    assert not any(text.startswith("Ties:") for text in frequent)


def test_readouts_that_differ_are_a_doubt_and_those_not_told_apart_are_not():
    forced = {"kind": FindingKind.FORCED_MINUS_GENERATED, "readout": None, "subset": "all"}
    base = finding(flip_rate=(0.0, 0.04))
    clear = found(base, finding(**forced, flip_difference=(0.1, 0.3)))
    assert any(c.rests_on[0] == "figure-differences" for c in clear.doubt)
    unclear = found(base, finding(**forced, flip_difference=(-0.1, 0.3)))
    assert not any(c.rests_on[0] == "figure-differences" for c in unclear.doubt)
    assert any("can't be told apart" in text for text in texts(unclear.more))
    alike = found(base, finding(**forced, flip_difference=(-0.01, 0.01)))
    assert not any("can't be told apart" in text for text in texts((*alike.doubt, *alike.more)))


def test_one_order_says_that_it_is_one_order():
    result = audit(finding(readout=Readout.GENERATED, first_slot_rate=(0.4, 0.6)))
    assert "Each pair was judged in one order" in one_order_found(result, scopes_of(result), DONE).doubt[0].text
