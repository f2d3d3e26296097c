"""What is claimed of judge and humans: only what a whole interval decides."""

from dataclasses import replace

import pytest

from evenhand.records import Readout
from evenhand.report.humans_found import HumansFound, humans_found, main_scope, on_report, spoken_of
from evenhand.stats import Refusal
from report.humans_examples import AS_GOOD, BELOW, FEW, OPEN, beside, estimate, scope, split


def texts(found: HumansFound, name: str) -> list[str]:
    return [claim.text for claim in getattr(found, name)]


def test_a_judge_below_people_is_a_doubt_and_a_step() -> None:
    found = humans_found(beside(scope(gap=BELOW)))
    assert found.below
    assert texts(found, "trust") == []
    assert texts(found, "doubt") == [
        "Read from what the judge wrote, the judge agrees with people less than one more person does: judge − person "
        "is −20.0 pp [−30.0, −10.0]."
    ]
    assert "evenhand mitigate" in texts(found, "steps")[0]
    assert found.doubt[0].rests_on == ("table-agreement",)


def test_a_judge_that_keeps_up_can_be_trusted() -> None:
    found = humans_found(beside(scope(gap=AS_GOOD)))
    assert not found.below
    assert texts(found, "trust") == [
        "Read from what the judge wrote, the judge agrees with people as one more person does, or less than 5 points "
        "below: judge − person is +1.0 pp [−4.0, +6.0]."
    ]
    assert (texts(found, "doubt"), texts(found, "steps")) == ([], [])


def test_less_than_five_points_below_is_no_doubt_even_where_it_is_shown() -> None:
    found = humans_found(beside(scope(gap=estimate(-0.02, -0.03, -0.01))))
    assert len(found.trust) == 1
    assert not found.below


@pytest.mark.parametrize(
    ("gap", "said", "step"),
    [
        (OPEN, "stays open: judge − person is −5.0 pp [−20.0, +10.0]", "Label more pairs"),
        (None, "no person can be held beside it: needs at least 2 annotators", "Let a second person label"),
    ],
)
def test_what_is_not_decided_is_no_claim(gap: object, said: str, step: str) -> None:
    found = humans_found(beside(scope() if gap is None else scope(gap=gap)))  # type: ignore[arg-type]
    assert (found.trust, found.doubt) == ((), ())
    assert said in texts(found, "more")[0]
    assert texts(found, "steps")[0].startswith(step)


def test_several_people_with_too_few_common_pairs_are_not_told_to_find_a_second() -> None:
    alone = scope()
    few = replace(alone.people, agreement=replace(alone.people.agreement, annotators=3), several=5)
    found = humans_found(beside(replace(alone, people=few)))
    assert texts(found, "steps")[0].startswith(
        "Let people label more of the same pairs (evenhand serve RUN with a larger"
    )


def test_too_few_labels_give_the_reason_and_no_number() -> None:
    found = humans_found(beside(scope(rate=FEW)))
    assert texts(found, "more") == [
        "The judge can't be held beside people yet: agreement needs at least 10 pairs rated by both, has 4."
    ]
    assert texts(found, "steps") == [
        "Finish the run, or label more of the pairs that have a verdict, of other questions too."
    ]
    own = scope(rate=FEW)
    few = humans_found(beside(replace(own, people=replace(own.people, raw=FEW, labelled=9, several=0))))
    assert texts(few, "steps")[0].startswith("Let a second person label")


def test_what_looks_so_in_some_of_many_conditions_is_adjusted() -> None:
    barely = estimate(-0.2, -0.39, -0.01)
    one = [scope(condition=f"c{i}", gap=barely if i == 0 else OPEN) for i in range(9)]
    assert not humans_found(beside(*one)).below
    assert humans_found(beside(one[0])).below
    clear = [scope(condition=f"c{i}", gap=BELOW if i == 0 else OPEN) for i in range(9)]
    assert "in 1 of 9 conditions" in texts(humans_found(beside(*clear)), "doubt")[0]
    assert humans_found(beside(*(scope(condition=f"c{i}", gap=AS_GOOD if i else OPEN) for i in range(9)))).trust == ()
    every = [scope(condition=f"c{i}", gap=estimate(-0.2 - i / 100, -0.3, -0.1)) for i in range(9)]
    found = humans_found(beside(*every), names={"c8": "the last"})
    assert "(lowest: the last)" in texts(found, "doubt")[0]


def test_a_condition_that_falls_behind_is_told_beside_one_that_keeps_up() -> None:
    """Of two conditions one was 20 points below, and nothing but the other's praise was said."""
    made = beside(scope(condition="bad", gap=BELOW), scope(condition="good", gap=estimate(0.01, -0.01, 0.03)))
    found = humans_found(made)
    assert found.below
    assert "in 1 of 2 conditions: judge − person is +1.0 pp [−1.0, +3.0] (good)." in texts(found, "trust")[0]
    assert "less than one more person does in 1 of 2 conditions" in texts(found, "doubt")[0]
    assert texts(found, "doubt")[0].endswith("judge − person is −20.0 pp [−30.0, −10.0] (bad).")
    assert "evenhand mitigate" in texts(found, "steps")[0]


def test_a_figure_of_one_of_several_scopes_names_it() -> None:
    own = [scope(condition=name, gap=OPEN, by_flip=split(-0.1, 0.1)) for name in ("c1", "c2")]
    said = texts(humans_found(beside(*own), names={"c1": "first"}), "more")
    assert said[0].endswith("judge − person is −5.0 pp [−20.0, +10.0] (first).")
    assert said[1].endswith("(first).")
    both = beside(scope(readout=Readout.FIRST_TOKEN, gap=OPEN), scope(gap=OPEN))
    assert texts(humans_found(both), "more")[0].endswith("(generated).")
    assert texts(humans_found(beside(own[0])), "more")[0].endswith("+10.0].")


def test_without_a_gap_only_what_is_missing_is_asked_for() -> None:
    """Judge and person had too few pairs in common, while it was known how far people agree."""
    few = Refusal(reason="needs at least 10 pairs with a verdict and two annotators or more, has 6", n=6)
    known = scope(gap=OPEN)
    own = replace(known, judge=replace(known.judge, gap=few))
    found = humans_found(beside(own))
    assert texts(found, "more") == [
        "The judge prefers what people prefer on 70.0 % [60.0, 80.0] of the labelled pairs with a verdict; no person "
        f"can be held beside it: {few.reason}."
    ]
    assert texts(found, "steps") == [
        "Label more pairs, each by two people or more (evenhand serve RUN): judge and person can't be held beside each "
        "other yet."
    ]


def test_a_readout_speaks_for_itself_unless_all_say_the_same() -> None:
    first = scope(readout=Readout.FIRST_TOKEN, gap=AS_GOOD)
    found = humans_found(beside(first, scope(gap=BELOW), scope(readout=Readout.HYBRID, gap=BELOW)))
    assert texts(found, "trust")[0].startswith("Read from the first token")
    assert texts(found, "doubt")[0].startswith("Read from what the judge wrote")
    alike = humans_found(beside(scope(readout=Readout.FIRST_TOKEN, gap=BELOW), scope(gap=BELOW)))
    assert len(alike.doubt) == 1
    assert alike.doubt[0].text.startswith("However it is read")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"after_results": 20}, "20 of 150 human labels were given after a look at results"),
        ({"informative": 20}, "20 of 150 human labels are of pairs picked since judges flip or disagree there"),
    ],
)
def test_labels_that_are_not_blind_or_no_sample_let_nothing_be_trusted(source: dict[str, int], said: str) -> None:
    found = humans_found(beside(scope(gap=AS_GOOD), **source))
    assert found.trust == ()
    assert texts(found, "doubt")[0].startswith(said)
    assert "as one more person does" in texts(found, "more")[0]
    assert len(humans_found(beside(scope(gap=AS_GOOD), **dict.fromkeys(source, 5))).trust) == 1


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.4, -0.1, "A flip marks pairs that people find hard too: two people agree on 60.0 %"),
        (0.1, 0.4, "A flip does not mark the pairs that people find hard"),
        (-0.1, 0.1, "Whether a flip marks pairs that people find hard stays open"),
    ],
)
def test_flips_are_said_by_the_interval_of_the_difference(low: float, high: float, said: str) -> None:
    found = humans_found(beside(scope(gap=BELOW, by_flip=split(low, high))))
    assert texts(found, "more")[0].startswith(said)
    assert found.more[0].rests_on == ("table-by-flip",)


def test_what_the_judge_wrote_speaks_first_and_the_hybrid_readout_not_at_all() -> None:
    made = beside(*(scope(readout=each) for each in (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID)))
    assert main_scope(made).readout is Readout.GENERATED
    assert [each.readout for each in spoken_of(made)] == [Readout.FIRST_TOKEN, Readout.GENERATED]
    assert [each.readout for each in spoken_of(beside(scope(readout=Readout.LOGGED)))] == [Readout.LOGGED]
    known = scope(readout=Readout.FIRST_TOKEN, gap=BELOW)
    assert main_scope(beside(scope(rate=FEW), known)) is known
    assert humans_found(beside()) == HumansFound()
    with pytest.raises(ValueError, match="no condition"):
        main_scope(beside())


def test_on_a_report_sentences_rest_on_its_own_section() -> None:
    found = on_report(humans_found(beside(scope(gap=BELOW, by_flip=split(-0.4, -0.1)))))
    assert found.doubt[0].rests_on == ("table-judge-and-humans-agreement", "judge-and-humans")
    assert found.more[0].rests_on == ("table-judge-and-humans-by-flip", "judge-and-humans")


def test_condition_names_are_shown_not_obeyed() -> None:
    made = beside(*(scope(condition=f"{i}\u202e\x1b[31m", gap=BELOW) for i in range(2)))
    text = humans_found(made).doubt[0].text
    assert "\x1b" not in text
    assert "\u202e" not in text
