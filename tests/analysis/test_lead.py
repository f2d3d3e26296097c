"""One definition, told row by row, against every surface that uses it, on every combination of states."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from evenhand.analysis import FindingKind
from evenhand.analysis.lead import CONCLUDING, conclusions
from evenhand.analysis.wide import widen
from evenhand.audits import audit_position, worth_reading
from evenhand.audits.flow import flow_of
from evenhand.audits.worth_reading import ReadingRule, choose_pairs
from evenhand.records import Order, Outcome, Readout, Verdict, verdict_table
from evenhand.stats import Estimate
from evenhand.web.facets import LEAD, NOT_ASKED
from evenhand.web.row_codes import UNKNOWN, Orders, lead_codes

SLOTS = (Outcome.FIRST, Outcome.SECOND)
LEADS = [(None, None), (False, None), *((True, lead) for lead in (*SLOTS, Outcome.TIE))]
"""What a presentation can say of its first token: whether it is a verdict token, and which."""

STATES = [(outcome, compliant, lead) for outcome in Outcome for compliant, lead in LEADS]
BOTH = list(product([None, *STATES], repeat=2))[1:]
"""Everything that the two orders of a pair can hold, but that none was asked."""


def asks(state) -> bool:
    """Whether one can ask if it turned."""
    if state is None:
        return False
    outcome, compliant, lead = state
    return compliant is True and lead in SLOTS and outcome in SLOTS


def turns(state) -> bool:
    return asks(state) and state[0] is not state[2]


def verdicts(states, *, pair: str, readout: Readout) -> list[Verdict]:
    return [
        Verdict(
            pair_id=pair,
            group=pair,
            source="",
            gold=None,
            condition="A/B",
            readout=readout,
            order=order,
            repeat=0,
            outcome=state[0],
            compliant=state[1],
            lead=state[2],
        )
        for order, state in zip(Order, states, strict=True)
        if state is not None
    ]


def table(readout: Readout):
    return verdict_table(
        [row for i, states in enumerate(BOTH) for row in verdicts(states, pair=f"p{i:04}", readout=readout)]
    )


def test_every_state_is_as_the_definition_says() -> None:
    codes = [[list(Outcome).index(o), -1 if lead is None else list(Outcome).index(lead)] for o, _, lead in STATES]
    outcome, lead = np.array(codes, dtype=np.int8).T
    compliant = np.array([{True: 1, False: 0, None: -1}[c] for _, c, _ in STATES], dtype=np.int8)
    found = conclusions(outcome, lead, compliant)
    assert found.slots.tolist() == [asks(state) for state in STATES]
    assert found.turned.tolist() == [turns(state) for state in STATES]
    assert 0 < found.turned.sum() < found.slots.sum() < len(STATES)


def test_a_lead_of_a_presentation_that_is_not_compliant_is_none() -> None:
    one = np.array([0])
    assert not conclusions(one, np.array([1]), np.array([0])).slots.any()
    assert not conclusions(one, np.array([1]), np.array([-1])).slots.any()


def test_the_audit_counts_what_the_definition_says() -> None:
    [finding] = audit_position(table(CONCLUDING), resamples=100).select(FindingKind.READOUT)
    estimate = finding.measure("lead_conclusion_divergence")
    assert isinstance(estimate, Estimate)
    assert estimate.n == sum(asks(state) for states in BOTH for state in states)
    assert estimate.count == sum(turns(state) for states in BOTH for state in states)


def test_the_flow_counts_what_the_definition_says() -> None:
    flow = flow_of(widen(table(CONCLUDING)).scopes[0])
    assert flow is not None
    assert flow.led == sum(asks(state) for states in BOTH for state in states)
    assert flow.diverged == sum(turns(state) for states in BOTH for state in states)


@pytest.mark.parametrize("readout", Readout)
def test_the_pair_browser_files_what_the_definition_says(readout: Readout) -> None:
    def codes(place: int) -> tuple[list[int], list[int], list[int]]:
        own = [states[place] for states in BOTH]
        names = list(Outcome)
        return (
            [NOT_ASKED if s is None else names.index(s[0]) for s in own],
            [UNKNOWN if s is None or s[2] is None else names.index(s[2]) for s in own],
            [UNKNOWN if s is None or s[1] is None else int(s[1]) for s in own],
        )

    ab, ba = codes(0), codes(1)
    outcome, lead, compliant = (Orders(ab=np.array(a), ba=np.array(b)) for a, b in zip(ab, ba, strict=True))
    generated = np.full(len(BOTH), readout is CONCLUDING)
    found = [LEAD.values[code].slug for code in lead_codes(outcome, lead, compliant, generated=generated)]
    for states, slug in zip(BOTH, found, strict=True):
        if readout is not CONCLUDING or not any(map(asks, states)):
            assert slug == "unknown"
        else:
            assert slug == ("diverged" if any(map(turns, states)) else "agreed")


@pytest.mark.parametrize("readout", Readout)
def test_pairs_to_read_are_those_of_the_definition(readout: Readout, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for every pair; a flip is told by an earlier rule."""
    monkeypatch.setattr(worth_reading, "_SEARCHED", len(BOTH))
    found = choose_pairs(table(readout), rng=np.random.default_rng(0), most=len(BOTH))
    chosen = {int(pair.pair_id[1:]) for pair in found if pair.rule is ReadingRule.TURNED}

    def flips(states) -> bool:
        return None not in states and states[0][0] is states[1][0] and states[0][0] in SLOTS

    wanted = {i for i, states in enumerate(BOTH) if any(map(turns, states)) and not flips(states)}
    assert chosen == (wanted if readout is CONCLUDING else set())
