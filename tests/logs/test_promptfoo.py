import json
from pathlib import Path

import pytest

from evenhand.errors import DataError
from evenhand.logs import inspect, read_log
from evenhand.records import FinishReason, Order, Outcome, Preference, preference_of
from logs.samples import write_json, write_lines
from logs.tool_samples import promptfoo_object, promptfoo_rows, select_best_rows

MADE = Path(__file__).parent / "made"


def read(tmp_path, rows, **options):
    return read_log("promptfoo", write_json(tmp_path / "results.json", promptfoo_object(rows)), **options)


def test_a_judge_under_test(tmp_path):
    log = read(tmp_path, promptfoo_rows())
    found = [
        (e.presentation.pair_id, e.presentation.order, preference_of(e.completion.log_outcome, e.presentation.order))
        for e in log.entries
    ]
    assert found == [
        ("p1", Order.AB, Preference.A),
        ("p1", Order.BA, Preference.A),
        ("p2", Order.AB, Preference.A),
        ("p2", Order.BA, Preference.B),
    ]
    assert log.entries[0].completion.text == "The first. [[A]]"
    assert (log.judge.model, log.conditions[0].id, log.orders) == ("judge-1", "prompt 0", "both")


def test_answers_that_change_places_with_the_order_are_by_slot(tmp_path):
    log = read(tmp_path, promptfoo_rows())
    assert [(pair.response_a, pair.response_b) for pair in log.pairs] == [("Seven.", "Nine."), ("Four.", "Five.")]
    assert any("hold the texts by slot" in note for note in log.notes)


def test_several_providers_are_listed_by_name(tmp_path):
    rows = promptfoo_rows()
    others = [{**row, "provider": {"id": "judge-2", "label": "second"}} for row in rows]
    with pytest.raises(DataError, match="2 values of model: 'judge-1', 'second'"):
        read(tmp_path, rows + others)
    assert read(tmp_path, rows + others, model="second").judge.model == "second"


def test_two_prompts_are_two_conditions(tmp_path):
    rows = promptfoo_rows()
    log = read(tmp_path, [*rows, *({**row, "promptIdx": 1} for row in rows)])
    assert [condition.id for condition in log.conditions] == ["prompt 0", "prompt 1"]
    assert len(log.pairs) == 2


def test_a_provider_s_error_is_an_error(tmp_path):
    rows = promptfoo_rows()
    rows[0]["response"] = {"error": "API error: 500"}
    completion = read(tmp_path, rows).entries[0].completion
    assert (completion.log_outcome, completion.text) == (Outcome.ERROR, None)


def test_select_best_chooses_a_slot(tmp_path):
    rows = [
        *select_best_rows(0, (True, False)),
        *select_best_rows(1, (False, True)),
        *select_best_rows(2, (False, False), reason="Invalid select-best verdict: NaN"),
    ]
    log = read(tmp_path, rows)
    assert [entry.completion.log_outcome for entry in log.entries] == [Outcome.FIRST, Outcome.SECOND, Outcome.UNPARSED]
    pair = log.pairs[0]
    assert (pair.instruction, pair.response_a, pair.author_b) == ("Name a prime.", "Seven.", "writer, prompt 1")
    assert (log.orders, log.excluded) == ("single", ())
    failed = read(tmp_path, select_best_rows(0, (False, False), reason="HTTP 500")).entries[0].completion
    assert (failed.log_outcome, failed.error) == (Outcome.ERROR, "the log says: 'HTTP 500'")


def test_select_best_of_unknown_order_is_excluded_or_refused(tmp_path):
    known, unknown = select_best_rows(0, (True, False)), select_best_rows(1, (True, False))[::-1]
    log = read(tmp_path, known + unknown)
    assert [entry.presentation.pair_id for entry in log.entries] == ["promptfoo-0"]
    assert [one.pair_id for one in log.excluded] == ["promptfoo-1"]
    with pytest.raises(DataError, match="run promptfoo with -j 1"):
        read(tmp_path, unknown)
    told = read(tmp_path, unknown, order="promptIdx")
    # By index, not by the place in the file.
    assert (told.entries[0].completion.log_outcome, told.pairs[0].response_a) == (Outcome.FIRST, "Four.")


def test_three_outputs_are_no_pair(tmp_path):
    rows = select_best_rows(0, (True, False))
    with pytest.raises(DataError, match="has 3 outputs to choose from"):
        read(tmp_path, [*rows, {**rows[1], "promptIdx": 2}])
    with pytest.raises(DataError, match="the same test and prompt as row 1"):
        read(tmp_path, [rows[0], {**rows[1], "promptIdx": 0}])


def test_a_rubric_says_nothing_of_position(tmp_path):
    rows = promptfoo_rows()
    for row in rows:
        row["vars"] = {"question": "?"}
        row["testCase"] = {"assert": [{"type": "llm-rubric", "value": "is polite"}]}
    with pytest.raises(DataError, match=r"its assertions \(llm-rubric\) grade each output by itself"):
        read(tmp_path, rows)


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"testIdx": -1}, "testIdx", "expected 0, 1, 2"),
        ({"promptIdx": True}, "promptIdx", "expected 0, 1, 2"),
        ({"prompt": None}, "prompt", "null"),
    ],
)
def test_bad_rows_name_their_field(tmp_path, change, field, problem):
    rows = select_best_rows(0, (True, False))
    with pytest.raises(DataError, match=problem) as caught:
        read(tmp_path, [rows[0], {**rows[1], **change}])
    assert (caught.value.row, caught.value.field) == (2, field)


def test_what_promptfoo_itself_wrote():
    # promptfoo 0.121 with a grader that answers 0, 1 and "neither"; see tests/logs/made/README.md.
    log = read_log("promptfoo", MADE / "promptfoo_select_best.json")
    assert [entry.completion.log_outcome for entry in log.entries] == [Outcome.FIRST, Outcome.SECOND, Outcome.UNPARSED]
    # The same run with the store on: the first test's results are listed as they were finished, 1 before 0.
    unordered = read_log("promptfoo", MADE / "promptfoo_select_best_unordered.json")
    assert [one.pair_id for one in unordered.excluded] == ["promptfoo-0"]
    assert [entry.completion.log_outcome for entry in unordered.entries] == [Outcome.SECOND, Outcome.UNPARSED]
    judge = read_log("promptfoo", MADE / "promptfoo_judge.json")
    assert {pair.id: pair.response_a for pair in judge.pairs} == {"p1": "Seven.", "p2": "Four."}
    # The fourth call failed, and is listed last but one: rows are known by pair and order.
    failed = [e.presentation for e in judge.entries if e.completion.finish_reason is FinishReason.ERROR]
    assert [(one.pair_id, one.order) for one in failed] == [("p2", Order.BA)]
    assert inspect(MADE / "promptfoo_judge.json").importable


@pytest.mark.parametrize("name", ["promptfoo_judge", "promptfoo_select_best"])
def test_json_lines_are_the_same_log(tmp_path, name):
    results = json.loads((MADE / f"{name}.json").read_text())["results"]["results"]
    lines = write_lines(tmp_path / "results.jsonl", results)
    assert inspect(lines).format == "promptfoo"
    log, plain = read_log("promptfoo", lines), read_log("promptfoo", MADE / f"{name}.json")
    assert (log.pairs, [entry.completion for entry in log.entries]) == (
        plain.pairs,
        [entry.completion for entry in plain.entries],
    )
