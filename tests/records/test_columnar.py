from dataclasses import replace

import polars as pl

from evenhand.records import FinishReason, Order, Outcome, Preference, content_hash
from evenhand.records.columnar import VerdictColumns, presentation_key


def columns():
    pairs = pl.DataFrame(
        {"id": ["a", "b"], "ordinal": [1, 0], "source": ["s", ""], "group": ["g", "b"], "gold": ["A", None]}
    )
    rows = pl.DataFrame(
        {
            "pair": [1, 0, 1, 0],
            "order": ["AB", "BA", "BA", "AB"],
            "condition": ["c"] * 4,
            "repeat": [0, 0, 0, 2],
            "outcome": ["first", "second", "tie", "error"],
            "finish_reason": ["stop", "unknown", "stop", "error"],
        },
        schema_overrides={"pair": pl.UInt32},
    )
    return VerdictColumns(pairs=pairs, presentations=rows, log_format="table", file_sha256="f00")


def test_pairs_come_in_the_logs_order():
    found = list(columns().iter_pairs())
    assert [pair.id for pair in found] == ["b", "a"]
    assert (found[1].gold, found[1].group, found[1].source) == (Preference.A, "g", "s")


def test_presentations_are_the_rows():
    found = list(columns().iter_presentations())
    assert [each.presentation.pair_id for each in found] == ["b", "a", "b", "a"]
    last = found[3]
    assert (last.presentation.order, last.presentation.repeat) == (Order.AB, 2)
    assert (last.completion.finish_reason, last.completion.error) == (FinishReason.ERROR, "the table says error")
    assert last.completion.log_outcome is Outcome.ERROR
    assert last.presentation.key == content_hash(["table", "f00", "a", "AB", "c", 2])
    assert last.presentation.key == presentation_key("table", "f00", "a", "AB", "c", 2)


def test_preferences_follow_outcome_and_order():
    assert columns().verdict_table()["preference"].to_list() == ["A", "A", "tie", None]


def test_failures_are_counted():
    assert columns().failed == 1


def test_some_pairs_keep_their_rows_in_order():
    some = columns().of_pairs([1])
    assert [pair.id for pair in some.iter_pairs()] == ["b"]
    assert [each.presentation.order for each in some.iter_presentations()] == [Order.AB, Order.BA]
    assert some.verdict_table().equals(columns().verdict_table().filter(pair_id="b"))


def test_a_condition_has_its_own_pairs():
    other = pl.DataFrame({"condition": ["c", "d", "c", "c"]})
    made = columns()
    two = replace(made, presentations=made.presentations.with_columns(other["condition"]))
    own = two.of_condition("d")
    assert [pair.id for pair in own.iter_pairs()] == ["a"]
    assert own.verdict_table().equals(two.verdict_table().filter(condition="d"))
    assert two.of_condition("unknown").presentations.height == 0
