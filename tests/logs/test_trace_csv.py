import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.logs import inspect, read_log
from evenhand.records import FinishReason, Order, Outcome, preference_of
from logs.samples import write_csv, write_lines
from logs.tool_samples import trace_rows


def read(tmp_path, rows, **options):
    return read_log("trace_csv", write_csv(tmp_path / "runs.csv", rows), **options)


def test_columns_are_guessed_and_the_guess_is_told(tmp_path):
    log = read(tmp_path, trace_rows())
    found = [preference_of(e.completion.log_outcome, e.presentation.order) for e in log.entries]
    assert found == ["A", "A", "A", "B", "A", "B"]
    assert log.notes[0].startswith("columns guessed from their names: pair_id=inputs.pair_id, order=metadata.order")
    assert (log.judge.model, log.orders, log.pairs[0].response_b) == ("judge-1", "both", "Nine.")
    assert "'feedback.preference'" in log.log_rules


def test_langsmith_objects_are_the_same_log(tmp_path):
    nested = []
    for row in trace_rows():
        record: dict[str, dict[str, str]] = {}
        for name, value in row.items():
            head, _, rest = name.partition(".")
            record.setdefault(head, {})[rest] = value
        nested.append(record)
    lines = write_lines(tmp_path / "runs.jsonl", nested)
    assert inspect(lines).format == "trace_csv"
    assert read_log("trace_csv", lines).pairs == read(tmp_path, trace_rows()).pairs


def test_phoenix_spans(tmp_path):
    rows = [
        {
            "name": "judge",
            "status_code": "ERROR" if number else "OK",
            "status_message": "timeout" if number else "",
            "attributes.input.value": "Which?",
            "attributes.output.value": "[[A]]",
            "attributes.metadata.pair_id": "p1",
            "attributes.metadata.order": order,
        }
        for number, order in enumerate(("AB", "BA"))
    ]
    log = read(tmp_path, rows)
    assert inspect(tmp_path / "runs.csv").format == "trace_csv"
    # The log has no reading of its own, so a failed call is none either: it is an error under ours.
    assert [(e.completion.text, e.completion.finish_reason, e.completion.log_outcome) for e in log.entries] == [
        ("[[A]]", FinishReason.UNKNOWN, None),
        (None, FinishReason.ERROR, None),
    ]
    assert [condition.id for condition in log.conditions] == ["trace_csv"]


def test_who_won_is_mapped_by_its_owner(tmp_path):
    rows = [{**row, "feedback.winner": "B"} for row in trace_rows()]
    for row in rows:
        del row["feedback.preference"]
    # The same column, as a slot and as an identity, is not the same verdict.
    slots = read(tmp_path, rows, map="outcome=feedback.winner")
    assert {entry.completion.log_outcome for entry in slots.entries} == {Outcome.SECOND}
    identities = read(tmp_path, rows, map="preference=feedback.winner")
    found = {e.presentation.order: e.completion.log_outcome for e in identities.entries}
    assert found == {Order.AB: Outcome.SECOND, Order.BA: Outcome.FIRST}
    assert {entry.completion.log_outcome for entry in read(tmp_path, rows).entries} == {None}


@pytest.mark.parametrize(
    ("gone", "problem"),
    [
        ("inputs.pair_id", r"no column says which pair a row is of \(--map pair_id=COLUMN; it has 'metadata.order'"),
        ("metadata.order", "no column says which response was shown first, so nothing can be said of position"),
        ("outputs.output", "no column has the judge's text or verdict"),
    ],
)
def test_what_is_missing_is_said_with_the_option(tmp_path, gone, problem):
    rows = [
        {key: value for key, value in row.items() if key not in (gone, "feedback.preference")} for row in trace_rows()
    ]
    with pytest.raises(DataError, match=problem):
        read(tmp_path, rows)


def test_one_order_for_all_must_be_said(tmp_path):
    rows = [{k: v for k, v in row.items() if k != "metadata.order"} for row in trace_rows()[::2]]
    log = read(tmp_path, rows, order="AB")
    assert log.orders == "single"
    assert "order AB for rows that don't state it: as the import was told" in log.notes
    with pytest.raises(ConfigError, match="expected AB or BA"):
        read(tmp_path, rows, order="first")


def test_a_presentation_twice_is_an_error_in_the_own_column(tmp_path):
    with pytest.raises(DataError, match="and repeat 0 as row 1") as caught:
        read(tmp_path, [*trace_rows(), trace_rows()[0]])
    assert caught.value.row == 7


def test_marks_and_line_ends(tmp_path):
    file = write_csv(tmp_path / "runs.csv", trace_rows())
    plain = read_log("trace_csv", file)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    assert read_log("trace_csv", file).pairs == plain.pairs
