"""One request on its way through vLLM: which passes it takes, and what has been written. Knows no engine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from evenhand.errors import EvenhandError, JudgeError
from evenhand.judges.base import Generate, JudgeRequest
from evenhand.judges.hf.constrain import Constraint
from evenhand.judges.hf.tokens import TextStream, TokenTexts
from evenhand.judges.writing import Writing
from evenhand.records import Completion, FinishReason, FirstToken, LabelTokens, TokenLogProb, Usage

__all__ = ["Course", "Pass", "Passed", "failed", "room"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One thing to ask of the engine, greedily.

    Attributes
    ----------
    prompt
        Token ids, what was written before included: the engine finds that in its prefix cache.
    max_tokens
        Tokens to write.
    logprob_ids
        Tokens whose log probabilities at each written position are wanted; the chosen token's comes with them.
    allowed
        The only tokens that may be written; empty: any.
    """

    prompt: tuple[int, ...]
    max_tokens: int
    logprob_ids: tuple[int, ...] = ()
    allowed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """What came of a pass.

    Attributes
    ----------
    tokens
        What was written, the token that ends the turn included.
    stopped
        Whether the last of them ends the turn.
    first
        Log probabilities at the first written position, by token.
    cached
        Prompt tokens that were not computed again; None where the engine doesn't say.
    error
        Why there is nothing; None where there is something.
    """

    tokens: tuple[int, ...]
    stopped: bool
    first: Mapping[int, float] = field(default_factory=dict)
    cached: int | None = None
    error: str | None = None


@dataclass(slots=True, kw_only=True)
class Course:
    """A request in work.

    The first position is a pass of its own wherever it is read: the engine then returns the labels' own log
    probabilities, none of them censored, and only there. Writing goes on from it up to the first budget, in one pass;
    where the watcher then still says OPEN, from there to the next. Greedy decoding goes on where it stopped.

    Attributes
    ----------
    index
        Its place in the caller's batch.
    prompt
        Token ids of the whole prompt.
    variants
        The labels' variants with their tokens.
    ends
        Tokens that end the judge's turn.
    constraint
        What may be written; None: anything.
    """

    index: int
    request: JudgeRequest
    prompt: tuple[int, ...]
    variants: tuple[LabelTokens, ...]
    texts: TokenTexts
    ends: frozenset[int]
    constraint: Constraint | None = None
    seconds: float = 0.0
    _written: list[int] = field(default_factory=list)
    _first: FirstToken | None = None
    _cached: int | None = None
    _calls: int = 0
    _writing: Writing = field(init=False)
    _stream: TextStream = field(init=False)

    def __post_init__(self) -> None:
        self._writing = Writing(request=self.request)
        self._stream = TextStream(texts=self.texts)

    def next(self) -> Pass:
        """What to ask now."""
        prompt = (*self.prompt, *self._written)
        if self._reads_first:
            return Pass(prompt=prompt, max_tokens=1, logprob_ids=self._label_ids)
        if self.constraint is not None:
            # A label that is whole while a longer one may come of it can be ended instead.
            ends = sorted(self.ends) if self.constraint.may_end is not None else []
            return Pass(prompt=prompt, max_tokens=1, allowed=(*self.constraint.allowed, *ends))
        return Pass(prompt=prompt, max_tokens=self._writing.budget - len(self._written))

    def take(self, passed: Passed) -> Completion | None:
        """What came of it; the completion where the request is finished."""
        reads_first = self._reads_first
        self._calls += 1
        if self._calls == 1:
            self._cached = passed.cached
        if passed.error is not None or not passed.tokens:
            return self._failed(JudgeError(passed.error or "vllm wrote nothing", retryable=True))
        if not reads_first:
            return self._take_label(passed) if self.constraint is not None else self._take_text(passed)
        argmax = passed.tokens[0]
        try:
            self._first = self._read_first(argmax, passed.first)
        except JudgeError as error:
            return self._failed(error)
        if self.constraint is not None:
            return None
        led = argmax in self._label_ids
        if self.request.generate is Generate.NEVER or (self.request.generate is Generate.UNLESS_LED and led):
            return self._completed(text=None, reason=FinishReason.NOT_GENERATED, tokens=1)
        return self._take_text(passed)

    @property
    def _label_ids(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(v.token_id for v in self.variants if v.token_id is not None))

    @property
    def _reads_first(self) -> bool:
        """Whether the next pass is the first position's own."""
        wanted = self.request.first_token or (self.constraint is None and self.request.generate is not Generate.ALWAYS)
        return wanted and self._calls == 0

    def _take_text(self, passed: Passed) -> Completion | None:
        last = len(passed.tokens) - 1
        for place, token in enumerate(passed.tokens):
            if token in self.ends or (passed.stopped and place == last):
                self._writing.end(FinishReason.STOP)
                break
            self._written.append(token)
            # Where the watcher settles in the middle, the rest of the pass was written in vain.
            if self._writing.add(self._stream.add(token), tokens=len(self._written)):
                break
        if self._writing.finish_reason is None:
            return None
        return self._completed(text=self._writing.text, reason=self._writing.finish_reason, tokens=len(self._written))

    def _take_label(self, passed: Passed) -> Completion | None:
        constraint, token = self.constraint, passed.tokens[0]
        if constraint is None:
            raise JudgeError("a label was taken where none was asked for")
        if token in constraint.allowed:
            self._written.append(token)
            label = constraint.take(token)
        else:
            label = constraint.may_end
            if label is None or token not in self.ends:
                return self._failed(JudgeError(f"vllm wrote token {token}, which it was not allowed", retryable=True))
        if label is None:
            return None
        return self._completed(text=label, reason=FinishReason.STOP, tokens=len(self._written))

    def _read_first(self, argmax: int, logprobs: Mapping[int, float]) -> FirstToken | None:
        missing = [token for token in (argmax, *self._label_ids) if token not in logprobs]
        if missing:
            raise JudgeError(f"vllm returned no log probability of token {missing[0]}", retryable=True)
        if any(math.isnan(logprobs[token]) for token in (argmax, *self._label_ids)):
            raise JudgeError("the model's logits are not finite: try dtype=bfloat16 or float32")
        if not self.request.first_token:
            return None

        def entry(text: str, token: int) -> TokenLogProb:
            # Rounding can leave a log probability a hair above 0.
            return TokenLogProb(text=text, token_id=token, logprob=min(0.0, logprobs[token]))

        best = entry(self.texts.text(argmax), argmax)
        return FirstToken(
            argmax=best,
            labels=tuple(
                (
                    outcome,
                    tuple(
                        entry(variant.variant, variant.token_id)
                        for variant in self.variants
                        if variant.label == label and variant.token_id is not None
                    ),
                )
                for outcome, label in self.request.labels.by_outcome.items()
            ),
            # vLLM gives chosen tokens or the largest, not both in one pass: the largest is the argmax.
            top=(best,),
        )

    def _failed(self, error: EvenhandError) -> Completion:
        return failed(error, usage=self._usage(None))

    def _completed(self, *, text: str | None, reason: FinishReason, tokens: int) -> Completion:
        return Completion(
            text=text,
            finish_reason=reason,
            first_token=self._first,
            budget=None if text is None or self.constraint is not None else self._writing.budget,
            usage=self._usage(tokens),
        )

    def _usage(self, tokens: int | None) -> Usage:
        return Usage(
            prompt_tokens=len(self.prompt),
            cached_tokens=self._cached,
            completion_tokens=tokens,
            calls=max(1, self._calls),
            seconds=self.seconds,
        )


def failed(error: EvenhandError, *, usage: Usage | None = None) -> Completion:
    """The completion of a request that could not be answered."""
    return Completion(
        text=None,
        finish_reason=FinishReason.ERROR,
        error=str(error),
        retryable=bool(getattr(error, "retryable", False)),
        usage=usage or Usage(),
    )


def room(request: JudgeRequest, constraint: Constraint | None) -> int:
    """The most tokens that a request can take to write."""
    if constraint is not None:
        return constraint.longest + 1
    return 1 if request.generate is Generate.NEVER else request.budgets[-1]
