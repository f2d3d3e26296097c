"""The first step on a scripted engine: which calls are made, and that nothing is censored or reused where inexact."""

import pytest

from evenhand.errors import JudgeError
from evenhand.judges.llama.first import Prefiller

VOCABULARY = {token: -0.5 - token for token in range(8)}
"""Log probabilities by token id."""


def entry(token):
    return {"id": token, "logprob": VOCABULARY[token], "bytes": [65 + token], "token": chr(65 + token)}


class ScriptedEngine:
    """Keeps the last prompt like llama.cpp: ``cached_tokens`` is what a reusing call has in common with it."""

    def __init__(self, *, shown=4, argmax=0, half_character=False, finish="length", deaf=(), forgetful=False):
        self.shown, self.argmax, self.finish = shown, argmax, finish
        self.half_character, self.deaf, self.forgetful = half_character, deaf, forgetful
        self.held = ()
        self.calls = []

    def complete(self, prompt, *, max_tokens, n_probs=0, reuse=True, force=None):
        self.calls.append({"n": len(prompt), "probs": n_probs, "reuse": reuse, "force": force})
        shared = 0
        if reuse and not self.forgetful:
            while shared < min(len(prompt), len(self.held)) and prompt[shared] == self.held[shared]:
                shared += 1
        self.held = tuple(prompt)
        written = self.argmax if force is None else force
        content = [{**entry(written), "top_logprobs": [entry(t) for t in range(self.shown)]}]
        if n_probs == 0 or (self.half_character and force is None):
            content = []
        if force in self.deaf:
            content = [{**entry(0), "top_logprobs": [entry(t) for t in range(self.shown)]}]
        return {
            "choices": [{"logprobs": {"content": content}, "finish_reason": self.finish, "max": max_tokens}],
            "usage": {"prompt_tokens_details": {"cached_tokens": shared}},
        }


def step(engine, prompt=(1, 2, 3), *, wanted=(), reuse=False, n_batch=2):
    return Prefiller(engine, n_batch=n_batch, reuse=reuse).first_step(prompt, wanted=wanted, any_token=7)


def test_the_last_token_is_computed_alone_after_the_rest():
    engine = ScriptedEngine()
    first = step(engine)
    assert [call["n"] for call in engine.calls] == [2, 3]
    assert (first.argmax.token_id, first.argmax.data, first.calls) == (0, b"A", 2)
    assert [e.logprob for e in first.entries] == [-0.5, -1.5, -2.5, -3.5]
    assert not first.ends_turn


def test_a_prompt_of_one_token_needs_no_prefill():
    engine = ScriptedEngine()
    assert step(engine, (1,)).calls == 1
    assert [call["n"] for call in engine.calls] == [1]


def test_a_label_outside_the_largest_is_asked_for_by_itself():
    engine = ScriptedEngine()
    first = step(engine, wanted=(2, 6))
    assert (first.logprob(2), first.logprob(6)) == (-2.5, -6.5)
    assert [call["force"] for call in engine.calls] == [None, None, 6]
    assert first.calls == 3
    with pytest.raises(KeyError):
        first.logprob(5)


def test_an_engine_that_does_not_write_what_it_is_told_is_an_error_not_a_guess():
    with pytest.raises(JudgeError, match="no log probability of token 6") as caught:
        step(ScriptedEngine(deaf=(6,)), wanted=(6,))
    assert caught.value.retryable


def test_part_of_a_character_is_written_over():
    engine = ScriptedEngine(half_character=True)
    first = step(engine)
    assert [call["force"] for call in engine.calls] == [None, None, 7]
    assert first.argmax.token_id == 0  # the largest, not what was forced


def test_an_empty_distribution_is_an_error():
    with pytest.raises(JudgeError, match="no log probabilities"):
        step(ScriptedEngine(shown=0))


def test_the_end_of_the_turn_is_told():
    assert step(ScriptedEngine(finish="stop")).ends_turn


def test_a_log_probability_above_zero_by_rounding_is_zero(monkeypatch):
    monkeypatch.setitem(VOCABULARY, 0, 1e-9)
    assert step(ScriptedEngine()).argmax.logprob == 0.0


LONG = tuple(range(10, 20))


def two_steps(engine, second, *, reuse=True, forget=False):
    prefiller = Prefiller(engine, n_batch=4, reuse=reuse)
    prefiller.first_step(LONG, wanted=(), any_token=7)
    if forget:
        prefiller.forget()
    return prefiller.first_step(second, wanted=(), any_token=7)


def test_what_two_prompts_share_is_not_computed_again():
    # Ten body tokens, six shared: four are left, one whole batch.
    assert two_steps(ScriptedEngine(), (*LONG[:6], 1, 2, 3, 4, 5)).cached_tokens == 6


@pytest.mark.parametrize(
    ("second", "settings"),
    [
        ((*LONG[:6], 1, 2, 3, 4, 5), {"reuse": False}),
        ((*LONG[:6], 1, 2, 3, 4, 5), {"forget": True}),
        ((*LONG[:5], 1, 2, 3, 4, 5, 6), {}),  # five left: the last would be alone in its batch
        ((*LONG[:9], 1, 2, 3), {}),  # goes on beyond the body held, into a token that was computed alone
        ((1, 2, 3, 4), {}),
    ],
)
def test_nothing_is_reused_where_the_result_could_differ(second, settings):
    engine = ScriptedEngine()
    assert two_steps(engine, second, **settings).cached_tokens == 0


def test_where_the_engine_kept_another_part_all_is_computed_again():
    engine = ScriptedEngine(forgetful=True)
    first = two_steps(engine, (*LONG[:6], 1, 2, 3, 4, 5))
    assert first.cached_tokens == 0
    assert [(call["n"], call["reuse"]) for call in engine.calls[2:4]] == [(10, True), (10, False)]
    assert first.calls == 3
