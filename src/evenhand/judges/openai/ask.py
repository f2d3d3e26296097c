"""One presentation put to a chat endpoint: which calls it takes, and the completion that comes of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from evenhand.judges.base import Generate, JudgeRequest
from evenhand.judges.openai.constraint import Constraint
from evenhand.judges.openai.dialect import Dialect, clean_text
from evenhand.judges.openai.first import FirstRead, read_first
from evenhand.judges.openai.reply import Reply, read_reply
from evenhand.judges.openai.sender import Unanswered
from evenhand.judges.openai.server import Server, ServerKind
from evenhand.records import Completion, FinishReason, FirstToken, Message, TextStatus, Usage

__all__ = ["Asker", "Sends", "messages_of"]


class Sends(Protocol):
    """What this needs of a sender."""

    async def send(self, make: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        """See :class:`evenhand.judges.openai.sender.Sender`."""
        ...


def messages_of(request: JudgeRequest) -> list[Message]:
    """The chat, with the beginning of the judge's turn as its last message."""
    begun = begun_with(request)
    return [*request.messages, Message(role="assistant", content=begun)] if begun else list(request.messages)


def begun_with(request: JudgeRequest) -> str:
    """What the judge's turn begins with, as it is sent; empty where it begins with nothing."""
    return clean_text(request.prefill or "").rstrip()


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What the calls of one presentation brought so far."""

    began: float
    calls: int = 0
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    served: str | None = None
    first: FirstToken | None = None

    def add(self, reply: Reply) -> None:
        self.calls += 1
        self.prompt_tokens = _sum(self.prompt_tokens, reply.prompt_tokens)
        self.cached_tokens = _sum(self.cached_tokens, reply.cached_tokens)
        self.completion_tokens = _sum(self.completion_tokens, reply.completion_tokens)
        self.served = reply.served or self.served

    @property
    def usage(self) -> Usage:
        return Usage(
            prompt_tokens=self.prompt_tokens,
            cached_tokens=self.cached_tokens,
            completion_tokens=self.completion_tokens,
            calls=self.calls,
            seconds=time.perf_counter() - self.began,
        )


class Asker:
    """Puts presentations to one endpoint.

    Parameters
    ----------
    server
        None where nobody needed to know which it is.
    constraints
        For each set of labels that a constrained request has.
    """

    def __init__(
        self,
        dialect: Dialect,
        *,
        server: Server | None = None,
        constraints: Mapping[object, Constraint] | None = None,
    ) -> None:
        self._dialect = dialect
        self._server = server
        self._constraints = constraints or {}

    async def ask(self, request: JudgeRequest, sender: Sends) -> Completion:
        """Ask until there is a completion: an answer, or a stated error of this presentation.

        Raises
        ------
        JudgeFailed, NotSent
            See :class:`evenhand.judges.openai.sender.Sender`.
        """
        tally, notes = _Tally(began=time.perf_counter()), _Notes()
        try:
            if request.constrained:
                return await self._constrained(request, sender, tally, notes)
            if request.generate is not Generate.ALWAYS:
                done = await self._first_only(request, sender, tally, notes)
                if done is not None:
                    return done
            return await self._written(request, sender, tally, notes)
        except Unanswered as error:
            if tally.calls:
                notes.add(f"calls for this presentation that were answered before the one that failed: {tally.calls}")
            return Completion(
                text=None,
                finish_reason=FinishReason.ERROR,
                # What the first position was is known, whatever happened later.
                first_token=tally.first if request.first_token else None,
                usage=tally.usage,
                error=error.text,
                retryable=error.retryable,
                note=notes.text,
                served=tally.served,
            )

    async def _first_only(
        self, request: JudgeRequest, sender: Sends, tally: _Tally, notes: _Notes
    ) -> Completion | None:
        """The first token alone; None where the judge did not lead with a label and is to write on."""
        reply = await self._call(request, sender, tally, notes, max_tokens=1, logprobs=True)
        read = self._read(reply, request, notes)
        tally.first = read.first
        if request.generate is Generate.UNLESS_LED:
            led = read.first is not None and read.first.argmax.text in {
                variant for outcome in request.labels.by_outcome for variant in request.labels.variants(outcome)
            }
            if not led:
                if read.first is None:
                    notes.add("whether the judge led with a label is unknown: its text was asked for")
                return None
        if reply.finish_reason is FinishReason.FILTERED:
            return self._completion(None, FinishReason.FILTERED, request, tally, notes)
        return self._completion(None, FinishReason.NOT_GENERATED, request, tally, notes)

    async def _written(self, request: JudgeRequest, sender: Sends, tally: _Tally, notes: _Notes) -> Completion:
        """The text, under one budget after the other while the watcher finds nothing in it."""
        # Without a watcher nothing would stop before the last budget: one call instead of several.
        budgets = request.budgets if request.watcher is not None else request.budgets[-1:]
        logprobs = request.first_token and tally.calls == 0
        for budget in budgets:
            reply = await self._call(request, sender, tally, notes, max_tokens=budget, logprobs=logprobs)
            if logprobs:
                tally.first = self._read(reply, request, notes).first
                logprobs = False
            open_end = reply.finish_reason is FinishReason.LENGTH and (
                request.watcher is None or request.watcher.status(reply.text) is TextStatus.OPEN
            )
            if not open_end or budget == budgets[-1]:
                break
        used = reply.completion_tokens
        if reply.finish_reason is FinishReason.LENGTH and used is not None and used < budget:
            notes.add(f"the endpoint ended the text at {used} tokens, before the budget of {budget}")
        if request.watcher is None:
            # As if it had been asked under the smaller ones first.
            budget = next((b for b in request.budgets if used is not None and used <= b), budget)
        return self._completion(reply.text, reply.finish_reason, request, tally, notes, budget=budget)

    async def _constrained(self, request: JudgeRequest, sender: Sends, tally: _Tally, notes: _Notes) -> Completion:
        constraint = self._constraints[request.labels]
        notes.add(f"constrained by {constraint.method}")
        # Elsewhere nobody says whether the distribution is the judge's own or what the constraint left of it.
        wanted = request.first_token and constraint.bare and self._server is not None and self._server.raw_logprobs
        try:
            reply = await self._call(
                request,
                sender,
                tally,
                notes,
                max_tokens=constraint.max_tokens,
                logprobs=wanted,
                more=constraint.fields,
            )
        except Unanswered as error:
            if error.retryable:
                raise
            raise Unanswered(
                f"the endpoint does not take the constraint ({constraint.method}): {error.text}", retryable=False
            ) from None
        if wanted:
            tally.first = self._read(reply, request, notes, bound=True).first
        elif request.first_token:
            notes.add(
                "no first token: the endpoint's log probabilities under this constraint may not be the judge's own"
            )
        label = constraint.label(reply.text)
        if label is None:
            notes.add("the endpoint did not keep to the constraint")
            return self._completion(reply.text, reply.finish_reason, request, tally, notes)
        # Nothing that could follow counts, whether or not the endpoint had room to end its turn.
        return self._completion(label, FinishReason.STOP, request, tally, notes)

    async def _call(
        self,
        request: JudgeRequest,
        sender: Sends,
        tally: _Tally,
        notes: _Notes,
        *,
        max_tokens: int,
        logprobs: bool,
        more: Mapping[str, Any] | None = None,
    ) -> Reply:
        messages, fields = messages_of(request), dict(more or {})
        begun = begun_with(request)
        if begun and (self._server is None or self._server.kind is ServerKind.OTHER):
            notes.add("the judge's turn was begun for it at an endpoint not known to go on with one")
        elif begun and self._server is not None and self._server.kind is ServerKind.VLLM:
            fields |= {"continue_final_message": True, "add_generation_prompt": False}
        data = await sender.send(
            lambda: self._dialect.body(messages, max_tokens=max_tokens, logprobs=logprobs, more=fields)
        )
        reply = read_reply(data, prefill=begun)
        tally.add(reply)
        if self._dialect.fewest > max_tokens:
            notes.add(f"the endpoint takes no token limit below {self._dialect.fewest}")
        for note in (*self._dialect.notes(logprobs=logprobs), *reply.notes):
            notes.add(note)
        if reply.problem is not None:
            raise Unanswered(reply.problem, retryable=True)
        return reply

    def _read(self, reply: Reply, request: JudgeRequest, notes: _Notes, *, bound: bool = False) -> FirstRead:
        read = read_first(reply.position, text=reply.text, labels=request.labels, bound=bound)
        if read.note is not None and self._dialect.refusal is None:
            notes.add(read.note)
        return read

    def _completion(
        self,
        text: str | None,
        finish_reason: FinishReason,
        request: JudgeRequest,
        tally: _Tally,
        notes: _Notes,
        *,
        budget: int | None = None,
    ) -> Completion:
        return Completion(
            text=text,
            finish_reason=finish_reason,
            first_token=tally.first if request.first_token else None,
            budget=budget,
            usage=tally.usage,
            note=notes.text,
            served=tally.served,
        )


class _Notes:
    """Notes in the order in which they came up, each once."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}

    def add(self, text: str) -> None:
        self._texts[text] = None

    @property
    def text(self) -> str | None:
        return "; ".join(self._texts) or None


def _sum(before: int | None, more: int | None) -> int | None:
    return before if more is None else more + (before or 0)
