from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import DataError
from evenhand.logs.column_map import ColumnMap
from evenhand.logs.documents import Node
from evenhand.logs.mapped_row import parse_mapped, slot_label
from evenhand.records import FinishReason, LabelSet, Order, Outcome, Preference, preference_of

LABELS = LabelSet.parse("A/B")


def parse(record, order=None, labels=LABELS, **places):
    columns = {name: name for name in record} | places
    row = Node(path=Path("runs.csv"), row=7, field="", value=record)
    return parse_mapped(row, ColumnMap(places=tuple(columns.items())), labels=labels, order=order)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("A", Outcome.FIRST),
        (" b ", Outcome.SECOND),
        ("[[A]]", Outcome.FIRST),
        ("[B]", Outcome.SECOND),
        ("Response A", Outcome.FIRST),
        ("tie", Outcome.TIE),
        ("Draw", Outcome.TIE),
        ("C", None),
        ("A and B", None),
        ("", None),
        ("first", None),
    ],
)
def test_bare_labels(text, outcome):
    assert slot_label(text, LABELS) is outcome


def test_a_tie_has_a_label_where_the_prompt_gave_it_one():
    assert slot_label("C", LabelSet.parse("A/B/C")) is Outcome.TIE


@pytest.mark.parametrize("word", ["BA", "ba", "swapped", "reverse"])
def test_names_of_the_second_order(word):
    assert parse({"pair_id": "p", "order": word, "outcome": "A"}).table.order is Order.BA


@pytest.mark.parametrize(("value", "order"), [(True, Order.BA), ("false", Order.AB), (1, Order.BA), ("0", Order.AB)])
def test_a_swap_mark_is_an_order(value, order):
    assert parse({"pair_id": "p", "swapped": value, "outcome": "A"}).table.order is order


@given(order=st.sampled_from(Order), label=st.sampled_from("AB"))
def test_swapping_order_and_winner_gives_the_same_preference(order, label):
    one = parse({"pair_id": "p", "order": str(order), "outcome": label}).table
    other = parse({"pair_id": "p", "order": str(order.swapped), "outcome": "BA"["AB".index(label)]}).table
    assert preference_of(one.outcome, one.order) is preference_of(other.outcome, other.order) is not None


@given(order=st.sampled_from(Order), winner=st.sampled_from(["A", "B", "tie", "one", "two"]))
def test_an_identity_is_the_same_in_both_orders(order, winner):
    record = {"pair_id": "p", "order": str(order), "preference": winner, "author_a": "one", "author_b": "two"}
    row = parse(record).table
    expected = {"one": Preference.A, "two": Preference.B}.get(winner) or Preference(winner)
    assert preference_of(row.outcome, order) is expected


@pytest.mark.parametrize(("order", "gold"), [("AB", Preference.A), ("BA", Preference.B)])
def test_the_right_slot_is_a_gold_preference(order, gold):
    row = parse({"pair_id": "p", "order": order, "outcome": "A", "correct": "A"}).table
    assert row.gold is gold


def test_an_empty_verdict_is_a_state():
    assert parse({"pair_id": "p", "order": "AB", "outcome": ""}).table.outcome is Outcome.UNPARSED
    assert parse({"pair_id": "p", "order": "AB", "preference": None}).table.outcome is Outcome.UNPARSED
    cut = parse({"pair_id": "p", "order": "AB", "preference": "", "finish_reason": "length"})
    assert cut.table.outcome is Outcome.TRUNCATED


def test_an_error_is_no_verdict_whatever_stands_beside_it():
    row = parse({"pair_id": "p", "order": "AB", "outcome": "A", "text": "", "error": "HTTP 500"}).table
    assert (row.outcome, row.finish_reason, row.text) == (Outcome.ERROR, FinishReason.ERROR, None)


@pytest.mark.parametrize(
    ("record", "field", "problem"),
    [
        ({"order": "AC", "outcome": "A"}, "o", "expected AB"),
        ({"order": 1, "outcome": "A"}, "o", "expected text"),
        ({"order": "AB", "outcome": "C"}, "w", "or a label of A/B"),
        ({"order": "AB", "outcome": 1}, "w", "or a label of A/B"),
        ({"order": "AB", "outcome": 1.5}, "w", "expected text"),
        ({"order": "AB", "outcome": True}, "w", "expected text"),
        ({"order": "AB", "outcome": "A", "repeat": "x"}, "r", "expected 0, 1, 2"),
    ],
)
def test_errors_name_the_record_s_own_column(record, field, problem):
    renamed = {"order": "o", "outcome": "w", "repeat": "r"}
    own = {renamed[name]: value for name, value in record.items()}
    columns = ColumnMap(places=(("pair_id", "p"), *((name, renamed[name]) for name in record)))
    row = Node(path=Path("runs.csv"), row=7, field="", value={"p": "p1", **own})
    with pytest.raises(DataError, match=problem) as caught:
        parse_mapped(row, columns, labels=LABELS)
    assert (caught.value.row, caught.value.field) == (7, field)


def test_an_author_s_name_that_both_have_is_no_preference():
    with pytest.raises(DataError, match="the name of one of the two authors"):
        parse({"pair_id": "p", "order": "AB", "preference": "x", "author_a": "x", "author_b": "x"})


def test_without_an_order_the_row_says_what_to_do():
    with pytest.raises(DataError, match="doesn't say which response was shown first"):
        parse({"pair_id": "p", "outcome": "A"})
    assert parse({"pair_id": "p", "outcome": "A"}, order=Order.BA).table.order is Order.BA


def test_labels_may_be_numbers():
    row = parse({"pair_id": "p", "order": "BA", "outcome": 2, "correct": 1}, labels=LabelSet.parse("1/2")).table
    assert (row.outcome, row.gold) == (Outcome.SECOND, Preference.B)


def test_an_answer_that_was_parsed_as_json_is_a_text_again():
    row = parse({"pair_id": "p", "order": "AB", "text": {"reason": "é", "verdict": "A"}}).table
    assert row.text == '{"reason": "é", "verdict": "A"}'
    assert parse({"pair_id": "p", "order": "AB", "text": ["A"]}).table.text == '["A"]'
    with pytest.raises(DataError, match="expected text"):
        parse({"pair_id": "p", "order": "AB", "text": True})
