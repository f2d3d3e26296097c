from dataclasses import replace

import pytest

from evenhand.analysis import FindingKind, Measure, OutcomeCount
from evenhand.records import Order, Outcome, Readout
from evenhand.report.phrases import told_readouts
from evenhand.report.scope import scopes_of
from evenhand.report.trust import NOTHING_YET, measures_of, readouts_agree, trust_claims
from evenhand.stats import Refusal
from report.findings import audit, estimate, finding

WIDE = (0.0, 1.0)


def said(*findings):
    result = audit(*findings)
    scopes = scopes_of(result)
    return trust_claims(result, scopes, told_readouts(scopes))


@pytest.mark.parametrize(
    ("name", "decided", "open_", "words"),
    [
        ("flip_rate", (0.0, 0.049), (0.0, 0.051), "the order hardly matters"),
        ("compliance_pairs", (0.9, 1.0), (0.89, 1.0), "The first token is a verdict"),
        ("verdict_rate", (0.9, 1.0), (0.89, 1.0), "can be read"),
        ("accuracy_consistent", (0.51, 0.9), (0.5, 0.9), "the preference is the gold one"),
    ],
)
def test_a_claim_needs_its_whole_interval(name, decided, open_, words):
    [claim] = said(finding(**{name: decided}))
    assert words in claim.text
    assert "[" in claim.text
    assert claim.rests_on
    assert [claim.text for claim in said(finding(**{name: open_}))] == [NOTHING_YET]
    assert [claim.text for claim in said(finding(**{name: Refusal(reason="few")}))] == [NOTHING_YET]


def test_ties_that_come_and_go_are_no_steadiness():
    steady = finding(flip_rate=(0.0, 0.04), inconsistency_rate=(0.4, 0.6))
    assert [claim.text for claim in said(steady)] == [NOTHING_YET]
    rare = finding(flip_rate=(0.0, 0.04), inconsistency_rate=(0.0, 0.04))
    assert "the order hardly matters" in said(rare)[0].text


def test_a_judge_that_repeats_itself_and_leans_nowhere():
    repeat = finding(FindingKind.REPEAT, repeat_flip_rate=(0.0, 0.03))
    both = said(finding(flip_rate=(0.1, 0.2), position_bias_strength=(-0.03, 0.03)), repeat)
    assert [claim.text.split(":")[0] for claim in both] == ["Flips favour neither slot", "The judge repeats itself"]
    assert both[0].rests_on[0] == "table-measures-1"
    leans = said(finding(flip_rate=(0.1, 0.2), position_bias_strength=(0.01, 0.09)))
    assert [claim.text for claim in leans] == [NOTHING_YET]


def test_readouts_remedies_and_averages_that_help():
    forced = finding(FindingKind.FORCED_MINUS_GENERATED, readout=None, subset="all", flip_difference=(-0.04, 0.04))
    remedy = finding(FindingKind.READOUTS, readout=Readout.PREFILLED, flip_readout_contrast=(-0.2, -0.1))
    worse = finding(FindingKind.READOUTS, readout=Readout.CONSTRAINED, flip_readout_contrast=(-0.2, 0.1))
    gain = finding(FindingKind.PROBABILITY, readout=Readout.FIRST_TOKEN, averaged_accuracy_gain=(0.01, 0.1))
    claims = said(finding(), forced, remedy, worse, gain)
    assert [claim.rests_on[-1] for claim in claims] == [
        "table-forced-minus-generated",
        "table-readouts",
        "table-probability",
    ]
    assert "within ±5 pp" in claims[0].text
    assert "prefilled" in claims[1].text
    assert not readouts_agree(
        audit(replace(forced, measures=(Measure(name="flip_difference", estimate=estimate(0, 0.06)),)))
    )


def test_one_of_many_conditions_that_looks_well_is_no_claim():
    few = [finding(condition=f"c{i}", verdict_rate=(0.95, 1.0) if i == 0 else WIDE) for i in range(4)]
    [claim] = said(*few)
    assert "in 1 of 4 conditions" in claim.text
    assert "(c0)" in claim.text
    many = [*few, finding(condition="c4", verdict_rate=WIDE)]
    assert [claim.text for claim in said(*many)] == [NOTHING_YET]
    every = [finding(condition=f"c{i}", verdict_rate=(0.95, 1.0)) for i in range(9)]
    assert "in each of 9 conditions" in said(*every)[0].text


def test_measures_stand_in_the_table_of_their_condition():
    scopes = scopes_of(
        audit(finding(condition="a"), finding(condition="b"), finding(condition="b", readout=Readout.LOGGED))
    )
    assert [measures_of(scope, scopes) for scope in scopes] == [
        "table-measures-1",
        "table-measures-2",
        "table-measures-2",
    ]


def test_flips_that_lean_do_not_favour_neither_slot():
    flips, within = (0.04, 0.06), (-0.01, 0.04)
    assert "Flips favour neither slot" in said(finding(flip_rate=flips, position_bias_strength=within))[0].text
    shown = finding(flip_rate=flips, position_bias_strength=(0.01, 0.04))
    assert [claim.text for claim in said(shown)] == [NOTHING_YET]
    locks = finding(flip_rate=flips, position_bias_strength=within, first_position_bias_rate=(0.55, 0.9))
    assert [claim.text for claim in said(locks)] == [NOTHING_YET]


def test_a_judge_that_refuses_one_order_is_not_steady():
    rare = finding(flip_rate=(0.0, 0.04))
    states = (Outcome.FIRST, Order.AB, 100), (Outcome.FIRST, Order.BA, 89), (Outcome.REFUSED, Order.BA, 11)
    counts = tuple(OutcomeCount(order=order, outcome=outcome, count=count) for outcome, order, count in states)
    assert [claim.text for claim in said(replace(rare, outcomes=counts))] == [NOTHING_YET]
    assert "the order hardly matters" in said(replace(rare, outcomes=counts[:2]))[0].text


@pytest.mark.parametrize(
    ("kind", "readout", "name", "shown"),
    [
        (FindingKind.PROBABILITY, Readout.FIRST_TOKEN, "averaged_accuracy_gain", (0.001, 0.1)),
        (FindingKind.READOUTS, Readout.PREFILLED, "flip_readout_contrast", (-0.1, -0.001)),
        (FindingKind.FORCED_MINUS_GENERATED, None, "flip_difference", (-0.049, 0.049)),
    ],
)
def test_what_one_of_several_conditions_barely_shows_is_no_claim(kind, readout, name, shown):
    one = finding(kind, readout=readout, condition="c0", **{name: shown})
    others = [finding(kind, readout=readout, condition=f"c{i}", **{name: (-0.3, 0.3)}) for i in (1, 2, 3)]
    assert len(said(finding(), one)) == 1
    assert NOTHING_YET not in [claim.text for claim in said(finding(), one)]
    assert [claim.text for claim in said(finding(), one, *others)] == [NOTHING_YET]


def test_averaging_names_its_condition_and_the_least_gain():
    gains = [(0.05, 0.11), (0.01, 0.03), (-0.1, 0.1)]
    made = [
        finding(FindingKind.PROBABILITY, readout=Readout.FIRST_TOKEN, condition=f"c{i}", averaged_accuracy_gain=gain)
        for i, gain in enumerate(gains)
    ]
    [claim] = said(finding(), *made[:2])
    assert claim.text.endswith("(c1, first-token; the least of 2 of 2 in which it is shown).")
    assert "+2.0 pp" in claim.text
    [claim] = said(finding(), made[0], made[2])
    assert claim.text.endswith("(c0, first-token).")


@pytest.mark.parametrize(("ties", "steady"), [(2, True), (3, False)])
def test_a_selective_run_is_not_steady_where_ties_may_come_and_go(ties, steady):
    counts = tuple(
        OutcomeCount(order=Order.AB, outcome=outcome, count=count)
        for outcome, count in ((Outcome.FIRST, 100 - ties), (Outcome.TIE, ties))
    )
    own = replace(finding(), outcomes=counts)
    for_all = finding(FindingKind.SELECTIVE, selective_flip_rate=(0.0, 0.04))
    assert ["the order hardly matters" in claim.text for claim in said(own, for_all)] == [steady]
