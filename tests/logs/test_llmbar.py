import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.logs import read_log
from evenhand.records import FinishReason, Order, Outcome, Preference
from logs.samples import llmbar_answer, llmbar_row, llmbar_rows, write_json


@pytest.fixture
def place(tmp_path):
    return tmp_path / "Natural" / "evaluators" / "GPT-9" / "Vanilla" / "result.json"


def test_a_winner_is_mapped_back_to_its_slot(place):
    log = read_log("llmbar", write_json(place, [llmbar_row(0, "1", "1"), llmbar_row(1, "1", "2")]))
    read = [(entry.presentation.order, entry.completion.log_outcome) for entry in log.entries]
    assert read == [
        (Order.AB, Outcome.FIRST),
        (Order.BA, Outcome.SECOND),  # output_1 won, and stood second
        (Order.AB, Outcome.FIRST),
        (Order.BA, Outcome.FIRST),
    ]
    assert log.entries[3].completion.text == "Output (a)"


def test_names_come_from_the_directories_and_the_directory_will_do(place):
    write_json(place, llmbar_rows())
    log = read_log("llmbar", place.parent)
    assert log == read_log("llmbar", place)
    assert log.judge.model == "GPT-9"
    assert [condition.id for condition in log.conditions] == ["GPT-9/Vanilla"]
    assert log.pairs[0].id == "llmbar-Natural-0"
    assert log.pairs[0].source == "Natural"
    assert log.pairs[2].gold is Preference.B
    assert log.orders == "both"


def test_options_replace_the_directories(tmp_path):
    file = write_json(tmp_path / "result.json", llmbar_rows())
    log = read_log("llmbar", file, judge="Judge-1/CoT", model="judge-one", subset="Neighbor")
    assert log.judge.model == "judge-one"
    assert log.conditions[0].id == "judge-one/CoT"
    assert log.pairs[0].source == "Neighbor"


@pytest.mark.parametrize(
    ("finish", "reason", "outcome"),
    [
        ("stop", FinishReason.STOP, Outcome.UNPARSED),
        ("", FinishReason.UNKNOWN, Outcome.UNPARSED),
        ("length", FinishReason.LENGTH, Outcome.TRUNCATED),
        ("content management policy", FinishReason.FILTERED, Outcome.REFUSED),
        ("0 is less than the minimum of", FinishReason.ERROR, Outcome.ERROR),
    ],
)
def test_no_winner_is_a_state_by_the_finish_reason(place, finish, reason, outcome):
    row = llmbar_row(0, None, "1")
    row["results"][0]["swap = False"] = llmbar_answer("", None, finish)
    completion = read_log("llmbar", write_json(place, [row])).entries[0].completion
    assert (completion.finish_reason, completion.log_outcome) == (reason, outcome)
    assert (completion.error is not None) == (reason is FinishReason.ERROR)


def swap_row():
    row = llmbar_row(0, "1", "2")
    second = {"swap = False": llmbar_answer("Output (b)", "2"), "swap = True": llmbar_answer("Output (a)", "2")}
    row["results"].append(second)
    return row


def test_the_final_round_counts_and_the_mixture_of_prompts_is_noted(place):
    file = write_json(place, [swap_row(), llmbar_row(1, "1", "1")])
    final, first = read_log("llmbar", file), read_log("llmbar", file, round="first")
    assert [entry.completion.log_outcome for entry in final.entries][:2] == [Outcome.SECOND, Outcome.FIRST]
    assert [entry.completion.log_outcome for entry in first.entries][:2] == [Outcome.FIRST, Outcome.FIRST]
    assert "1 of 2 pairs" in final.notes[0]
    assert "mix two prompts" in final.notes[0]
    assert final.entries[0].completion.log_note == "round 2, asked after conflicting answers"
    assert final.entries[2].completion.log_note is None
    assert {entry.presentation.key for entry in final.entries}.isdisjoint(e.presentation.key for e in first.entries)


def test_an_auxiliary_text_before_the_comparison_is_no_round(place):
    row = llmbar_row(0, "1", "1")
    row["results"].insert(0, ["1. Is it correct?", "stop"])
    log = read_log("llmbar", write_json(place, [row]))
    assert [entry.completion.log_outcome for entry in log.entries] == [Outcome.FIRST, Outcome.SECOND]
    assert log.notes == ()


def test_a_rating_evaluator_has_no_order_and_is_refused(place):
    row = llmbar_row(0, "1", "1")
    row["results"] = [
        {
            "score_1": ["7", "stop"],
            "score_2": ["5", "stop"],
            "swap = False": {"winner": "1"},
            "swap = True": {"winner": "1"},
        }
    ]
    with pytest.raises(DataError, match="Rating evaluator scores each output alone"):
        read_log("llmbar", write_json(place, [row]))


@pytest.mark.parametrize(
    ("damage", "field", "problem"),
    [
        (lambda row: row.pop("input"), "input", "missing"),
        (lambda row: row.update(label=3), "label", "is 3, expected 1 or 2"),
        (lambda row: row.update(label=True), "label", "expected 1 or 2"),
        (lambda row: row.update(results=[]), "results", "no comparison"),
        (lambda row: row["results"].append(["text", "stop"]), "results", "no comparison"),
        (lambda row: row["results"][0].pop("swap = True"), "results[0].swap = True", "missing"),
        (lambda row: row["results"][0]["swap = True"].update(winner="3"), "results[0].swap = True.winner", "'3'"),
        (lambda row: row["results"][0]["swap = True"].pop("winner"), "results[0].swap = True", "no winner"),
        (
            lambda row: row["results"][0]["swap = True"].update(completion=["x"]),
            "results[0].swap = True.completion",
            "1 el",
        ),
    ],
)
def test_errors_name_row_and_field(place, damage, field, problem):
    rows = [llmbar_row(0, "1", "1"), llmbar_row(1, "1", "2")]
    damage(rows[1])
    with pytest.raises(DataError, match=problem) as caught:
        read_log("llmbar", write_json(place, rows))
    assert (caught.value.row, caught.value.field) == (2, field)


def test_a_round_of_another_name_is_refused():
    with pytest.raises(ConfigError, match="expected final or first"):
        read_log("llmbar", "anywhere", round="second")
