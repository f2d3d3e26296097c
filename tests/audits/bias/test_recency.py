"""The order of turns, and nothing else."""

import pytest

from audits.bias.changed import bias_data, sampler
from audits.tables import reason, value
from evenhand.analysis import Finding
from evenhand.audits.bias.base import BiasAudit, BiasData
from evenhand.audits.bias.recency import SUBSET, RecencyAudit
from evenhand.perturbations.registry import perturbations

AUDIT = RecencyAudit()
LATE_A, LATE_B = "recency=late:A", "recency=late:B"


def ten(codes: str) -> dict[str, str]:
    return {f"p{i}": codes for i in range(10)}


GOLD = {f"p{i}": "A" for i in range(10)}


def analysed(data: BiasData) -> Finding:
    [found] = AUDIT.analyse(data, sampler(data))
    return found


def test_plan() -> None:
    assert isinstance(AUDIT, BiasAudit)
    assert [c.name for (c,) in AUDIT.plan(frozenset({("recency", "mine")}))] == [LATE_A, LATE_B]
    assert "late" in {level.name for level in perturbations()["recency"].levels}


def test_the_last_turn_decides() -> None:
    """A is preferred when A's better answer is late, B when B's is; nine of ten control verdicts in AB are right."""
    found = analysed(bias_data({**ten("FS"), "p0": "SS"}, {LATE_A: ten("FS"), LATE_B: ten("SF")}, gold=GOLD))
    assert found.subset == SUBSET
    assert value(found, "late_rate") == 1
    assert value(found, "net_shift") == 1
    assert value(found, "control_accuracy") == pytest.approx(19 / 20)
    assert (found.pairs, found.presentations) == (10, 40)
    assert found.tests[0].p_value == pytest.approx(2 / 2**10)
    assert dict(found.table)["late side both times"] == 20


@pytest.mark.parametrize(("right", "said"), [(10, False), (5, True)])
def test_a_control_that_is_hardly_right_is_said(right: int, said: bool) -> None:
    """Of such a judge a small net shift rules nothing out."""
    pairs = {f"p{i:02d}": "FS" for i in range(20)}
    control = {pair: "FS" if i < 2 * right else "SF" for i, pair in enumerate(pairs)}
    found = analysed(bias_data(control, {LATE_A: pairs, LATE_B: pairs}, gold=dict.fromkeys(pairs, "A")))
    assert any(note.startswith("The control's accuracy isn't shown to be above 60 %") for note in found.notes) is said


def test_one_side_preferred_throughout_is_no_recency() -> None:
    """One pair outweighs its partner: the same response wins whichever turn is late."""
    found = analysed(bias_data(ten("FS"), {LATE_A: ten("FS"), LATE_B: ten("FS")}))
    assert value(found, "late_rate") == 0.5
    assert found.tests == ()
    assert "needs a control verdict" in reason(found, "control_accuracy")


def test_a_lean_to_a_slot_is_no_recency() -> None:
    found = analysed(bias_data(ten("FF"), {LATE_A: ten("FF"), LATE_B: ten("FF")}))
    assert value(found, "late_rate") == 0.5


def test_one_missing_verdict_takes_its_counterpart_out() -> None:
    """Else the worth of the two sides, which cancels between the two orders of turns, would not."""
    late_b = {f"p{i}": "RS" if i < 4 else "FS" for i in range(10)}
    found = analysed(bias_data(ten("FS"), {LATE_A: ten("FS"), LATE_B: late_b}))
    assert value(found, "late_rate") == 0.5
    assert found.measure("late_rate").n == 2 * 16
    assert any("4 of 20 changed presentations" in note for note in found.notes)


def test_ties_are_in_the_net_shift_and_not_in_the_share() -> None:
    found = analysed(bias_data(ten("FS"), {LATE_A: ten("FS"), LATE_B: {**ten("SF"), "p0": "TT", "p1": "TT"}}))
    assert value(found, "net_shift") == 1
    assert found.measure("late_rate").n == 2 * 16
    assert any("Not in the share for the late side: 4 of 20" in note for note in found.notes)


def test_exchanging_the_names_changes_nothing() -> None:
    a = {f"p{i}": code for i, code in enumerate(("FS", "SF", "FF", "SS", "TT", "FS", "FT", "RS", "FS", "FS"))}
    b = {f"p{i}": code for i, code in enumerate(("SF", "SF", "SF", "FS", "FS", "FF", "SF", "FS", "SF", "SF"))}

    def other(pairs: dict[str, str]) -> dict[str, str]:
        return {pair: codes[::-1] for pair, codes in pairs.items()}

    gold = dict.fromkeys(GOLD, "B")
    first = analysed(bias_data(ten("FS"), {LATE_A: a, LATE_B: b}, gold=GOLD))
    second = analysed(bias_data(other(ten("FS")), {LATE_A: other(b), LATE_B: other(a)}, gold=gold))
    for name in ("late_rate", "net_shift", "control_accuracy"):
        assert first.measure(name).value == pytest.approx(second.measure(name).value)
    assert first.tests[0].p_value == second.tests[0].p_value


@pytest.mark.parametrize("changed", [{LATE_A: ten("FS")}, {"tone=hedged:A": ten("FS")}])
def test_without_both_orders_of_turns_it_is_refused(changed: dict[str, dict[str, str]]) -> None:
    found = analysed(bias_data(ten("FS"), changed))
    assert "recency=late:A and recency=late:B" in reason(found, "net_shift")
