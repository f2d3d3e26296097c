import pytest

from evenhand.errors import DataError
from evenhand.logs import read_log
from evenhand.logs.judgebench import published_score
from evenhand.records import FinishReason, Order, Outcome, Preference
from logs.samples import judgebench_game, judgebench_row, judgebench_rows, write_lines, write_sample


def read(tmp_path, rows):
    return read_log("judgebench", write_lines(tmp_path / "outputs.jsonl", rows))


def test_a_decision_speaks_of_the_slots_of_its_own_prompt(tmp_path):
    log = read(tmp_path, [judgebench_row(0, "A>B", "A>B"), judgebench_row(1, "A=B", None, label="B>A")])
    found = [(entry.presentation.order, entry.completion.log_outcome) for entry in log.entries]
    assert found == [
        (Order.AB, Outcome.FIRST),
        (Order.BA, Outcome.FIRST),  # the same slot twice is a flip
        (Order.AB, Outcome.TIE),
        (Order.BA, Outcome.UNPARSED),
    ]
    assert log.pairs[1].gold is Preference.B
    assert published_score(log).flips == 1


def test_what_the_file_says_is_kept(tmp_path):
    log = read(tmp_path, judgebench_rows())
    pair, entry = log.pairs[0], log.entries[0]
    assert (pair.source, pair.author_a, pair.metadata) == ("arithmetic", "model-1", (("original_id", "0"),))
    assert (log.judge.model, log.conditions[0].id) == ("judge-1", "arena_hard")
    assert entry.presentation.messages[0].content == "Which is better?"
    assert entry.completion.text == "\nMy final verdict is: [[A>B]]"
    assert log.grammar.comparison


def test_the_published_rule(tmp_path):
    score = published_score(read(tmp_path, judgebench_rows()))
    # +1 +1; +1 −1; 0 −1; null, second game says A: +1; label B: +1 in game 1, −1 in game 2
    assert (score.correct, score.incorrect, score.tied) == (2, 1, 2)
    assert (score.pairs, score.inconsistent, score.nulls) == (5, 4, 1)
    assert (score.flips, score.tie_changes) == (2, 1)
    assert score.correct_percent == 40.0


def test_an_unknown_decision_is_unparsed_and_no_null(tmp_path):
    log = read(tmp_path, [judgebench_row(0, "A<B", "A>B")])
    assert log.entries[0].completion.log_outcome is Outcome.UNPARSED
    assert log.entries[0].completion.log_note == "decision 'A<B'"
    score = published_score(log)
    assert (score.nulls, score.inconsistent, score.flips) == (0, 1, 0)


def test_a_judgment_that_is_null_is_an_error_state(tmp_path):
    row = judgebench_row(0, "A>B", "B>A")
    row["judgments"][1] = None
    log = read(tmp_path, [row])
    completion = log.entries[1].completion
    assert (completion.finish_reason, completion.log_outcome) == (FinishReason.ERROR, Outcome.ERROR)
    assert published_score(log).nulls == 1


def test_one_order_only_is_single_and_has_no_published_score(tmp_path):
    row = judgebench_row(0, "A>B", None)
    row["judgments"].pop()
    log = read(tmp_path, [row])
    assert log.orders == "single"
    assert "1 of 1 pairs" in log.notes[0]
    with pytest.raises(DataError, match="one order only"):
        published_score(log)


def test_a_judgment_without_text_was_not_generated(tmp_path):
    row = judgebench_row(0, "A>B", "B>A")
    del row["judgments"][0]["judgment"]["response"]
    completion = read(tmp_path, [row]).entries[0].completion
    assert (completion.text, completion.finish_reason) == (None, FinishReason.NOT_GENERATED)


@pytest.mark.parametrize(
    ("damage", "field", "problem"),
    [
        (lambda row: row.pop("label"), "label", "missing"),
        (lambda row: row.update(label="A=B"), "label", "expected A>B or B>A"),
        (lambda row: row.update(judgments=[]), "judgments", "1 or 2 judgments"),
        (lambda row: row.update(pair_id=""), "pair_id", "is empty"),
        (lambda row: row.update(pair_id="pair-0"), "pair_id", "is in row 1 too"),
        (lambda row: row.update(judge_name="other"), "judge_name", "a log is of one judge"),
        (lambda row: row["judgments"][1].pop("decision"), "judgments[1]", "no decision"),
        (lambda row: row["judgments"][1].update(decision=1), "judgments[1].decision", "expected text"),
        (lambda row: row["judgments"][1]["judgment"].update(judge_model="x"), "judge_model", "row 1 has 'judge-1'"),
    ],
)
def test_errors_name_row_and_field(tmp_path, damage, field, problem):
    rows = judgebench_rows()[:2]
    damage(rows[1])
    with pytest.raises(DataError, match=problem) as caught:
        read(tmp_path, rows)
    assert (caught.value.row, caught.value.field) == (2, field)


def test_blank_lines_keep_the_line_numbers(tmp_path):
    file = write_lines(tmp_path / "outputs.jsonl", judgebench_rows()[:1])
    with file.open("a", encoding="utf-8") as out:
        out.write("\n{broken\n")
    with pytest.raises(DataError, match="row 3: is not JSON"):
        read_log("judgebench", file)


def test_another_format_is_refused(tmp_path):
    with pytest.raises(DataError, match="expected a judgebench log"):
        published_score(read_log("llmbar", write_sample("llmbar", tmp_path)))


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path):
    row = judgebench_row(0, "A>B", "B>A")
    row["judgments"][0] = judgebench_game("A>B", "one\u2028two [[A>B]]")
    file = tmp_path / "outputs.jsonl"
    import json

    file.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    assert read_log("judgebench", file).entries[0].completion.text == "one\u2028two [[A>B]]"
