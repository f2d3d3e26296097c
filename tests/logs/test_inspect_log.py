import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.errors import DataError
from evenhand.logs import inspect, read_log
from evenhand.records import FinishReason, Order, Outcome, Preference
from logs.samples import write_json
from logs.tool_samples import inspect_object, inspect_sample, inspect_samples

MADE = Path(__file__).parent / "made"


def read(tmp_path, samples, **options):
    return read_log("inspect", write_json(tmp_path / "log.json", inspect_object(samples)), **options)


def as_eval(path, samples, header=True):
    """Write the same log as a .eval archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        about = {**inspect_object([]), "samples": None}
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": about["eval"], "plan": {}}))
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps({**sample, "events": [{"much": "more"}]}))
        if header:
            archive.writestr("header.json", json.dumps(about))
    path.write_bytes(buffer.getvalue())
    return path


def test_text_answer_pair_order_and_target(tmp_path):
    log = read(tmp_path, inspect_samples())
    assert [(e.presentation.pair_id, e.presentation.order, e.completion.log_outcome) for e in log.entries] == [
        ("p1", Order.AB, Outcome.FIRST),
        ("p1", Order.BA, Outcome.SECOND),
        ("p2", Order.AB, Outcome.FIRST),
        ("p2", Order.BA, Outcome.FIRST),
        ("p3", Order.AB, Outcome.UNPARSED),  # the scorer found no answer, and calls that incorrect
        ("p3", Order.BA, Outcome.SECOND),
    ]
    assert {pair.gold for pair in log.pairs} == {Preference.A}  # the right slot follows the order
    assert log.pairs[0].response_a == "Seven."
    assert log.pairs[0].source == "ours"
    assert (log.judge.model, log.conditions[0].id, log.orders) == ("judge-1", "which_is_better", "both")
    assert log.entries[0].completion.text == "The first. [[A]]"
    assert "scorer pattern" in log.log_rules


def test_an_archive_is_the_same_log(tmp_path):
    plain = read(tmp_path, inspect_samples())
    for header in (True, False):  # a run that was broken off has no header yet
        file = as_eval(tmp_path / "log.eval", inspect_samples(), header=header)
        assert inspect(file).format == "inspect"
        log = read_log("inspect", file)
        assert (log.pairs, log.judge) == (plain.pairs, plain.judge)
        assert [entry.completion for entry in log.entries] == [entry.completion for entry in plain.entries]


def test_epochs_are_repeats(tmp_path):
    samples = [inspect_sample(0, "AB", "[[A]]", "A", epoch=epoch) for epoch in (1, 2)]
    assert [entry.presentation.repeat for entry in read(tmp_path, samples).entries] == [0, 1]
    samples[1]["epoch"] = 0
    with pytest.raises(DataError, match="expected 1, 2, 3") as caught:
        read(tmp_path, samples)
    assert (caught.value.row, caught.value.field) == (2, "epoch")


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("max_tokens", FinishReason.LENGTH),
        ("content_filter", FinishReason.FILTERED),
        ("tool_calls", FinishReason.UNKNOWN),
    ],
)
def test_why_a_text_ends(tmp_path, stop, finish):
    sample = inspect_sample(0, "AB", "…", None)
    sample["output"]["choices"][0]["stop_reason"] = stop
    assert read(tmp_path, [sample]).entries[0].completion.finish_reason is finish


def test_a_failed_sample_is_an_error_and_no_empty_answer(tmp_path):
    sample = inspect_sample(0, "AB", "", None)
    sample["output"] = {"model": "judge-1", "choices": [], "completion": ""}
    sample["scores"] = {}
    sample["error"] = {"message": "ConnectionError", "traceback": "…"}
    completion = read(tmp_path, [sample, inspect_sample(0, "BA", "[[A]]", "A")]).entries[0].completion
    assert (completion.finish_reason, completion.log_outcome) == (FinishReason.ERROR, Outcome.ERROR)
    assert completion.text is None


def test_the_largest_log_probabilities_are_the_first_token(tmp_path):
    sample = inspect_sample(0, "AB", "A", "A")
    top = [{"token": "A", "logprob": -0.25}, {"token": "B", "logprob": -2.0}, {"token": "The", "logprob": -3.0}]
    position = {"token": "Hm", "logprob": -9.0, "top_logprobs": top}
    sample["output"]["choices"][0]["logprobs"] = {"content": [position]}
    first = read(tmp_path, [sample]).entries[0].completion.first_token
    assert first.argmax.text == "A"
    # " A" was not returned: bounded by the smallest of the top, not by the token that was drawn.
    assert dict(first.labels)[Outcome.FIRST][1].below == -3.0
    position.pop("top_logprobs")
    assert read(tmp_path, [sample]).entries[0].completion.first_token is None


def test_a_grade_is_no_label(tmp_path):
    # With labels A/B/C a score of C (correct) is not the label C (a tie).
    sample = inspect_sample(0, "AB", "Hm.", None)
    sample["scores"]["pattern"]["value"] = "C"
    assert read(tmp_path, [sample], labels="A/B/C").entries[0].completion.log_outcome is Outcome.UNPARSED


def test_several_scorers_are_listed(tmp_path):
    samples = inspect_samples()
    for sample in samples:
        sample["scores"]["other"] = {"value": "I", "answer": "B"}
    with pytest.raises(DataError, match=r"2 scorers: 'pattern', 'other' \(choose one: --set scorer=pattern\)"):
        read(tmp_path, samples)
    log = read(tmp_path, samples, scorer="other")
    assert {entry.completion.log_outcome for entry in log.entries} == {Outcome.SECOND}
    with pytest.raises(DataError, match="no scorer 'third'"):
        read(tmp_path, samples, scorer="third")
    mapped = read(tmp_path, samples, map="outcome=scores.other.answer")
    assert {entry.completion.log_outcome for entry in mapped.entries} == {Outcome.SECOND}


def test_graded_outputs_without_an_order_are_refused(tmp_path):
    sample = inspect_sample(0, "AB", "An answer.", None)
    sample["metadata"] = {"pair_id": "p1"}
    sample["scores"] = {"model_graded_qa": {"value": "C", "answer": "An answer.", "explanation": "GRADE: C"}}
    with pytest.raises(DataError, match="which response was shown first, so nothing can be said of position"):
        read(tmp_path, [sample])


def test_an_attachment_is_looked_up(tmp_path):
    sample = inspect_sample(0, "AB", "attachment://0f", "A")
    sample["attachments"] = {"0f": "A long text. [[A]]"}
    assert read(tmp_path, [sample]).entries[0].completion.text == "A long text. [[A]]"
    sample["attachments"] = {}
    with pytest.raises(DataError, match="not among the sample's attachments"):
        read(tmp_path, [sample])


def test_no_samples_and_damaged_archives(tmp_path):
    with pytest.raises(DataError, match="has no samples"):
        read(tmp_path, [])
    with pytest.raises(DataError, match="has no samples"):
        read_log("inspect", as_eval(tmp_path / "log.eval", []))
    file = as_eval(tmp_path / "log.eval", inspect_samples())
    content = file.read_bytes()
    for end in range(0, len(content), 97):
        file.write_bytes(content[:end])
        with pytest.raises(DataError):
            read_log("inspect", file)
        assert not inspect(file).importable


def test_what_inspect_itself_wrote():
    # inspect_ai 0.3.285 with its mock model; made by the script in tests/logs/made/README.md.
    log = read_log("inspect", MADE / "inspect.json")
    outcomes = [entry.completion.log_outcome for entry in log.entries]
    assert outcomes == [
        Outcome.FIRST,
        Outcome.SECOND,
        Outcome.FIRST,
        Outcome.FIRST,
        Outcome.UNPARSED,
        Outcome.SECOND,
    ]
    assert (log.judge.model, log.orders, log.pairs[0].instruction) == ("mockllm/model", "both", "Name a prime.")
    found = inspect(MADE / "inspect_zstandard.eval")
    assert found.format == "inspect"
    assert found.importable or "Zstandard" in found.problems[0].problem


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_an_archive_of_changed_bytes_never_crashes(tmp_path, data):
    file = as_eval(tmp_path / "log.eval", inspect_samples()[:2])
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(4, len(content) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(content)
    found = inspect(file, "inspect")
    try:
        read_log("inspect", file)
    except DataError:
        assert not found.importable
    else:
        assert found.importable
    inspect(file)
