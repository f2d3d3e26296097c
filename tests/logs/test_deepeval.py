from pathlib import Path

import pytest

from evenhand.errors import DataError
from evenhand.logs import inspect, read_log
from evenhand.records import Order, Outcome
from logs.samples import write_json
from logs.tool_samples import deepeval_object, deepeval_rows

MADE = Path(__file__).parent / "made"


def read(tmp_path, value, **options):
    return read_log("deepeval", write_json(tmp_path / "run.json", value), **options)


def test_test_cases_of_a_judge(tmp_path):
    log = read(tmp_path, deepeval_object(deepeval_rows()))
    assert [(e.presentation.order, e.completion.log_outcome) for e in log.entries] == [
        (Order.AB, Outcome.FIRST),
        (Order.BA, Outcome.SECOND),
        (Order.AB, Outcome.FIRST),
        (Order.BA, Outcome.FIRST),
    ]
    assert log.entries[1].completion.text == "[[B]]"
    assert log.pairs[0].response_a == "Seven."
    assert (log.orders, log.judge.model) == ("both", "unknown")


def test_the_cached_run_is_wrapped_once_more(tmp_path):
    wrapped = {"testRunData": deepeval_object(deepeval_rows())}
    assert read(tmp_path, wrapped).pairs == read(tmp_path, deepeval_object(deepeval_rows())).pairs


def test_an_arena_is_refused_since_its_order_is_not_recorded(tmp_path):
    rows = deepeval_rows()
    rows[1]["metricsData"] = [{"name": "Friendly [Arena GEval]", "score": 1}]
    for value in (deepeval_object(rows), {"testRuns": [deepeval_object(rows)], "name": "compare()"}):
        with pytest.raises(DataError, match="in an order drawn anew each time and doesn't record it"):
            read(tmp_path, value)
        assert inspect(tmp_path / "run.json").format == "deepeval"


def test_scores_of_single_outputs_are_refused(tmp_path):
    rows = [
        {**row, "metadata": {"topic": "x"}, "metricsData": [{"name": "Correctness [GEval]"}]} for row in deepeval_rows()
    ]
    with pytest.raises(DataError, match=r"its metrics \(Correctness \[GEval\]\) score each output by itself"):
        read(tmp_path, deepeval_object(rows))


def test_other_names_are_mapped(tmp_path):
    rows = deepeval_rows()
    for row in rows:
        row["metadata"]["shown"] = row["metadata"].pop("order")
    with pytest.raises(DataError, match=r"--map order=metadata.shown"):
        read(tmp_path, deepeval_object(rows))
    assert read(tmp_path, deepeval_object(rows), map="order=metadata.shown").orders == "both"


def test_conversations_and_empty_runs(tmp_path):
    with pytest.raises(DataError, match="has no test cases; its conversational test cases"):
        read(tmp_path, {**deepeval_object([]), "conversationalTestCases": [{}]})
    with pytest.raises(DataError, match="expected a list"):
        read(tmp_path, {**deepeval_object([]), "testCases": 5})


def test_what_deepeval_itself_wrote():
    # deepeval 4.3.1, evaluate(…, results_folder=…); a preference that is null throughout is no column.
    log = read_log("deepeval", MADE / "deepeval.json")
    assert [entry.completion.text for entry in log.entries][:2] == ["The first. [[A]]", "The second. [[B]]"]
    assert {entry.completion.log_outcome for entry in log.entries} == {None}
    assert log.log_rules.startswith("The DeepEval records have texts only")
