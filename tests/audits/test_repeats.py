"""The repeated-AB control."""

import pytest

from audits.tables import many, only, rate, reason, value, verdicts
from evenhand.analysis import FindingKind
from evenhand.analysis.sentences import NOISE_NOT_MEASURED
from evenhand.audits import audit_position
from evenhand.records import verdict_table


def test_swap_against_repeat_on_the_same_pairs() -> None:
    pairs = many(FF=6, FS=4, SF=10, FU=2)
    # Repeated in AB: of FF four again first, two changed; two FS again first; of FU one undecided and one first.
    again = {"FF0": "F.", "FF1": "F.", "FF2": "F.", "FF3": "F.", "FF4": "S.", "FF5": "S.", "FS0": "F.", "FS1": "F."}
    again |= {"FU0": "U.", "FU1": "F."}
    result = audit_position(verdict_table([*verdicts(pairs), *verdicts(again, repeat=1)]))
    found = only(result, FindingKind.REPEAT)
    assert (found.pairs, found.presentations) == (10, 10)
    # Decided both times: all but FU0; changed: FF4, FF5.
    assert rate(found, "repeat_flip_rate") == (2, 9)
    # Repeated and decided in both orders: FF0 to FF5, FS0, FS1; flips 6.
    assert rate(found, "flip_rate") == (6, 8)
    assert value(found, "swap_minus_repeat") == pytest.approx(6 / 8 - 2 / 8)
    assert any("1 of 10 repeated presentations" in note for note in found.notes)
    assert any("over the 8 pairs" in note for note in found.notes)
    beside = only(result, FindingKind.READOUT)
    assert any("2 of 9 preferences (22.2 %) changed" in note for note in beside.notes)
    assert NOISE_NOT_MEASURED not in beside.notes


def test_a_deterministic_judge_gets_an_upper_bound() -> None:
    pairs = many(FF=20)
    again = dict.fromkeys(pairs, "F.")
    found = only(audit_position(verdict_table([*verdicts(pairs), *verdicts(again, repeat=1)])), FindingKind.REPEAT)
    estimate = found.measure("repeat_flip_rate")
    assert (estimate.value, estimate.n, estimate.interval.low) == (0, 20, 0)
    # Clopper-Pearson at 0 of 20: 1 - .025 ** (1 / 20).
    assert estimate.interval.high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert any(note.startswith("0 of 20 repeats") for note in found.notes)


def test_several_repeats_each_count() -> None:
    pairs = many(FS=6)
    rows = [*verdicts(pairs)]
    rows += verdicts(dict.fromkeys(pairs, "F."), repeat=1) + verdicts(dict.fromkeys(pairs, "S."), repeat=2)
    found = only(audit_position(verdict_table(rows)), FindingKind.REPEAT)
    assert rate(found, "repeat_flip_rate") == (6, 12)


def test_repeats_of_a_single_order_audit_claim_no_position() -> None:
    pairs = dict.fromkeys((f"p{i}" for i in range(8)), "F.")
    rows = [*verdicts(pairs), *verdicts(pairs, repeat=1)]
    found = only(audit_position(verdict_table(rows)), FindingKind.REPEAT)
    assert rate(found, "repeat_flip_rate") == (0, 8)
    assert found.measure("flip_rate") is None
    assert found.measure("swap_minus_repeat") is None


def test_nothing_decided_again_is_refused() -> None:
    pairs = many(FS=6)
    rows = [*verdicts(pairs), *verdicts(dict.fromkeys(pairs, "U."), repeat=1)]
    found = only(audit_position(verdict_table(rows)), FindingKind.REPEAT)
    assert "decided both times" in reason(found, "repeat_flip_rate")


def test_no_repeats_no_finding() -> None:
    assert audit_position(verdict_table(verdicts(many(FS=6)))).select(FindingKind.REPEAT) == ()
