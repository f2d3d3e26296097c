from pathlib import Path

import pytest

from evenhand.errors import DataError
from evenhand.logs.documents import Node
from evenhand.logs.table_checks import (
    conditions_of,
    constant,
    judge_of,
    labels_by_condition,
    log_rules,
    pairs_of,
    refuse_duplicates,
    require_columns,
    unused_columns,
)
from evenhand.logs.table_row import parse_row
from evenhand.records import LabelSet

PATH = Path("t.csv")


def rows(*columns):
    fixed = {"pair_id": "p", "order": "AB", "outcome": "first"}
    values = [fixed | own for own in columns]
    return [parse_row(Node(path=PATH, row=n, field="", value=value)) for n, value in enumerate(values, 1)]


def test_needed_columns_are_named_with_what_may_be_meant():
    require_columns(["pair_id", "order", "preference"], PATH)
    with pytest.raises(DataError, match=r"no column 'order' \(rename 'orders', or --map order='orders'\)"):
        require_columns(["pair_id", "orders", "text"], PATH)
    with pytest.raises(DataError, match="none of the columns text, outcome and preference"):
        require_columns(["pair_id", "order"], PATH)


def test_unused_columns_are_noted_in_order():
    assert unused_columns(["zeta", "pair_id", "goldd"]) == (
        "column 'goldd' is not used; was 'gold' meant?",
        "column 'zeta' is not used",
    )


def test_rows_are_compared():
    refuse_duplicates(rows({}, {"repeat": 1}, {"order": "BA"}))
    with pytest.raises(DataError, match=r"row 2, field 'pair_id': the same pair 'p'.* as row 1"):
        refuse_duplicates(rows({}, {}))
    assert constant(rows({}, {"judge": "j"}), "judge") == "j"
    assert constant(rows({}), "judge") is None
    with pytest.raises(DataError, match="a table is of one judge"):
        constant(rows({"judge": "j"}, {"judge": "k"}), "judge")
    with pytest.raises(DataError, match="rows of one pair must agree"):
        pairs_of(rows({"gold": "A"}, {"gold": "B"}))


def test_labels_are_of_their_condition_in_the_order_of_mention():
    found = labels_by_condition(rows({"condition": "z"}, {"condition": "a", "labels": "1/2"}))
    assert {name: label.name for name, label in found.items()} == {"z": "A/B", "a": "1/2"}
    assert list(found) == ["z", "a"]
    assert [condition.id for condition in conditions_of(found)] == ["z", "a"]
    with pytest.raises(DataError, match="row 1 of the same condition has '1/2'"):
        labels_by_condition(rows({"labels": "1/2"}, {"labels": "2/1"}))


def test_who_answered_and_how_it_was_decided():
    assert (judge_of("j", None).spec, judge_of("j", None).model) == ("log:table:j", "j")
    assert (judge_of(None, None).spec, judge_of("j", "m").model) == ("log:table:unknown", "m")
    assert log_rules(states=True) != log_rules(states=False)
    assert conditions_of({"c": LabelSet.parse("A/B")})[0].prompt_hash == "not recorded"
