"""Hand-worked figures of one condition under one readout."""

import dataclasses

import pytest

from audits.tables import copies, many, only, rate, reason, value, verdicts
from evenhand.analysis import Finding, FindingKind
from evenhand.analysis.sentences import NO_SLOTS, NOISE_NOT_MEASURED, SINGLE_ORDER
from evenhand.analysis.wide import widen
from evenhand.audits import audit_position
from evenhand.audits.flow import flow_of
from evenhand.audits.readout import SLOT_LOCK_TEST, verify_slot_lock_identity
from evenhand.errors import ConfigError, StatisticsError
from evenhand.records import Order, Outcome, Readout, verdict_table

# Ten pairs; first character order AB, second order BA.
OUTCOMES = {
    "p0": "FS",  # A, A: consistent
    "p1": "FS",  # A, A: consistent
    "p2": "SF",  # B, B: consistent
    "p3": "FF",  # A, B: flip, first slot twice
    "p4": "FF",  # A, B: flip, first slot twice
    "p5": "SS",  # B, A: flip, second slot twice
    "p6": "TT",  # tie, tie: consistent
    "p7": "FT",  # A, tie: inconsistent, not a flip
    "p8": "FU",  # A, none
    "p9": "R.",  # none, not asked
}
GOLD = {"p0": "A", "p1": "B", "p2": "B", "p3": "A", "p4": "A", "p5": "B", "p6": "t", "p7": "t", "p8": "A", "p9": "A"}
COMPLIANT = {
    "p0": "++",
    "p1": "++",
    "p2": "++",
    "p3": "+-",
    "p4": "--",
    "p5": "++",
    "p6": "--",
    "p7": "+-",
    "p8": "+?",
    "p9": "??",
}
LEAD = {"p0": "FS", "p1": "SS", "p2": "SF", "p3": "F ", "p5": "SS", "p7": "F ", "p8": "S "}


@pytest.fixture(scope="module")
def worked() -> Finding:
    """The ten pairs, twice."""
    table = verdict_table(
        verdicts(copies(OUTCOMES, 2), gold=copies(GOLD, 2), compliant=copies(COMPLIANT, 2), lead=copies(LEAD, 2))
    )
    return only(audit_position(table), FindingKind.READOUT)


@pytest.mark.parametrize(
    ("name", "count", "n"),
    [
        # 19 presentations asked; p0 to p7 have 16 verdicts, p8 has 1.
        ("verdict_rate", 17, 19),
        # Known for p0 to p7 (16) and p8 AB; compliant: 2+2+2+1+0+2+0+1, and p8 AB.
        ("compliance_presentations", 11, 17),
        # Known in both orders: p0 to p7; compliant in both: p0, p1, p2, p5.
        ("compliance_pairs", 4, 8),
        # Decided in both orders: p0 to p5; flips: p3, p4, p5.
        ("flip_rate", 3, 6),
        ("slot_lock_rate", 3, 6),
        # Verdict in both: p0 to p7; a tie in exactly one: p7.
        ("inconsistency_rate", 1, 8),
        # Same: p0, p1, p2 and the tie twice, p6.
        ("swap_consistency", 4, 8),
        # Decided: p0 to p5 twice, p7 AB, p8 AB; first: 1+1+1+2+2+0 and p7, p8.
        ("first_slot_rate", 9, 14),
        # Flips p3, p4 on the first slot, p5 on the second.
        ("first_position_bias_rate", 2, 3),
        # Compliant and decided: p0, p1, p2, p5 twice, p3, p7, p8 in AB; p1 AB and p8 AB led with the other label.
        ("lead_conclusion_divergence", 2, 11),
        # p0 yes, p1 no, p2, p3, p4, p5 yes, p6 yes (tie for tie), p7 no (A for tie), p8 yes.
        ("accuracy_ab", 7, 9),
        # p0 yes, p1 no, p2 yes, p3, p4, p5 no, p6, p7 yes.
        ("accuracy_ba", 4, 8),
        # Same in both orders: p0 yes, p1 no, p2 yes, p6 yes.
        ("accuracy_consistent", 3, 4),
    ],
)
def test_rates_are_the_hand_worked_counts(worked: Finding, name: str, count: int, n: int) -> None:
    estimate = worked.measure(name)
    assert rate(worked, name) == (2 * count, 2 * n)
    assert value(worked, name) == pytest.approx(count / n)
    assert estimate.interval.low < count / n < estimate.interval.high


def test_bias_strength_is_the_directed_share_of_locks(worked: Finding) -> None:
    assert value(worked, "position_bias_strength") == pytest.approx((2 - 1) / 6)


def test_slot_locks_are_tested_against_even_odds(worked: Finding) -> None:
    raw, adjusted = worked.tests
    assert raw.name == SLOT_LOCK_TEST
    # 4 of 6 locks on the first slot: 2 * (C(6,4) + C(6,5) + C(6,6)) / 2**6
    assert raw.p_value == pytest.approx(2 * (15 + 6 + 1) / 64)
    assert adjusted.p_value == pytest.approx(raw.p_value)
    assert "Holm-adjusted over 1" in adjusted.name


def test_all_states_are_counted_per_order(worked: Finding) -> None:
    counts = {(c.order, c.outcome): c.count for c in worked.outcomes}
    assert len(counts) == 14
    assert counts[Order.AB, Outcome.FIRST] == 12
    assert counts[Order.AB, Outcome.SECOND] == 4
    assert counts[Order.AB, Outcome.TIE] == 2
    assert counts[Order.AB, Outcome.REFUSED] == 2
    assert counts[Order.BA, Outcome.UNPARSED] == 2
    assert counts[Order.BA, Outcome.ERROR] == 0
    assert sum(counts.values()) == worked.presentations == 38
    assert worked.pairs == 20


def test_pair_table_adds_up(worked: Finding) -> None:
    assert dict(worked.table) == {
        "same preference, decided": 6,
        "first slot twice": 4,
        "second slot twice": 2,
        "tie twice": 2,
        "tie in one order": 2,
        "no verdict in one order or both": 4,
    }


def test_exclusions_are_said_by_state(worked: Finding) -> None:
    note = next(n for n in worked.notes if n.startswith("Not in the flip rate"))
    # p6 two ties, p7 one tie, p8 unparsed, p9 refused and not asked; all twice.
    assert "8 of 20 pairs" in note
    assert "tie 6, refused 2, unparsed 2, not asked 2" in note
    assert any("chose a slot in one order only" in n and "4 pairs" in n for n in worked.notes)
    assert any("Compliance is unknown for 4 of 38" in n for n in worked.notes)
    assert any("4 of 20 pairs (20.0 %) have a gold tie" in n for n in worked.notes)
    assert NOISE_NOT_MEASURED in worked.notes


def test_unknown_compliance_is_refused_with_its_reason() -> None:
    found = only(audit_position(verdict_table(verdicts(many(FS=8)))), FindingKind.READOUT)
    for name in ("compliance_presentations", "compliance_pairs", "lead_conclusion_divergence"):
        assert "whole vocabulary" in reason(found, name)
    assert "gold" in reason(found, "accuracy_ab")
    assert "has none" in reason(found, "first_position_bias_rate")
    assert found.tests == ()


def test_nothing_decided_gives_refusals_and_no_number() -> None:
    found = only(audit_position(verdict_table(verdicts(many(UU=8, RE=3)))), FindingKind.READOUT)
    for name in ("flip_rate", "slot_lock_rate", "swap_consistency", "first_slot_rate", "position_bias_strength"):
        assert "has none" in reason(found, name)
    assert rate(found, "verdict_rate") == (0, 22)


def test_few_clusters_are_refused() -> None:
    found = only(audit_position(verdict_table(verdicts(many(FF=4)))), FindingKind.READOUT)
    assert reason(found, "flip_rate") == "needs at least 5 clusters, has 4"


def test_flip_rate_and_slot_lock_have_one_interval(worked: Finding) -> None:
    flips, locks = worked.measure("flip_rate"), worked.measure("slot_lock_rate")
    assert flips == locks
    table = verdict_table(verdicts(copies(OUTCOMES, 4)))
    by_bootstrap = only(audit_position(table, method="percentile"), FindingKind.READOUT)
    assert by_bootstrap.measure("flip_rate") == by_bootstrap.measure("slot_lock_rate")


def test_divergence_belongs_to_the_generated_readout() -> None:
    found = only(audit_position(verdict_table(verdicts(many(FS=8), readout=Readout.FIRST_TOKEN))), FindingKind.READOUT)
    assert found.measure("lead_conclusion_divergence") is None


def test_who_led_with_the_tie_label_turned_from_nobody() -> None:
    pairs = {f"p{i}": "FS" for i in range(6)}
    led = dict(zip(pairs, ["FS", "FF", "TS", "ST", "TT", "FS"], strict=True))
    table = verdict_table(verdicts(pairs, compliant=dict.fromkeys(pairs, "++"), lead=led))
    found = only(audit_position(table), FindingKind.READOUT)
    flow = flow_of(widen(table).scopes[0])
    assert rate(found, "lead_conclusion_divergence") == (2, 8)
    assert flow is not None
    assert (flow.diverged, flow.led) == (2, 8)


@pytest.mark.parametrize("declared", ["single", "both"])
def test_one_order_makes_no_position_figure(declared: str) -> None:
    pairs = {f"p{i}": "F." if i % 2 else ".S" for i in range(12)}
    table = verdict_table(verdicts(pairs, gold=dict.fromkeys(pairs, "A"), compliant=dict.fromkeys(pairs, "++")))
    result = audit_position(table, orders=declared)
    found = only(result, FindingKind.READOUT)
    assert {m.name for m in found.measures} == {
        "verdict_rate",
        "compliance_presentations",
        "first_slot_rate",
        "lead_conclusion_divergence",
        "accuracy_ab",
        "accuracy_ba",
    }
    assert SINGLE_ORDER in found.notes
    assert SINGLE_ORDER in result.notes
    assert rate(found, "first_slot_rate") == (6, 12)
    assert found.tests == ()


def test_an_order_that_was_never_asked_has_no_accuracy() -> None:
    pairs = {f"p{i}": "F." for i in range(12)}
    found = only(audit_position(verdict_table(verdicts(pairs, gold=dict.fromkeys(pairs, "A")))), FindingKind.READOUT)
    assert rate(found, "accuracy_ab") == (12, 12)
    assert found.measure("accuracy_ba") is None


def test_declared_single_order_is_honoured_where_both_are_there() -> None:
    result = audit_position(verdict_table(verdicts(many(FF=9))), orders="single")
    assert {f.kind for f in result.findings} == {FindingKind.READOUT}
    assert result.findings[0].measure("flip_rate") is None


@pytest.mark.parametrize(("row", "what"), [(0, "slot lock"), (None, "slot and order")])
def test_contradicting_columns_are_an_error(row: int | None, what: str) -> None:
    # One preference turned round breaks the pair's identity; both turned round break only the mapping.
    scope = widen(verdict_table(verdicts(many(FS=6)))).scopes[0]
    preference = scope.preference.copy()
    rows = slice(None) if row is None else row
    preference[0, rows] = 1 - preference[0, rows]
    with pytest.raises(StatisticsError, match=what):
        verify_slot_lock_identity(dataclasses.replace(scope, preference=preference))
    verify_slot_lock_identity(scope)


def test_where_each_response_was_judged_by_itself_nothing_speaks_of_slots() -> None:
    """Six pairs, whichever order is written: three right, one wrong, one tie, one without a verdict."""
    pairs = {"p0": "F.", "p1": ".S", "p2": "F.", "p3": "S.", "p4": "T.", "p5": ".U"}
    table = verdict_table(verdicts(pairs, readout=Readout.LOGGED, gold=dict.fromkeys(pairs, "A")))
    result = audit_position(table, orders="single", slots_seen=False, resamples=100)
    found = only(result, FindingKind.READOUT)
    assert reason(found, "first_slot_rate") == NO_SLOTS
    assert found.measure("accuracy_ab") is None
    accuracy = found.measure("accuracy_alone")
    assert (accuracy.count, accuracy.n) == (3, 5)
    assert found.notes[0] == f"No figure on slots: {NO_SLOTS}."
    assert SINGLE_ORDER not in (*found.notes, *result.notes)


def test_accuracy_of_responses_judged_alone_needs_gold() -> None:
    table = verdict_table(verdicts({f"p{i}": "F." for i in range(6)}, readout=Readout.LOGGED))
    result = audit_position(table, orders="single", slots_seen=False, resamples=100)
    assert reason(only(result, FindingKind.READOUT), "accuracy_alone") == "needs a gold preference, no pair has one"


def test_slots_that_nobody_saw_have_no_two_orders() -> None:
    table = verdict_table(verdicts({"p": "FS"}))
    with pytest.raises(ConfigError, match="orders='single'"):
        audit_position(table, slots_seen=False)
