"""One chat completion of an endpoint, read: text, why it ends, usage, and everything odd about it as a note."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.judges.openai.faults import one_line
from evenhand.judges.openai.first import Position, begins, position_of
from evenhand.records import FinishReason

__all__ = ["MOST_TOKENS", "Reply", "read_reply"]

_FINISH = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.FILTERED,
}
_NO_CHOICE = "the endpoint answered without a choice"
MOST_TOKENS = 10**9
"""No call has more: a larger count is none."""
_CALLS = ("tool_calls", "function_call")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one call brought.

    Attributes
    ----------
    text
        Without what the judge's turn began with.
    position
        The first position; with a ``problem`` where it can't be that of the text.
    problem
        Why this is no answer at all; None else.
    prompt_tokens, cached_tokens, completion_tokens
        As the endpoint counts; None where it doesn't.
    """

    text: str
    finish_reason: FinishReason
    position: Position
    notes: tuple[str, ...] = ()
    problem: str | None = None
    served: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None


def read_reply(data: Mapping[str, Any], *, prefill: str = "") -> Reply:
    """Read an endpoint's JSON.

    Parameters
    ----------
    data
        The response.
    prefill
        What the judge's turn was begun with: taken off where the endpoint repeats it.
    """
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    prompt_tokens, completion_tokens = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    cached_tokens = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    served = _served(data)
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return Reply(
            text="",
            finish_reason=FinishReason.ERROR,
            position=Position(problem="no answer"),
            problem=_NO_CHOICE if choice is None else "the endpoint's choice has no message",
            served=served,
            prompt_tokens=prompt_tokens,
            cached_tokens=cached_tokens,
            completion_tokens=completion_tokens,
        )
    notes: list[str] = []
    content = _content(message, notes)
    position = position_of(choice)
    text = _without(content, prefill, position)
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    if reasoning:
        notes.append(f"reasoning of {len(str(reasoning))} characters was returned apart and is not part of the text")
        position = Position(problem="the first position is the reasoning's, not the answer's: no first token")
    return Reply(
        text=text,
        finish_reason=_finish(choice, message, notes),
        position=position,
        notes=tuple(notes),
        served=served,
        prompt_tokens=prompt_tokens,
        cached_tokens=cached_tokens,
        completion_tokens=completion_tokens,
    )


def _content(message: Mapping[str, Any], notes: list[str]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        # Some gateways answer in parts.
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        if all(isinstance(part, str) for part in parts):
            return "".join(part for part in parts if isinstance(part, str))
    notes.append(f"the endpoint returned {'null content' if content is None else 'content that is no text'}")
    return ""


def _finish(choice: Mapping[str, Any], message: Mapping[str, Any], notes: list[str]) -> FinishReason:
    refusal, given = message.get("refusal"), str(choice.get("finish_reason"))
    if refusal:
        notes.append(f"the API marked a refusal: {one_line(str(refusal), most=200)}")
        return FinishReason.FILTERED
    if given == "content_filter":
        notes.append("finish_reason content_filter: the provider withheld the answer or part of it")
    elif given in _CALLS or message.get("tool_calls"):
        notes.append("the judge called a tool instead of answering")
        return FinishReason.UNKNOWN
    elif given not in _FINISH:
        notes.append(f"finish_reason {one_line(given, most=60)!r} is unknown")
    return _FINISH.get(given, FinishReason.UNKNOWN)


def _without(content: str, prefill: str, position: Position) -> str:
    """Take off a repeated beginning, unless the first token shows that the judge wrote it itself."""
    if not prefill or not content.startswith(prefill):
        return content
    rest = content[len(prefill) :]
    written = position.written
    own = written is not None and begins(content, written) and not begins(rest, written)
    return content if own else rest


def _served(data: Mapping[str, Any]) -> str | None:
    model, fingerprint = data.get("model"), data.get("system_fingerprint")
    if not isinstance(model, str) or not model:
        return one_line(fingerprint) if isinstance(fingerprint, str) and fingerprint else None
    return one_line(f"{model} ({fingerprint})" if isinstance(fingerprint, str) and fingerprint else model)


def _count(value: Any) -> int | None:  # noqa: ANN401 - a server's own
    told = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if told else None
