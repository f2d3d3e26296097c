"""The work that every mapped format shares, shown by the plainest of them."""

from inspect import signature

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.errors import ConfigError, DataError
from evenhand.logs import inspect, read_log
from evenhand.logs.mapped import MappedLog, MappedOptions
from evenhand.logs.rows import RowOptions
from evenhand.records import Order, preference_of
from logs.samples import write_lines

KEEP = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)


def row(order, outcome, **more):
    return {"inputs": {"pair_id": "p", **more}, "metadata": {"order": order}, "outputs": {"outcome": outcome}}


def read(tmp_path, rows, **options):
    return read_log("trace_csv", write_lines(tmp_path / "runs.jsonl", rows), **options)


@KEEP
@given(order=st.sampled_from(["AB", "BA"]), label=st.sampled_from("AB"))
def test_swapping_order_and_winner_is_the_same_preference(tmp_path, order, label):
    def preference(order, label):
        entry = read(tmp_path, [row(order, label)]).entries[0]
        return preference_of(entry.completion.log_outcome, entry.presentation.order)

    assert preference(order, label) is preference(order[::-1], {"A": "B", "B": "A"}[label])


def test_texts_by_slot_by_name_and_by_what_they_do(tmp_path):
    named = [
        row("AB", "A", first_response="x", second_response="y"),
        row("BA", "A", first_response="y", second_response="x"),
    ]
    seen = [row("AB", "A", answer_a="x", answer_b="y"), row("BA", "A", answer_a="y", answer_b="x")]
    fixed = [row(order, "A", answer_a="x", answer_b="y") for order in ("AB", "BA")]
    for rows in (named, seen, fixed):
        pair = read(tmp_path, rows).pairs[0]
        assert (pair.response_a, pair.response_b) == ("x", "y")
    assert [any("by slot" in note for note in read(tmp_path, rows).notes) for rows in (seen, fixed)] == [True, False]


def test_texts_that_are_neither_are_a_contradiction(tmp_path):
    rows = [row("AB", "A", answer_a="x", answer_b="y"), row("BA", "A", answer_a="z", answer_b="y")]
    with pytest.raises(DataError, match="rows of one pair must agree"):
        read(tmp_path, rows)


def test_texts_by_slot_in_one_order_are_turned_too(tmp_path):
    rows = [row("BA", "A", first_response="x", second_response="y")]
    pair = read(tmp_path, rows).pairs[0]
    assert (pair.response_a, pair.response_b) == ("y", "x")


def test_authors_are_kept(tmp_path):
    pair = read(tmp_path, [row("AB", "A", model_a="one", model_b="two")]).pairs[0]
    assert (pair.author_a, pair.author_b) == ("one", "two")


def test_judges_are_chosen_by_name(tmp_path):
    rows = [row("AB", "A", judge="one"), row("AB", "B", judge="two")]
    with pytest.raises(DataError, match="2 values of judge: 'one', 'two'"):
        read(tmp_path, rows)
    log = read(tmp_path, rows, judge="two")
    assert (log.judge.model, len(log.entries)) == ("two", 1)
    assert read(tmp_path, rows[:1], judge="one").judge.model == "one"


def test_labels_are_the_prompt_s(tmp_path):
    log = read(tmp_path, [row("BA", "2"), row("AB", "C")], labels="1/2/C")
    assert [str(entry.completion.log_outcome) for entry in log.entries] == ["second", "tie"]
    assert log.conditions[0].labels.name == "1/2/C"
    with pytest.raises(ConfigError, match="they must differ"):
        read(tmp_path, [row("AB", "A")], labels="A/A")


def test_an_inspection_takes_the_same_options(tmp_path):
    rows = [{"inputs": {"id": "p", "which": "AB"}, "outputs": {"said": "[[A]]"}}]
    file = write_lines(tmp_path / "runs.jsonl", rows)
    assert not inspect(file, "trace_csv").importable
    mapping = "pair_id=inputs.id,order=inputs.which,text=outputs.said"
    assert inspect(file, "trace_csv", map=mapping).importable
    log = read_log("trace_csv", file, map=mapping)
    assert (log.notes, log.entries[0].presentation.order) == ((), Order.AB)
    with pytest.raises(ConfigError, match="'judgebench' has columns of its own"):
        inspect(file, "judgebench", map=mapping)


def test_a_column_that_begins_late_can_be_named(tmp_path):
    rows = [
        {"inputs": {"pair_id": f"p{n}"}, "outputs": {"text": "[[A]]"}, "metadata": {"order": "AB"}} for n in range(600)
    ]
    rows[-1]["metadata"]["right"] = "A"
    file = write_lines(tmp_path / "runs.jsonl", rows)
    assert {pair.gold for pair in read_log("trace_csv", file).pairs} == {None}
    golds = [pair.gold for pair in read_log("trace_csv", file, map="correct=metadata.right").pairs]
    assert (golds.count(None), golds[-1]) == (599, "A")


def test_a_mapped_format_hands_on_every_option_of_its_base():
    own = signature(MappedLog).parameters.keys() - {"options"}
    assert MappedOptions.__annotations__.keys() == own | RowOptions.__annotations__.keys()
