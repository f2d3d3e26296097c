import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.errors import ConfigError, DataError
from evenhand.logs import inspect, read_log
from evenhand.readouts import DecisionGrammar, parse_decision
from evenhand.records import FinishReason, Order, Outcome, preference_of
from logs.samples import write_lines
from logs.tool_samples import grade_row, mt_bench_row, mt_bench_rows, pairwise_prompt

KEEP = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)


def read(tmp_path, rows, **options):
    return read_log("mt_bench_judgments", write_lines(tmp_path / "gpt-4_pair.jsonl", rows), **options)


def outcomes(log):
    return [(entry.presentation.order, entry.completion.log_outcome) for entry in log.entries]


def test_winners_are_identities_and_become_slots(tmp_path):
    log = read(tmp_path, [mt_bench_row(1, "model_1", "model_1"), mt_bench_row(2, "model_1", "model_2")])
    assert outcomes(log) == [
        (Order.AB, Outcome.FIRST),
        (Order.BA, Outcome.SECOND),  # the same model in both games: consistent
        (Order.AB, Outcome.FIRST),
        (Order.BA, Outcome.FIRST),  # another model in each: the first slot twice
    ]
    assert log.orders == "both"


def test_error_is_a_state_and_no_tie(tmp_path):
    row = mt_bench_row(1, "error", "tie")
    row["g1_judgment"] = "$ERROR$"
    log = read(tmp_path, [row, mt_bench_row(2, "error", "error")])
    assert [outcome for _, outcome in outcomes(log)] == [
        Outcome.ERROR,
        Outcome.TIE,
        Outcome.UNPARSED,
        Outcome.UNPARSED,
    ]
    assert log.entries[0].completion.finish_reason is FinishReason.ERROR
    assert log.entries[0].completion.text is None
    assert log.entries[2].completion.text == "Both are fine."


@KEEP
@given(winners=st.tuples(*[st.sampled_from(["model_1", "model_2", "tie", "error"])] * 2))
def test_exchanging_models_and_games_changes_no_preference(tmp_path, winners):
    other = {"model_1": "model_2", "model_2": "model_1"}
    one = read(tmp_path, [mt_bench_row(1, *winners)])
    swapped = mt_bench_row(
        1, other.get(winners[1], winners[1]), other.get(winners[0], winners[0]), models=("two", "one")
    )
    two = read(tmp_path, [swapped])

    def named(log):
        pair = log.pairs[0]
        names = {"A": pair.author_a, "B": pair.author_b, "tie": "tie", None: None}
        # Game 1 of one file shows the same first as game 2 of the other.
        return {
            (pair.author_a if entry.presentation.order is Order.AB else pair.author_b): names[
                preference_of(entry.completion.log_outcome, entry.presentation.order)
            ]
            for entry in log.entries
        }

    assert named(one) == named(two)


def test_our_parser_reads_the_texts_as_the_log_does(tmp_path):
    log = read(tmp_path, mt_bench_rows())
    grammar = DecisionGrammar.from_hint(log.grammar.labels, log.grammar)
    for entry in log.entries:
        ours = parse_decision(entry.completion.text, grammar).outcome
        assert (ours or Outcome.UNPARSED) is entry.completion.log_outcome


def test_turns_share_a_question_group_and_texts_come_from_the_prompts(tmp_path):
    log = read(tmp_path, mt_bench_rows())
    first, second = log.pairs[0], log.pairs[-1]
    assert first.group == second.group == "mt_bench-81"
    assert (first.instruction, first.response_a, first.response_b) == ("Question 81", "one says 81", "two says 81")
    assert (second.instruction, second.response_a) == ("Question 81\n\nAnd now?", "one says 81\n\na2")
    assert (first.author_a, first.author_b) == ("one", "two")
    assert [condition.prompt for condition in log.conditions] == ["pair-v2", "pair-v2-multi-turn"]
    assert log.notes == ("the two turns of a question are pairs of their own in one question group",)


def test_prompts_without_markers_leave_the_texts_out_and_say_so(tmp_path):
    row = mt_bench_row(1, "tie", "tie")
    row["g2_user_prompt"] = "something else"
    log = read(tmp_path, [row])
    assert (log.pairs[0].response_a, log.pairs[0].group) == ("", "mt_bench-1")
    assert "1 of 1 pairs are without their texts" in log.notes[0]


def test_a_file_whose_games_were_not_swapped_is_refused(tmp_path):
    rows = [mt_bench_row(number, "model_1", "model_2") for number in range(5)]
    for row in rows:
        row["g2_user_prompt"] = row["g1_user_prompt"]
    with pytest.raises(DataError, match="game 2 was not swapped"):
        read(tmp_path, rows)


def test_several_judges_are_listed_and_one_is_chosen(tmp_path):
    rows = [mt_bench_row(1, "tie", "tie"), {**mt_bench_row(2, "tie", "tie"), "judge": ["judge-2", "pair-v2"]}]
    with pytest.raises(DataError, match="2 values of judge: 'judge-1', 'judge-2'"):
        read(tmp_path, rows)
    assert [pair.group for pair in read(tmp_path, rows, judge="judge-2").pairs] == ["mt_bench-2"]


def test_the_pairs_of_one_model(tmp_path):
    rows = [
        mt_bench_row(1, "tie", "tie", models=names) for names in (("one", "two"), ("one", "three"), ("two", "three"))
    ]
    assert len(read(tmp_path, rows).pairs) == 3
    assert [pair.author_b for pair in read(tmp_path, rows, model="three").pairs] == ["three", "three"]
    with pytest.raises(DataError, match="no model 'four'"):
        read(tmp_path, rows, model="four")


@pytest.mark.parametrize("models", [("one", "two"), ("two", "one")])
def test_a_question_twice_is_an_error(tmp_path, models):
    rows = [mt_bench_row(1, "tie", "tie"), mt_bench_row(1, "model_1", "tie", models=models)]
    with pytest.raises(DataError, match="the same question, turn and models as row 1") as caught:
        read(tmp_path, rows)
    assert (caught.value.row, caught.value.field) == (2, "question_id")


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"g1_winner": "A"}, "g1_winner", "expected model_1, model_2, tie or error"),
        ({"g2_winner": None}, "g2_winner", "null"),
        ({"turn": 3}, "turn", "expected 1 or 2"),
        ({"judge": ["a", "b", "c"]}, "judge", "expected \\[model, prompt\\]"),
        ({"m1_score": 5, "m2_score": 6}, "m1_score", "the same two single grades"),
        ({"model_2": "one"}, "model_2", "the same model"),
    ],
)
def test_bad_rows_name_their_field(tmp_path, change, field, problem):
    with pytest.raises(DataError, match=problem) as caught:
        read(tmp_path, [{**mt_bench_row(1, "tie", "tie"), **change}])
    assert (caught.value.row, caught.value.field) == (1, field)


def test_single_grades_are_refused_with_the_way_out(tmp_path):
    file = write_lines(tmp_path / "gpt-4_single.jsonl", [grade_row(1, "one", 5)])
    found = inspect(file)
    assert found.format == "mt_bench_judgments"
    assert "says nothing of position (import the _pair.jsonl file" in found.problems[0].problem
    with pytest.raises(ConfigError, match="expected by-score"):
        read_log("mt_bench_judgments", file, pairs="all")


def test_a_file_of_both_kinds_is_refused(tmp_path):
    rows = [grade_row(1, "one", 5), mt_bench_row(1, "tie", "tie")]
    for mixed in (rows, rows[::-1]):
        with pytest.raises(DataError, match="mixes comparisons and single grades"):
            read(tmp_path, mixed, pairs="by-score")


def test_the_marker_prompt_is_the_one_that_the_reader_knows():
    assert pairwise_prompt("Q", "a", "b").startswith("[User Question]\nQ\n\n[The Start of Assistant A's Answer]\na\n")
