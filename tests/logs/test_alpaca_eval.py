import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import DataError
from evenhand.logs import read_log
from evenhand.logs.alpaca_eval import AlpacaEvalLog, seeded_order
from evenhand.logs.documents import Node
from evenhand.records import FinishReason, Order, Outcome, Preference, preference_of
from logs.samples import alpaca_row, alpaca_rows, write_json


def read(tmp_path, rows):
    return read_log("alpaca_eval", write_json(tmp_path / "annotations.json", rows))


def many():
    """Enough rows for the seeded shuffle to be trusted."""
    return [alpaca_row(number, 1.0 + number / 10) for number in range(25)]


def top(row):
    return row["raw_completion"]["logprobs"]["content"][0]["top_logprobs"]


def without(row, text):
    content = row["raw_completion"]["logprobs"]["content"][0]
    content["top_logprobs"] = [one for one in content["top_logprobs"] if text != one["token"]]


def top_field(index, key=None):
    place = f"raw_completion.logprobs.content[0].top_logprobs[{index}]"
    return f"{place}.{key}" if key else place


@given(odds=st.floats(-13, 13).filter(lambda value: abs(value) > 1e-4), order=st.sampled_from(list(Order)))
def test_the_order_is_told_by_preference_and_log_probabilities(tmp_path_factory, odds, order):
    row = alpaca_row(0, odds, order)
    parsed = AlpacaEvalLog().parse(Node(path=tmp_path_factory.getbasetemp(), row=1, field="", value=row))
    assert parsed.order is order


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("odds", [2.0, -2.0])
def test_the_log_outcome_is_the_preferred_identity_in_its_slot(tmp_path, order, odds):
    log = read(tmp_path, [alpaca_row(0, odds, order)])
    entry = log.entries[0]
    assert entry.presentation.order is order
    assert entry.completion.log_outcome is (Outcome.FIRST if odds > 0 else Outcome.SECOND)
    stored = float(dict(log.pairs[0].metadata)["alpaca_eval.preference"])
    wanted = Preference.B if stored > 1.5 else Preference.A
    assert preference_of(entry.completion.log_outcome, order) is wanted
    assert log.orders == "single"


def test_a_label_outside_the_returned_tokens_is_censored_and_never_0(tmp_path):
    row = alpaca_row(0, -9.0, Order.BA)
    without(row, "m")
    row["preference"] = 1.0
    first = read(tmp_path, [row]).entries[0].completion.first_token
    variants = dict(first.labels)[Outcome.FIRST]
    assert [(one.text, one.logprob, one.below) for one in variants] == [("m", None, -12.0), (" m", None, -12.0)]
    assert first.argmax.text == "M"
    assert not first.whole_vocabulary


def test_equal_labels_leave_the_order_open_and_the_row_is_excluded(tmp_path):
    log = read(tmp_path, [alpaca_row(0, 1.0), alpaca_row(1, 0.0)])
    assert len(log.pairs) == 2
    assert len(log.entries) == 1
    assert log.excluded[0].pair_id == "alpaca_eval-2"
    assert "equally likely" in log.excluded[0].reason


def test_the_seeded_shuffle_decides_where_it_agrees_with_every_other_row(tmp_path):
    log = read(tmp_path, [*many(), alpaca_row(99, 0.0)])
    assert log.excluded == ()
    assert log.entries[-1].presentation.order is seeded_order("Question 99")
    assert log.entries[-1].completion.log_outcome is Outcome.TIE
    assert any("seeded shuffle" in note for note in log.notes)


def test_one_row_against_the_shuffle_and_it_decides_nothing(tmp_path):
    rows = many()
    rows[7] = alpaca_row(7, 2.0, seeded_order("Question 7").swapped)
    log = read(tmp_path, [*rows, alpaca_row(99, 0.0)])
    assert [one.pair_id for one in log.excluded] == ["alpaca_eval-26"]


def test_a_preference_that_follows_from_neither_order_is_excluded(tmp_path):
    row = alpaca_row(1, 1.0)
    row["preference"] = 1.4
    log = read(tmp_path, [alpaca_row(0, 1.0), row])
    assert "in neither order" in log.excluded[0].reason


@pytest.mark.parametrize("missing", [None, math.nan])
def test_a_null_preference_is_missing(tmp_path, missing):
    row = alpaca_row(99, 1.0)
    row["preference"] = missing
    log = read(tmp_path, [*many(), row])
    assert log.entries[-1].completion.log_outcome is Outcome.UNPARSED
    assert log.pairs[-1].metadata == ()


def test_sampled_tokens_that_are_not_the_argmax_are_counted(tmp_path):
    rows = alpaca_rows()
    rows[0]["raw_completion"]["text"] = "M"  # m was likelier
    log = read(tmp_path, rows)
    assert any("in 1 of 6 rows" in note for note in log.notes)
    assert log.entries[0].completion.text == "M"
    assert log.entries[0].completion.finish_reason is FinishReason.LENGTH


@pytest.mark.parametrize("raw", [None, "m", {"text": "m"}, {"logprobs": None}, {"logprobs": {"content": []}}])
def test_a_log_without_log_probabilities_tells_no_order(tmp_path, raw):
    row = alpaca_row(0, 1.0)
    row["raw_completion"] = raw
    with pytest.raises(DataError, match="no row tells which response was shown first"):
        read(tmp_path, [row])


@pytest.mark.parametrize(
    ("damage", "field", "problem"),
    [
        (lambda row: row.pop("preference"), None, "has no preference"),
        (lambda row: row.update(preference=2.5), "preference", "is 2.5"),
        (lambda row: row.update(preference=True), "preference", "expected a number"),
        (lambda row: row.update(output_2=None), "output_2", "null"),
        (lambda row: row.update(annotator="other"), "annotator", "a log is of one judge"),
        (lambda row: top(row)[0].update(logprob=0.5), top_field(0, "logprob"), "at most 0"),
        (lambda row: top(row)[0].update(logprob="x"), top_field(0, "logprob"), "expected a number"),
        (lambda row: top(row)[0].update(token=top(row)[1]["token"]), top_field(1), "listed twice"),
    ],
)
def test_errors_name_row_and_field(tmp_path, damage, field, problem):
    rows = alpaca_rows()[:2]
    damage(rows[1])
    with pytest.raises(DataError, match=problem) as caught:
        read(tmp_path, rows)
    assert (caught.value.row, caught.value.field) == (2, field)
