"""A stand-in for vLLM: a tiny torch model that decodes greedily, and gives results in the shape of vLLM's own records.

What vLLM does with a pass is repeated here from its documentation and source (0.33.0): the chosen token's log
probability always comes with those asked for, before any constraint; a token that ends the turn is among the tokens.
"""

from dataclasses import dataclass
from types import SimpleNamespace

import torch
from transformers import AutoModelForCausalLM

from evenhand.judges.vllm.engine import read_output


@dataclass
class Logprob:
    logprob: float
    rank: int | None = None
    decoded_token: str | None = None


@dataclass
class CompletionOutput:
    index: int
    text: str
    token_ids: list
    cumulative_logprob: float | None
    logprobs: list | None
    finish_reason: str | None = None
    stop_reason: int | str | None = None


def request_output(key, tokens, *, logprobs=None, finish="length", cached=0):
    """A finished ``vllm.RequestOutput``, as far as we read it."""
    written = CompletionOutput(0, "", list(tokens), None, logprobs, finish)
    return SimpleNamespace(
        request_id=key, finished=True, outputs=[written], num_cached_tokens=cached, prompt_token_ids=[]
    )


class StandInEngine:
    """Works off what was submitted, last first and a few at a time, as an engine would that orders by itself."""

    n_ctx = 512
    dtype = "float32"
    revision = "made here"
    name = "vllm stand-in"

    def __init__(self, folder, *, ends, n_ctx=512):
        self.n_ctx = n_ctx
        self._model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        self._ends = set(ends)
        self.waiting = {}
        self.passes = []
        self.aborted = []
        self.closed = 0
        self.fails = None

    def submit(self, key, asked):
        assert key not in self.waiting
        assert asked.max_tokens >= 1
        assert len(asked.prompt) + asked.max_tokens <= self.n_ctx
        self.passes.append(asked)
        self.waiting[key] = asked

    def step(self):
        if self.fails is not None:
            raise self.fails
        keys = list(self.waiting)[-3:]
        return [(key, read_output(self._decode(key, self.waiting.pop(key)))) for key in keys]

    def abort(self, keys):
        self.aborted += keys
        for key in keys:
            self.waiting.pop(key, None)  # what has finished may be aborted too

    def close(self):
        self.closed += 1

    def _decode(self, key, asked):
        tokens, positions = [], []
        while len(tokens) < asked.max_tokens:
            with torch.no_grad():
                logits = self._model(torch.tensor([[*asked.prompt, *tokens]])).logits[0, -1].float()
            raw = torch.log_softmax(logits, dim=-1)
            if asked.allowed:
                mask = torch.full_like(logits, float("-inf"))
                mask[list(asked.allowed)] = 0
                logits = logits + mask
            token = int(logits.argmax())
            tokens.append(token)
            positions.append({t: Logprob(float(raw[t])) for t in (token, *asked.logprob_ids)})
            if token in self._ends:
                return request_output(key, tokens, logprobs=positions, finish="stop", cached=3)
        return request_output(key, tokens, logprobs=positions if asked.logprob_ids else None, cached=3)
