"""The one interface behind which every judge stands: requests in, completions out, synchronous and batched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from evenhand.records import Completion, JudgeIdentity, LabelSet, LabelTokens, Message, TextStatus, TextWatcher

if TYPE_CHECKING:
    from evenhand.judges.hf.capture import Captured
    from evenhand.judges.hf.replay import Replayed

__all__ = [
    "Answer",
    "Captures",
    "CostEstimate",
    "Generate",
    "Judge",
    "JudgeRequest",
    "TextStatus",
    "TextWatcher",
    "WindsDown",
]


class Generate(StrEnum):
    """When a judge is to go on writing after the first token."""

    ALWAYS = "always"
    NEVER = "never"
    UNLESS_LED = "unless-led"
    """Only where the argmax of the whole vocabulary is not one of the verdict tokens (the hybrid readout)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """One presentation as a judge gets it.

    Attributes
    ----------
    messages
        The chat; the judge applies its chat template exactly once.
    labels
        Whose variants' log probabilities to return.
    first_token
        Whether the distribution at the first generated position is wanted.
    generate
        When to go on writing.
    budgets
        Ascending completion-token budgets, counted from the first generated token. The judge writes up to the first;
        where the watcher then still says OPEN and the judge has not ended its turn, up to the next (greedy decoding
        goes on where it stopped: the same text as asking again).
    watcher
        None: write until the judge ends its turn or the last budget.
    temperature
        0 is greedy.
    prefill
        What the judge's turn already begins with; the completion's text and first position are what follows it.
        White space at its end is not sent: in the vocabularies of language models the space belongs to the next token.
    constrained
        Whether the decoder may write nothing but one of the labels. The first position's distribution, where the
        engine gives it, is the judge's own, before the constraint. Budgets and watcher don't apply.
    repeat
        Which asking of the same question this is, from 0. Only a judge that simulates chance goes by it.
    """

    messages: tuple[Message, ...]
    labels: LabelSet
    first_token: bool = True
    generate: Generate = Generate.ALWAYS
    budgets: tuple[int, ...] = (500, 1500)
    watcher: TextWatcher | None = None
    temperature: float = 0.0
    prefill: str | None = None
    constrained: bool = False
    repeat: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The completion of the request at ``index`` of the batch. Answers may come in any order."""

    index: int
    completion: Completion


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEstimate:
    """What a batch would cost, for a dry run.

    Attributes
    ----------
    prompt_tokens, completion_tokens_low, completion_tokens_high
        Tokens read, and written at least and at most.
    seconds_low, seconds_high
        None where they can't be told.
    basis
        How the figures were got.
    presumed
        What was not looked up and is taken for granted, one sentence each; empty where nothing is.
    """

    prompt_tokens: int
    completion_tokens_low: int
    completion_tokens_high: int
    seconds_low: float | None
    seconds_high: float | None
    basis: str
    presumed: tuple[str, ...] = ()

    @classmethod
    def at_speed(
        cls, *, prompt_tokens: int, low: int, high: int, read: float, write: float, measured_on: str
    ) -> CostEstimate:
        """Of a local engine: prompts counted exactly, seconds at the speed of a short run.

        Parameters
        ----------
        low, high
            Completion tokens.
        read, write
            Prompt tokens and written tokens a second, as measured.
        measured_on
            What the short run was, in words.
        """
        return cls(
            prompt_tokens=prompt_tokens,
            completion_tokens_low=low,
            completion_tokens_high=high,
            seconds_low=prompt_tokens / read + low / write,
            seconds_high=prompt_tokens / read + high / write,
            basis=(
                f"prompts tokenised exactly; speed measured now on {measured_on}: "
                f"{read:.0f} prompt tokens/s, {write:.0f} written tokens/s; low: one token each, high: every budget "
                "used up; prompt parts shared by neighbours, which are computed once, are not subtracted"
            ),
        )


@runtime_checkable
class Judge(Protocol):
    """A judge. Construct it from a spec with :func:`evenhand.judges.load_judge`; use it as a context manager."""

    @property
    def identity(self) -> JudgeIdentity:
        """Who answers, pinned: part of every presentation's key."""
        ...

    def label_tokens(self, labels: LabelSet) -> tuple[LabelTokens, ...]:
        """Every declared variant with its token id.

        Raises
        ------
        ConfigError
            A label none of whose variants is a single token: no first-token readout is possible with it. An endpoint
            that doesn't tell its tokens gives every variant without an id, and can't refuse.
        """
        ...

    def estimate(self, requests: Sequence[JudgeRequest]) -> CostEstimate:
        """What asking these would cost; may run a short measurement, never the requests themselves."""
        ...

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        """Answer each request once, yielding as they finish.

        A request that fails yields a completion with ``finish_reason`` ERROR; the others go on. Only a failure of the
        judge as a whole raises JudgeError. Closing the iterator early stops outstanding work.
        """
        ...

    def close(self) -> None:
        """Free the engine. Closing twice is harmless."""
        ...

    def __enter__(self) -> Judge: ...

    def __exit__(self, *exc: object) -> None: ...


@runtime_checkable
class Captures(Judge, Protocol):
    """A judge that shows its residual stream: what probes learn from.

    Which one does, such as :class:`evenhand.judges.hf.judge.TransformersJudge`, can be asked with ``isinstance``,
    without loading torch.
    """

    @property
    def layers(self) -> int:
        """Blocks of the model: the layers that :meth:`capture` knows are 0 (embeddings) to this."""
        ...

    @property
    def size(self) -> int:
        """Width of the residual stream."""
        ...

    def capture(self, *, layers: Sequence[int], sink: Callable[[Captured], None]) -> AbstractContextManager[None]:
        """While this is open, ``sink`` gets every answered request's vectors, just before its answer is yielded.

        Raises
        ------
        ConfigError
            A layer that the model doesn't have, or two captures at once.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a plain text in the judge's own tokenizer, special tokens not counted."""
        ...

    def replay(
        self, prompt_ids: Sequence[int], token_ids: Sequence[int], *, layers: Sequence[int] | None = None
    ) -> Replayed:
        """Read a captured prompt and its written tokens one by one: what would be written after each.

        Raises
        ------
        ConfigError
            An empty prompt, a layer that the model doesn't have, or more tokens than the context.
        JudgeError
            The model failed.
        """
        ...


@runtime_checkable
class WindsDown(Protocol):
    """A judge that works on several requests at once, whose answers in flight are worth waiting for."""

    @property
    def in_flight(self) -> int:
        """Requests sent and not yet answered."""
        ...

    def wind_down(self) -> None:
        """Send nothing more: the answers in flight still come, then the running ``answer`` iterator ends early.

        What was not sent has no answer then, which is no fault of the judge. May be called from any thread. The next
        call of ``answer`` works as usual.
        """
        ...
