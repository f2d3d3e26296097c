import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.errors import ConfigError, DataError
from evenhand.logs import inspect, read_log
from evenhand.records import Order, Outcome, Preference, preference_of
from logs.samples import write_json, write_lines
from logs.tool_samples import rewardbench_row, rewardbench_rows

KEEP = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=20)


def read(tmp_path, rows, **options):
    return read_log("rewardbench", write_json(tmp_path / "judge.json", rows), **options)


def columns(rows):
    """The tool's own form: an object of columns, with plain values for what holds throughout."""
    table = {key: [row[key] for row in rows] for key in rows[0]}
    return {**table, "model": rows[0]["model"], "model_type": rows[0]["model_type"]}


def scored(number, chosen, rejected):
    row = rewardbench_row(number, float(chosen > rejected), shuffled=None)
    return {**row, "scores_chosen": chosen, "scores_rejected": rejected}


@KEEP
@given(result=st.sampled_from([0, 1]), shuffled=st.booleans())
def test_the_result_is_an_identity_in_either_order(tmp_path, result, shuffled):
    entry = read(tmp_path, [rewardbench_row(0, result, shuffled=shuffled)]).entries[0]
    assert entry.presentation.order is (Order.BA if shuffled else Order.AB)
    expected = Preference.A if result else Preference.B
    assert preference_of(entry.completion.log_outcome, entry.presentation.order) is expected


def test_half_is_a_state_and_never_a_tie(tmp_path):
    log = read(tmp_path, rewardbench_rows())
    assert [entry.completion.log_outcome for entry in log.entries] == [
        Outcome.FIRST,
        Outcome.FIRST,  # the rejected one, shown first
        Outcome.UNPARSED,
        Outcome.FIRST,
    ]
    assert any("1 of 4 results are 0.5" in note for note in log.notes)
    assert {pair.gold for pair in log.pairs} == {Preference.A}
    assert log.orders == "single"


def test_an_object_of_columns_is_the_same_as_its_rows(tmp_path):
    from_columns = read(tmp_path, columns(rewardbench_rows()))
    from_rows = read(tmp_path, rewardbench_rows())
    assert from_columns.pairs == from_rows.pairs
    assert [e.completion for e in from_columns.entries] == [e.completion for e in from_rows.entries]
    lines = write_lines(tmp_path / "judge.jsonl", rewardbench_rows())
    assert read_log("rewardbench", lines).pairs == from_rows.pairs
    assert inspect(tmp_path / "judge.json").format == "rewardbench"


def test_texts_come_from_the_conversations(tmp_path):
    pair = read(tmp_path, [rewardbench_row(0, 1)]).pairs[0]
    assert (pair.instruction, pair.response_a, pair.response_b) == ("Name a prime.", "Seven.", "Nine.")
    assert (pair.id, pair.source) == ("rewardbench-ours-0", "ours")


def test_without_an_order_the_file_is_refused_unless_the_import_is_told(tmp_path):
    rows = [rewardbench_row(number, 1, shuffled=None) for number in range(3)]
    with pytest.raises(DataError, match="RewardBench draws it and doesn't save it"):
        read(tmp_path, rows)
    log = read(tmp_path, rows, order="rejected-first")
    assert {entry.completion.log_outcome for entry in log.entries} == {Outcome.SECOND}
    assert "the order is as the import was told, not as the file says" in log.notes
    with pytest.raises(ConfigError, match="expected chosen-first or rejected-first"):
        read(tmp_path, rows, order="AB")


def test_scores_are_refused_and_can_be_paired(tmp_path):
    rows = [scored(0, 1.5, -2.0), scored(1, 0.0, 0.5), scored(2, 1.0, 1.0)]
    with pytest.raises(DataError, match="scored by itself") as caught:
        read(tmp_path, rows)
    assert caught.value.field == "scores_chosen"
    log = read(tmp_path, rows, pairs="by-score")
    found = [preference_of(e.completion.log_outcome, e.presentation.order) for e in log.entries]
    assert found == ["A", "B", "tie"]
    assert not log.slots_seen
    assert any("1 of 3 pairs have equal scores" in note for note in log.notes)


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"results": 0.25}, "results", "expected 0, 0.5 or 1"),
        ({"results": None}, "results", "null"),
        ({"is_shuffled": "yes"}, "is_shuffled", "expected true"),
        ({"text_chosen": [{"role": "user"}]}, "text_chosen[0].content", "missing"),
    ],
)
def test_bad_rows_name_their_field(tmp_path, change, field, problem):
    with pytest.raises(DataError, match=problem) as caught:
        read(tmp_path, [rewardbench_row(0, 1), {**rewardbench_row(1, 1), **change}])
    assert (caught.value.row, caught.value.field) == (2, field)


def test_what_concerns_the_whole_file(tmp_path):
    with pytest.raises(DataError, match="a file of averages has no pairs"):
        read(tmp_path, {"chosen": 0.9, "results": 0.8})
    with pytest.raises(DataError, match="has 1 values, results has 2"):
        read(tmp_path, {"results": [1, 0], "text_chosen": ["x"]})
    with pytest.raises(DataError, match="the same id and subset as row 1"):
        read(tmp_path, [rewardbench_row(0, 1), rewardbench_row(0, 0)])
    with pytest.raises(DataError, match="a log is of one judge"):
        read(tmp_path, [rewardbench_row(0, 1), {**rewardbench_row(1, 0), "model": "judge-2"}])


def test_not_a_number_is_no_score(tmp_path):
    file = tmp_path / "judge.json"
    file.write_text(json.dumps([{**scored(0, 1.0, 2.0), "scores_chosen": float("nan")}]))
    with pytest.raises(DataError, match="expected a finite number"):
        read_log("rewardbench", file, pairs="by-score")


def test_bare_scores_of_the_command(tmp_path):
    # `rewardbench --save_all` writes MODEL_all.jsonl with the two scores and nothing else.
    file = write_lines(
        tmp_path / "model_all.jsonl", [{"chosen": 1.5, "rejected": -1}, {"chosen": 0.5, "rejected": 2.0}]
    )
    found = inspect(file)
    assert (found.format, found.problems[0].field) == ("rewardbench", "chosen")
    log = read_log("rewardbench", file, pairs="by-score")
    assert [preference_of(e.completion.log_outcome, e.presentation.order) for e in log.entries] == ["A", "B"]
    assert [pair.id for pair in log.pairs] == ["rewardbench-1", "rewardbench-2"]


def test_four_responses_are_no_pair(tmp_path):
    with pytest.raises(DataError, match="RewardBench 2 chooses among four responses"):
        read(tmp_path, [rewardbench_row(0, 0.25)])
