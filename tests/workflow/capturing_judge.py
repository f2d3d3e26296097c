"""A judge that shows its residual stream and writes what a script says: what no tiny random model would ever write.

Its tokens are words, numbers, signs and a letter in brackets; its vectors and logits are pseudo-random numbers that
depend on nothing but what it has read, so that a replay gives the same.
"""

import hashlib
import re
from contextlib import contextmanager

import numpy as np

from evenhand.judges.base import Answer, CostEstimate, Generate
from evenhand.judges.hf.capture import Captured
from evenhand.judges.hf.replay import Replayed
from evenhand.records import (
    Completion,
    FinishReason,
    FirstToken,
    JudgeIdentity,
    LabelTokens,
    Pair,
    TokenLogProb,
    Usage,
)

LAYERS = 4
SIZE = 6
END = 0


def pairs(count):
    return [
        Pair(
            id=f"p{n}",
            instruction=f"question {n}",
            response_a=f"alpha {n} of some length",
            response_b=f"beta {n}",
            group=f"g{n // 2}",
        )
        for n in range(count)
    ]


def asked(request):
    """Which of :func:`pairs` a request is about and whether A is shown first."""
    content = request.messages[-1].content
    number = int(re.search(r"question (\d+)", content)[1])
    return number, content.index("alpha") < content.index("beta")


def three_lines(label, *, confidence=80):
    return f"It is better.\n{confidence}\n{label}"


def flipping(every):
    """Prefers A, but the first slot in every so-manieth pair."""

    def write(number, ab):
        first = ab or number % every == 0
        return three_lines("A" if first else "B", confidence=90 - number)

    return write


class CapturingDouble:
    """``write(pair number, whether A is first)`` gives a text, or a completion."""

    def __init__(self, write=None):
        self._write = write or flipping(3)
        self._words = {"<end>": END}
        self._scripts = {}
        self._capture = None
        self.asked = []
        self.replayed = []
        self.wrong_replays = frozenset()
        self.noise = 0.0
        self.closed = False

    layers = LAYERS
    size = SIZE

    @property
    def identity(self):
        settings = (("dtype", "float32"), ("device", "cpu"))
        return JudgeIdentity(spec="double:x", model="x", revision="sha256:0", engine="double 1", settings=settings)

    def tokens(self, text):
        found = re.findall(r"\(\w\)|\w+|\n|.", text)
        return tuple(self._words.setdefault(word, len(self._words)) for word in found), found

    def count_tokens(self, text):
        return len(self.tokens(text)[0])

    def label_tokens(self, labels):
        return tuple(
            LabelTokens(label=label, variant=variant, token_id=self.tokens(variant)[0][0] if variant == label else None)
            for outcome, label in labels.by_outcome.items()
            for variant in labels.variants(outcome)
        )

    def estimate(self, requests):
        return CostEstimate(
            prompt_tokens=10 * len(requests),
            completion_tokens_low=len(requests),
            completion_tokens_high=256 * len(requests),
            seconds_low=None,
            seconds_high=None,
            basis="a double",
        )

    @contextmanager
    def capture(self, *, layers, sink):
        assert self._capture is None
        self._capture = (tuple(layers), sink)
        try:
            yield
        finally:
            self._capture = None

    def answer(self, requests):
        for index in reversed(range(len(requests))):
            request = requests[index]
            number, ab = asked(request)
            self.asked.append((number, ab))
            given = self._write(number, ab)
            completion = self._completion(given, request) if isinstance(given, str) else given
            if completion.error is None and self._capture is not None:
                self._capture[1](self._captured(index, request, completion))
            yield Answer(index=index, completion=completion)

    def _completion(self, text, request):
        labels = {variant.variant: variant.token_id for variant in self.label_tokens(request.labels)}
        lead = text.strip()[-1]
        values = {label: (-0.2 if label == lead else -2.2) for label in labels if labels[label] is not None}
        first = FirstToken(
            argmax=TokenLogProb(text=lead, token_id=self.tokens(lead)[0][0], logprob=-0.2),
            labels=tuple(
                (outcome, (TokenLogProb(text=label, token_id=labels[label], logprob=values[label]),))
                for outcome, label in request.labels.by_outcome.items()
            ),
        )
        never = request.generate is Generate.NEVER
        return Completion(
            text=None if never else text,
            finish_reason=FinishReason.NOT_GENERATED if never else FinishReason.STOP,
            first_token=first,
            usage=Usage(prompt_tokens=10, completion_tokens=1 if never else len(self.tokens(text)[0])),
        )

    def _captured(self, index, request, completion):
        layers, _ = self._capture
        prompt, _ = self.tokens(request.messages[-1].content)
        ids, words = ((), []) if completion.text is None else self.tokens(completion.text)
        starts = np.cumsum([0, *map(len, words)])[:-1]
        self._scripts[prompt] = ids or (completion.first_token.argmax.token_id,)
        label_ids = tuple(v.token_id for v in self.label_tokens(request.labels) if v.token_id is not None)
        positions = range(len(ids) + 1)
        return Captured(
            index=index,
            layers=layers,
            prompt_ids=prompt,
            token_ids=ids,
            starts=tuple(int(start) for start in starts),
            vectors=np.stack([vectors(prompt, ids[:k], layers) for k in positions]),
            label_ids=label_ids,
            label_logits=np.stack([logits(prompt, ids[:k], label_ids) for k in positions]),
        )

    def replay(self, prompt_ids, token_ids, *, layers=None):
        prompt_ids, token_ids = tuple(prompt_ids), tuple(token_ids)
        self.replayed.append(prompt_ids)
        script = (*self._scripts[prompt_ids], END)
        greedy = list(script[: len(token_ids) + 1])
        if len(self.replayed) in self.wrong_replays:
            greedy[-1] += 1
        found = None
        if layers is not None:
            found = np.stack([vectors(prompt_ids, token_ids[:k], layers) for k in range(len(token_ids) + 1)])
            found = found + np.float32(self.noise)
        return Replayed(greedy=tuple(greedy), vectors=found)

    def close(self):
        self.closed = True

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _rng(*read):
    digest = hashlib.sha256(repr(read).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def vectors(prompt, written, layers):
    return np.stack([_rng(prompt, written, layer).normal(size=SIZE) for layer in layers]).astype(np.float32)


def logits(prompt, written, label_ids):
    return np.array([_rng(prompt, written, "logit", label).normal() for label in label_ids], dtype=np.float32)
