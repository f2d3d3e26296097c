import pytest

from evenhand.errors import DataError
from evenhand.logs import read_log
from evenhand.records import FinishReason, LabelSet, Order, Outcome, Preference
from logs.samples import table_rows, write_csv, write_lines


def read(tmp_path, rows, **options):
    return read_log("table", write_lines(tmp_path / "verdicts.jsonl", rows), **options)


def write_parquet(path, rows):
    import polars as pl

    pl.DataFrame(rows).write_parquet(path)
    return path


def row(**columns):
    return {"pair_id": "p1", "order": "AB", "outcome": "first", **columns}


def test_csv_json_lines_and_parquet_read_the_same(tmp_path):
    logs = [
        read_log("table", write(tmp_path / f"verdicts{suffix}", table_rows()))
        for suffix, write in ((".csv", write_csv), (".jsonl", write_lines), (".parquet", write_parquet))
    ]
    for log in logs:
        assert log.pairs == logs[0].pairs
        assert [entry.completion for entry in log.entries] == [entry.completion for entry in logs[0].entries]
    assert len({log.file_sha256 for log in logs}) == 3
    assert logs[0].orders == "both"
    assert logs[0].pairs[0].gold is Preference.A


def test_a_preference_is_mapped_to_its_slot(tmp_path):
    log = read(tmp_path, [{"pair_id": "p", "order": o, "preference": v} for o, v in (("AB", "B"), ("BA", "B"))])
    assert [entry.completion.log_outcome for entry in log.entries] == [Outcome.SECOND, Outcome.FIRST]


@pytest.mark.parametrize(
    ("finish", "state"),
    [
        ("", Outcome.UNPARSED),
        ("length", Outcome.TRUNCATED),
        ("filtered", Outcome.REFUSED),
        ("error", Outcome.ERROR),
    ],
)
def test_an_empty_preference_is_a_state(tmp_path, finish, state):
    log = read(tmp_path, [{"pair_id": "p", "order": "AB", "preference": "", "finish_reason": finish}])
    completion = log.entries[0].completion
    assert completion.log_outcome is state
    assert (completion.error is not None) == (state is Outcome.ERROR)


def test_text_alone_states_no_outcome_and_an_empty_text_is_an_answer(tmp_path):
    log = read(tmp_path, [{"pair_id": "p", "order": "AB", "text": ""}])
    assert (log.entries[0].completion.text, log.entries[0].completion.log_outcome) == ("", None)
    assert "no outcome of its own" in log.log_rules
    assert log.orders == "single"


def test_an_outcome_of_error_has_no_text(tmp_path):
    completion = read(tmp_path, [row(outcome="error", text="half an ans")]).entries[0].completion
    assert (completion.text, completion.finish_reason) == (None, FinishReason.ERROR)


def test_log_probabilities_are_sorted_and_absent_labels_censored(tmp_path):
    rows = [row(logprobs='{"The": -2.0, "A": -0.2}'), row(order="BA", logprobs={"B": -0.1})]
    log = read(tmp_path, rows)
    first = log.entries[0].completion.first_token
    assert [(one.text, one.logprob) for one in first.top] == [("A", -0.2), ("The", -2.0)]
    assert dict(first.labels)[Outcome.SECOND][0].below == -2.0
    assert log.entries[1].completion.first_token.argmax.text == "B"


def test_conditions_have_their_own_labels_and_grammar(tmp_path):
    rows = [row(condition="letters"), row(condition="digits", labels="1/2"), row(condition="digits", order="BA")]
    log = read(tmp_path, rows)
    assert [(one.id, one.labels.name) for one in log.conditions] == [("letters", "A/B"), ("digits", "1/2")]
    assert log.grammar_of("digits").labels == LabelSet.parse("1/2")


def test_pairs_without_an_instruction_are_their_own_groups(tmp_path):
    log = read(tmp_path, [row(), row(pair_id="p2"), row(pair_id="p3", group="g"), row(pair_id=4)])
    assert [pair.group for pair in log.pairs] == ["p1", "p2", "g", "4"]
    told = read(tmp_path, [row(instruction="Q"), row(pair_id="p2", instruction="Q")])
    assert told.pairs[0].group == told.pairs[1].group


def test_a_fact_may_stand_in_one_row_of_its_pair(tmp_path):
    log = read(tmp_path, [row(gold=""), row(order="BA", gold="tie", source="s")])
    assert (log.pairs[0].gold, log.pairs[0].source) == (Preference.TIE, "s")


def test_judge_and_model_come_from_columns_before_options(tmp_path):
    log = read(tmp_path, [row(model="m1")], judge="j", model="ignored")
    assert (log.judge.model, log.judge.spec) == ("m1", "log:table:j")


def test_an_unused_column_is_noted_with_what_may_be_meant(tmp_path):
    log = read(tmp_path, [row(insruction="Q")])
    assert log.notes == ("column 'insruction' is not used; was 'instruction' meant?",)


def test_repeats_are_told_apart(tmp_path):
    log = read(tmp_path, [row(), row(repeat="1"), row(repeat=2)])
    assert [entry.presentation.repeat for entry in log.entries] == [0, 1, 2]
    assert len({entry.presentation.key for entry in log.entries}) == 3


@pytest.mark.parametrize(
    ("columns", "field", "problem"),
    [
        ({"order": "ab"}, "order", "is 'ab', expected AB, BA"),
        ({"order": ""}, "order", "is empty"),
        ({"order": None}, "order", "null"),
        ({"outcome": "A"}, "outcome", "is 'A', expected first, second"),
        ({"outcome": "first", "preference": "A"}, "outcome", "means preference B, but the column preference is A"),
        ({"outcome": "unparsed", "preference": "A"}, "outcome", "means no preference, but the column preference is A"),
        ({"outcome": "first", "preference": ""}, "outcome", "preference is empty"),
        ({"finish_reason": "error"}, "finish_reason", "beside the outcome 'first'"),
        ({"finish_reason": "end"}, "finish_reason", "is 'end'"),
        ({"gold": "first"}, "gold", "expected A, B, tie"),
        ({"gold": "B"}, "gold", "is 'B', but row 1 has 'A'"),
        ({"source": "t"}, "source", "rows of one pair must agree"),
        ({"repeat": "-1"}, "repeat", "expected 0, 1, 2"),
        ({"repeat": "1.5"}, "repeat", "expected 0, 1, 2"),
        ({"repeat": True}, "repeat", "expected 0, 1, 2"),
        ({"repeat": "9" * 5000}, "repeat", "expected 0, 1, 2"),
        ({"labels": "A"}, "labels", "expected FIRST/SECOND"),
        ({"labels": "1/2"}, "labels", "row 1 of the same condition has 'A/B'"),
        ({"logprobs": "[]"}, "logprobs", "expected an object"),
        ({"logprobs": "{"}, "logprobs", "is not JSON"),
        ({"logprobs": {"A": 0.3}}, "logprobs.A", "at most 0"),
        ({"logprobs": {"A": "x"}}, "logprobs.A", "expected a number"),
        ({"logprobs": {"A": -0.1, "B": -0.1}}, "logprobs", "sum to 1.810"),
        ({"judge": "other"}, "judge", "a table is of one judge"),
        ({"pair_id": "\x00"}, "pair_id", "control characters"),
        ({"text": 3}, "text", "expected text"),
    ],
)
def test_errors_name_row_and_field(tmp_path, columns, field, problem):
    first = row(gold="A", source="s", labels="A/B", judge="j")
    with pytest.raises(DataError, match=problem) as caught:
        read(tmp_path, [first, row(order="BA") | columns])
    assert (caught.value.row, caught.value.field) == (2, field)


def test_a_duplicate_names_both_rows(tmp_path):
    with pytest.raises(DataError, match=r"row 3, field 'pair_id': the same pair 'p1', order AB.* as row 1"):
        read(tmp_path, [row(), row(order="BA"), row()])


def test_a_row_that_says_nothing_is_an_error(tmp_path):
    with pytest.raises(DataError, match="row 2: has neither text nor outcome"):
        read(tmp_path, [row(), {"pair_id": "p", "order": "BA", "outcome": ""}])


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"pair": "p", "order": "AB", "outcome": "first"}, r"has no column 'pair_id'.*--map pair_id="),
        (
            {"pair_id": "p", "Order": "AB", "outcome": "first"},
            r"no column 'order' .rename 'Order', or --map order='Order'",
        ),
        (
            {"pair_id": "p", "order": "AB", "verdict": "first"},
            r"none of the columns text, outcome and preference .it has .*'verdict'; say which it is: --map text=COLUMN",
        ),
    ],
)
def test_missing_columns_are_named(tmp_path, columns, problem):
    with pytest.raises(DataError, match=problem):
        read(tmp_path, [columns])


def test_order_survives_as_an_enumeration(tmp_path):
    assert read(tmp_path, [row(order="BA")]).entries[0].presentation.order is Order.BA
