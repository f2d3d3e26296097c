"""Flows and swap tables: every cell against a count row by row."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from audits.tables import verdicts
from evenhand.analysis import FindingKind
from evenhand.analysis.displays import Flow, Lead, SwapTable
from evenhand.analysis.wide import widen
from evenhand.audits import audit_position
from evenhand.audits.flow import flow_of, swap_table_of
from evenhand.records import Outcome, Preference, Readout, verdict_table

CODES = st.sampled_from("FSTRUXE")
ORDERS = st.tuples(CODES, CODES).map("".join)
LED = st.sampled_from([("+", "F"), ("+", "S"), ("+", "T"), ("-", " "), ("?", " ")])


def scope_of(rows):
    (scope,) = widen(verdict_table(rows)).scopes
    return scope


@st.composite
def tables(draw):
    pairs = {f"p{i}": draw(ORDERS) for i in range(draw(st.integers(1, 12)))}
    led = {pair: (draw(LED), draw(LED)) for pair in pairs}
    return verdicts(
        pairs,
        compliant={pair: ab[0] + ba[0] for pair, (ab, ba) in led.items()},
        lead={pair: ab[1] + ba[1] for pair, (ab, ba) in led.items()},
    )


def lead_of(row):
    if row.compliant is None:
        return Lead.UNKNOWN
    return Lead(row.lead.value) if row.compliant else Lead.OTHER


@settings(max_examples=80, deadline=None)
@given(tables())
def test_every_cell_is_counted_as_row_by_row(rows):
    flow = flow_of(scope_of(rows))
    if all(row.compliant is None for row in rows):
        assert flow is None
        return
    counted = Counter((row.order, lead_of(row), row.outcome) for row in rows)
    assert {(c.order, c.lead, c.conclusion): c.count for c in flow.cells} == dict(counted)
    assert flow.presentations == len(rows)


@settings(max_examples=80, deadline=None)
@given(tables())
def test_every_pair_is_in_one_cell_of_the_swap_table(rows):
    table = swap_table_of(scope_of(rows))
    by_pair = {}
    for row in rows:
        by_pair.setdefault(row.pair_id, {})[row.order.value] = row
    expected = Counter()
    for both in by_pair.values():
        ab, ba = both["AB"], both["BA"]
        if not (ab.outcome.is_verdict and ba.outcome.is_verdict):
            expected["undecided"] += 1
        elif Outcome.TIE in (ab.outcome, ba.outcome):
            expected["with_tie"] += 1
        elif ab.preference == ba.preference:
            expected["both_a" if ab.preference is Preference.A else "both_b"] += 1
        else:
            expected["first_twice" if ab.outcome is Outcome.FIRST else "second_twice"] += 1
    names = ("both_a", "both_b", "first_twice", "second_twice", "with_tie", "undecided")
    assert {name: getattr(table, name) for name in names} == {name: expected[name] for name in names}


def test_divergence_is_the_measure_s_own_count():
    pairs = {f"p{i}": "FS" for i in range(6)} | {"q": "ST", "r": "FF"}
    rows = verdicts(pairs, compliant=dict.fromkeys(pairs, "++"), lead=dict.fromkeys(pairs, "FF"))
    result = audit_position(verdict_table(rows))
    (flow,) = [d for d in result.displays if isinstance(d, Flow)]
    (finding,) = result.select(FindingKind.READOUT)
    divergence = finding.measure("lead_conclusion_divergence")
    assert (flow.diverged, flow.led) == (divergence.count, divergence.n)


def test_only_text_flows_and_one_order_has_no_swap_table():
    first = verdicts({"p": "FS"}, readout=Readout.FIRST_TOKEN, compliant={"p": "++"}, lead={"p": "FS"})
    assert flow_of(scope_of(first)) is None
    assert swap_table_of(scope_of(verdicts({"p": "F.", "q": ".S"}))) is None
    mixed = swap_table_of(scope_of(verdicts({"p": "F.", "q": "FS"})))
    assert (mixed.one_order, mixed.both_a, mixed.decided) == (1, 1, 1)
    assert isinstance(mixed, SwapTable)
