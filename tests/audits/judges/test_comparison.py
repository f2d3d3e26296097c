from audits.judges.judge_tables import judge
from audits.tables import many
from evenhand.audits.judges.comparison import compare_judge_tables, standings_of
from evenhand.audits.judges.measures import JUDGE_MEASURES

NAMES = list(many(FS=60))


def flipping(count: int) -> dict[str, str]:
    return {name: "FF" if i < count else "FS" for i, name in enumerate(NAMES)}


def test_every_two_judges_under_every_measure() -> None:
    made = compare_judge_tables([judge(name, flipping(5)) for name in "xyz"], resamples=200)
    assert [family.info.name for family in made.measures] == list(JUDGE_MEASURES)
    assert all(len(family.differences) == 3 for family in made.measures)
    assert made.difference("flip_rate", 0, 2).pairs == 60
    assert (made.in_all, made.resampled_by, len(made.agreements)) == (60, "question group", 3)


def test_a_standing_counts_only_what_is_shown() -> None:
    made = compare_judge_tables(
        [judge("x", flipping(2)), judge("y", flipping(4)), judge("z", flipping(40))], resamples=200
    )
    assert [(each.less, each.more, each.compared) for each in standings_of(made)] == [(1, 0, 2), (1, 0, 2), (0, 2, 2)]


def test_the_order_of_judges_changes_no_p_value() -> None:
    judges = [judge("x", flipping(2)), judge("y", flipping(14)), judge("z", flipping(40))]
    forth = compare_judge_tables(judges, resamples=200)
    back = compare_judge_tables(judges[::-1], resamples=200)
    one, two = forth.difference("flip_rate", 0, 1).adjusted, back.difference("flip_rate", 1, 2).adjusted
    assert one is not None
    assert two is not None
    assert one.p_value == two.p_value


def test_changed_pairs_are_named_and_shared_by_none() -> None:
    made = compare_judge_tables([judge("x", flipping(2)), judge("y", flipping(2), response="other")], resamples=200)
    assert made.in_all == 0
    assert len(made.changed) == 60
    assert not made.measure("flip_rate").known
