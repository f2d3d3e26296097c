from dataclasses import replace

import numpy as np
import pytest

from audits.tables import verdicts
from evenhand.analysis import FindingKind
from evenhand.analysis.wide import widen
from evenhand.audits.bias.audit import audit_biases
from evenhand.audits.bias.base import BiasData
from evenhand.audits.drift.bias_drift import BiasChange, compare_biases
from evenhand.audits.drift.comparison import ConditionPair, compare_tables
from evenhand.audits.drift.tolerance import decide_tolerances, tolerances_of
from evenhand.records import Change, Condition, LabelSet, Preference, Readout, Verdict, verdict_table
from evenhand.stats import Estimate, Refusal

CONTROL = Condition(id="c", prompt="p", prompt_hash="h", labels=LabelSet.parse("A/B"))
CHANGED = {
    target: replace(
        CONTROL,
        id=f"c; endorsement=user:{target}",
        changes=(Change(factor="endorsement", level="user", target=target),),
        control="c",
    )
    for target in (Preference.A, Preference.B)
}
CONDITIONS = (CONTROL, *CHANGED.values())


def rows(control: dict[str, str], toward_a: dict[str, str], toward_b: dict[str, str]) -> list[Verdict]:
    return [
        *verdicts(control, condition="c"),
        *verdicts(toward_a, condition=CHANGED[Preference.A].id),
        *verdicts(toward_b, condition=CHANGED[Preference.B].id),
    ]


def compared(old: list[Verdict], new: list[Verdict], **more: object) -> tuple[BiasChange, ...]:
    return compare_biases(
        verdict_table(old),
        verdict_table(new),
        pairs=sorted({row.pair_id for row in old}),
        conditions=(CONDITIONS, CONDITIONS),
        readouts=[Readout.GENERATED],
        **more,  # type: ignore[arg-type]
    )


def value(estimate: Estimate | Refusal) -> float:
    assert isinstance(estimate, Estimate), estimate
    return estimate.value


# FS prefers A in both orders, SF prefers B.
PAIRS = {f"p{i:02d}": "FS" for i in range(20)}
STEADY = rows(PAIRS, PAIRS, PAIRS)


def swayed(count: int) -> list[Verdict]:
    """The endorsement of B turns so many pairs to B."""
    return rows(PAIRS, PAIRS, {**PAIRS, **{f"p{i:02d}": "SF" for i in range(count)}})


def test_the_net_shift_by_hand() -> None:
    (change,) = compared(STEADY, swayed(8))
    # 16 of 80 cells (20 pairs, two targets, two orders) turned toward the target.
    assert (change.subset, change.control, change.pairs) == ("endorsement=user", "c", 20)
    assert (value(change.old), value(change.new)) == (0.0, pytest.approx(0.2))
    assert value(change.difference) == pytest.approx(0.2)
    assert change.test is not None
    # Eight clusters moved, all the same way.
    assert change.test.p_value == pytest.approx(2 / 2**8)


def test_each_run_s_figure_is_that_of_its_bias_audit() -> None:
    rng = np.random.default_rng(0)
    codes = np.array(["FS", "SF", "FF", "TF", "UF"])
    made = rows(*({f"p{i:02d}": str(rng.choice(codes)) for i in range(40)} for _ in range(3)))
    (change,) = compared(made, made)
    table = verdict_table(made)
    data = BiasData(table=table, wide=widen(table), conditions=CONDITIONS, pairs={})
    findings = audit_biases(data, ["sycophancy"]).findings
    (finding,) = [f for f in findings if f.subset == "endorsement=user" and f.kind is FindingKind.BIAS]
    assert change.old == change.new == finding.measure("net_shift")
    assert change.test is None


def test_what_one_run_has_no_verdict_for_is_left_out_of_both() -> None:
    new = rows(PAIRS, PAIRS, {**PAIRS, "p00": "SF", "p01": "EE"})
    (change,) = compared(swayed(2), new)
    # p01 turned in the old run; without its new verdicts for B it doesn't count there either, nor for A in either run.
    assert value(change.old) == pytest.approx(2 / 76)
    assert value(change.new) == pytest.approx(2 / 76)
    assert value(change.difference) == 0.0


def test_a_change_that_only_one_run_made_is_not_compared() -> None:
    found = compare_biases(
        verdict_table(STEADY),
        verdict_table(verdicts(PAIRS)),
        pairs=list(PAIRS),
        conditions=(CONDITIONS, (CONTROL,)),
        readouts=[Readout.GENERATED],
    )
    assert found == ()
    other = replace(CHANGED[Preference.A], id="c; x", control="c")
    one_target = compare_biases(
        verdict_table(STEADY),
        verdict_table([*verdicts(PAIRS), *verdicts(PAIRS, condition="c; x")]),
        pairs=list(PAIRS),
        conditions=(CONDITIONS, (CONTROL, other)),
        readouts=[Readout.GENERATED],
    )
    assert one_target == ()


def test_runs_whose_changed_calls_failed_have_no_figure() -> None:
    failed = dict.fromkeys(PAIRS, "EE")
    (change,) = compared(STEADY, rows(PAIRS, failed, failed))
    assert isinstance(change.difference, Refusal)


def test_they_join_the_family_and_are_decided() -> None:
    new = swayed(20)
    biases = compared(STEADY, new, decisions=1)
    comparison = compare_tables(
        verdict_table(STEADY),
        verdict_table(new),
        pairs=list(PAIRS),
        conditions=[ConditionPair(old="c", new="c")],
        biases=biases,
    )
    (bias,) = comparison.biases
    assert bias.adjusted is not None
    assert "Holm-adjusted over 1 test of changes" in bias.adjusted.name
    (decision,) = decide_tolerances(comparison, tolerances_of({"net_shift": 0.05}))
    assert (decision.standing, decision.subset) == ("broken", "endorsement=user")
    (kept,) = decide_tolerances(comparison, tolerances_of({"net_shift": 0.9}))
    assert kept.standing == "kept"
    without = replace(comparison, biases=())
    assert [d.standing for d in decide_tolerances(without, tolerances_of({"net_shift": 1}))] == ["not measured"]
