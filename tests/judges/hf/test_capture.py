"""Residual streams and label logits: equal to a plain pass over the whole text, at every position written from."""

import numpy as np
import pytest
import torch

from evenhand.errors import ConfigError
from evenhand.judges import Generate
from evenhand.records import LabelSet
from judges.tiny_models import FAMILIES, LLAMA3, QWEN3, answers, ask, judge_of, logprobs

named = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
START = "Which response is better, A or B? " * 8
REQUESTS = [ask("A or B?"), ask(f"{START} one. two."), ask(f"{START} two. one."), ask("Say hello. " * 5)]


def captured(judge, requests, layers):
    found = {}

    def sink(record):
        assert record.index not in found
        found[record.index] = record

    with judge.capture(layers=layers, sink=sink):
        completions = answers(judge, requests)
    return completions, found


@named
def test_vectors_are_the_hidden_states_of_the_whole_text(tiny, family):
    with judge_of(tiny(family)) as judge:
        last = judge.layers
        layers = (0, 1, last // 2, last - 1, last)
        completions, found = captured(judge, REQUESTS, layers)
        assert any(completion.usage.cached_tokens for completion in completions)
        model = judge._loaded.model
        norm = model.get_decoder().norm
        for index, request in enumerate(REQUESTS):
            record = found[index]
            prompt = judge._encoder.encode(request.messages)
            ids = [*prompt, *record.token_ids]
            with torch.no_grad():
                states = model(torch.tensor([ids]), output_hidden_states=True).hidden_states
            assert len(states) == last + 1
            positions = record.vectors.shape[0]
            assert positions in (len(record.token_ids), len(record.token_ids) + 1)
            assert record.vectors.shape == (positions, len(layers), model.config.hidden_size)
            assert record.vectors.dtype == np.float32
            for place, layer in enumerate(layers):
                ours = torch.from_numpy(record.vectors[:, place])
                theirs = states[layer][0, len(prompt) - 1 : len(prompt) - 1 + positions]
                with torch.no_grad():
                    # The last of hidden_states is after the final norm, ours before it.
                    ours = norm(ours) if layer == last else ours
                assert torch.allclose(ours, theirs, atol=2e-4, rtol=1e-4)


@named
@pytest.mark.parametrize("company", [REQUESTS, REQUESTS[:1]], ids=["batched", "alone"])
def test_label_logits_are_those_of_a_plain_pass(tiny, family, company):
    with judge_of(tiny(family)) as judge:
        _, found = captured(judge, company, (1,))
        model = judge._loaded.model
        for index, request in enumerate(company):
            record = found[index]
            variants = [variant.token_id for variant in judge.label_tokens(request.labels)]
            assert list(record.label_ids) == [token for token in variants if token is not None]
            assert len(record.label_ids) >= 2
            assert list(record.prompt_ids) == list(judge._encoder.encode(request.messages))
            assert record.label_logits.shape == (record.vectors.shape[0], len(record.label_ids))
            assert record.label_logits.dtype == np.float32
            for k in range(record.vectors.shape[0]):
                with torch.no_grad():
                    read = torch.tensor([[*record.prompt_ids, *record.token_ids[:k]]])
                    plain = model(read).logits[0, -1, list(record.label_ids)]
                np.testing.assert_allclose(record.label_logits[k], plain.numpy(), atol=1e-4, rtol=0)


def test_requests_with_different_labels_keep_their_own_logits(tiny):
    with judge_of(tiny(LLAMA3)) as judge:
        numbers = LabelSet.parse("1/2")
        mixed = [ask("A or B?"), ask("A or B?", labels=numbers), ask("A or B?", labels=LabelSet.parse("B/A"))]
        _, found = captured(judge, mixed, (1,))
        column = [dict(zip(found[i].label_ids, found[i].label_logits[0], strict=True)) for i in range(3)]
        assert column[0] == pytest.approx(column[2], abs=1e-4)
        assert list(found[0].label_ids) != list(found[2].label_ids)
        assert set(found[1].label_ids).isdisjoint(found[0].label_ids)


def test_differences_of_first_logits_are_those_of_the_recorded_log_probabilities(tiny):
    with judge_of(tiny(QWEN3)) as judge:
        completions, found = captured(judge, REQUESTS, (1,))
        for index, completion in enumerate(completions):
            logprob = logprobs(completion)
            of = dict(zip(found[index].label_ids, found[index].label_logits[0], strict=True))
            one, *others = of
            for other in others:
                assert of[one] - of[other] == pytest.approx(logprob[one] - logprob[other], abs=1e-4)


def test_a_constrained_judge_shows_its_own_logits(tiny):
    with judge_of(tiny(LLAMA3)) as judge:
        constrained = [ask("A or B?", constrained=True), ask("A or B?", constrained=True, first_token=False)]
        _, found = captured(judge, constrained, (1,))
        _, free = captured(judge, [ask("A or B?")], (1,))
        np.testing.assert_allclose(found[0].label_logits[0], free[0].label_logits[0], atol=1e-4)
        assert found[1].label_ids == ()
        assert found[1].label_logits.shape == (found[1].vectors.shape[0], 0)


def test_capturing_changes_no_answer(tiny):
    with judge_of(tiny(LLAMA3)) as judge:
        block = judge._blocks()[1]
        hooks = len(block._forward_hooks)
        plain = answers(judge, REQUESTS)
        captured_too, _ = captured(judge, REQUESTS, (2,))
        assert [(c.text, c.first_token) for c in plain] == [(c.text, c.first_token) for c in captured_too]
        assert len(block._forward_hooks) == hooks


def test_the_last_prompt_token_alone_where_nothing_is_written(tiny):
    with judge_of(tiny(LLAMA3)) as judge:
        _, found = captured(judge, [ask("A or B?", generate=Generate.NEVER)], (1, 2))
        assert found[0].vectors.shape[:2] == (1, 2)
        assert found[0].token_ids == ()
        with pytest.raises(IndexError):
            found[0].token_at(0)


def test_a_character_of_the_text_leads_to_its_token(tiny):
    with judge_of(tiny(QWEN3)) as judge:
        [completion], found = captured(judge, [ask("Say hello.", budgets=(24,))], (1,))
        record = found[0]
        for token, (start, end) in enumerate(
            zip(record.starts, [*record.starts[1:], len(completion.text)], strict=True)
        ):
            for character in range(start, end):
                assert record.token_at(character) == token
        assert len(record.starts) == len(record.token_ids) == completion.usage.completion_tokens


def test_an_iterator_that_was_left_leaves_nothing_behind(tiny):
    found = {}
    with (
        judge_of(tiny(LLAMA3)) as judge,
        judge.capture(layers=(1,), sink=lambda record: found.update({record.index: record})),
    ):
        left = judge.answer([ask("A or B?", budgets=(2,)), ask("A or B?", budgets=(9,))])
        next(left)
        left.close()
        answers(judge, [ask("Hi."), ask("A or B?", budgets=(9,))])
    assert found[1].vectors.shape[0] in (9, len(found[1].token_ids) + 1)


def test_requests_that_failed_have_no_vectors(tiny):
    with judge_of(tiny(LLAMA3), n_ctx=60) as judge:
        completions, found = captured(judge, [ask("word " * 90), ask("A or B?", budgets=(2,))], (1,))
        assert [c.error is None for c in completions] == [False, True]
        assert list(found) == [1]


def test_layers_and_captures_that_cannot_be_are_refused(tiny):
    with judge_of(tiny(LLAMA3)) as judge:
        for layers in ((), (5,), (-1,)):
            with pytest.raises(ConfigError, match="to 4"), judge.capture(layers=layers, sink=print):
                pass
        with (
            judge.capture(layers=(1,), sink=print),
            pytest.raises(ConfigError, match="already"),
            judge.capture(layers=(1,), sink=print),
        ):
            pass
