"""Residual streams: equal to output_hidden_states, at every position from which a token was chosen."""

import numpy as np
import pytest
import torch

from evenhand.errors import ConfigError
from evenhand.judges import Generate
from judges.tiny_models import FAMILIES, LLAMA3, QWEN3, answers, ask, judge_of

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
