"""What a batch would cost at an endpoint: prompts counted by the server where it does so for free, else by a rule."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from evenhand.judges.base import CostEstimate, Generate, JudgeRequest
from evenhand.judges.openai.ask import messages_of
from evenhand.judges.openai.constraint import constraint_for

__all__ = ["bytes_of", "estimate_cost", "written_at_most"]

_BYTES_PER_TOKEN = 4
"""English text in the vocabularies of common models (OpenAI's help pages); other languages take more tokens."""
_PER_MESSAGE, _PER_CHAT = 4, 3
"""Tokens that a chat format adds (OpenAI's cookbook, "How to count tokens with tiktoken")."""
_SAMPLE = 100
"""Prompts that are counted exactly; the rest goes by their bytes."""
_AT_A_TIME = 8


def bytes_of(request: JudgeRequest) -> int:
    """UTF-8 bytes of a presentation's messages."""
    return sum(len(message.content.encode("utf-8", "replace")) for message in messages_of(request))


def written_at_most(request: JudgeRequest) -> int:
    """Tokens written where every budget is used up."""
    if request.constrained:
        # The longest of the ways to say it: a label in JSON.
        return constraint_for("response_format", request.labels).max_tokens
    if request.generate is Generate.NEVER:
        return 1
    text = sum(request.budgets) if request.watcher is not None else request.budgets[-1]
    return text + (request.generate is Generate.UNLESS_LED)


async def estimate_cost(
    requests: Sequence[JudgeRequest],
    count: Callable[[JudgeRequest], Awaitable[int | None]] | None,
    *,
    why: str = "the endpoint doesn't tell its tokens",
) -> CostEstimate:
    """Count or estimate.

    Parameters
    ----------
    count
        Prompt tokens of one request as the server counts them; None where it can't.
    why
        Why prompts are estimated, where they are.
    """
    prompt, how = await _counted(requests, count) if count is not None else (None, "")
    if prompt is None:
        texts = sum(bytes_of(request) for request in requests) / _BYTES_PER_TOKEN
        frames = sum(_PER_MESSAGE * len(messages_of(request)) + _PER_CHAT for request in requests)
        prompt = round(texts) + frames
        how = (
            f"prompts estimated, since {why}: UTF-8 bytes / {_BYTES_PER_TOKEN}, and "
            f"{_PER_MESSAGE} tokens a message (English; other languages take more)"
        )
    return CostEstimate(
        prompt_tokens=prompt,
        completion_tokens_low=len(requests),
        completion_tokens_high=sum(written_at_most(request) for request in requests),
        seconds_low=None,
        seconds_high=None,
        basis=(
            f"{how}; low: one token each, high: every budget used up; a prompt is sent, and may be paid for, again for "
            "each further budget and where a text is asked for after its first token; retries, and reasoning that is "
            "counted apart, come on top"
        ),
    )


async def _counted(
    requests: Sequence[JudgeRequest], count: Callable[[JudgeRequest], Awaitable[int | None]]
) -> tuple[int | None, str]:
    unique = {tuple((m.role, m.content) for m in messages_of(request)): request for request in requests}
    keys = list(unique)
    step = max(1, -(-len(keys) // _SAMPLE))
    chosen = keys[::step]
    gate = asyncio.Semaphore(_AT_A_TIME)

    async def one(request: JudgeRequest) -> int | None:
        async with gate:
            return await count(request)

    counts = await asyncio.gather(*(one(unique[key]) for key in chosen))
    if not chosen or any(tokens is None for tokens in counts):
        return (0, "nothing to ask") if not chosen else (None, "")
    known = {key: tokens for key, tokens in zip(chosen, counts, strict=True) if tokens is not None}
    if step == 1:
        exact = sum(known[tuple((m.role, m.content) for m in messages_of(request))] for request in requests)
        return exact, "prompts tokenised by the server"
    rate = sum(known.values()) / max(1, sum(bytes_of(unique[key]) for key in chosen))
    total = round(rate * sum(bytes_of(request) for request in requests))
    return total, f"{len(chosen)} of {len(keys)} prompts tokenised by the server, the others by their bytes"
