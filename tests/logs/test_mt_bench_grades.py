import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.errors import DataError
from evenhand.logs import read_log
from evenhand.logs.mt_bench_grades import pointwise_order
from evenhand.records import Order, Outcome, preference_of
from logs.samples import write_lines
from logs.tool_samples import grade_row

KEEP = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)


def read(tmp_path, rows, **options):
    return read_log(
        "mt_bench_judgments", write_lines(tmp_path / "gpt-4_single.jsonl", rows), pairs="by-score", **options
    )


def preferences(log):
    return [preference_of(entry.completion.log_outcome, entry.presentation.order) for entry in log.entries]


def test_the_higher_score_wins_and_minus_one_is_no_verdict(tmp_path):
    scores = [(8, 5), (5, 8), (7, 7), (7.1, 7), (-1, 7), (-1, -1)]
    rows = [grade_row(n, model, pair[i]) for n, pair in enumerate(scores) for i, model in enumerate(("one", "two"))]
    log = read(tmp_path, rows)
    assert preferences(log) == ["A", "B", "tie", "tie", None, None]
    assert log.entries[-1].completion.log_outcome is Outcome.UNPARSED
    assert log.entries[0].completion.log_note == "scores 8 and 5"
    assert (log.orders, log.slots_seen) == ("single", False)
    assert "No figure on slots speaks of this judge" in log.notes[0]


@KEEP
@given(a=st.integers(1, 10), b=st.integers(1, 10))
def test_the_models_order_changes_no_preference(tmp_path, a, b):
    rows = [grade_row(1, "one", a), grade_row(1, "two", b)]
    straight, turned = read(tmp_path, rows, model="one,two"), read(tmp_path, rows, model="two,one")
    assert preferences(straight) == [found and found.swapped for found in preferences(turned)]


def test_the_order_that_is_written_says_nothing():
    drawn = [pointwise_order(f"pair-{number}") for number in range(2000)]
    assert 900 < drawn.count(Order.AB) < 1100


def test_more_than_two_models_are_listed(tmp_path):
    rows = [grade_row(1, model, 5) for model in ("one", "two", "three")]
    with pytest.raises(DataError, match=r"3 models: 'one', 'two', 'three' \(choose two: --set model=one,two\)"):
        read(tmp_path, rows)
    assert read(tmp_path, rows, model="two,three").pairs[0].author_a == "two"
    with pytest.raises(DataError, match="no grades of 'four'"):
        read(tmp_path, rows, model="one,four")


def test_an_answer_graded_twice_and_models_that_never_meet(tmp_path):
    with pytest.raises(DataError, match="the same question, turn and model as row 1"):
        read(tmp_path, [grade_row(1, "one", 5), grade_row(1, "one", 6), grade_row(1, "two", 6)])
    with pytest.raises(DataError, match="no question was graded for both"):
        read(tmp_path, [grade_row(1, "one", 5), grade_row(2, "two", 6)])


def test_texts_come_from_the_prompts(tmp_path):
    pair = read(tmp_path, [grade_row(3, "one", 5), grade_row(3, "two", 6)]).pairs[0]
    assert (pair.instruction, pair.response_a, pair.response_b) == ("Question 3", "one says 3", "two says 3")
