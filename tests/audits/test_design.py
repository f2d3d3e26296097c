"""Prompt designs against their baselines, on small grids with known counts."""

import pytest

from audits.tables import many, reason, value, verdicts
from evenhand.analysis import FindingKind
from evenhand.analysis.measures import measure_info
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.wide import widen
from evenhand.audits import audit_position
from evenhand.audits.design import design_findings
from evenhand.records import Readout, verdict_table
from evenhand.stats import mcnemar

PAIRS = [f"p{i}" for i in range(12)]
DESIGNS = {
    "base": (("labels", "A/B"), ("criteria", "before")),
    "digits": (("labels", "1/2"), ("criteria", "before")),
    "after": (("labels", "A/B"), ("criteria", "after")),
    "both": (("labels", "1/2"), ("criteria", "after")),
}


def flips(count):
    """The first ``count`` pairs flip, the others don't."""
    return {pair: "FF" if i < count else "FS" for i, pair in enumerate(PAIRS)}


def compliant(count):
    return {pair: "++" if i < count else "+-" for i, pair in enumerate(PAIRS)}


GRID = [
    *verdicts(flips(2), condition="base", compliant=compliant(12)),
    *verdicts(flips(10), condition="digits", compliant=compliant(4)),
    *verdicts(flips(3), condition="after", compliant=compliant(12)),
    *verdicts(flips(11), condition="both", compliant=compliant(12)),
]


def findings(rows, designs=DESIGNS, **options):
    wide = widen(verdict_table(rows))
    sampler = Sampler(clusters=wide.facts.group, seed=0, resamples=200, level=0.95, **options)
    return list(design_findings(wide, designs=designs, sampler=sampler))


def the(found, condition, readout=Readout.GENERATED):
    (finding,) = [f for f in found if f.condition == condition and f.readout is readout]
    return finding


def test_a_level_is_compared_with_its_baseline_over_all_matched_cells():
    found = findings(GRID)
    assert [(f.condition, f.readout) for f in found] == [
        (None, None),
        ("labels=1/2", Readout.GENERATED),
        ("criteria=after", Readout.GENERATED),
    ]
    digits = the(found, "labels=1/2")
    # Cells: digits against base (10 - 2) and both against after (11 - 3), twelve pairs each.
    assert value(digits, "design_flips") == pytest.approx(16 / 24)
    assert value(digits, "design_compliance") == pytest.approx((4 - 12) / 24)
    assert digits.measure("design_flips").n == 24
    assert digits.measure("design_flips").clusters == 12
    assert (digits.pairs, digits.presentations) == (12, 96)
    assert digits.table == (
        ("matched cells", 2),
        ("compliant: at both", 4 + 12),
        ("compliant: only at the level", 0),
        ("compliant: only at the baseline", 8),
        ("compliant: at neither", 0),
        ("flips: at both", 2 + 3),
        ("flips: only at the level", 8 + 8),
        ("flips: only at the baseline", 0),
        ("flips: at neither", 2 + 1),
    )
    assert digits.notes[:2] == ("Against the baseline labels=A/B.", "Over 2 of 2 matched cells (100.0 %) of the grid.")
    assert value(the(found, "criteria=after"), "design_flips") == pytest.approx((1 + 1) / 24)


def test_the_tests_take_clusters_for_the_unit_and_are_adjusted_over_the_audit():
    found = findings(GRID)
    digits, after = the(found, "labels=1/2"), the(found, "criteria=after")
    by_name = {t.name.split(", ")[2]: t for t in (*digits.tests, *after.tests) if "Holm" not in t.name}
    # Flips at 1/2: pairs p2 and p10 change in one cell, p3 to p9 in both: nine clusters of one sign. (As rows: 16.)
    raw = by_name["flips at 1/2 against A/B"]
    assert (raw.n, raw.statistic, raw.p_value) == (9, 16, 2 / 2**9)
    # Flips at "after": p2 in one cell, p10 in the other. Compliance: p4 to p11 in one cell, each way once per axis.
    assert by_name["flips at after against before"].p_value == pytest.approx(0.5)
    assert by_name["compliant at 1/2 against A/B"].p_value == 2 / 2**8
    assert by_name["compliant at after against before"].p_value == 2 / 2**8
    adjusted = [t for t in (*digits.tests, *after.tests) if "Holm-adjusted over 4" in t.name]
    assert [t.p_value for t in adjusted] == pytest.approx([3 * 2 / 2**8, 4 * 2 / 2**9, 3 * 2 / 2**8, 0.5])


def test_with_one_cell_and_a_pair_a_cluster_the_test_is_mcnemars():
    star = {name: DESIGNS[name] for name in ("base", "digits", "after")}
    raw = the(findings(GRID, star), "labels=1/2").tests[2]
    assert raw.p_value == pytest.approx(mcnemar(8, 0).p_value)


def test_the_summary_ranks_what_moves_and_names_nothing_else():
    summary = findings(GRID)[0]
    assert summary.kind is FindingKind.DESIGN
    assert summary.table == (("designs", 4), ("comparisons", 2), ("tests", 4))
    assert summary.notes[0] == (
        "Levels that move compliance, the largest difference first: labels=1/2 against A/B under generated "
        "(-33.3 points, adjusted p 0.023); criteria=after against before under generated (+33.3 points, adjusted p "
        "0.023)."
    )
    assert summary.notes[1].endswith("first: labels=1/2 against A/B under generated (+66.7 points, adjusted p 0.016).")
    assert "interaction" in summary.notes[3]
    fair = [*verdicts(flips(2), condition="base"), *verdicts(flips(3), condition="digits")]
    notes = findings(fair, {name: DESIGNS[name] for name in ("base", "digits")})[0].notes
    assert notes[0] == "No level is shown to move compliance; that is not evidence that none does."
    assert notes[1].startswith("No level is shown to move flips")


def test_pairs_without_a_decision_or_known_compliance_in_both_designs_stay_out():
    rows = [
        *verdicts(dict.fromkeys(PAIRS, "FF"), condition="base", compliant=dict.fromkeys(PAIRS[:7], "++")),
        *verdicts(
            {p: "FS" if i < 9 else "FU" for i, p in enumerate(PAIRS)}, condition="digits", compliant=compliant(6)
        ),
    ]
    digits = the(findings(rows, {name: DESIGNS[name] for name in ("base", "digits")}), "labels=1/2")
    assert (value(digits, "design_flips"), digits.measure("design_flips").n) == (-1, 9)
    assert value(digits, "design_compliance") == pytest.approx(6 / 7 - 1)
    assert "Flips: 9 of 12 rows (75.0 %) enter (a row is a pair in a matched cell)." in digits.notes
    assert "Compliant: 7 of 12 rows (58.3 %) enter (a row is a pair in a matched cell)." in digits.notes


def test_what_cannot_be_compared_is_refused_and_not_tested():
    rows = [
        *verdicts(dict.fromkeys(PAIRS, "FU"), condition="base"),
        *verdicts(dict.fromkeys(PAIRS, "FS"), condition="digits"),
    ]
    digits = the(findings(rows, {name: DESIGNS[name] for name in ("base", "digits")}), "labels=1/2")
    assert "whole vocabulary" in reason(digits, "design_compliance")
    assert "decided in both orders in both designs" in reason(digits, "design_flips")
    assert digits.tests == ()


def test_compliance_of_the_same_presentations_is_tested_once():
    rows = [
        *GRID,
        *verdicts(flips(6), condition="base", compliant=compliant(12), readout=Readout.FIRST_TOKEN),
        *verdicts(flips(12), condition="digits", compliant=compliant(4), readout=Readout.FIRST_TOKEN),
        *verdicts(flips(6), condition="base", compliant=compliant(6), readout=Readout.PREFILLED),
        *verdicts(flips(12), condition="digits", compliant=compliant(4), readout=Readout.PREFILLED),
    ]
    found = findings(rows, {name: DESIGNS[name] for name in ("base", "digits")})
    by_readout = {f.readout: [m.name for m in f.measures] for f in found[1:]}
    assert by_readout == {
        Readout.FIRST_TOKEN: ["design_compliance", "design_flips"],
        Readout.GENERATED: ["design_flips"],
        Readout.PREFILLED: ["design_compliance", "design_flips"],
    }
    assert "it is that under first-token, and not tested again" in the(found, "labels=1/2").notes[-2]
    assert dict(found[0].table)["tests"] == 5


def test_designs_that_were_not_asked_lose_their_cells_alone():
    rows = [row for row in GRID if row.condition != "after"]
    found = findings(rows)
    assert value(the(found, "labels=1/2"), "design_flips") == pytest.approx(8 / 12)
    assert "Over 1 of 2 matched cells (50.0 %) of the grid." in the(found, "labels=1/2").notes
    one_order = [*rows, *verdicts(dict.fromkeys(PAIRS, "F."), condition="after")]
    assert findings(one_order) == found


def test_without_designs_there_is_nothing_to_say():
    assert findings(GRID, {}) == []
    assert findings(verdicts(many(FF=8), condition="other")) == []


def test_other_conditions_and_the_order_of_rows_change_nothing():
    again = findings([*reversed(GRID), *verdicts(many(FF=8), condition="other")])
    assert [f.table for f in again] == [f.table for f in findings(GRID)]
    assert [f.tests for f in again] == [f.tests for f in findings(GRID)]


@pytest.mark.parametrize("name", ["design_compliance", "design_flips"])
def test_the_measures_are_in_the_table_of_all_measures(name):
    assert measure_info(name).unit == "difference"


def test_the_position_audit_itself_knows_nothing_of_designs():
    assert audit_position(verdict_table(GRID)).select(FindingKind.DESIGN) == ()
