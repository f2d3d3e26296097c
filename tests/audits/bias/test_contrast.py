"""Findings of controlled changes: what they count, refuse and say."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.bias.changed import bias_data, sampler
from audits.tables import reason, value
from evenhand.analysis import Finding, FindingKind
from evenhand.analysis.wide import widen
from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.contrast import FOR_BOTH, contrast_findings, padding_findings, unasked
from evenhand.audits.bias.control import comparisons
from evenhand.records import Outcome, Preference, Readout

PAD_A, PAD_B = "padding=redundant:A", "padding=redundant:B"


def finding(data: BiasData) -> Finding:
    [found] = padding_findings(data, sampler(data))
    return found


def ten(codes: str) -> dict[str, str]:
    return {f"p{i}": codes for i in range(10)}


def test_padding_is_a_finding_of_the_verbosity_audit() -> None:
    # Without the change A is preferred in both orders. Padding B turns six pairs in both orders, and four to a tie.
    data = bias_data(ten("FS"), {PAD_A: ten("FS"), PAD_B: {f"p{i}": "SF" if i < 6 else "TT" for i in range(10)}})
    found = finding(data)
    assert (found.kind, found.audit, found.subset) == (FindingKind.BIAS, "verbosity", "padding=redundant")
    assert (found.condition, found.readout) == ("c", Readout.GENERATED)
    assert (found.pairs, found.presentations) == (10, 40)
    assert value(found, "net_shift") == pytest.approx(20 / 40)
    assert value(found, "toward_rate") == pytest.approx(20 / 40)
    assert value(found, "away_rate") == 0
    # Only where B is the target could a verdict turn toward it.
    assert value(found, "toward_of_turnable") == 1
    table = dict(found.table)
    assert table["other without, target with"] == 12
    assert table["other without, tie with"] == 8
    assert table["target without, target with"] == 20
    assert sum(count for name, count in found.table if " without, " in name) == table[FOR_BOTH] == 40
    assert table["verdict both times"] == 40
    assert table["pairs compared in both orders for both targets"] == 10
    assert {o.outcome: 0 for o in found.outcomes}.keys() == set(Outcome)
    assert sum(o.count for o in found.outcomes) == 40
    [test] = found.tests
    # Ten questions, all turned the same way.
    assert (test.p_value, test.n) == (pytest.approx(2 / 2**10), 10)
    assert any("8 of 40 compared presentations (20.0 %) turned to or from a tie." in note for note in found.notes)


def test_both_orders_of_a_pair_are_one_observation() -> None:
    data = bias_data(ten("FS"), {PAD_A: ten("FS"), PAD_B: ten("SF")})
    measure = finding(data).measure("net_shift")
    assert (measure.n, measure.clusters) == (10, 10)


def test_a_lean_to_a_slot_is_no_net_shift() -> None:
    """The changed prompt makes the judge choose the first slot, whoever is padded."""
    found = finding(bias_data(ten("FS"), {PAD_A: ten("FF"), PAD_B: ten("FF")}))
    assert value(found, "net_shift") == 0
    assert value(found, "net_shift_first_slot") == pytest.approx(0.5)
    assert value(found, "net_shift_second_slot") == pytest.approx(-0.5)
    assert value(found, "toward_rate") == value(found, "away_rate") == pytest.approx(0.25)
    assert found.tests[0].p_value == 1


def test_more_ties_are_no_net_shift() -> None:
    found = finding(bias_data(ten("FS"), {PAD_A: ten("TT"), PAD_B: ten("TT")}))
    assert value(found, "net_shift") == 0
    assert found.tests[0].p_value == 1


def test_what_is_missing_is_counted_and_no_verdict() -> None:
    data = bias_data(
        {"p0": "UF", **{f"p{i}": "FS" for i in range(1, 10)}},
        {PAD_A: ten("FS"), PAD_B: {f"p{i}": "RR" if i < 3 else "SF" for i in range(10)}},
        left_out={PAD_A: (("too short to pad", 4),)},
    )
    found = finding(data)
    # Of 40: p0 in AB twice without a verdict before; p0 to p2 under PAD_B refused in both orders. With the latter, what
    # p0 to p2 have for A stands alone.
    assert dict(found.table)["verdict both times"] == 40 - 1 - 6
    assert (found.pairs, found.presentations) == (7, 28)
    assert dict(found.table)["pairs compared for one target alone"] == 3
    assert any(
        note.startswith(
            "Compared for one target alone: 5 of 33 compared presentations (15.2 %), among them everything of 3 of 10 "
            "pairs (30.0 %)."
        )
        for note in found.notes
    )
    assert value(found, "verdict_rate_shift") == pytest.approx((34 - 38) / 40)
    note = next(note for note in found.notes if note.startswith("Not compared"))
    assert note == (
        "Not compared: 7 of 40 changed presentations (17.5 %), for there is no verdict (without the change alone 1, "
        "with it alone 5, both times 1). States with the change: refused 6."
    )
    assert "Left out of padding=redundant:A: 4 pairs (too short to pad)." in found.notes
    # p0 in BA preferred B without the change, so that padding A, which gave A, turned it. Seven pairs turned to B.
    assert value(found, "net_shift_any_target") == pytest.approx((14 + 1) / 33)
    assert value(found, "toward_rate") == value(found, "net_shift") == pytest.approx(14 / 28)


def test_harm_is_told_from_help() -> None:
    gold = {f"p{i}": "A" if i < 5 else "B" for i in range(10)}
    # Padding B turns every verdict to B; padding A nothing, for A was preferred.
    found = finding(bias_data(ten("FS"), {PAD_A: ten("FS"), PAD_B: ten("SF")}, gold=gold))
    # The wrong target is B for the first five (turned) and A for the others (not).
    assert value(found, "toward_wrong_rate") == value(found, "net_shift_wrong") == pytest.approx(0.5)
    assert value(found, "toward_right_rate") == pytest.approx(0.5)
    data = bias_data(ten("FS"), {PAD_A: ten("FS"), PAD_B: ten("SF")}, gold=dict.fromkeys(gold, "A"))
    assert value(finding(data), "toward_wrong_rate") == 1
    assert value(finding(data), "toward_right_rate") == 0
    tied = bias_data(ten("FS"), {PAD_A: ten("FS"), PAD_B: ten("SF")}, gold=dict.fromkeys(gold, "t"))
    assert "gold side whose target is the wrong" in reason(finding(tied), "toward_wrong_rate")


def test_noise_is_taken_off_on_the_presentations_that_were_repeated() -> None:
    changed = {PAD_A: ten("FS"), PAD_B: {f"p{i}": "SS" if i < 8 else "FS" for i in range(10)}}
    # Asked again in AB, three of the first six turn to B.
    again = {f"p{i}": "S." if i < 3 else "F." for i in range(6)}
    found = finding(bias_data(ten("FS"), changed, repeats=[again]))
    assert value(found, "repeat_toward_rate") == pytest.approx(3 / 12)
    # On the six, both targets in AB: six of twelve turned toward, three of twelve by chance.
    assert value(found, "toward_beyond_noise") == pytest.approx(6 / 12 - 3 / 12)
    assert dict(found.table)["of these, turned"] == 3
    assert not any("not repeated" in note for note in found.notes)


def test_several_repeats_of_a_presentation_share_its_weight() -> None:
    changed = {PAD_A: ten("FS"), PAD_B: ten("FS")}
    first = {f"p{i}": "S." for i in range(5)} | {f"p{i}": "F." for i in range(5, 10)}
    found = finding(bias_data(ten("FS"), changed, repeats=[first, {f"p{i}": "F." for i in range(5)}]))
    # 5 pairs turn once of twice, 5 never: .25 of a presentation's repeats, and half of that for each target.
    assert value(found, "repeat_toward_rate") == pytest.approx(0.25 / 2)
    assert value(found, "toward_beyond_noise") == pytest.approx(-0.25 / 2)


def test_without_repeats_it_says_so() -> None:
    found = finding(bias_data(ten("FS"), {PAD_A: ten("FS"), PAD_B: ten("FS")}))
    assert "noise not measured" in reason(found, "toward_beyond_noise")
    assert any("not repeated" in note for note in found.notes)


def test_one_target_alone_is_said_and_not_tested() -> None:
    found = finding(bias_data(ten("FS"), {PAD_B: ten("SF")}))
    assert "for both targets" in reason(found, "net_shift")
    assert value(found, "net_shift_any_target") == 1
    assert found.tests == ()
    assert any(note.startswith("Only B was a target") for note in found.notes)
    assert not any(note.startswith("Compared for one target") for note in found.notes)


def test_pairs_with_one_target_are_in_no_net_shift() -> None:
    """Ties come with the change, and take verdicts from A, which is better, only where A is its one target."""
    tied = ten("TT")
    both = {p: tied[p] for p in ("p0", "p1", "p2", "p3", "p4")}
    found = finding(bias_data(ten("FS"), {PAD_A: tied, PAD_B: both}))
    assert value(found, "net_shift") == 0
    assert value(found, "net_shift_any_target") == pytest.approx(-10 / 30)
    assert (found.pairs, found.presentations) == (5, 20)
    assert found.tests[0].p_value == 1
    fewer = finding(bias_data(ten("FS"), {PAD_A: tied, PAD_B: {p: both[p] for p in list(both)[:4]}}))
    assert reason(fewer, "net_shift") == "needs at least 5 clusters, has 4"


def test_undirected_turns_are_in_the_two_figures_by_gold_and_not_in_their_mean() -> None:
    """Gold is preferred; with the change every pair ties in order AB, whoever is padded."""
    found = finding(bias_data(ten("FS"), {PAD_A: ten("TS"), PAD_B: ten("TS")}, gold=dict.fromkeys(ten(""), "A")))
    assert value(found, "net_shift_wrong") == value(found, "toward_wrong_rate") == 0.5
    assert value(found, "net_shift_right") == -0.5
    assert value(found, "net_shift_gold") == 0


def test_nothing_that_turned_has_no_test() -> None:
    found = finding(bias_data(ten("FS"), {PAD_A: ten("FS"), PAD_B: ten("FS")}))
    assert found.tests == ()
    interval = found.measure("net_shift").interval
    assert interval.low < 0 < interval.high


def test_pairs_of_a_question_are_one_cluster() -> None:
    group = {f"p{i}": f"g{i % 5}" for i in range(10)}
    found = finding(bias_data(ten("FS"), {PAD_A: ten("FS"), PAD_B: ten("SF")}, group=group))
    assert found.measure("net_shift").clusters == 5
    assert found.tests[0].p_value == pytest.approx(2 / 2**5)


def test_too_few_questions_are_refused() -> None:
    four = {f"p{i}": "FS" for i in range(4)}
    found = finding(bias_data(four, {PAD_A: four, PAD_B: dict.fromkeys(four, "SF")}))
    assert reason(found, "net_shift").startswith("needs at least 5 clusters")


def test_a_change_that_could_be_made_to_no_pair_is_refused_with_its_reasons() -> None:
    left_out = dict.fromkeys((PAD_A, PAD_B), (("too short to pad", 10),))
    found = finding(bias_data(ten("FS"), {PAD_A: {}, PAD_B: {}}, left_out=left_out))
    assert "needs a verdict with and without the change" in reason(found, "net_shift")
    assert (found.pairs, found.presentations, found.tests) == (0, 0, ())
    assert sum("too short to pad" in note for note in found.notes) == 2


def test_only_readouts_made_of_log_odds_have_their_shift() -> None:
    both = (Readout.GENERATED, Readout.FIRST_TOKEN)
    data = bias_data(ten("FS"), {PAD_A: ten("FS"), PAD_B: ten("SF")}, readouts=both)
    by_readout = {f.readout: f for f in padding_findings(data, sampler(data))}
    assert by_readout[Readout.GENERATED].measure("log_odds_shift") is None
    assert "needs a pair with log-odds" in reason(by_readout[Readout.FIRST_TOKEN], "log_odds_shift")


def test_combined_changes_are_no_change_by_itself() -> None:
    both = f"{PAD_A} + endorsement=user:A"
    data = bias_data(ten("FS"), {both: ten("SF")})
    assert padding_findings(data, sampler(data)) == ()


def test_unasked_says_what_to_ask_for() -> None:
    found = unasked("tone", "tone=hedged")
    assert (found.audit, found.kind) == ("tone", FindingKind.BIAS)
    assert "ask for the audit" in reason(found, "net_shift")


# Invariants, on any small run.
CODES = st.sampled_from(["FS", "SF", "FF", "SS", "TT", "FT", "UF", "R.", "SX"])
PAIRS = [f"p{i}" for i in range(8)]
few = settings(max_examples=30, deadline=None)
TABLES = st.fixed_dictionaries(dict.fromkeys(PAIRS, CODES))


def figures(found: Finding) -> dict[str, object]:
    """Everything that must not change: estimates and p-values."""
    estimates = {
        m.name: (getattr(m.estimate, "value", None), getattr(m.estimate, "interval", None), m.estimate.n)
        for m in found.measures
    }
    return estimates | {"p": [t.p_value for t in found.tests], "pairs": found.pairs, "cells": found.presentations}


def value_or_nan(found: Finding, name: str) -> float:
    return getattr(found.measure(name), "value", float("nan"))


def exchanged(pairs: dict[str, str]) -> dict[str, str]:
    """A and B exchange their names: what was shown in order AB is order BA of the new names, slots as they were."""
    return {pair: codes[::-1] for pair, codes in pairs.items()}


@few
@given(TABLES, TABLES, TABLES, TABLES)
def test_exchanging_the_responses_names_changes_nothing(
    control: dict[str, str], a: dict[str, str], b: dict[str, str], again: dict[str, str]
) -> None:
    gold = {pair: "AB"[i % 2] for i, pair in enumerate(PAIRS)}
    swapped = {pair: "BA"[i % 2] for i, pair in enumerate(PAIRS)}
    first = bias_data(control, {PAD_A: a, PAD_B: b}, gold=gold, repeats=[again])
    second = bias_data(
        exchanged(control), {PAD_A: exchanged(b), PAD_B: exchanged(a)}, gold=swapped, repeats=[exchanged(again)]
    )
    assert figures(finding(first)) == figures(finding(second))


@few
@given(TABLES, TABLES)
def test_taking_the_change_back_turns_every_sign(control: dict[str, str], a: dict[str, str]) -> None:
    """What was the control is the change, and the other way round, whichever the target."""
    forth = finding(bias_data(control, {PAD_A: a, PAD_B: a}))
    back = finding(bias_data(a, {PAD_A: control, PAD_B: control}))
    assert dict(forth.table)["turned toward the target"] == dict(back.table)["turned away from it"]
    assert value_or_nan(forth, "net_shift_first_slot") == pytest.approx(
        -value_or_nan(back, "net_shift_first_slot"), nan_ok=True
    )
    assert [t.p_value for t in forth.tests] == [t.p_value for t in back.tests]


@few
@given(TABLES, TABLES, TABLES, st.randoms(use_true_random=False))
def test_names_of_conditions_and_the_order_of_rows_change_nothing(
    control: dict[str, str], a: dict[str, str], b: dict[str, str], random: object
) -> None:
    data = bias_data(control, {PAD_A: a, PAD_B: b})
    order = list(range(data.table.height))
    random.shuffle(order)
    table = data.table[order]
    mixed = replace(data, table=table, wide=widen(table), conditions=data.conditions[::-1])
    renamed = bias_data(control, {PAD_A: a, PAD_B: b}, name="another, X/Y")
    assert figures(finding(data)) == figures(finding(mixed)) == figures(finding(renamed))


@few
@given(TABLES, TABLES, TABLES)
def test_the_parts_add_up(control: dict[str, str], a: dict[str, str], b: dict[str, str]) -> None:
    found = finding(bias_data(control, {PAD_A: a, PAD_B: b}))
    table = dict(found.table)
    stayed = sum(table[f"{where} without, {where} with"] for where in ("target", "tie", "other"))
    turned = table["turned toward the target"] + table["turned away from it"]
    assert stayed + turned == table[FOR_BOTH] == found.presentations <= table["verdict both times"]
    if found.presentations and found.measure("net_shift").n >= 5:
        net = (table["turned toward the target"] - table["turned away from it"]) / found.presentations
        assert value(found, "net_shift") == pytest.approx(net)
        assert value(found, "toward_rate") - value(found, "away_rate") == pytest.approx(net)
        slots = value(found, "net_shift_first_slot") + value(found, "net_shift_second_slot")
        assert slots / 2 == pytest.approx(net)


def test_targets_are_only_a_and_b() -> None:
    data = bias_data(ten("FS"), {PAD_A: ten("FS"), PAD_B: ten("SF")})
    [comparison] = comparisons(data, "padding", "redundant")
    assert [side.target for side in comparison.sides] == [Preference.A, Preference.B]
    found = list(contrast_findings(data, sampler(data), [comparison], audit="x", notes=("Said first.",)))
    assert found[0].audit == "x"
    assert found[0].notes[0] == "Said first."
