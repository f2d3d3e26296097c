import pytest

from evenhand.records import Readout
from evenhand.report.doubt import both_orders_found
from evenhand.report.headline import build_headline
from evenhand.report.scope import scopes_of
from evenhand.report.sensitive import judged_readouts, sensitive_of
from evenhand.stats import Refusal
from evenhand.store import PlanCounts
from report.findings import audit, estimate, finding

DONE = PlanCounts(planned=200, finished=200)
EVEN = (0.02, 0.09)
BARELY = estimate(0.053, 0.12, value=0.08)
CLEAR = (0.2, 0.4)


def run(*rates, readout=Readout.GENERATED):
    return audit(
        *(finding(condition=f"c{i}", readout=readout, flip_rate=rate) for i, rate in enumerate(rates)),
    )


def shown(result):
    return [scope.condition for scope, _ in sensitive_of(scopes_of(result)).shown]


def test_one_condition_is_judged_by_its_own_interval():
    assert shown(run(BARELY)) == ["c0"]


def test_among_four_a_bare_one_is_not_shown_and_is_named_as_such():
    found = sensitive_of(scopes_of(run(BARELY, EVEN, EVEN, EVEN)))
    assert (found.shown, [s.condition for s, _ in found.alone], found.looks) == ((), ["c0"], 4)


def test_a_clear_one_is_shown_among_many_and_alone():
    assert shown(run(CLEAR, *[EVEN] * 20)) == ["c0"]
    assert shown(run(EVEN, CLEAR, CLEAR)) == ["c1", "c2"]


def test_readouts_are_looks_too_and_the_hybrid_one_is_none():
    both = audit(
        finding(readout=Readout.GENERATED, flip_rate=BARELY),
        *(finding(readout=r, flip_rate=EVEN) for r in (Readout.FIRST_TOKEN, Readout.PREFILLED)),
    )
    assert sensitive_of(scopes_of(both)).looks == 3
    assert shown(both) == []
    hybrid = audit(
        finding(readout=Readout.GENERATED, flip_rate=BARELY), finding(readout=Readout.HYBRID, flip_rate=CLEAR)
    )
    assert judged_readouts(scopes_of(hybrid)) == [Readout.GENERATED]
    assert [s.readout for s, _ in sensitive_of(scopes_of(hybrid)).shown] == [Readout.GENERATED]


def test_a_refused_rate_is_no_look():
    assert sensitive_of(scopes_of(run(BARELY, Refusal(reason="needs at least 5 clusters, has 3")))).looks == 1


@pytest.mark.parametrize(("rates", "status"), [((BARELY, EVEN, EVEN, EVEN), "undecided"), ((BARELY,), "sensitive")])
def test_the_title_follows_the_adjustment(rates, status):
    assert build_headline(run(*rates), counts=DONE, single_order=False).status == status


def test_the_doubts_say_what_the_adjustment_took_away():
    result = run(BARELY, EVEN, EVEN, EVEN)
    doubts = both_orders_found(result, scopes_of(result), DONE, sensitive=False, grid=None).doubt
    texts = [claim.text for claim in doubts]
    assert not any(text.startswith("A verdict from one order alone") for text in texts)
    [said] = [text for text in texts if text.startswith("Whether a flip rate is above 5 %")]
    assert "8.0 % [5.3, 12.0] (c0, generated) is by its own interval, but it is one of 4" in said


def test_where_one_is_shown_a_bare_one_needs_no_sentence():
    result = run(BARELY, CLEAR, EVEN, EVEN)
    doubts = both_orders_found(result, scopes_of(result), DONE, sensitive=True, grid=None).doubt
    texts = [claim.text for claim in doubts]
    assert not any(text.startswith("Whether a flip rate is above") for text in texts)
    assert any("contradicts it on 30.0 % [20.0, 40.0] of the pairs decided in both (c1, generated)" in t for t in texts)
