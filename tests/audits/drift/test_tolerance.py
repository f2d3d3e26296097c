import pytest

from audits.tables import many, verdicts
from evenhand.audits.drift.bounds import Limits
from evenhand.audits.drift.comparison import ConditionPair, compare_tables
from evenhand.audits.drift.tolerance import (
    Tolerance,
    ToleranceDecision,
    decide_tolerances,
    parse_tolerance,
    tolerances_of,
)
from evenhand.errors import ConfigError
from evenhand.records import verdict_table


def decided(old: dict[str, str], new: dict[str, str], *tolerances: str) -> tuple[ToleranceDecision, ...]:
    comparison = compare_tables(
        verdict_table(verdicts(old)),
        verdict_table(verdicts(new)),
        pairs=list(old),
        conditions=[ConditionPair(old="c", new="c")],
        decisions=len(tolerances),
    )
    return decide_tolerances(comparison, tolerances_of(tolerances))


def test_only_a_change_for_the_worse_counts() -> None:
    steady, flipping = many(FS=60), {f"FS{i}": "FF" if i < 40 else "FS" for i in range(60)}
    assert decided(steady, flipping, "flip_rate=.1")[0].standing == "broken"
    assert decided(flipping, steady, "flip_rate=.1")[0].standing == "kept"
    # A first-slot rate has no good direction: either way it has moved.
    assert {decided(*runs, "first_slot_rate=.1")[0].standing for runs in ((steady, flipping), (flipping, steady))} == {
        "broken"
    }


def test_too_few_pairs_decide_nothing_and_are_told_how_many_would() -> None:
    steady = many(FS=12)
    (decision,) = decided(steady, {**steady, "FS0": "FF"}, "flip_rate=.2")
    assert decision.standing == "undecided"
    assert decision.pairs == 12
    assert decision.pairs_needed is not None
    assert decision.pairs_needed > 12


def test_calls_that_failed_keep_no_tolerance() -> None:
    steady = many(FS=12)
    (decision,) = decided(steady, dict.fromkeys(steady, "EE"), "flip_rate=1")
    assert decision.standing == "not measured"


def test_a_tolerance_without_anything_compared_is_not_measured() -> None:
    comparison = compare_tables(
        verdict_table(verdicts(many(FS=6))),
        verdict_table(verdicts(many(FS=6))),
        pairs=[],
        conditions=[ConditionPair(old="c", new="c")],
    )
    assert comparison.scopes == ()
    assert [each.standing for each in decide_tolerances(comparison, tolerances_of({"flip_rate": 1}))] == [
        "not measured"
    ]


def test_sides() -> None:
    assert parse_tolerance("flip_rate=.05").limits == Limits(high=0.05)
    assert parse_tolerance("compliance=.05").limits == Limits(low=-0.05)
    assert parse_tolerance("tie-rate=.05").limits == Limits(low=-0.05, high=0.05)
    assert parse_tolerance("flip_rate=.05").text == "flip rate up by at most 5 points"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("flip_rate", "expected MEASURE=CHANGE"),
        ("flip_rate=", "no share between 0 and 1"),
        ("flip_rate=5", "no share between 0 and 1"),
        ("flip_rate=-.1", "no share between 0 and 1"),
        ("flip_rate=nan", "no share between 0 and 1"),
        ("vibes=.1", "no measure 'vibes'"),
    ],
)
def test_what_can_not_be_read_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_tolerance(text)


def test_mappings_texts_and_tolerances_are_taken_and_doubles_refused() -> None:
    made = (Tolerance(measure="flip_rate", most=0.05),)
    assert tolerances_of({"flip-rate": 0.05}) == tolerances_of(["flip_rate=.05"]) == tolerances_of(made) == made
    with pytest.raises(ConfigError, match="compliance_pairs is given twice"):
        tolerances_of(["compliance=.1", "compliance_pairs=.2"])
