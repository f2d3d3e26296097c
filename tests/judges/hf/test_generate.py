"""The greedy loop: against transformers' own, whatever the batches, and when memory runs out."""

import pytest
import torch

from evenhand.errors import JudgeError
from evenhand.judges import Generate
from evenhand.judges.hf import generate as hf_generate
from evenhand.judges.hf.batches import Limits
from evenhand.records import FinishReason
from judges.tiny_models import FAMILIES, LLAMA3, answers, ask, farthest, judge_of

TOLERANCE = 1e-4
named = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
QUESTIONS = ["A or B?", "Is water wet, A or B?", "Say hello. " * 9, "The better response is A. " * 4, "B"]


def pair(number):
    """Two orders of a pair: much in common, then not."""
    start = f"Which response is better, A or B? The question was {number}. " * 6
    return [ask(f"{start} {x}. {y}.") for x, y in (("first", "second"), ("second", "first"))]


@named
def test_tokens_are_those_of_plain_greedy_decoding(tiny, family):
    with judge_of(tiny(family)) as judge:
        requests = [ask(q, budgets=(16,)) for q in QUESTIONS]
        model, tokens = judge._loaded.model, {}
        with judge.capture(layers=(1,), sink=lambda record: tokens.update({record.index: record.token_ids})):
            completions = answers(judge, requests)
        for index, (request, completion) in enumerate(zip(requests, completions, strict=True)):
            prompt = judge._encoder.encode(request.messages)
            written = model.generate(
                torch.tensor([prompt]),
                attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
                max_new_tokens=16,
                do_sample=False,
                eos_token_id=sorted(judge._ends),
                pad_token_id=0,
            )[0, len(prompt) :].tolist()
            ended = written[-1] in judge._ends
            assert completion.finish_reason is (FinishReason.STOP if ended else FinishReason.LENGTH)
            assert completion.usage.completion_tokens == len(written) - ended
            assert tokens[index] == tuple(written[: len(written) - ended])


@named
def test_a_batch_is_as_each_alone(tiny, family):
    requests = [*(ask(q) for q in QUESTIONS), *pair(1), *pair(2)]
    with judge_of(tiny(family)) as judge:
        together = answers(judge, requests)
        alone = [answers(judge, [request])[0] for request in requests]
    assert any(completion.usage.cached_tokens for completion in together)
    for one, other in zip(together, alone, strict=True):
        assert (one.text, one.finish_reason) == (other.text, other.finish_reason)
        assert one.first_token.argmax.token_id == other.first_token.argmax.token_id
        assert farthest(one, other) < TOLERANCE


def test_sharing_beginnings_changes_nothing_but_the_work(tiny):
    requests = [*pair(1), *pair(2), *pair(3)]
    with judge_of(tiny(LLAMA3)) as warm, judge_of(tiny(LLAMA3), reuse_prefix=False) as cold:
        shared, apart = answers(warm, requests), answers(cold, requests)
    assert sum(c.usage.cached_tokens for c in shared) > sum(c.usage.prompt_tokens for c in shared) // 4
    assert not any(c.usage.cached_tokens for c in apart)
    for one, other in zip(shared, apart, strict=True):
        assert one.text == other.text
        assert farthest(one, other) < TOLERANCE


@pytest.mark.parametrize("limits", [Limits(tokens=64, rows=2), Limits(tokens=300, rows=3), Limits(tokens=1, rows=1)])
def test_small_batches_give_the_same(tiny, limits):
    requests = [*(ask(q) for q in QUESTIONS), *pair(1), *pair(2)]
    with judge_of(tiny(LLAMA3)) as judge:
        expected = answers(judge, requests)
    with judge_of(tiny(LLAMA3), limits=limits) as judge:
        for one, other in zip(answers(judge, requests), expected, strict=True):
            assert one.text == other.text
            assert farthest(one, other) < TOLERANCE


@pytest.fixture
def spied(tiny, monkeypatch):
    """A judge, with the number of rows of every pass; fails in the passes that ``memory`` says don't fit."""
    judge = judge_of(tiny(LLAMA3))
    passes = []
    spied_on = judge._forward._pass

    def watched(ids, before, held):
        passes.append((len(ids), max(len(row) for row in ids)))
        if not judge.memory(passes[-1]):
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return spied_on(ids, before, held)

    judge.memory = lambda size: True
    judge.passes = passes
    monkeypatch.setattr(judge._forward, "_pass", watched)
    return judge


def test_finished_rows_leave_the_batch(spied):
    requests = [ask(f"{number}: A or B?", budgets=(budget,)) for number, budget in enumerate((2, 5, 5, 9))]
    expected = [c.usage.completion_tokens for c in answers(spied, requests)]
    steps = [rows for rows, columns in spied.passes if columns == 1]
    assert steps == sorted(steps, reverse=True)
    assert sum(steps) == sum(max(0, tokens - 1) for tokens in expected)


def test_rows_of_several_prompt_batches_write_together(spied):
    spied._limits.tokens = 120
    requests = [ask(f"{number}: A or B?", budgets=(6,)) for number in range(6)]
    assert all(c.error is None for c in answers(spied, requests))
    prompts = [rows for rows, columns in spied.passes if columns > 1]
    assert len(prompts) > 1
    assert max(rows for rows, columns in spied.passes if columns == 1) > max(prompts)


def test_nothing_is_kept_for_requests_that_write_nothing(spied):
    answers(spied, [ask(q, generate=Generate.NEVER) for q in QUESTIONS])
    assert all(columns > 1 for _, columns in spied.passes)


def test_less_at_once_where_memory_runs_out_and_from_then_on(spied):
    requests = [ask(f"{number}: A or B?") for number in range(8)]
    expected = answers(spied, requests)
    spied.memory = lambda size: size[0] <= 3
    spied.passes.clear()
    for one, other in zip(answers(spied, requests), expected, strict=True):
        assert (one.text, one.error) == (other.text, None)
        assert farthest(one, other) < TOLERANCE
    assert max(rows for rows, _ in spied.passes) == 8
    spied.passes.clear()
    answers(spied, requests)
    assert all(rows <= 3 for rows, _ in spied.passes)


def test_memory_that_runs_out_while_writing_loses_nothing(spied):
    requests = [ask(f"{number}: A or B?") for number in range(6)]
    expected = answers(spied, requests)
    spied.passes.clear()
    spied.memory = lambda size: size[1] > 1 or size[0] <= 2 or len(spied.passes) < 5
    for one, other in zip(answers(spied, requests), expected, strict=True):
        assert (one.text, one.error, one.finish_reason) == (other.text, None, other.finish_reason)
        assert farthest(one, other) < TOLERANCE


@pytest.mark.parametrize("operation", ["select", "joined"])
def test_memory_that_runs_out_while_rows_move_loses_nothing(spied, monkeypatch, operation):
    requests = [ask(f"{number}: A or B?", budgets=(2 + 2 * (number % 3),)) for number in range(8)]
    spied._limits.tokens = 150
    expected = answers(spied, requests)
    failures = iter([True, True])

    def short(*args):
        if next(failures, False):
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return moved(*args)

    moved = getattr(hf_generate, operation)
    monkeypatch.setattr(hf_generate, operation, short)
    for one, other in zip(answers(spied, requests), expected, strict=True):
        assert (one.text, one.error, one.finish_reason) == (other.text, None, other.finish_reason)
    assert next(failures, None) is None


def test_a_request_that_does_not_fit_by_itself_fails_by_itself(spied):
    long = ask("word " * 40)
    spied.memory = lambda size: size[1] < 100
    bad, good = answers(spied, [long, ask("A or B?")])
    assert bad.finish_reason is FinishReason.ERROR
    assert "not enough memory even by itself" in bad.error
    assert good.error is None


def test_memory_for_no_single_step_is_an_error_of_each(spied):
    spied.memory = lambda size: size[1] > 1
    for completion in answers(spied, [ask("A or B?"), ask("B or A?")]):
        assert completion.finish_reason is FinishReason.ERROR
        assert "not enough memory to go on" in completion.error


def test_another_failure_of_the_model_is_a_failure_of_the_judge(spied):
    def broken(size):
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    spied.memory = broken
    with pytest.raises(JudgeError, match="the model failed: mat1"):
        answers(spied, [ask("A or B?")])


def test_closing_the_iterator_stops_the_work(spied):
    given = spied.answer([ask(f"{number}: A or B?", budgets=(number + 1,)) for number in range(9)])
    next(given)
    done = len(spied.passes)
    given.close()
    assert len(spied.passes) == done
    assert [c.error for c in answers(spied, [ask("A or B?")])] == [None]


def test_ctrl_c_between_steps_ends_it_and_the_judge_goes_on(spied):
    expected = answers(spied, [ask("A or B?")])

    def interrupted(size):
        if size[1] == 1:
            raise KeyboardInterrupt
        return True

    spied.memory = interrupted
    with pytest.raises(KeyboardInterrupt):
        answers(spied, [ask("A or B?")])
    spied.memory = lambda size: True
    assert [c.text for c in answers(spied, [ask("A or B?")])] == [c.text for c in expected]
