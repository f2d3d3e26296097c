"""Conditions against each other on the same pairs."""

from dataclasses import replace

import pytest

from audits.tables import many, only, reason, value, verdicts
from evenhand.analysis import FindingKind
from evenhand.audits import audit_position
from evenhand.records import verdict_table

KIND = FindingKind.CONDITIONS


def three_conditions() -> list:
    """x: all ten pairs flip. y: p8 and p9 don't. z: none does. Compliance: x none, y all, z all."""
    pairs = [f"p{i}" for i in range(10)]
    return [
        *verdicts(dict.fromkeys(pairs, "FF"), condition="x", compliant=dict.fromkeys(pairs, "+-")),
        *verdicts(
            {p: "FS" if p in ("p8", "p9") else "SS" for p in pairs},
            condition="y",
            compliant=dict.fromkeys(pairs, "++"),
        ),
        *verdicts(dict.fromkeys(pairs, "FS"), condition="z", compliant=dict.fromkeys(pairs, "++")),
    ]


def test_contrasts_are_paired_and_named() -> None:
    result = audit_position(verdict_table(three_conditions()))
    assert [f.condition for f in result.select(KIND)] == ["x | y", "x | z", "y | z"]
    found = only(result, KIND, condition="x | y")
    assert value(found, "flip_contrast") == pytest.approx(1 - 0.8)
    assert value(found, "compliance_contrast") == pytest.approx(-1)
    assert found.table[:4] == (
        ("compliant: under both", 0),
        ("compliant: only under the first", 0),
        ("compliant: only under the second", 10),
        ("compliant: under neither", 0),
    )
    assert dict(found.table)["flips: only under the first"] == 2
    assert "over 10 of 10 pairs" in found.notes[0]


def test_tests_are_adjusted_over_their_family() -> None:
    result = audit_position(verdict_table(three_conditions()))
    flips = {f.condition: [t for t in f.tests if "flips" in t.name] for f in result.select(KIND)}
    # Each pair is a question of its own, so that it is the exact McNemar test: 2 discordant pairs .5, 10 discordant
    # 2/1024, 8 discordant 2/256.
    raw = {name: tests[0].p_value for name, tests in flips.items()}
    assert raw == pytest.approx({"x | y": 0.5, "x | z": 2 / 1024, "y | z": 2 / 256})
    adjusted = {name: tests[1].p_value for name, tests in flips.items()}
    assert adjusted == pytest.approx({"x | y": 0.5, "x | z": 6 / 1024, "y | z": 4 / 256})
    assert all("Holm-adjusted over 3" in tests[1].name for tests in flips.values())
    # Compliance of y and z is the same: no test; the two others make a family of two.
    compliance = [t for f in result.select(KIND) for t in f.tests if "compliant" in t.name]
    assert [t.p_value for t in compliance] == pytest.approx([2 / 1024, 4 / 1024] * 2)


def test_pairs_of_one_question_are_tested_together() -> None:
    # x flips on all ten pairs, z on none; the pairs are of two questions.
    rows = [replace(row, group="g" if row.pair_id < "p5" else "h") for row in three_conditions()]
    found = only(audit_position(verdict_table(rows)), KIND, condition="x | z")
    raw = next(t for t in found.tests if "flips" in t.name)
    assert raw.name.startswith("sign-flip test over clusters, exact, flips only under the first")
    assert (raw.p_value, raw.n) == (0.5, 2)
    assert not any("McNemar" in test.name for test in found.tests)


def test_only_shared_pairs_enter() -> None:
    rows = [
        *verdicts({f"p{i}": "FF" for i in range(8)}, condition="x"),
        *verdicts({f"p{i}": "FS" if i < 10 else "FU" for i in range(3, 12)}, condition="y"),
    ]
    found = only(audit_position(verdict_table(rows)), KIND)
    # Shared: p3 to p7; the union is p0 to p11.
    assert found.pairs == 5
    assert found.measure("flip_contrast").n == 5
    assert any("over 5 of 12 pairs" in note for note in found.notes)
    assert "whole vocabulary" in reason(found, "compliance_contrast")


def test_disjoint_conditions_are_refused() -> None:
    rows = [
        *verdicts({f"p{i}": "FF" for i in range(8)}, condition="x"),
        *verdicts({f"q{i}": "FF" for i in range(8)}, condition="y"),
    ]
    assert "has none" in reason(only(audit_position(verdict_table(rows)), KIND), "flip_contrast")


def test_a_single_order_condition_is_left_out() -> None:
    rows = [
        *verdicts(many(FF=8), condition="x"),
        *verdicts(dict.fromkeys(many(FF=8), "F."), condition="y"),
    ]
    result = audit_position(verdict_table(rows))
    assert result.select(KIND) == ()
    assert len(result.select(FindingKind.READOUT)) == 2
