from dataclasses import replace

from evenhand.analysis import FindingKind
from evenhand.records import Readout
from evenhand.report.scope import (
    POSITION_MEASURES,
    decided_pairs,
    in_order,
    locks_of,
    renamed,
    scopes_of,
    short_names,
    without_position,
)


def test_locks_come_from_the_counts_behind_two_rates(audit):
    generated = audit.select(FindingKind.READOUT, readout=Readout.GENERATED)[0]
    locks = locks_of(generated)
    assert (locks.first, locks.second, locks.decided) == (22, 4, 58)


def test_locks_are_unknown_without_a_flip_rate(audit):
    finding = audit.findings[0]
    kept = tuple(m for m in finding.measures if m.name != "flip_rate")
    assert locks_of(replace(finding, measures=kept)) is None


def test_compliance_is_found_for_a_readout_that_lacks_it(audit):
    kept = tuple(m for m in audit.findings[1].measures if not m.name.startswith("compliance"))
    findings = (audit.findings[0], replace(audit.findings[1], measures=kept))
    scopes = scopes_of(replace(audit, findings=findings))
    assert scopes[1].compliance == scopes[0].compliance


def test_short_names_only_where_nothing_but_labels_differs(manifest):
    assert list(short_names(manifest).values()) == ["A/B", "X/Y"]
    other = replace(manifest.conditions[1], prompt="rubric", id="rubric, X/Y")
    mixed = replace(manifest, conditions=(manifest.conditions[0], other))
    assert list(short_names(mixed).values()) == ["single-character, A/B", "rubric, X/Y"]
    alone = replace(manifest, conditions=manifest.conditions[:1])
    assert list(short_names(alone).values()) == ["single-character, A/B"]


def test_renaming_reaches_both_sides_of_a_comparison(manifest, audit):
    names = {f.condition for f in renamed(audit, short_names(manifest)).findings}
    assert names == {"A/B", "X/Y", "A/B | X/Y", None}


def test_without_position_keeps_no_measure_of_both_orders(audit):
    left = without_position(audit)
    assert not {m.name for f in left.findings for m in f.measures} & POSITION_MEASURES
    assert all(not f.tests for f in left.findings)


def test_conditions_stand_in_the_order_they_were_asked_for(manifest, audit):
    swapped = replace(manifest, conditions=manifest.conditions[::-1])
    ordered = in_order(audit, swapped)
    kinds = list(dict.fromkeys(f.kind for f in audit.findings))
    assert list(dict.fromkeys(f.kind for f in ordered.findings)) == kinds
    readouts = ordered.select(FindingKind.READOUT)
    assert list(dict.fromkeys(f.condition for f in readouts)) == ["single-character, X/Y", "single-character, A/B"]
    assert sorted(map(id, ordered.findings)) == sorted(map(id, audit.findings))


def test_decided_pairs_are_counted_or_else_the_rate_s_own(audit):
    finding = audit.findings[1]
    assert decided_pairs(finding) == 58
    cells = (("same preference, decided", 3), ("first slot twice", 2), ("second slot twice", 1), ("tie twice", 9))
    assert decided_pairs(replace(finding, table=cells)) == 6
