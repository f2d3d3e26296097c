from dataclasses import replace

import pytest

from audits.judges.judge_tables import judge
from audits.tables import many
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.audits.judges.differences import FEWEST_SHARED, MeasureDifferences, differences_of, shown_among_all
from evenhand.audits.judges.lined_up import JudgeTable, line_up
from evenhand.audits.judges.measures import JUDGE_MEASURES
from evenhand.stats import Estimate, Refusal, holm, mcnemar

STEADY = many(FS=40)
NAMES = list(STEADY)


def flipping(count: int) -> dict[str, str]:
    return {name: "FF" if i < count else "FS" for i, name in enumerate(NAMES)}


def found(*judges: JudgeTable, by: str = "group") -> dict[str, MeasureDifferences]:
    lined = line_up(judges)
    clusters = lined.facts.group if by == "group" else lined.facts.source
    sampler = Sampler(clusters=clusters, seed=0, resamples=200, level=0.95)
    return {each.info.name: each for each in differences_of(lined, sampler)}


def test_a_difference_is_paired_and_its_test_is_mcnemars_where_every_pair_is_a_cluster() -> None:
    [only] = found(judge("x", STEADY), judge("y", flipping(12)))["flip_rate"].differences
    assert isinstance(only.estimate, Estimate)
    assert only.estimate.value == pytest.approx(-12 / 40)
    assert only.estimate.interval is not None
    assert only.estimate.interval.high < 0
    assert only.mcnemar is not None
    assert only.test is not None
    assert only.mcnemar.p_value == mcnemar(0, 12).p_value == pytest.approx(only.test.p_value)
    assert only.shown


def test_p_values_are_adjusted_over_every_two_judges_under_a_measure() -> None:
    judges = [judge(name, flipping(count)) for name, count in (("x", 0), ("y", 5), ("z", 9), ("w", 14))]
    family = found(*judges)["flip_rate"]
    assert [(each.first, each.second) for each in family.differences] == [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
        (2, 3),
    ]
    raw = [each.test.p_value for each in family.differences if each.test is not None]
    adjusted = [each.adjusted.p_value for each in family.differences if each.adjusted is not None]
    assert adjusted == pytest.approx(list(holm(raw).p_values))
    assert family.differences[0].adjusted is not None
    assert "Holm-adjusted over 6 pairs of judges" in family.differences[0].adjusted.name
    # Alone the first two differ (p = .0625 for 5 of 5 no; 9 of 9 yes): after Holm those far apart do.
    assert {(each.first, each.second) for each in family.shown} == {
        pair for pair, p in zip([(e.first, e.second) for e in family.differences], adjusted, strict=True) if p < 0.05
    }


def test_where_nothing_differs_there_is_an_interval_with_width_and_no_test() -> None:
    [only] = found(judge("x", STEADY), judge("y", STEADY))["flip_rate"].differences
    assert isinstance(only.estimate, Estimate)
    assert only.estimate.interval is not None
    assert only.estimate.interval.low < 0 < only.estimate.interval.high
    assert (only.test, only.adjusted, only.mcnemar, only.shown) == (None, None, None, False)


def test_too_few_shared_pairs_are_refused_without_a_test() -> None:
    few = dict.fromkeys(NAMES[: FEWEST_SHARED - 1], "FF")
    [only] = found(judge("x", STEADY), judge("y", few))["flip_rate"].differences
    assert only.estimate == Refusal(reason="needs at least 10 pairs that both judges have a figure for, has 9", n=9)
    assert (only.test, only.pairs) == (None, 9)


def test_pairs_of_one_question_are_not_taken_for_independent() -> None:
    group = {name: f"g{i // 8}" for i, name in enumerate(NAMES)}
    alone = found(judge("x", STEADY), judge("y", flipping(16)))["flip_rate"].differences[0]
    grouped = found(judge("x", STEADY, group=group), judge("y", flipping(16), group=group))["flip_rate"].differences[0]
    assert alone.test is not None
    assert grouped.test is not None
    assert grouped.test.p_value == 0.5  # two whole questions differ: 2 of 4 assignments of signs are as far out
    assert alone.test.p_value < 1e-4
    assert not grouped.shown


def test_a_judge_of_one_order_is_compared_only_by_what_needs_one() -> None:
    made = found(judge("x", STEADY), judge("ab", STEADY, orders="AB"))
    [flips] = made["flip_rate"].differences
    assert isinstance(flips.estimate, Refusal)
    assert "ab has one order alone" in flips.estimate.reason
    [verdicts] = made["verdict_rate"].differences
    assert isinstance(verdicts.estimate, Estimate)


def test_a_tie_or_a_missing_verdict_is_no_flip_of_either() -> None:
    mixed = {name: "TS" if i < 15 else "RS" if i < 20 else "FS" for i, name in enumerate(NAMES)}
    [only] = found(judge("x", flipping(40)), judge("y", mixed))["flip_rate"].differences
    assert only.pairs == 20
    assert isinstance(only.estimate, Estimate)
    assert only.estimate.value == 1.0


def test_flips_beyond_the_own_noise_are_exact_with_several_repeats() -> None:
    repeats = {name: "S." if i % 2 else "F." for i, name in enumerate(NAMES)}
    noisy = judge("noisy", flipping(20), repeats=repeats)
    steady = judge("steady", flipping(20), repeats=dict.fromkeys(NAMES, "F."))
    made = found(noisy, steady)
    [beyond] = made["swap_minus_repeat"].differences
    assert isinstance(beyond.estimate, Estimate)
    assert beyond.estimate.value == pytest.approx(-0.5)
    assert beyond.test is not None
    assert "exact" in beyond.test.name
    [same] = made["flip_rate"].differences
    assert isinstance(same.estimate, Estimate)
    assert same.estimate.value == 0.0


def test_exchanging_the_judges_turns_every_sign() -> None:
    gold = {name: "A" if i % 3 else "B" for i, name in enumerate(NAMES)}
    one = judge("x", flipping(7), gold=gold)
    two = judge("y", {name: "SS" if i % 4 == 0 else "SF" for i, name in enumerate(NAMES)}, gold=gold)
    forth, back = found(one, two), found(two, one)
    known = 0
    for name in JUDGE_MEASURES:
        first, second = forth[name].differences[0].estimate, back[name].differences[0].estimate
        if isinstance(first, Estimate) and isinstance(second, Estimate):
            known += 1
            assert first.value == pytest.approx(-second.value), name
    assert known >= 7


def test_a_measure_is_shown_among_all_by_holm_over_the_least_p_of_each():
    lost = {name: "RS" if i < 7 else code for i, (name, code) in enumerate(STEADY.items())}
    families = found(judge("x", STEADY), judge("y", lost))
    verdicts, slots, ties = (families[name] for name in ("verdict_rate", "first_slot_rate", "inconsistency_rate"))
    [only] = verdicts.shown
    assert only.adjusted is not None
    assert only.adjusted.p_value == 2 * 0.5**7
    assert not slots.shown
    assert not ties.shown
    assert shown_among_all([verdicts, slots, ties]) == (verdicts,), "3 * .0156 is below .05"
    assert shown_among_all([verdicts, slots, ties, ties]) == (), "4 * .0156 is not"
    nothing = families["accuracy_ab"]
    assert not nothing.known
    assert shown_among_all([verdicts, slots, ties, nothing]) == (verdicts,), "what has no figure isn't looked at"


@pytest.mark.parametrize("name", ["first_slot_rate", "accuracy_ab"])
def test_a_judge_that_saw_each_response_by_itself_is_not_compared_by_slots(name: str) -> None:
    gold = dict.fromkeys(NAMES, "A")
    alone = judge("alone", dict.fromkeys(NAMES, "F."), orders="none", gold=gold)
    other = judge("other", dict.fromkeys(NAMES, "F."), orders="single", gold=gold)
    [refused] = found(alone, other)[name].differences
    assert refused.estimate == Refusal(reason=f"alone: {NO_SLOTS}")
    [flips] = found(alone, other)["flip_rate"].differences
    assert flips.estimate == refused.estimate, "no order was left out: there was none"
    [made] = found(replace(alone, orders="single"), other)[name].differences
    assert isinstance(made.estimate, Estimate)
