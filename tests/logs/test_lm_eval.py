from pathlib import Path

import pytest

from evenhand.errors import DataError
from evenhand.logs import inspect, read_log
from evenhand.readouts import read
from evenhand.records import Order, Outcome, Preference, Readout
from logs.samples import write_lines
from logs.tool_samples import lm_eval_row, lm_eval_rows, lm_eval_text_row

MADE = Path(__file__).parent / "made" / "lm_eval"
LABELS = "samples_judge_labels_2026-11-30T20-23-29.331736.jsonl"
TEXTS = "samples_judge_texts_2026-11-30T20-23-29.331736.jsonl"


def load(tmp_path, rows, **options):
    return read_log("lm_eval", write_lines(tmp_path / "org__judge" / LABELS, rows), **options)


def test_the_likeliest_label_is_the_log_s_reading_and_ours(tmp_path):
    log = load(tmp_path, lm_eval_rows())
    expected = [Outcome.FIRST, Outcome.SECOND, Outcome.FIRST, Outcome.FIRST, Outcome.FIRST, Outcome.FIRST]
    assert [entry.completion.log_outcome for entry in log.entries] == expected
    condition = log.conditions[0]
    for entry, outcome in zip(log.entries, expected, strict=True):
        reading = read(entry.completion, condition.labels, (Readout.FIRST_TOKEN,)).first_token
        assert (reading.outcome, reading.rule) == (outcome, "larger-probability")
        assert entry.completion.text is None
    assert (condition.id, log.judge.model, log.orders) == ("judge_labels", "org__judge", "both")


def test_compliance_is_the_greedy_mark(tmp_path):
    log = load(tmp_path, lm_eval_rows())
    labels = log.conditions[0].labels
    led = [read(e.completion, labels, (Readout.FIRST_TOKEN,)).compliance for e in log.entries]
    assert [one.compliant for one in led] == [True, True, True, True, False, False]
    assert [one.lead for one in led[:2]] == [Outcome.FIRST, Outcome.SECOND]
    assert any("greedy mark" in note for note in log.notes)


def test_the_target_is_an_index_or_a_label(tmp_path):
    log = load(tmp_path, lm_eval_rows())
    assert {pair.gold for pair in log.pairs} == {Preference.A}
    row = {**lm_eval_row(0, "BA", -1, -2), "target": "B"}
    assert load(tmp_path, [row]).pairs[0].gold is Preference.A
    assert load(tmp_path, [{**row, "target": "Seven."}]).pairs[0].gold is None


def test_a_target_that_may_be_an_index_or_a_label_is_not_guessed(tmp_path):
    row = lm_eval_row(0, "AB", -1, -2)
    row["arguments"]["gen_args_0"]["arg_1"], row["arguments"]["gen_args_1"]["arg_1"] = " 1", " 2"
    assert load(tmp_path, [{**row, "target": "1"}], labels="1/2").pairs[0].gold is None


def test_texts_by_slot_become_texts_by_identity(tmp_path):
    pair = load(tmp_path, lm_eval_rows()).pairs[0]
    assert (pair.instruction, pair.response_a, pair.response_b) == ("Name a prime.", "Seven.", "Nine.")


def test_generated_texts_and_what_the_filter_took(tmp_path):
    rows = [
        lm_eval_text_row(0, "AB", "It is [[A]].", "A"),
        lm_eval_text_row(0, "BA", "Hm.", "[invalid]"),
        lm_eval_text_row(1, "AB", "B", "B"),
    ]
    log = load(tmp_path, rows)
    assert [(e.completion.text, e.completion.log_outcome) for e in log.entries] == [
        ("It is [[A]].", Outcome.FIRST),
        ("Hm.", Outcome.UNPARSED),
        ("B", None),  # the filter took nothing away: the log has no reading of its own
    ]
    assert log.pairs[0].gold is Preference.A
    assert log.entries[0].completion.first_token is None


def test_several_filters_are_listed(tmp_path):
    rows = [lm_eval_text_row(0, "AB", "[[A]]", "A"), {**lm_eval_text_row(0, "AB", "[[A]]", "x"), "filter": "strict"}]
    with pytest.raises(DataError, match="2 values of filter: 'brackets', 'strict'"):
        load(tmp_path, rows)
    assert load(tmp_path, rows, filter="strict").entries[0].completion.log_outcome is Outcome.UNPARSED


def test_words_as_labels_are_no_first_token(tmp_path):
    row = lm_eval_row(0, "AB", -1, -2)
    for index, label in enumerate(("Left", "Right")):
        row["arguments"][f"gen_args_{index}"]["arg_1"] = f" {label}"
    log = load(tmp_path, [row], labels="Left/Right")
    assert log.entries[0].completion.first_token is None
    assert log.entries[0].completion.log_outcome is Outcome.FIRST
    assert any("whole words" in note for note in log.notes)


def test_mutual_information_asks_again_without_the_prompt(tmp_path):
    row = lm_eval_row(0, "AB", -1, -2)
    row["resps"] += [[["-0.1", "False"]], [["-9.0", "False"]]]
    row["arguments"] |= {f"gen_args_{i + 2}": {"arg_0": "", "arg_1": f" {label}"} for i, label in enumerate("AB")}
    assert load(tmp_path, [row]).entries[0].completion.first_token.argmax.text == ""
    assert load(tmp_path, [row]).entries[0].completion.log_outcome is Outcome.FIRST


def test_older_arguments_are_lists(tmp_path):
    row = lm_eval_row(0, "AB", -2, -1)
    row["arguments"] = [["context", " A"], ["context", " B"]]
    assert load(tmp_path, [row]).entries[0].completion.log_outcome is Outcome.SECOND


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"resps": [[["0.5", "True"]], [["-1", "False"]]]}, "resps", "at most 0"),
        ({"resps": [[["-0.1", "True"]], [["-0.1", "False"]]]}, "filtered_resps", "sum to 1.8"),
        ({"resps": [[["nan", "True"]], [["-1", "False"]]]}, "resps[0]", "expected a finite number"),
        ({"resps": [[["-1", "True"]]]}, "arguments", "has 2 continuations for 1"),
        ({"resps": []}, "resps", "empty list"),
        ({"doc": {"pair_id": "p1", "order": "x"}}, "doc.order", "expected AB"),
    ],
)
def test_bad_rows_name_their_field(tmp_path, change, field, problem):
    with pytest.raises(DataError, match=problem) as caught:
        load(tmp_path, [{**lm_eval_row(0, "AB", -1, -2), **change}])
    assert (caught.value.row, caught.value.field) == (1, field)


def test_other_labels_are_named_in_the_remedy(tmp_path):
    row = lm_eval_row(0, "AB", -1, -2)
    row["arguments"]["gen_args_0"]["arg_1"] = " yes"
    with pytest.raises(DataError, match=r"asks for ' yes', not once for each label of A/B .*--set labels"):
        load(tmp_path, [row])


def test_a_benchmark_without_pairs_says_what_is_missing(tmp_path):
    row = {**lm_eval_row(0, "AB", -1, -2), "doc": {"question": "2 + 2?", "answer": "4"}}
    with pytest.raises(DataError, match=r"no column says which pair a row is of .*'doc.question'"):
        load(tmp_path, [row])


def test_what_the_harness_itself_wrote():
    # lm_eval 0.4.x with its dummy model, whose "log-likelihoods" are random numbers: no probabilities, and refused.
    found = inspect(MADE / LABELS)
    assert found.format == "lm_eval"
    assert "probabilities sum to" in found.problems[0].problem
    log = read_log("lm_eval", MADE / TEXTS)
    assert {entry.completion.text for entry in log.entries} == {"lol"}
    assert {entry.completion.log_outcome for entry in log.entries} == {Outcome.UNPARSED}
    assert [entry.presentation.order for entry in log.entries] == [Order.AB, Order.BA] * 2
    assert log.pairs[1].response_b == "Five."
    assert {pair.gold for pair in log.pairs} == {Preference.A}
