import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.drift_tables import table
from audits.tables import many, verdicts
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.audits.drift.comparison import Comparison, ConditionPair, MeasureChange, compare_tables
from evenhand.records import Readout, verdict_table
from evenhand.stats import Estimate, Refusal, cluster_difference, mcnemar

SAME = [ConditionPair(old="c", new="c")]


def compared(old: dict[str, str], new: dict[str, str], pairs: list[str] | None = None, **more: object) -> Comparison:
    return compare_tables(
        verdict_table(verdicts(old)),
        verdict_table(verdicts(new)),
        pairs=pairs or sorted(set(old) & set(new)),
        conditions=SAME,
        **more,  # type: ignore[arg-type]
    )


def change(comparison: Comparison, name: str) -> MeasureChange:
    found = comparison.scopes[0].measure(name)
    assert found is not None
    return found


def value(estimate: Estimate | Refusal) -> float:
    assert isinstance(estimate, Estimate), estimate
    return estimate.value


def test_flips_by_hand() -> None:
    old = many(FS=20, FF=4)
    new = {**old, **{f"FS{i}": "FF" for i in range(6)}, "FF0": "FS"}
    flips = change(compared(old, new), "flip_rate")
    assert (value(flips.old), value(flips.new)) == (pytest.approx(4 / 24), pytest.approx(9 / 24))
    assert value(flips.difference) == pytest.approx(5 / 24)
    assert flips.tests[1].p_value == pytest.approx(mcnemar(6, 1).p_value)
    # Every pair is a question of its own: over clusters it is McNemar's test.
    assert flips.tests[0].p_value == pytest.approx(mcnemar(6, 1).p_value)


def test_the_difference_is_that_of_the_statistics() -> None:
    rng = np.random.default_rng(0)
    groups = np.arange(60) // 3
    old, new = rng.random(60) < 0.2, rng.random(60) < 0.4
    prefers = rng.random(60) < 0.5
    made = compare_tables(
        table(old, prefers, groups),
        table(new, prefers, groups),
        pairs=[f"p{i:05d}" for i in range(60)],
        conditions=SAME,
    )
    expected = cluster_difference(new, None, old, None, groups, rng=rng)
    assert isinstance(expected, Estimate)
    found = change(made, "flip_rate").difference
    assert isinstance(found, Estimate)
    assert found.interval == expected.interval
    assert value(found) == pytest.approx(expected.value)


def test_only_what_both_runs_know_enters_and_the_rest_is_counted() -> None:
    old = many(FS=12, FF=3)
    new = {**old, "FS0": "UF", "FF0": "EE"}
    made = compared(old, new)
    flips = change(made, "flip_rate")
    assert (flips.pairs, flips.left_out) == (13, 2)
    assert value(flips.old) == pytest.approx(2 / 13)
    verdicts_change = change(made, "verdict_rate")
    assert value(verdicts_change.new) == pytest.approx(27 / 30)
    assert value(verdicts_change.difference) == pytest.approx(-3 / 30)
    assert any("new run has no verdict for 3 of 30 presentations" in note for note in made.scopes[0].notes)


def test_a_run_whose_calls_all_failed_has_no_figures() -> None:
    old = many(FS=20)
    made = compared(old, dict.fromkeys(old, "EE"))
    assert isinstance(change(made, "flip_rate").difference, Refusal)
    assert value(change(made, "verdict_rate").difference) == -1.0
    assert isinstance(made.scopes[0].agreement.agreement, Refusal)


def test_nothing_changed_gives_an_interval_with_width_and_no_test() -> None:
    old = many(FS=20, FF=2)
    flips = change(compared(old, old), "flip_rate")
    assert isinstance(flips.difference, Estimate)
    assert flips.difference.interval is not None
    assert flips.difference.interval.low < 0 < flips.difference.interval.high
    assert (flips.tests, flips.adjusted) == ((), None)


def test_pairs_that_are_not_named_are_left_out() -> None:
    old = many(FS=20, FF=2)
    assert compared(old, old, pairs=[f"FS{i}" for i in range(8)]).scopes[0].pairs == 8


def test_a_directed_share_is_doubled_back() -> None:
    old, new = many(FF=2, SS=8, FS=10), {**many(FF=2, FS=10), **{f"SS{i}": "FF" for i in range(8)}}
    strength = change(compared(old, new), "position_bias_strength")
    assert (value(strength.old), value(strength.new)) == (pytest.approx(-6 / 20), pytest.approx(10 / 20))
    assert value(strength.difference) == pytest.approx(16 / 20)
    assert isinstance(strength.difference, Estimate)
    assert strength.difference.interval is not None
    assert strength.difference.interval.high > 0.8
    assert len(strength.tests) == 1


def test_one_order_alone_refuses_what_needs_both() -> None:
    old = many(FS=20)
    made = compared(old, old, orders="AB")
    flips = change(made, "flip_rate").difference
    assert isinstance(flips, Refusal)
    assert "both orders" in flips.reason
    assert value(change(made, "first_slot_rate").old) == 1.0


def test_more_decisions_need_a_wider_interval() -> None:
    old = many(FS=20, FF=4)
    new = {**old, "FS0": "FF"}
    one, three = (change(compared(old, new, decisions=k), "flip_rate") for k in (1, 3))
    assert one.surer == one.difference == three.difference
    assert isinstance(three.surer, Estimate)
    assert three.surer.interval is not None
    assert isinstance(one.difference, Estimate)
    assert one.difference.interval is not None
    assert three.surer.interval.level == pytest.approx(1 - 0.05 / 3)
    assert three.surer.interval.low < one.difference.interval.low


def test_tests_are_adjusted_over_all_of_them() -> None:
    old = many(FS=20, FF=4)
    new = {**old, **{f"FS{i}": "FF" for i in range(6)}}
    made = compared(old, new)
    tests = [c for c in made.scopes[0].measures if c.tests]
    assert len(tests) > 2
    for each in tests:
        assert each.adjusted is not None
        assert f"Holm-adjusted over {len(tests)} changes between the runs" in each.adjusted.name
        assert each.tests[0].p_value <= each.adjusted.p_value <= 1


def test_at_most_so_many_changed_verdicts_are_listed_and_all_are_counted() -> None:
    old = many(FS=20)
    made = compared(old, dict.fromkeys(old, "SF"), most_changed=3)
    assert (len(made.scopes[0].changed), made.scopes[0].changes) == (3, 40)


def test_conditions_of_other_names_are_compared_where_told() -> None:
    old = many(FS=10)
    made = compare_tables(
        verdict_table(verdicts(old, condition="A/B")),
        verdict_table(verdicts(old, condition="X/Y")),
        pairs=list(old),
        conditions=[ConditionPair(old="A/B", new="X/Y")],
    )
    assert made.scopes[0].conditions.name == "A/B | X/Y"
    assert made.scopes[0].readout is Readout.GENERATED


CODES = st.sampled_from(["FS", "SF", "FF", "SS", "TF", "UF", "EE"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(CODES, CODES), min_size=8, max_size=25))
def test_exchanging_the_runs_turns_every_difference_round(codes: list[tuple[str, str]]) -> None:
    old, new = ({f"p{i}": pair[k] for i, pair in enumerate(codes)} for k in (0, 1))
    forth, back = compared(old, new), compared(new, old)
    for one, other in zip(forth.scopes[0].measures, back.scopes[0].measures, strict=True):
        if isinstance(one.difference, Refusal):
            assert isinstance(other.difference, Refusal)
            continue
        assert value(one.difference) == pytest.approx(-value(other.difference), abs=1e-12)
        assert isinstance(one.old, Estimate)
        assert one.old.value == value(other.new)
        assert [t.p_value for t in one.tests] == pytest.approx([t.p_value for t in other.tests])


def test_pairs_shown_in_one_order_each_are_compared_in_that_order() -> None:
    old = {**many(**{"F.": 10}), **{f"b{i}": ".S" for i in range(10)}}
    new = {name: codes.replace("S", "F") for name, codes in old.items()}
    made = compared(old, new, orders="single")
    assert value(change(made, "first_slot_rate").old) == 0.5
    assert value(change(made, "first_slot_rate").new) == 1.0
    assert change(made, "first_slot_rate").pairs == 20
    assert isinstance(change(made, "flip_rate").difference, Refusal)


def test_slots_are_not_compared_where_each_response_was_judged_by_itself() -> None:
    old, new = ({f"p{i}": codes if i % 2 else "F." for i in range(12)} for codes in ("F.", "S."))
    made = compared(old, new, orders="none")
    slots = change(made, "first_slot_rate")
    assert slots.old == slots.new == slots.difference == slots.surer == Refusal(reason=NO_SLOTS)
    assert slots.tests == ()
    assert change(made, "flip_rate").difference == Refusal(reason=NO_SLOTS), "no order was left out: there was none"
    assert isinstance(change(made, "verdict_rate").difference, Estimate)
    assert isinstance(change(compared(old, new, orders="single"), "first_slot_rate").difference, Estimate)
