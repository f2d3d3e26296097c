"""All conditions together, resampled by condition."""

import pytest

from audits.tables import only, rate, reason, value, verdicts
from evenhand.analysis import AuditResult, FindingKind
from evenhand.audits import audit_position
from evenhand.records import Readout, verdict_table

KIND = FindingKind.POOLED


def pooled(conditions: int) -> AuditResult:
    """Condition k: 10 pairs, of which k flip when forced and none when generated; the first k are non-compliant."""
    rows = []
    for k in range(1, conditions + 1):
        pairs = [f"p{i}" for i in range(10)]
        compliant = {p: "+-" if i < k else "++" for i, p in enumerate(pairs)}
        forced = {p: "FF" if i < k else "FS" for i, p in enumerate(pairs)}
        shared = {"condition": f"c{k}", "compliant": compliant}
        rows += verdicts(forced, readout=Readout.FIRST_TOKEN, **shared)
        rows += verdicts(dict.fromkeys(pairs, "FS"), readout=Readout.GENERATED, **shared)
    return audit_position(verdict_table(rows))


def test_counts_add_up_over_conditions() -> None:
    result = pooled(6)
    forced = only(result, KIND, readout=Readout.FIRST_TOKEN)
    # 1 + … + 6 = 21 flips of 60; as many pairs are non-compliant.
    assert rate(forced, "flip_rate") == (21, 60)
    assert rate(forced, "compliance_pairs") == (39, 60)
    assert forced.measure("flip_rate").clusters == 6
    assert "bootstrap" in forced.measure("flip_rate").interval.method
    assert any("fewer than 30 clusters" in flag for flag in forced.measure("flip_rate").flags)
    assert dict(forced.table)["flips, c4"] == 4
    assert any("resampled by condition" in note for note in forced.notes)


def test_flip_difference_by_subset() -> None:
    result = pooled(6)
    everything = only(result, KIND, subset="all")
    assert value(everything, "flip_difference") == pytest.approx(21 / 60)
    assert dict(everything.table)["only first-token flips"] == 21
    # 21 flips of six pairs, some in several conditions: six clusters, all of one sign.
    signs, published = everything.tests
    assert (signs.p_value, signs.n, signs.statistic) == (2 / 2**6, 6, 21)
    assert published.p_value == pytest.approx(2 / 2**21)
    assert value(only(result, KIND, subset="compliant"), "flip_difference") == 0
    assert value(only(result, KIND, subset="non-compliant"), "flip_difference") == 1


def test_too_few_conditions_are_refused_by_the_statistics() -> None:
    found = only(pooled(3), KIND, readout=Readout.FIRST_TOKEN)
    assert reason(found, "flip_rate") == "needs at least 5 clusters, has 3"


def test_one_condition_is_not_pooled() -> None:
    assert pooled(1).select(KIND) == ()
