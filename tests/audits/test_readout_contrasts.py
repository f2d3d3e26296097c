"""Prefilled and constrained against generated, on the same pairs."""

from dataclasses import replace

import pytest

from audits.tables import many, only, reason, value, verdicts
from evenhand.analysis import FindingKind
from evenhand.audits import audit_position
from evenhand.records import Readout, verdict_table
from evenhand.stats import mcnemar

PREFILLED = many(FS=6, FF=3, SS=1)
# The same names under the other readout: two of the three FF pairs keep their preference there.
GENERATED = {name: "FF" if name in ("FF0", "FS0") else "FS" if name != "SS0" else "UF" for name in PREFILLED}
GOLD = dict.fromkeys(PREFILLED, "A")


def audit(*parts):
    return audit_position(verdict_table([row for part in parts for row in part]), resamples=100)


def both(readout=Readout.PREFILLED, **more):
    return (
        verdicts(PREFILLED, readout=readout, gold=GOLD, **more),
        verdicts(GENERATED, readout=Readout.GENERATED, gold=GOLD, **more),
    )


@pytest.mark.parametrize("readout", [Readout.PREFILLED, Readout.CONSTRAINED])
def test_by_hand(readout):
    finding = only(audit(*both(readout)), FindingKind.READOUTS)
    assert (finding.readout, finding.pairs) == (readout, 9)
    assert dict(finding.table) == {
        "both flip": 1,
        f"only {readout} flips": 2,
        "only generated flips": 1,
        "neither flips": 5,
    }
    assert value(finding, "flip_readout_contrast") == pytest.approx(3 / 9 - 2 / 9)
    # Gold A: right in AB where first, in BA where second. Presentations with a verdict by both: 18 and BA of SS0.
    # Prefilled: FS 2 each of 6, FF 1 each of 3, SS0's BA right: 16 of 19. Generated: 2 each of 7, 1 each of 2, 0: 16.
    assert value(finding, "accuracy_readout_contrast") == pytest.approx(16 / 19 - 16 / 19)
    assert finding.tests[0].n == 3
    assert len(finding.tests) == 2
    assert "Holm" in finding.tests[1].name
    assert "prefilled" not in finding.tests[0].name or readout is Readout.PREFILLED
    assert any("1 of 10 pairs" in note for note in finding.notes)


def test_flips_are_tested_over_clusters():
    # Three questions of four pairs each: all twelve pairs flip when prefilled, none when generated.
    pairs = many(FF=12)
    written = dict.fromkeys(pairs, "FS")
    groups = {pair: f"g{i // 4}" for i, pair in enumerate(pairs)}
    parts = [
        [replace(row, group=groups[row.pair_id]) for row in verdicts(codes, readout=readout)]
        for codes, readout in ((pairs, Readout.PREFILLED), (written, Readout.GENERATED))
    ]
    test = only(audit(*parts), FindingKind.READOUTS).tests[0]
    # Two of the 2 ** 3 assignments of signs to the questions; McNemar's 2 of 2 ** 12 takes the pairs for independent.
    assert (test.p_value, test.n) == (0.25, 3)
    alone = [verdicts(pairs, readout=Readout.PREFILLED), verdicts(written, readout=Readout.GENERATED)]
    assert only(audit(*alone), FindingKind.READOUTS).tests[0].p_value == mcnemar(12, 0).p_value


def test_no_gold_no_accuracy():
    parts = verdicts(PREFILLED, readout=Readout.CONSTRAINED), verdicts(GENERATED, readout=Readout.GENERATED)
    finding = only(audit(*parts), FindingKind.READOUTS)
    assert reason(finding, "accuracy_readout_contrast") == "needs a gold preference, no pair has one"


def test_only_within_a_condition_and_with_both_orders():
    prefilled, generated = both()
    other = verdicts(GENERATED, readout=Readout.GENERATED, gold=GOLD, condition="d")
    assert audit(prefilled, other).select(FindingKind.READOUTS) == ()
    one_order = [row for row in prefilled if row.order == "AB"]
    assert audit(one_order, generated).select(FindingKind.READOUTS) == ()


def test_first_token_minus_generated_stays_as_it_was():
    first = verdicts(PREFILLED, readout=Readout.FIRST_TOKEN, gold=GOLD)
    prefilled, generated = both()
    alone, beside = audit(first, generated), audit(first, generated, prefilled)
    kind = FindingKind.FORCED_MINUS_GENERATED
    assert alone.select(kind) == beside.select(kind) != ()
    assert alone.select(FindingKind.READOUTS) == ()


def test_tests_are_adjusted_over_all_conditions_and_readouts():
    parts = [p for c in "cd" for r in (Readout.PREFILLED, Readout.CONSTRAINED) for p in both(r, condition=c)[:1]]
    parts += [both(condition=c)[1] for c in "cd"]
    found = audit(*parts).select(FindingKind.READOUTS)
    assert [(f.condition, f.readout.value) for f in found] == [
        ("c", "prefilled"),
        ("c", "constrained"),
        ("d", "prefilled"),
        ("d", "constrained"),
    ]
    assert all("over 4 readouts against generated" in f.tests[1].name for f in found), found[0].tests[1].name
