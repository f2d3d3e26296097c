"""Saved tokens replayed alone give what was written in company, and the same vectors."""

import numpy as np
import pytest
import torch

from evenhand.errors import ConfigError, JudgeError
from judges.tiny_models import FAMILIES, LLAMA3, QWEN3, answers, ask, judge_of

named = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
START = "Which response is better, A or B? " * 8
REQUESTS = [ask("A or B?"), ask(f"{START} one. two."), ask(f"{START} two. one."), ask("Say hello. " * 5)]


def captured(judge, layers, requests=REQUESTS):
    found = {}
    with judge.capture(layers=layers, sink=lambda record: found.update({record.index: record})):
        answers(judge, requests)
    return [found[index] for index in range(len(requests))]


@named
def test_a_replay_writes_the_same_tokens_from_the_same_vectors(tiny, family):
    with judge_of(tiny(family)) as judge:
        layers = (0, 2, judge.layers - 1)
        records = captured(judge, layers)
        assert any(record.token_ids for record in records)
        for record in records:
            got = judge.replay(record.prompt_ids, record.token_ids, layers=layers)
            assert len(got.greedy) == len(record.token_ids) + 1
            assert got.greedy[:-1] == record.token_ids
            positions = record.vectors.shape[0]
            assert got.vectors.shape == (len(got.greedy), *record.vectors.shape[1:])
            assert got.vectors.dtype == np.float32
            np.testing.assert_allclose(got.vectors[:positions], record.vectors, atol=1e-4, rtol=1e-4)


def test_the_last_position_is_what_comes_after_all_saved_tokens(tiny):
    with judge_of(tiny(LLAMA3)) as judge:
        [record] = captured(judge, (1,), [ask("A or B?")])
        k = 3
        got = judge.replay(record.prompt_ids, record.token_ids[:k])
        assert got.vectors is None
        assert got.greedy == record.token_ids[: k + 1]


def test_tokens_that_the_judge_would_not_write_show(tiny):
    with judge_of(tiny(QWEN3)) as judge:
        [record] = captured(judge, (1,), [ask("A or B?")])
        other = (record.token_ids[0] + 1, *record.token_ids[1:])
        got = judge.replay(record.prompt_ids, other, layers=(1,))
        assert got.greedy[0] == record.token_ids[0] != other[0]
        # What comes after a changed token is read from it.
        assert np.abs(got.vectors[1] - record.vectors[1]).max() > 1e-3


def test_a_replay_leaves_a_running_answer_and_its_capture_alone(tiny):
    found = {}
    with judge_of(tiny(LLAMA3)) as judge:
        # Transformers leaves hooks of its own.
        hooks = len(judge._blocks()[0]._forward_hooks)
        plain = captured(judge, (1, 2))
        with judge.capture(layers=(1, 2), sink=lambda record: found.update({record.index: record})):
            for answer in judge.answer(REQUESTS):
                judge.replay(plain[answer.index].prompt_ids, plain[answer.index].token_ids[:2], layers=(1,))
        assert len(judge._blocks()[0]._forward_hooks) == hooks
        for index, record in enumerate(plain):
            assert found[index].token_ids == record.token_ids
            np.testing.assert_allclose(found[index].vectors, record.vectors, atol=1e-4)


def test_what_cannot_be_replayed_is_refused(tiny):
    with judge_of(tiny(LLAMA3), n_ctx=20) as judge:
        with pytest.raises(ConfigError, match="empty"):
            judge.replay((), (1,))
        with pytest.raises(ConfigError, match="context of 20"):
            judge.replay(range(1, 12), range(1, 11))
        with pytest.raises(ConfigError, match="to 4"):
            judge.replay((1, 2), (3,), layers=(5,))
    with pytest.raises(ConfigError, match="closed"):
        judge.replay((1,), ())


def test_a_model_that_fails_is_a_judge_error(tiny, monkeypatch):
    with judge_of(tiny(LLAMA3)) as judge:
        model = judge._loaded.model
        broken = torch.full_like(model.lm_head.weight, torch.nan)
        monkeypatch.setattr(model.lm_head.weight, "data", broken)
        with pytest.raises(JudgeError, match="not finite"):
            judge.replay((1, 2), ())
        monkeypatch.undo()

        def fail(*_args, **_more):
            raise RuntimeError("no such kernel")

        monkeypatch.setattr(judge._forward, "step", fail)
        with pytest.raises(JudgeError, match="no such kernel"):
            judge.replay((1, 2), (3,))
