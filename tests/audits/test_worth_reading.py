from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.audits import worth_reading
from evenhand.audits.worth_reading import ReadingRule, choose_pairs
from evenhand.records import Order, Outcome, Preference, Readout, Verdict, verdict_table


def rows(pair, ab, ba, *, readout=Readout.GENERATED, odds=(None, None), leads=(None, None), gold=None, condition="A/B"):
    return [
        Verdict(
            pair_id=pair,
            group=pair,
            source="",
            gold=gold,
            condition=condition,
            readout=readout,
            order=order,
            repeat=0,
            outcome=outcome,
            compliant=None if lead is None else True,
            lead=lead,
            log_odds=odd,
        )
        for order, outcome, odd, lead in zip(Order, (ab, ba), odds, leads, strict=True)
        if outcome is not None
    ]


def chosen(*groups, seed=0, **more):
    table = verdict_table([row for group in groups for row in group])
    return choose_pairs(table, rng=np.random.default_rng(seed), **more)


FIRST, SECOND, TIE = Outcome.FIRST, Outcome.SECOND, Outcome.TIE


@pytest.mark.parametrize(
    ("group", "rule"),
    [
        (rows("p", FIRST, FIRST), ReadingRule.FIRST_TWICE),
        (rows("p", SECOND, SECOND), ReadingRule.SECOND_TWICE),
        (rows("p", FIRST, SECOND, leads=(SECOND, None)), ReadingRule.TURNED),
        (rows("p", FIRST, SECOND, leads=(FIRST, FIRST)), ReadingRule.TURNED),
        (rows("p", Outcome.TRUNCATED, SECOND), ReadingRule.STATE),
        (rows("p", Outcome.ERROR, None), ReadingRule.STATE),
        (rows("p", TIE, SECOND), ReadingRule.ONE_TIE),
        (rows("p", FIRST, SECOND, gold=Preference.B), ReadingRule.AGAINST_GOLD),
    ],
)
def test_each_rule_takes_its_pair(group, rule):
    [found] = chosen(group)
    assert (found.pair_id, found.rule) == ("p", rule)


@pytest.mark.parametrize(
    "group",
    [
        rows("p", FIRST, SECOND),
        rows("p", FIRST, SECOND, gold=Preference.A),
        rows("p", FIRST, SECOND, gold=Preference.TIE),
        rows("p", FIRST, SECOND, leads=(FIRST, SECOND)),
        rows("p", FIRST, SECOND, leads=(TIE, None)),
        rows("p", TIE, TIE),
        rows("p", FIRST, None),
        rows("p", FIRST, FIRST, readout=Readout.HYBRID),
        rows("p", FIRST, SECOND, readout=Readout.FIRST_TOKEN, leads=(SECOND, None)),
    ],
)
def test_an_even_pair_is_not_worth_reading(group):
    assert chosen(group) == ()


def test_the_most_decisive_pairs_go_first_by_the_less_sure_of_their_orders():
    found = chosen(
        rows("shy", FIRST, FIRST, readout=Readout.FIRST_TOKEN, odds=(9.0, 0.1)),
        rows("sure", FIRST, FIRST, readout=Readout.FIRST_TOKEN, odds=(2.0, 3.0)),
        rows("surest", FIRST, FIRST, readout=Readout.FIRST_TOKEN, odds=(4.0, 4.0)),
    )
    assert [pair.pair_id for pair in found] == ["surest", "sure"]
    assert found[0].verdicts[0].log_odds_ab == 4.0


def test_every_condition_and_readout_has_its_turn():
    groups = [
        rows(f"{condition}{readout.value}{i}", FIRST, FIRST, readout=readout, condition=condition, odds=(i, i))
        for condition in ("A/B", "X/Y")
        for readout in (Readout.FIRST_TOKEN, Readout.GENERATED)
        for i in range(1, 9)
    ]
    found = chosen(*groups, most=4)
    assert {(pair.condition, pair.readout) for pair in found} == {
        (condition, readout) for condition in ("A/B", "X/Y") for readout in (Readout.FIRST_TOKEN, Readout.GENERATED)
    }


def test_a_pair_stands_once_with_what_every_readout_read():
    found = chosen(
        rows("p", FIRST, FIRST, readout=Readout.FIRST_TOKEN, odds=(1.0, 1.0)),
        rows("p", SECOND, TIE, readout=Readout.GENERATED),
        rows("p", FIRST, FIRST, readout=Readout.HYBRID),
    )
    [pair] = found
    assert [(v.readout, v.ab, v.ba) for v in pair.verdicts] == [
        (Readout.FIRST_TOKEN, FIRST, FIRST),
        (Readout.GENERATED, SECOND, TIE),
    ]


def test_different_states_come_before_two_of_one():
    groups = [rows(f"cut{i}", Outcome.TRUNCATED, SECOND) for i in range(9)] + [rows("no", SECOND, Outcome.REFUSED)]
    found = chosen(*groups)
    assert Counter(pair.pair_id[:2] for pair in found) == {"cu": 1, "no": 1}


def test_conditions_that_were_not_asked_for_choose_none():
    groups = (rows("p", FIRST, FIRST, condition="A/B; padded"), rows("q", FIRST, FIRST))
    assert [pair.pair_id for pair in chosen(*groups, conditions=["A/B"])] == ["q"]
    assert chosen(*groups, conditions=[]) == ()


def test_repeats_choose_none():
    table = verdict_table(rows("p", FIRST, FIRST)).with_columns(repeat=pl.lit(1, dtype=pl.Int64))
    assert choose_pairs(table, rng=np.random.default_rng(0)) == ()


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum([*(f"p{i}" for i in range(40)), "A/B", "generated"])])
def test_strings_may_be_categories(kind):
    table = verdict_table([row for i in range(40) for row in rows(f"p{i}", FIRST, FIRST)])
    named = table.with_columns(pl.col("pair_id", "condition", "readout").cast(kind))
    plain = choose_pairs(table, rng=np.random.default_rng(3))
    assert choose_pairs(named, rng=np.random.default_rng(3)) == plain


def test_of_many_rows_a_part_is_looked_at_whole_pairs_each(monkeypatch):
    monkeypatch.setattr(worth_reading, "_MOST_ROWS", 100)
    looked = []
    real = worth_reading._both_orders

    def both_orders(table, conditions, rng):
        looked.append(table)
        return real(table, conditions, rng)

    monkeypatch.setattr(worth_reading, "_both_orders", both_orders)
    found = chosen(*(rows(f"p{i}", FIRST, FIRST) for i in range(1000)))
    assert len(found) == 2
    [table] = looked
    assert 20 <= table.height <= 120
    assert set(table.group_by("pair_id").len()["len"]) == {2}


@settings(max_examples=40, deadline=None)
@given(
    outcomes=st.lists(st.tuples(st.sampled_from([*Outcome, None]), st.sampled_from([*Outcome, None])), max_size=30),
    seed=st.integers(0, 5),
)
def test_whatever_the_verdicts_pairs_are_distinct_bounded_and_the_same_again(outcomes, seed):
    groups = [rows(f"p{i}", ab, ba, gold=Preference.A) for i, (ab, ba) in enumerate(outcomes)]
    found = chosen(*groups, seed=seed)
    assert found == chosen(*groups, seed=seed)
    assert len({pair.pair_id for pair in found}) == len(found)
    assert all(count <= 2 for count in Counter(pair.rule for pair in found).values())
    order = [list(ReadingRule).index(pair.rule) for pair in found]
    assert order == sorted(order)
