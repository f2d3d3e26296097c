from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import DataError, JudgeError, StoreError
from evenhand.judges import Judge, JudgeRequest
from evenhand.judges.base import Captures
from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.activation_meta import ActivationMeta
from evenhand.probes.places import Position
from evenhand.records import Completion, FinishReason, LabelSet, Message, Order, Presentation, Readout
from evenhand.workflow.capturing import CapturingJudge, record_of
from evenhand.workflow.judged import read_judged
from evenhand.workflow.verdict_token import verdict_locator
from workflow.capturing_judge import LAYERS, SIZE, CapturingDouble, logits, pairs, three_lines, vectors

LABELS = LabelSet.parse("A/B")
KEPT = (1, 3)
META = ActivationMeta(blocks=LAYERS, size=SIZE, layers=KEPT, readout=Readout.GENERATED)


def presentation(number, order=Order.AB, repeat=0):
    pair = pairs(number + 1)[number]
    shown = (pair.response_a, pair.response_b) if order is Order.AB else (pair.response_b, pair.response_a)
    content = f"{pair.instruction}: {shown[0]} | {shown[1]}"
    return Presentation(
        key=f"k{number}{order}{repeat}",
        pair_id=pair.id,
        condition="c",
        order=order,
        repeat=repeat,
        messages=(Message(role="user", content=content),),
    )


def request_of(presentation):
    return JudgeRequest(messages=presentation.messages, labels=LABELS)


@pytest.fixture
def made(tmp_path):
    def make(write=None):
        double = CapturingDouble(write)
        store = ActivationStore(tmp_path)
        store.begin(META)
        locate = verdict_locator(Readout.GENERATED, LABELS, double.label_tokens(LABELS))
        return double, store, CapturingJudge(double, store, layers=KEPT, locate=locate)

    return make


def requests_of(capturing, presentations):
    return [capturing.request_for(each, request_of(each)) for each in presentations]


def test_it_is_a_judge_and_hands_on_what_it_is_asked(made):
    double, _, capturing = made()
    assert isinstance(double, Captures)
    assert isinstance(capturing, Judge)
    assert capturing.identity == double.identity
    assert capturing.label_tokens(LABELS) == double.label_tokens(LABELS)
    assert capturing.estimate([request_of(presentation(0))]).prompt_tokens == 10
    with capturing:
        pass
    assert double.closed


def test_the_record_is_on_the_disk_before_the_answer_is_handed_on(made, tmp_path):
    _, store, capturing = made()
    asked = [presentation(0), presentation(1), presentation(2)]
    got = []
    for answer in capturing.answer(requests_of(capturing, asked)):
        assert (store.folder / "pending" / f"{asked[answer.index].key}.safetensors").is_file()
        assert len(ActivationStore(tmp_path).keys()) == len(got) + 1
        got.append(answer.index)
    assert sorted(got) == [0, 1, 2]


def test_a_record_holds_both_positions_and_what_a_replay_needs(made):
    double, store, capturing = made()
    asked = presentation(4, Order.BA)
    [answer] = capturing.answer(requests_of(capturing, [asked]))
    record = store.get(asked.key)
    written, words = double.tokens(answer.completion.text)
    at = len(words) - 1
    assert (record.pair_id, record.order, record.repeat) == ("p4", Order.BA, 0)
    assert record.token_ids == written
    assert record.verdict_index == at
    assert written[at] in record.label_ids
    prompt, _ = double.tokens(asked.messages[0].content)
    assert record.prompt_ids == prompt
    assert np.array_equal(record.at(Position.PROMPT_END), vectors(prompt, (), KEPT))
    assert np.array_equal(record.at(Position.BEFORE_VERDICT), vectors(prompt, written[:at], KEPT))
    assert np.array_equal(record.label_logits, logits(prompt, written[:at], record.label_ids))


def test_equal_requests_of_two_presentations_are_kept_apart(made):
    _, store, capturing = made()
    one, repeated = presentation(0), presentation(0, repeat=1)
    same = request_of(one)
    requests = [capturing.request_for(one, same), capturing.request_for(repeated, same)]
    assert requests[0] == requests[1]
    list(capturing.answer(requests))
    assert store.keys() == {one.key, repeated.key}
    assert store.get(repeated.key).repeat == 1


def test_what_failed_leaves_no_record_and_can_be_asked_again(made):
    failing = {0}

    def write(number, ab):
        if number in failing:
            return Completion(text=None, finish_reason=FinishReason.ERROR, error="too long")
        return three_lines("A")

    _, store, capturing = made(write)
    asked = [presentation(0), presentation(1)]
    list(capturing.answer(requests_of(capturing, asked)))
    assert store.keys() == {asked[1].key}
    failing.clear()
    list(capturing.answer(requests_of(capturing, asked[:1])))
    assert store.keys() == {each.key for each in asked}


def test_a_text_out_of_format_keeps_the_end_of_the_prompt(made):
    _, store, capturing = made(lambda number, ab: "I would say A")
    asked = presentation(0)
    list(capturing.answer(requests_of(capturing, [asked])))
    record = store.get(asked.key)
    assert record.verdict_index is None
    assert set(record.vectors) == {Position.PROMPT_END}


def test_an_answer_whose_record_cannot_be_written_is_not_handed_on(made, monkeypatch):
    double, store, capturing = made()

    def full(record):
        raise StoreError("no space")

    monkeypatch.setattr(store, "add", full)
    answers = capturing.answer(requests_of(capturing, [presentation(0)]))
    with pytest.raises(StoreError, match="no space"):
        next(answers)
    assert double._capture is None


def test_leaving_early_ends_the_capture(made):
    double, _, capturing = made()
    answers = capturing.answer(requests_of(capturing, [presentation(0), presentation(1)]))
    next(answers)
    assert double._capture is not None
    answers.close()
    assert double._capture is None


def test_requests_of_others_are_refused(made):
    _, _, capturing = made()
    with pytest.raises(JudgeError, match=r"CapturingJudge\.request_for"):
        capturing.answer([request_of(presentation(0))])
    [once] = requests_of(capturing, [presentation(0)])
    list(capturing.answer([once]))
    with pytest.raises(JudgeError, match="unknown"):
        capturing.answer([once])


def test_an_answer_without_a_capture_is_the_judge_s_fault(made, monkeypatch):
    double, _, capturing = made()
    monkeypatch.setattr(double, "capture", never_captures)
    with pytest.raises(JudgeError, match=r"double:x captured nothing of index 0.*fault of the judge"):
        list(capturing.answer(requests_of(capturing, [presentation(0)])))


def never_captures(*, layers, sink):
    return nullcontext()


def test_numbers_that_are_not_finite_are_not_kept(made, monkeypatch):
    double, store, capturing = made()
    given = double._captured

    def broken(index, request, completion):
        whole = given(index, request, completion)
        return replace(whole, vectors=np.full_like(whole.vectors, np.inf)) if index == 0 else whole

    monkeypatch.setattr(double, "_captured", broken)
    asked = [presentation(0), presentation(1)]
    found = {each.index: each.completion for each in capturing.answer(requests_of(capturing, asked))}
    assert found[0].finish_reason is FinishReason.ERROR
    assert found[0].text is None
    assert not found[0].retryable
    assert found[0].error == (
        "what the judge computed can't be kept: field 'vectors': hold numbers that are not finite"
    )
    assert found[0].usage.completion_tokens == found[1].usage.completion_tokens
    assert found[1].error is None
    assert store.keys() == {asked[1].key}
    assert read_judged(found[0], None, None).reason == "its activation can't be kept"


def test_a_verdict_beyond_what_was_captured_fails_that_answer_alone(made, monkeypatch):
    double, store, capturing = made()
    given = double._captured

    def short(index, request, completion):
        whole = given(index, request, completion)
        return replace(whole, token_ids=(), starts=()) if index == 1 else whole

    monkeypatch.setattr(double, "_captured", short)
    asked = [presentation(n) for n in range(3)]
    found = {each.index: each.completion for each in capturing.answer(requests_of(capturing, asked))}
    assert [n for n, each in found.items() if each.error] == [1]
    assert "can't be kept: no generated token holds character" in found[1].error
    assert store.keys() == {asked[0].key, asked[2].key}


def test_a_record_keeps_no_other_position_alive(made):
    double, *_ = made()
    double._capture = (KEPT, None)
    request = request_of(presentation(0))
    captured = double._captured(0, request, double._completion(three_lines("A"), request))
    record = record_of(presentation(0), captured, verdict_index=3)
    assert all(values.base is None for values in record.vectors.values())
    with pytest.raises(DataError, match="the verdict is at 99"):
        record_of(presentation(0), captured, verdict_index=99)
