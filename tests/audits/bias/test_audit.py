"""All bias audits together: each change planned once, one family of tests, and findings that keep their own streams."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.analysis import Finding, FindingKind, Measure
from evenhand.analysis.wide import widen
from evenhand.audits.bias import audit as bias_audit
from evenhand.audits.bias.audit import FAMILY, adjust_family, audit_biases, plan_changes
from evenhand.audits.bias.base import BiasData
from evenhand.errors import ConfigError
from evenhand.records import Change, Condition, LabelSet, Order, Outcome, Preference, Readout, Verdict, verdict_table
from evenhand.stats import Estimate, TestResult

CONTROL = Condition(id="c", prompt="p", prompt_hash="0", labels=LabelSet.parse("A/B"))


def condition(target: Preference) -> Condition:
    change = Change(factor="endorsement", level="user", target=target)
    return Condition(
        id=f"c; {change.name}", prompt="p", prompt_hash="0", labels=CONTROL.labels, changes=(change,), control="c"
    )


CHANGED = (condition(Preference.A), condition(Preference.B))


def verdict(i: int, condition: str, order: Order, preference: Preference, readout: Readout) -> Verdict:
    first = (preference is Preference.A) == (order is Order.AB)
    return Verdict(
        pair_id=f"p{i}",
        group=f"g{i}",
        source="s",
        gold=None,
        condition=condition,
        readout=readout,
        order=order,
        repeat=0,
        outcome=Outcome.FIRST if first else Outcome.SECOND,
    )


def data(*, turned: int = 20, pairs: int = 40, readouts: tuple[Readout, ...] = (Readout.GENERATED,)) -> BiasData:
    """The judge prefers A in every control; under an endorsement of B, B in the first ``turned`` pairs."""
    rows = []
    for i in range(pairs):
        for order in Order:
            for readout in readouts:
                rows.append(verdict(i, "c", order, Preference.A, readout))
                rows.append(verdict(i, CHANGED[0].id, order, Preference.A, readout))
                now = Preference.B if i < turned else Preference.A
                rows.append(verdict(i, CHANGED[1].id, order, now, readout))
    table = verdict_table(rows)
    return BiasData(table=table, wide=widen(table), conditions=(CONTROL, *CHANGED), pairs={})


def test_changes_are_planned_once_in_the_order_of_the_audits() -> None:
    both = plan_changes(["interaction", "sycophancy"])
    assert len(set(both)) == len(both)
    assert set(plan_changes(["sycophancy"])) | set(plan_changes(["interaction"])) == set(both)
    assert both[: len(plan_changes(["sycophancy"]))] == plan_changes(["sycophancy"])
    assert plan_changes(["rationale"]) == ()


def test_supplied_rewrites_add_their_own_changes() -> None:
    rule = plan_changes(["register"])
    mine = plan_changes(["register"], frozenset({("register", "non-native")}))
    added = {change.level for changes in set(mine) - set(rule) for change in changes}
    assert added == {"non-native"}


def test_a_planted_turn_is_found_with_its_size_and_its_place_in_the_family() -> None:
    result = audit_biases(data(), ["sycophancy"], resamples=200)
    assert result.audit == "bias"
    [user] = result.select(FindingKind.BIAS, subset="endorsement=user")
    shift = user.measure("net_shift")
    assert isinstance(shift, Estimate)
    assert shift.value == pytest.approx(20 * 2 / (40 * 4))
    assert user.tests[-1].name.endswith(f"Holm-adjusted over 1 test of {FAMILY}")
    assert user.tests[-1].p_value == user.tests[0].p_value < 1e-5
    assert all(finding.audit == "sycophancy" for finding in result.findings)


def test_without_a_turn_nothing_is_shown() -> None:
    result = audit_biases(data(turned=0), ["sycophancy"], resamples=200)
    [user] = result.select(FindingKind.BIAS, subset="endorsement=user")
    assert user.tests == ()
    shift = user.measure("net_shift")
    assert isinstance(shift, Estimate)
    assert shift.value == 0
    assert shift.interval is not None
    assert shift.interval.low < 0 < shift.interval.high


def test_leaving_an_audit_out_changes_no_interval_of_another() -> None:
    one = audit_biases(data(), ["sycophancy"], resamples=200)
    more = audit_biases(data(), ["sycophancy", "tone"], resamples=200)
    [first] = one.select(FindingKind.BIAS, subset="endorsement=user")
    [second] = more.select(FindingKind.BIAS, subset="endorsement=user")
    assert first.measures == second.measures


def test_an_audit_without_its_data_says_so() -> None:
    result = audit_biases(data(), ["tone"], resamples=200)
    [lacking] = result.findings
    assert lacking.audit == "tone"
    assert not isinstance(lacking.measures[0].estimate, Estimate)


def test_a_hybrid_beside_its_two_readouts_stays_out_of_the_family() -> None:
    both = (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID)
    result = audit_biases(data(readouts=both), ["sycophancy"], resamples=200)
    adjusted = {f.readout: len(f.tests) for f in result.select(FindingKind.BIAS, subset="endorsement=user")}
    assert adjusted == {Readout.FIRST_TOKEN: 2, Readout.GENERATED: 2, Readout.HYBRID: 1}
    alone = audit_biases(data(readouts=(Readout.HYBRID,)), ["sycophancy"], resamples=200)
    assert [len(f.tests) for f in alone.select(FindingKind.BIAS, subset="endorsement=user")] == [2]


def made(p: float, n: int) -> Finding:
    test = TestResult(name="t", p_value=p, log10_p=float(np.log10(p)), n=n)
    return Finding(
        kind=FindingKind.BIAS,
        measures=(Measure(name="net_shift", estimate=Estimate(value=0, interval=None, n=n)),),
        tests=(test, TestResult(name="second", p_value=1e-9, log10_p=-9, n=n)),
    )


def test_the_family_is_of_primary_tests_that_can_reject() -> None:
    found = adjust_family([made(0.01, 50), made(0.04, 50), made(0.03, 5)], wide=data().wide)
    assert [len(finding.tests) for finding in found] == [3, 3, 2]
    assert [finding.tests[-1].p_value for finding in found[:2]] == pytest.approx([0.02, 0.04])


def test_an_audit_that_finds_nothing_leaves_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent:
        def analyse(self, *_: object) -> tuple[()]:
            return ()

    monkeypatch.setattr(bias_audit, "BIAS_AUDITS", {"tone": Silent()})
    [finding] = audit_biases(data(), ["tone"]).findings
    assert (finding.audit, finding.notes) == ("tone", ("The audit found nothing to look at in this run.",))


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigError, match="seed is -1"):
        audit_biases(data(), ["tone"], seed=-1)
    with pytest.raises(ConfigError, match="unknown bias audit 'colour'"):
        audit_biases(data(), ["colour"])
