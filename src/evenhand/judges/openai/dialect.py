"""What an endpoint takes of the chat API: guessed at first, then learned from its refusals, and remembered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.judges.openai.faults import Fault
from evenhand.judges.openai.settings import ApiSettings
from evenhand.records import Message

__all__ = ["Dialect", "clean_text"]

_STEPS = (20, 5, 1)
"""Caps on ``top_logprobs`` that are met in practice, tried in turn where the refusal names no number."""
_FEWEST_TOKENS = 16
"""OpenAI's reasoning models take no smaller limit; used where a refusal names no number."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.]*\d)")
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|n.t support|unknown|unrecogni[sz]ed|unexpected|not (?:allowed|permitted|available)|"
    r"extra inputs|deprecated|instead|not compatible|invalid parameter",
    re.IGNORECASE,
)
_TOO_FEW = re.compile(r"at least|minimum|below|greater than|>=|too small|too low", re.IGNORECASE)


class Dialect:
    """How to word a request so that this endpoint takes it.

    What is learned is how much comes back, never what is asked: messages, model and temperature are not touched.
    """

    def __init__(self, settings: ApiSettings) -> None:
        self._settings = settings
        self.top_logprobs: int | None = settings.top_logprobs
        self.logprobs = True
        self.field = (
            ("max_completion_tokens" if settings.endpoint.is_openai else "max_tokens")
            if settings.max_tokens_field == "auto"
            else settings.max_tokens_field
        )
        self.fewest = 1
        self.capped: int | None = None
        self.refusal: str | None = None

    def body(
        self, messages: Sequence[Message], *, max_tokens: int, logprobs: bool, more: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The request. ``more`` holds fields of one way of asking, such as a constraint."""
        settings = self._settings
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": [
                {"role": message.role, "content": clean_text(message.content)}
                for message in (_merged(messages) if settings.system_role == "merge" else messages)
            ],
            self.field: max(max_tokens, self.fewest),
        }
        if settings.temperature == "zero":
            body["temperature"] = 0
        if logprobs and self.logprobs:
            body["logprobs"] = True
            if self.top_logprobs is not None:
                body["top_logprobs"] = self.top_logprobs
        if settings.reasoning_effort is not None:
            body["reasoning_effort"] = settings.reasoning_effort
        if settings.seed is not None:
            body["seed"] = settings.seed
        return body | dict(settings.extra_body) | dict(more)

    def notes(self, *, logprobs: bool) -> list[str]:
        """What a reader of an answer must know about how it was asked."""
        notes = []
        if logprobs and self.refusal is not None:
            notes.append(f"endpoint refuses logprobs: {self.refusal}")
        elif logprobs and self.capped is not None:
            notes.append(f"endpoint caps top_logprobs at {self.capped}")
        return notes

    def learn(self, fault: Fault, sent: Mapping[str, Any]) -> bool:
        """Learn from a refusal of what was sent; whether asking again is now worth it.

        Several requests may bring the same refusal: what was learned in the meantime counts too.
        """
        if fault.status not in (400, 422):
            return False
        said = f"{fault.param or ''} {fault.text.partition(': ')[2]}".lower()
        if "logprob" in said:
            return self._less_logprobs(fault, said, sent)
        if "max_tokens" in said or "max_completion_tokens" in said or "max_output_tokens" in said:
            return self._other_limit(said, sent)
        return False

    def _less_logprobs(self, fault: Fault, said: str, sent: Mapping[str, Any]) -> bool:
        if "logprobs" not in sent:
            return False
        asked = sent.get("top_logprobs")
        if not self.logprobs or self.top_logprobs != asked:
            return True
        lower = [n for n in map(int, _NUMBER.findall(said)) if asked is not None and 1 <= n < asked]
        # Without the number 0: "must be between 0 and 5".
        unsupported = _UNSUPPORTED.search(said) is not None and not lower
        step = max(lower, default=next((n for n in _STEPS if asked is not None and n < asked), None))
        if asked is not None and step is not None and not unsupported:
            self.top_logprobs = self.capped = step
        elif asked is not None and (not unsupported or "top_logprobs" in said):
            self.top_logprobs, self.capped = None, 0
        else:
            self.logprobs = False
            self.refusal = fault.text
        return True

    def _other_limit(self, said: str, sent: Mapping[str, Any]) -> bool:
        used = self.field if self.field in sent else "max_tokens"
        if used not in sent:
            return True  # Learned meanwhile.
        if _TOO_FEW.search(said) and sent[used] < _FEWEST_TOKENS:
            numbers = [n for n in map(int, _NUMBER.findall(said)) if sent[used] < n <= 1024]
            self.fewest = max(self.fewest, min(numbers, default=_FEWEST_TOKENS))
            return self.fewest > int(sent[used])
        if self._settings.max_tokens_field == "auto" and _UNSUPPORTED.search(said):
            other = "max_completion_tokens" if used == "max_tokens" else "max_tokens"
            if self.field == used and not self._switched:
                self.field, self._switched = other, True
                return True
            return self.field != used
        return False

    _switched = False


def clean_text(text: str) -> str:
    """Lone surrogates, which JSON in UTF-8 can't carry, become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _merged(messages: Sequence[Message]) -> list[Message]:
    """System texts at the head of the first user message, for models without a system role."""
    system = [message.content for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    if not system:
        return rest
    head = next((i for i, message in enumerate(rest) if message.role == "user"), None)
    if head is None:
        return [Message(role="user", content="\n\n".join(system)), *rest]
    rest[head] = Message(role="user", content="\n\n".join([*system, rest[head].content]))
    return rest
